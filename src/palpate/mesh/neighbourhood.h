// Along-surface distances: for every vertex, the vertices within reach along the edges.
//
// The along-surface distance of two vertices is the length of the shortest path of edges between them,
// measured in the rest shape. A bounded Dijkstra search from every vertex finds all that are nearer than
// `reach`.
//
// Sums of rounded lengths would depend on the direction in which a path is walked, and a pair right at the
// threshold would be near from one end and far from the other. So lengths are rounded once, to multiples of a
// power of two, 2^-50 of the reach at most; sums of those are exact. The relation is symmetric and does not
// depend on numbering, and the distances are those of the definition to within 2^-50 of the reach for each
// edge of the path.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/mesh/flat_lists.h>
#include <palpate/mesh/topology.h>

namespace palpate {

class Neighbourhoods {
 public:
  Neighbourhoods() = default;
  // `rest` are the positions of the rest shape; `reach` [m] is positive and finite.
  Neighbourhoods(const Topology& topology, std::span<const Vec3> rest, double reach);

  double reach() const { return reach_; }
  // The vertices nearer than reach along the surface, ascending, the vertex itself among them.
  std::span<const std::uint32_t> near(std::uint32_t vertex) const { return near_[vertex]; }
  // Their distances [m], in the same order.
  std::span<const double> distances(std::uint32_t vertex) const { return distances_[vertex]; }
  bool are_near(std::uint32_t a, std::uint32_t b) const;

  // After a change of the topology: `touched` are the vertices of all triangles that were removed or added,
  // and vertices whose rest position changed. Equals building anew, and costs what lies within reach of them.
  void update(const Topology& topology, std::span<const Vec3> rest, std::span<const std::uint32_t> touched);

  friend bool operator==(const Neighbourhoods& a, const Neighbourhoods& b) {
    return a.reach_ == b.reach_ && a.near_ == b.near_ && a.distances_ == b.distances_;
  }

 private:
  struct Search;
  double length(const Vec3& a, const Vec3& b) const;  // [units]

  double reach_ = 0;
  double unit_ = 1, reach_in_units_ = 0;
  FlatLists<std::uint32_t> near_;
  FlatLists<double> distances_;
};

}  // namespace palpate
