// All pairs of triangles that come near each other, by their boxes: what every narrower test begins with.
//
// Two triangles are a pair if their axis-aligned boxes are not farther apart than `distance` along any axis:
// low end of the one - high end of the other <= distance, in double. (Boxes grown by half of it that overlap
// or touch.) Triangles that share a vertex are a pair, too. The answer equals that of comparing all with all.
//
// A tree of eights, as in leaf_tree.h: eight triangles a leaf, eight leaves a group, and so on; above the
// surfaces another tree of eights. Its shape is made once, from the positions given then; after that only
// boxes follow. Where surfaces are only compared with others, most of their leaves are near nothing: groups
// get their boxes from their vertices, and only those that come near another look into their leaves.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <palpate/collide/triangle_boxes.h>
#include <palpate/mesh/mesh.h>

namespace palpate {

enum class Among { everything, different_surfaces };
using PairOfSurfaces = std::array<std::uint32_t, 2>;

class TrianglePairs {
 public:
  // The triangles of all surfaces; surface i begins at triangle begins[i], the first at 0. Without `begins`
  // all are one surface. Corners are places in `positions` [m].
  void build(std::span<const Vec3> positions, std::span<const TriangleCorners> triangles,
             std::span<const std::uint32_t> begins = {});

  // The pairs when the vertices are at `positions` [m], up to the next call. Their order follows from the
  // input alone. `distance` >= 0 [m].
  std::span<const TrianglePair> find(std::span<const Vec3> positions, double distance,
                                     Among among = Among::everything);
  // Only between these surfaces, each pair of them listed once; {i, i} is inside surface i.
  std::span<const TrianglePair> find(std::span<const Vec3> positions, double distance,
                                     std::span<const PairOfSurfaces> surfaces);

  std::size_t memory() const;  // [bytes]

 private:
  struct NodePair {
    std::uint32_t a, b;  // groups
  };
  void add_surface(std::span<const Vec3> positions, std::span<const TriangleCorners> triangles,
                   std::uint32_t begin, std::uint32_t end);
  std::uint32_t add_levels(std::uint32_t first, std::uint32_t count, std::uint8_t level);
  std::uint32_t add_group(std::uint32_t child, std::size_t count, std::uint8_t level);
  void add_vertices(std::uint32_t group);
  void add_top();
  std::uint32_t child_of(std::uint32_t group, std::size_t i) const;

  void check(std::span<const Vec3> positions, double distance);
  void refit(std::span<const Vec3> positions, bool all_leaves);
  void refit_leaves(std::uint32_t group);
  void refit_above();
  void find_groups(bool inside);
  void open(const NodePair& pair, bool inside);
  void refit_wanted();
  std::span<const TrianglePair> find_triangles();
  std::span<const TrianglePair> find_from_seeds(std::span<const Vec3> positions, double distance,
                                                bool inside);

  // Groups: the boxes of eight children, their number and the first of them. Level 0: the children are
  // leaves. Level top_level: roots of surfaces, by top_; above it, groups again.
  std::vector<Group> groups_;
  std::vector<std::uint32_t> child_;
  std::vector<std::uint8_t> count_, level_, wanted_;
  std::vector<FloatBox> box_;
  std::vector<std::uint32_t> lowest_;                     // groups of level 0
  std::vector<std::uint32_t> vertices_begin_, vertices_;  // of each of them
  std::vector<std::uint32_t> roots_, top_;                // of the surfaces; in the order of the tree above
  std::vector<pairs::LeafTriangles> triangles_;
  std::vector<Group> leaves_;
  std::size_t positions_ = 0;

  Frame frame_;
  std::vector<pairs::Point> points_;
  std::vector<Box> boxes_;  // of parts of the positions
  pairs::Scene scene_{};
  std::vector<NodePair> now_, next_, work_;
  std::vector<pairs::Output> parts_;
  std::vector<std::size_t> offsets_;
  pairs::Output found_;
};

// For one use.
std::vector<TrianglePair> near_triangle_pairs(std::span<const Vec3> positions,
                                              std::span<const TriangleCorners> triangles, double distance);

}  // namespace palpate
