// Which triangles meet where: sides, edges, vertices, and who owns what.
//
// Everything is named so that the names follow from the triangles alone, whatever was added or removed
// before: a topology that was changed equals one that is built anew.
//
//           c              corner 3t + k: corner k of triangle t, also its *side* k, from corner k to the
//           next
//         2/ \1            edge: named by its lowest side. The triangle of that side owns the edge.
//         /   \            vertex: owned by the lowest triangle around it.
//        a --0-- b
//
// The sides of an edge form a ring in ascending order: one side at a border, two inside a surface, more where
// it is not manifold. Nothing is refused but indices out of range: triangles may be degenerate (a side with
// twice the same end belongs to no edge), doubled, or meet anyhow; describe() counts what is unusual. Removed
// triangles leave a hole (three times no_index), which later triangles fill, lowest first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/mesh/flat_lists.h>
#include <palpate/mesh/mesh.h>

namespace palpate {

inline std::uint32_t triangle_of(std::uint32_t corner) { return corner / 3; }
inline std::uint32_t next_corner(std::uint32_t corner) { return corner % 3 == 2 ? corner - 2 : corner + 1; }
inline std::uint32_t previous_corner(std::uint32_t corner) {
  return corner % 3 == 0 ? corner + 2 : corner - 1;
}

class Topology {
 public:
  Topology() = default;
  Topology(std::size_t vertices, std::span<const TriangleCorners> triangles);

  std::size_t vertex_count() const { return vertex_corners_.size(); }
  std::size_t triangle_count() const { return triangles_.size(); }  // holes included
  std::size_t hole_count() const { return holes_.size(); }
  std::size_t edge_count() const { return edges_; }
  std::span<const TriangleCorners> triangles() const { return triangles_; }
  bool is_hole(std::uint32_t triangle) const { return triangles_[triangle][0] == no_index; }

  std::uint32_t vertex_at(std::uint32_t corner) const { return triangles_[corner / 3][corner % 3]; }
  // The corners at a vertex, ascending.
  std::span<const std::uint32_t> corners_at(std::uint32_t vertex) const { return vertex_corners_[vertex]; }
  // The edge of a side: its lowest side. no_index for a side with equal ends.
  std::uint32_t edge_of(std::uint32_t side) const { return edge_of_[side]; }
  // The next side of the same edge, after the last the first again.
  std::uint32_t next_side(std::uint32_t side) const { return next_side_[side]; }
  std::span<const std::uint32_t> edges_of_sides() const { return edge_of_; }

  bool is_border(std::uint32_t side) const { return edge_of_[side] != no_index && next_side_[side] == side; }
  // Triangles that own things: a vertex without triangles has no owner (no_index).
  std::uint32_t owner_of_vertex(std::uint32_t vertex) const {
    return corners_at(vertex).empty() ? no_index : corners_at(vertex)[0] / 3;
  }
  static std::uint32_t owner_of_edge(std::uint32_t edge) { return edge / 3; }
  // What a triangle owns: bits 0 to 2 for its vertices, bits 3 to 5 for its sides.
  unsigned owned_by(std::uint32_t triangle) const;

  // Changes cost what lies around them, not what the mesh holds.
  void add_vertices(std::size_t count) { vertex_corners_.add_lists(count); }
  void remove(std::span<const std::uint32_t> triangles);
  // Where each went is appended to `places`.
  void add(std::span<const TriangleCorners> triangles, std::vector<std::uint32_t>& places);

  friend bool operator==(const Topology& a, const Topology& b);

 private:
  void connect_sides();
  void connect_vertices();
  std::uint32_t find_side(std::uint32_t from, std::uint32_t to) const;
  void link_side(std::uint32_t side);
  void unlink_side(std::uint32_t side);
  std::uint32_t before_in_ring(std::uint32_t edge, std::uint32_t side) const;
  void rename_edge(std::uint32_t side, std::uint32_t edge);

  std::vector<TriangleCorners> triangles_;
  std::vector<std::uint32_t> edge_of_, next_side_;  // by side
  FlatLists<std::uint32_t> vertex_corners_;
  std::vector<std::uint32_t> holes_;  // a heap with the lowest on top
  std::size_t edges_ = 0;
};

// The parts of a surface: two triangles with a common vertex are in one part.
struct Components {
  std::vector<std::uint32_t>
      of_triangle;  // parts are numbered by their lowest triangles; holes have no_index
  std::size_t count = 0;
};
Components components(const Topology& topology);

// The border as loops of sides, one after the other. Where several loops touch, the lowest unused side is
// next.
struct BorderLoops {
  std::vector<std::uint32_t> sides;
  std::vector<std::uint32_t> begins;  // of each loop in `sides`, and the end of the last
};
BorderLoops border_loops(const Topology& topology);

// True if the triangles around a vertex hang together by edges at it; also for a vertex without triangles.
bool is_fan(const Topology& topology, std::uint32_t vertex);

// The two sides of an edge run the same way: their triangles face opposite ways.
bool runs_same_way(const Topology& topology, std::uint32_t side, std::uint32_t other);

struct TopologyFacts {
  std::size_t vertices = 0, unused_vertices = 0, edges = 0, triangles = 0;  // triangles without holes
  std::size_t border_edges = 0, border_loops = 0;
  std::size_t nonmanifold_edges = 0;     // of more than two triangles
  std::size_t nonmanifold_vertices = 0;  // whose triangles do not hang together by edges
  std::size_t inconsistent_edges = 0;    // of two triangles that face opposite ways
  std::size_t degenerate_triangles = 0;  // with a repeated corner
  std::size_t components = 0;
  long long euler_characteristic = 0;  // used vertices - edges + triangles

  bool manifold() const {
    return nonmanifold_edges == 0 && nonmanifold_vertices == 0 && degenerate_triangles == 0;
  }
  bool closed() const { return border_edges == 0; }
  bool oriented() const { return inconsistent_edges == 0; }
};
TopologyFacts describe(const Topology& topology);

}  // namespace palpate
