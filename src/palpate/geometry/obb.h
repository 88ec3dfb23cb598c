// Oriented boxes: tighter than axis-aligned ones around rigid shapes, dearer to test.
//
// The box is the set { center + sum s_i half_i axis_i, |s_i| <= 1 } of the numbers stored. The overlap test
// projects both boxes on the 15 directions that can separate them (3 + 3 face normals, 9 products of edges;
// Gottschalk, Lin and Manocha 1996) and allows for rounding, its own and the axes': "apart" is a proof.
// "Overlapping" may be wrong for boxes that are less than about 1e-14 of their size and distance apart; 1e-14
// / sin where only the product of two edges at a small angle separates them. Near-parallel edges, whose
// product has no direction, are covered by the same slack.
#pragma once

#include <span>

#include <palpate/geometry/box.h>
#include <palpate/geometry/pose.h>

namespace palpate {

struct Obb {
  Vec3 center = Vec3::Zero();
  Mat3 axes = Mat3::Identity();    // columns, orthonormal to rounding (1e-15)
  Vec3 half = Vec3::Constant(-1);  // half lengths [m]; negative: empty

  bool empty() const { return !(half.array() >= 0).all(); }
  // Around points, axes along the principal directions of their covariance. Encloses every point.
  static Obb around(std::span<const Vec3> points);
  // A box carried along by a pose.
  static Obb of(const Box& box, const Pose& pose = {});
  std::array<Vec3, 8> corners() const;
};

// False only if the boxes are apart.
bool overlap(const Obb& a, const Obb& b);

}  // namespace palpate
