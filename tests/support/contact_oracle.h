// A second brute force for contacts, written from the definition alone (docs/contacts.md).
//
// It shares no code with the library: distances are in long double, each the least over the parts of the
// features; along-surface distances are Dijkstra's with a plain heap; an edge is known by its two vertices.
// So nothing in it can share a mistake with the kernel, the neighbourhoods or the topology. What lies within
// 1e-12 (relative) of a threshold may be a contact or not.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <palpate/collide/detector.h>
#include <palpate/mesh/mesh.h>

namespace palpate::testing {

struct OracleSurface {
  TriangleMesh mesh;                    // as it lies now; holes are no triangles
  std::vector<Vec3> rest;               // what lengths along the surface are measured in
  bool rest_declared = false;           // so that pairs near at rest have thresholds of their own
  std::size_t loaded_vertices = 0;      // the first so many were loaded; the others came later
  std::vector<std::uint8_t> is_loaded;  // each triangle: was loaded, and is there since
  bool self_contacts = true, fixed = false;
};
// A surface that lies as it was loaded.
OracleSurface oracle_surface(const TriangleMesh& mesh, bool rest_declared = false);

struct OracleRules {
  struct Pair {  // what is particular to two surfaces, or to one with itself
    std::uint32_t first, second;
    std::optional<double> distance;
    bool excluded;
  };
  double distance;
  std::optional<double> neighbour_distance = {};
  double margin = 0;
  std::vector<Pair> pairs = {};
};

using EdgeEnds = std::array<std::uint32_t, 2>;  // ascending

// A vertex is {its number, 0}, so is a triangle; an edge is its ends. Of two edges the lower is the first.
struct PairName {
  ContactKind kind;
  std::uint32_t first_surface, second_surface;
  EdgeEnds first, second;
  friend auto operator<=>(const PairName&, const PairName&) = default;  // NOLINT: a false alarm
};
std::string to_string(const PairName& name);

struct ExpectedContact {
  PairName name;
  double distance, threshold;  // [m]; the threshold without the margin
  bool certain;                // if not, so near to a threshold that it may be one or not
  bool may_be_near, may_be_in_margin;
};

class ContactOracle {
 public:
  ContactOracle(std::vector<OracleSurface> surfaces, OracleRules rules);

  std::span<const OracleSurface> surfaces() const { return surfaces_; }
  std::span<const EdgeEnds> edges(std::uint32_t surface) const { return parts_[surface].edges; }

  // All that are contacts or may be, ascending; or those alone that have one of these vertices (with any
  // triangle) or edges (with any edge).
  std::vector<ExpectedContact> all();
  std::vector<ExpectedContact> of(std::uint32_t surface, std::span<const std::uint32_t> vertices,
                                  std::span<const EdgeEnds> edges);

  // What is wrong with contacts that a detector found; empty if nothing is. `some` as from of(), with what
  // was found of the same features.
  std::string disagreement(const Detector& detector, std::span<const Contact> found);
  std::string disagreement(const Detector& detector, std::span<const Contact> found,
                           std::span<const ExpectedContact> some) const;
  PairName name_of(const Detector& detector, const Contact& contact) const;

 private:
  struct Bounds {
    Vec3 low, high;
  };
  struct Parts {                     // of a surface
    std::vector<std::uint8_t> used;  // each vertex: has a triangle
    std::vector<EdgeEnds> edges, loaded_edges;
    std::vector<Bounds> triangle_bounds, edge_bounds;
    std::vector<std::vector<std::uint32_t>> around;  // each vertex: the other ends of its edges
    std::unordered_map<std::uint32_t, std::unordered_map<std::uint32_t, long double>> along;
  };
  struct Threshold {
    long double low, high;  // equal, but where a rest distance is as near to d as rounding
  };

  std::optional<double> distance_of(std::uint32_t a, std::uint32_t b) const;  // none: no contacts
  double reach(double d) const { return (d + rules_.margin) * (1 + 1e-9); }
  void add_vertex(std::uint32_t surface, std::uint32_t vertex, std::vector<ExpectedContact>& out);
  void add_edge(std::uint32_t surface, const EdgeEnds& edge, bool above, std::vector<ExpectedContact>& out);
  void judge(const PairName& name, double d, std::vector<ExpectedContact>& out);
  std::vector<std::uint32_t> corners(const PairName& name, bool second) const;
  long double distance(const PairName& name, bool at_rest) const;
  bool is_loaded(const PairName& name) const;
  long double along(std::uint32_t surface, std::uint32_t from, std::uint32_t to, double limit);
  std::string wrong_values(const Detector& detector, const Contact& contact, const ExpectedContact& e) const;

  std::vector<OracleSurface> surfaces_;
  OracleRules rules_;
  std::vector<Parts> parts_;
};

}  // namespace palpate::testing
