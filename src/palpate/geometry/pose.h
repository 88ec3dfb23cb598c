// A rigid placement: a turn about the origin, then a move.
#pragma once

#include <Eigen/Geometry>

#include <palpate/geometry/vec.h>

namespace palpate {

using Quat = Eigen::Quaternion<double, Eigen::DontAlign>;

struct Pose {
  Quat rotation = Quat::Identity();  // of unit length
  Vec3 position = Vec3::Zero();      // [m]

  Vec3 apply(const Vec3& point) const { return rotation * point + position; }
  Vec3 turn(const Vec3& direction) const { return rotation * direction; }
  Pose inverse() const {
    const Quat back = rotation.conjugate();
    return {back, -(back * position)};
  }
  // First b, then a: (a * b).apply(p) == a.apply(b.apply(p)).
  // The turn is brought back to unit length, so that long chains of poses stay rigid.
  friend Pose operator*(const Pose& a, const Pose& b) {
    return {(a.rotation * b.rotation).normalized(), a.apply(b.position)};
  }
};

}  // namespace palpate
