// Shortest paths along the edges of a surface, as far as a reach.
//
// Sums of rounded lengths would depend on the direction in which a path is walked, and a pair right at the
// threshold would be near from one end and far from the other. So lengths are rounded once, to multiples of a
// power of two, 2^-50 of the reach at most; sums of those are exact. Whether two vertices are nearer than the
// reach then depends neither on the direction nor on numbering, and distances are those of the definition to
// within 2^-50 of the reach for each edge of the path.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <palpate/mesh/topology.h>

namespace palpate {

// Lengths of edges, in units that depend on the reach.
class PathLengths {
 public:
  PathLengths() = default;
  explicit PathLengths(double reach);  // [m]; throws if it is not positive and finite

  double reach() const { return reach_; }                    // [m]; 0: none
  double reach_in_units() const { return reach_in_units_; }  // exact
  double unit() const { return unit_; }                      // [m]
  double between(const Vec3& a, const Vec3& b) const;        // [units], a whole number

 private:
  double reach_ = 0, unit_ = 1, reach_in_units_ = 0;
};

struct PathGraph {
  const Topology& topology;
  std::span<const Vec3> rest;
  PathLengths lengths;
};

// Searches; it keeps its memory from one to the next, and what it has learnt of the graph: one for each.
class PathSearch {
 public:
  // Leaves the vertices nearer than the reach in `found`, ascending, with their distances [m]. It gives up
  // when there are more than `most`, and says so.
  bool run(const PathGraph& graph, std::uint32_t from, std::size_t most = SIZE_MAX);
  std::vector<std::pair<std::uint32_t, double>> found;

  // Whether a path shorter than the reach leads from one of `from` to one of `to`. left(vertex): no path from
  // there to one of `to` is shorter [units].
  template <class Left>
  bool joins(const PathGraph& graph, std::span<const std::uint32_t> from, std::span<const std::uint32_t> to,
             Left&& left);

 private:
  struct Slot {
    std::uint32_t vertex = no_index;
    double distance = 0;
  };
  // From a vertex with very many edges a search looks at the short ones alone: they are kept by length.
  struct Spoke {
    double length;
    std::uint32_t there;
  };
  static constexpr std::size_t many_corners = 64;

  Slot& slot_of(std::uint32_t vertex);
  std::uint32_t index_of(const Slot& slot) const { return static_cast<std::uint32_t>(&slot - table_.data()); }
  void grow();
  bool improves(std::uint32_t vertex, double distance);
  void open(double order, std::uint32_t vertex);
  std::uint32_t next_open();
  void clear();
  template <class Take>
  static void each_edge(const PathGraph& graph, std::uint32_t vertex, Take&& take);
  const std::vector<Spoke>& spokes_of(const PathGraph& graph, std::uint32_t vertex);
  // Calls visit(vertex, length) along the edges at a vertex; of edges not shorter than `most` it may skip
  // any.
  template <class Visit>
  void along_edges(const PathGraph& graph, std::uint32_t vertex, double most, Visit&& visit);

  std::vector<Slot> table_ = std::vector<Slot>(64);  // of the vertices reached, by hash
  std::vector<std::uint32_t> used_;                  // slots of the table
  std::unordered_map<std::uint32_t, std::vector<Spoke>> hubs_;
  std::vector<std::pair<double, std::uint32_t>> open_;  // a heap, nearest on top
};

template <class Take>
void PathSearch::each_edge(const PathGraph& graph, std::uint32_t vertex, Take&& take) {
  for (const std::uint32_t corner : graph.topology.corners_at(vertex))
    for (const std::uint32_t there :
         {graph.topology.vertex_at(next_corner(corner)), graph.topology.vertex_at(previous_corner(corner))})
      take(there, graph.lengths.between(graph.rest[vertex], graph.rest[there]));
}

template <class Visit>
void PathSearch::along_edges(const PathGraph& graph, std::uint32_t vertex, double most, Visit&& visit) {
  if (graph.topology.corners_at(vertex).size() < many_corners) {
    each_edge(graph, vertex, visit);
    return;
  }
  for (const Spoke& spoke : spokes_of(graph, vertex)) {
    if (spoke.length >= most) return;
    visit(spoke.there, spoke.length);
  }
}

template <class Left>
bool PathSearch::joins(const PathGraph& graph, std::span<const std::uint32_t> from,
                       std::span<const std::uint32_t> to, Left&& left) {
  const double limit = graph.lengths.reach_in_units();
  const auto consider = [&](std::uint32_t vertex, double distance) {
    if (!(distance < limit) || !improves(vertex, distance)) return;
    if (const double whole = distance + left(vertex); whole < limit) open(whole, vertex);
  };
  for (const std::uint32_t vertex : from) consider(vertex, 0);
  bool joined = false;
  while (!open_.empty() && !joined) {
    const std::uint32_t vertex = next_open();
    const double distance = slot_of(vertex).distance;
    joined = std::find(to.begin(), to.end(), vertex) != to.end();
    if (!joined)
      along_edges(graph, vertex, limit - distance,
                  [&](std::uint32_t there, double length) { consider(there, distance + length); });
  }
  clear();
  return joined;
}

}  // namespace palpate
