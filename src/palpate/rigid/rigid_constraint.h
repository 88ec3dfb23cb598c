// What joins two bodies, or holds one in the world: some numbers that are to be zero.
//
// To add one, write a class with rows(), and at(): the numbers, and how they change when a body is moved, and
// when it is turned about its centre (both along the axes of the world). Islands are solved side by side, so
// several threads may ask one object at once. In its test, call testing::check_constraint: it compares them
// with finite differences.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <palpate/base/ids.h>
#include <palpate/geometry/pose.h>

namespace palpate {

// Up to six numbers and their gradients.
struct ConstraintRows {
  static constexpr std::size_t most = 6;
  struct Row {
    double value = 0;                                         // [m] or [rad]
    std::array<Vec3, 2> move = {Vec3::Zero(), Vec3::Zero()};  // of each body, per metre
    std::array<Vec3, 2> turn = {Vec3::Zero(), Vec3::Zero()};  // of each body, per radian
  };
  std::array<Row, most> row;
};

// One of the two bodies as a constraint sees it.
struct ConstraintSide {
  Pose pose;    // of its own coordinates
  Vec3 centre;  // of mass [m]
};

class RigidConstraint {
 public:
  RigidConstraint(BodyId a, BodyId b) : bodies_{a, b} {}
  RigidConstraint(const RigidConstraint&) = delete;
  RigidConstraint& operator=(const RigidConstraint&) = delete;
  virtual ~RigidConstraint() = default;

  // The null id is the world.
  const std::array<BodyId, 2>& bodies() const { return bodies_; }
  virtual std::size_t rows() const = 0;  // at most ConstraintRows::most, always the same
  virtual void at(const ConstraintSide& a, const ConstraintSide& b, ConstraintRows& out) const = 0;
  // How much it gives way [m/N]; 0: not at all. Its energy is value^2 / (2 compliance).
  virtual double compliance() const { return 0; }
  // What messages call it; and snapshots tell it from others by that.
  virtual std::string_view kind() const { return "constraint"; }

 private:
  std::array<BodyId, 2> bodies_;
};

}  // namespace palpate
