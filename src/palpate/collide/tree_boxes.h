// Boxes of a surface's tree as they are now, in float, and the tests of them, eight at a time.
//
// Floats are relative to an origin near the scene's middle and rounded to nearest; what rounding can shift is
// added to the reach of every test (Frame::reach), so "apart" is always true.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <palpate/collide/kernel.h>
#include <palpate/collide/leaf_tree.h>

namespace palpate {

// Where floats are measured from, and in what unit.
struct Frame {
  Vec3 origin = Vec3::Zero();
  double scale = 1;   // a power of two; 1 but for scenes of extreme size
  double radius = 0;  // no coordinate is farther from the origin [m]

  static Frame around(const Box& scene);
  float in_float(double x, std::size_t axis) const {
    return static_cast<float>((x - origin[static_cast<Eigen::Index>(axis)]) * scale);
  }
  // Whatever is nearer than `distance` is nearer than this in floats, axis by axis.
  float reach(double distance) const {
    return static_cast<float>((distance * (1 + 1e-6) + radius * 0x1p-20) * scale);
  }
};

template <std::size_t n>
struct alignas(32) Boxes {
  float lo[3][n], hi[3][n];
};

struct alignas(32) LeafBoxes {
  float point[3][leaf_corners];
  Boxes<leaf_triangles> triangle;
  Boxes<leaf_features> edge;
};
using Group = Boxes<8>;  // eight children, leaves or groups

// One box, to compare others with.
struct FloatBox {
  std::array<float, 3> lo, hi;
};
inline FloatBox box_in(const Group& group, std::size_t i) {
  return {{group.lo[0][i], group.lo[1][i], group.lo[2][i]}, {group.hi[0][i], group.hi[1][i], group.hi[2][i]}};
}

// Bits of the children that a box comes within `reach` of.
unsigned near_children(const Group& group, const FloatBox& box, float reach);

// The same for eight boxes in rows: `rows` points to the first low x, the other rows follow at `stride`.
unsigned near_boxes(const float* rows, std::size_t stride, const FloatBox& box, float reach);

// Sets all places of a leaf that has fewer features than there is room for, so that they are near nothing.
void clear(LeafBoxes& boxes);
void clear(Group& group);
// Boxes of a leaf's features; returns the box of all.
FloatBox refit(const Leaf& leaf, std::span<const Vec3> positions, const Frame& frame, LeafBoxes& boxes);

// The pairs of features of two leaves that come near and count.
struct LeafPair {
  const Leaf *low, *high;
  const LeafBoxes *low_boxes, *high_boxes;
  FloatBox low_box, high_box;
  const NearLeaf* near;  // null: all pairs count
  const LeafMask* mask;
  bool same;  // one leaf with itself
};
struct LeafPairHits {
  // Places in the leaves: first and second of the lower and the higher leaf.
  std::array<std::array<std::uint8_t, 2>, leaf_features * leaf_triangles> vertices_low, vertices_high;
  std::array<std::array<std::uint8_t, 2>, leaf_features * leaf_features> edges;
  std::size_t low = 0, high = 0, edge = 0;
};
void near_features(const LeafPair& pair, float reach, LeafPairHits& hits);

}  // namespace palpate
