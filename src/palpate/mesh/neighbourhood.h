// Along-surface distances: for every vertex, the vertices within reach along the edges.
//
// The along-surface distance of two vertices is the length of the shortest path of edges between them,
// measured in the rest shape. A bounded Dijkstra search from every vertex finds all that are nearer than
// `reach`.
//
// The relation is symmetric and does not depend on numbering (PathLengths says why). A reach that is long
// beside the edges makes long lists; edge_paths.h answers without any.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/mesh/flat_lists.h>
#include <palpate/mesh/path_search.h>
#include <palpate/mesh/topology.h>

namespace palpate {

class Neighbourhoods {
 public:
  Neighbourhoods() = default;
  // `rest` are the positions of the rest shape; `reach` [m] is positive and finite.
  Neighbourhoods(const Topology& topology, std::span<const Vec3> rest, double reach,
                 bool with_distances = true);

  double reach() const { return lengths_.reach(); }
  // The vertices nearer than reach along the surface, ascending, the vertex itself among them.
  std::span<const std::uint32_t> near(std::uint32_t vertex) const { return near_[vertex]; }
  // Their distances [m], in the same order; if they were asked for.
  std::span<const double> distances(std::uint32_t vertex) const { return distances_[vertex]; }
  bool are_near(std::uint32_t a, std::uint32_t b) const;
  std::size_t memory() const { return near_.memory() + distances_.memory(); }  // bytes held

  // After a change of the topology: `touched` are the vertices of all triangles that were removed or added,
  // and vertices whose rest position changed. Equals building anew, and costs what lies within reach of them.
  void update(const Topology& topology, std::span<const Vec3> rest, std::span<const std::uint32_t> touched);

  friend bool operator==(const Neighbourhoods& a, const Neighbourhoods& b) {
    return a.reach() == b.reach() && a.near_ == b.near_ && a.distances_ == b.distances_;
  }

 private:
  PathLengths lengths_;
  bool with_distances_ = true;
  FlatLists<std::uint32_t> near_;
  FlatLists<double> distances_;
};

}  // namespace palpate
