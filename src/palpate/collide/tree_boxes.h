// The boxes of a surface's tree as they are now, in float, eight at a time.
//
// Floats are relative to an origin near the scene's middle and rounded to nearest; what rounding can shift is
// added to the reach of every test (Frame::reach), so "apart" is always true.
#pragma once

#include <algorithm>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <palpate/collide/leaf_tree.h>

namespace palpate {

// Where floats are measured from, and in what unit.
struct Frame {
  Vec3 origin = Vec3::Zero();
  double scale = 1;   // a power of two that makes the radius 1 to 2
  double radius = 0;  // no coordinate is farther from the origin [m]

  static Frame around(const Box& scene);
  // The same for scenes that differ little, as a rule, and with room around them.
  static Frame coarse(const Box& scene);
  bool operator==(const Frame& other) const {
    return origin == other.origin && scale == other.scale && radius == other.radius;
  }
  float in_float(double x, std::size_t axis) const {
    return static_cast<float>((x - origin[static_cast<Eigen::Index>(axis)]) * scale);
  }
  // In this unit; what is longer than all of the scene may be anything.
  float length(double distance) const { return static_cast<float>(std::min(distance * scale, 16.0)); }
  // Whatever is nearer than `distance` is nearer than this in floats, axis by axis.
  float reach(double distance) const { return length(distance * (1 + 1e-6) + radius * 0x1p-18); }
};

template <std::size_t n>
struct alignas(32) Boxes {
  float lo[3][n], hi[3][n];
};
using Group = Boxes<8>;  // eight children, leaves or groups

struct alignas(32) LeafBoxes {
  float point[3][leaf_corners];
  Boxes<leaf_triangles> triangle;
  float middle[3][leaf_features], along[3][leaf_features];  // of edges: twice the middle, and the whole edge
  // Planes: normal . p - offset, of what is near the triangle, errs by less than `error`.
  float normal[3][leaf_triangles], offset[leaf_triangles], error[leaf_triangles];
  float across[3], slab[2];  // the mean normal, and the leaf's places along it
};

// How a leaf has moved from rest: p -> turn * (p - rest) + middle.
struct LeafMotion {
  float turn[9], middle[3], rest[3];
  float radius;          // of the vertices around the middle
  float strain = 1e30f;  // no point of the leaf is farther from where this takes it; huge: no motion is known
};

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
// `reach` is the largest that will be searched with; `rest` null: without the motion from rest.
FloatBox refit(const Leaf& leaf, const LeafRest* rest, const Vec3* positions, const Frame& frame, float reach,
               LeafBoxes& boxes, LeafMotion* motion);

}  // namespace palpate
