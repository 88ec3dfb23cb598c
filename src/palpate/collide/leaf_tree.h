// The shape of a surface's tree: which triangles, edges and vertices lie together, and which of them are too
// near along the surface to count.
//
// Triangles are halved by their centres at rest until eight are left: a leaf. Its edges and vertices are
// those that no earlier leaf has taken, at most 16 each (a leaf with more passes on what it can, or holds
// fewer triangles). Leaves are numbered so that eight after each other, and eight such groups, lie together:
// the tree above them needs no pointers. Positions play no part here; boxes are finder_tree.cpp's.
//
// Masks: inside one surface, nearly all features that come near are neighbours along it, which the definition
// filters out. Which ones does not depend on positions, so it is found once for every pair of leaves that are
// within `g` of each other: a bit for every pair of their features. Most such pairs of leaves have nothing
// left, and are never looked at. Of the others it is known how near the pairs that count come at rest; where
// the two leaves have hardly changed shape since, they are not looked at either (leaf_search.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include <palpate/collide/surfaces.h>

namespace palpate {

constexpr std::uint32_t leaf_triangles = 8, leaf_features = 16, leaf_corners = 24;

struct Leaf {
  // Numbers of the surface's own. Vertices: the leaf's own first, then other corners of its triangles.
  std::array<std::uint32_t, leaf_corners> vertex;
  std::array<std::uint32_t, leaf_triangles> triangle;
  std::array<std::uint32_t, leaf_features> edge;
  // Corners and ends, as places in `vertex`.
  std::array<std::array<std::uint8_t, leaf_triangles>, 3> corner;
  std::array<std::array<std::uint8_t, leaf_features>, 2> end;
  std::uint8_t vertices = 0, own_vertices = 0, triangles = 0, edges = 0;
};

// A leaf at rest: its vertices around their middle, and a frame of its own that can be found again when it
// has moved.
struct alignas(32) LeafRest {
  float point[3][leaf_corners];  // relative to the middle [m]
  std::array<float, 9> frame;    // columns: along an edge, across it in the plane of three vertices, normal
  std::array<std::uint8_t, 3> anchor;  // those vertices, as places in Leaf::vertex
  bool has_frame = false;              // false: the vertices are all but on a line
  Vec3 middle = Vec3::Zero();          // from the middle of the surface [m]
  float radius = 0;                    // of the vertices around it [m]
};

// Bits of pairs of features that do not count, for a lower and a higher leaf (or one with itself).
struct LeafMask {
  std::array<std::uint16_t, leaf_features> edges{};         // [edge of the higher]: edges of the lower
  std::array<std::uint8_t, leaf_features> vertices_low{};   // [vertex of the lower]: triangles of the higher
  std::array<std::uint8_t, leaf_features> vertices_high{};  // [vertex of the higher]: triangles of the lower
};

struct NearLeaf {
  std::uint32_t leaf;        // the higher one
  std::uint32_t mask;        // place among the masks
  std::uint16_t edges_open;  // rows with a pair that counts
  std::uint16_t low_open, high_open;
  // Byte t: of the triangles of the lower leaf, those that have a feature which counts with one of triangle t
  // of the higher. (A feature is looked for with the first triangle of its leaf that has it.)
  std::uint64_t triangles_open;
  float gap;  // how near a pair that counts comes at rest, rounded down [m]
  bool closed() const { return (edges_open | low_open | high_open) == 0; }
};

class LeafTree {
 public:
  // `masks`: for contacts inside the surface.
  void build(const Surface& surface, bool masks);
  std::span<const Leaf> leaves() const { return leaves_; }
  // With masks only.
  std::span<const LeafRest> rest() const { return rest_; }
  // The pairs of a leaf with itself and higher ones that have masks, ascending, from leaf `high` on.
  std::span<const NearLeaf> near_from(std::uint32_t low, std::uint32_t high) const {
    if (near_begin_.empty()) return {};
    const NearLeaf *begin = near_.data() + near_begin_[low], *end = near_.data() + near_begin_[low + 1];
    const NearLeaf* at = std::lower_bound(
        begin, end, high, [](const NearLeaf& n, std::uint32_t leaf) { return n.leaf < leaf; });
    return {at, end};
  }
  const LeafMask& mask(const NearLeaf& near) const { return masks_[near.mask]; }
  std::size_t memory() const;

 private:
  void sort_triangles(const Surface& surface);
  void make_leaves(const Surface& surface);
  void make_rest(const Surface& surface);
  void make_masks(const Surface& surface);

  std::vector<std::uint32_t> order_;  // triangles
  std::vector<Leaf> leaves_;
  std::vector<LeafRest> rest_;
  std::vector<std::uint32_t> near_begin_;
  std::vector<NearLeaf> near_;
  std::vector<LeafMask> masks_;
};

// The shapes of all surfaces, by slots: contacts and steps are searched for with the same ones.
class LeafShapes {
 public:
  struct Shape {
    LeafTree tree;
    std::uint64_t changes = 0;  // of the surface, when it was made
    std::uint64_t built = 0;    // how often: whoever keeps something of it compares
    double masked = -1;         // the neighbour distance of the masks; < 0: none
  };
  // Up to date. `masked`: with masks for this neighbour distance; < 0: without; if not given, with those that
  // there are.
  const Shape& make(const Surface& surface, std::uint32_t slot, std::optional<double> masked = {});
  const Shape& operator[](std::uint32_t slot) const { return shapes_[slot]; }
  std::size_t memory() const;

 private:
  std::deque<Shape> shapes_;  // which stay where they are
};

}  // namespace palpate
