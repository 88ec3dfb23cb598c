// The boxes of a surface's tree as they are now, in float, and the search through them, eight at a time.
//
// Floats are relative to an origin near the scene's middle and rounded to nearest; what rounding can shift is
// added to the reach of every test (Frame::reach), so "apart" is always true.
//
// Inside a pair of leaves, features are told apart by three tests, each for eight at once: boxes; for a
// vertex and triangles, the triangles' planes; for an edge and edges, the distance of their lines. Leaves
// that are not neighbours along the surface are first tested by slabs: the space between the two planes,
// across a leaf's mean normal, that it lies in.
//
// Leaves that are neighbours mostly bend little. Each leaf has a rigid motion that carries it from rest to
// where it is, but for `strain`: no point of it is farther from where the motion takes it. If two leaves'
// motions agree to within some distance, then no two points of them came nearer to each other than by that
// and the two strains: where the pairs that count were that much farther apart at rest, nothing has to be
// looked at.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <palpate/collide/collector.h>
#include <palpate/collide/leaf_tree.h>

namespace palpate {

// Where floats are measured from, and in what unit.
struct Frame {
  Vec3 origin = Vec3::Zero();
  double scale = 1;   // a power of two that makes the radius 1 to 2
  double radius = 0;  // no coordinate is farther from the origin [m]

  static Frame around(const Box& scene);
  float in_float(double x, std::size_t axis) const {
    return static_cast<float>((x - origin[static_cast<Eigen::Index>(axis)]) * scale);
  }
  // Whatever is nearer than `distance` is nearer than this in floats, axis by axis.
  float reach(double distance) const {
    return static_cast<float>((distance * (1 + 1e-6) + radius * 0x1p-18) * scale);
  }
};

template <std::size_t n>
struct alignas(32) Boxes {
  float lo[3][n], hi[3][n];
};
using Group = Boxes<8>;  // eight children, leaves or groups

struct alignas(32) LeafBoxes {
  float point[3][leaf_corners];
  Boxes<leaf_triangles> triangle;
  Boxes<leaf_features> edge;
  float sign[2]
            [leaf_features];  // an edge goes from low to high x; 1 if it does so in y and z as well, else -1
  // Planes: normal . p - offset, of what is near the triangle, errs by less than `error`.
  float normal[3][leaf_triangles], offset[leaf_triangles], error[leaf_triangles];
  float longest;             // of the edges, the largest sum of coordinates
  float across[3], slab[2];  // the mean normal, and the leaf's places along it
  float turn[9], middle[3];  // the motion from rest: p -> turn * (p - middle at rest) + middle
  float strain;              // what it leaves; huge where there is no motion
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
               LeafBoxes& boxes);

// A surface as the search sees it.
struct LeafView {
  const LeafTree* shape;
  const LeafBoxes* leaves;
  const Group* groups;  // of leaves
  std::uint32_t first_vertex, first_triangle;
  float scale;  // of the frame
};
// Brings the pairs of features of two groups of leaves that come near and count. `self`: of one surface, the
// first group not the higher.
void search_groups(const LeafView& low, const LeafView& high, std::uint32_t low_group,
                   std::uint32_t high_group, bool self, float reach, Batch& batch);

}  // namespace palpate
