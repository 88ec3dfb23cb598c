// Joints by name. All are made where the bodies are at that time: what they hold is what is there then.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <palpate/rigid/rigid_constraint.h>

namespace palpate {

enum class JointKind : std::uint8_t {
  fixed,    // nothing moves
  ball,     // turns freely about a point
  hinge,    // turns about an axis
  slider,   // slides along an axis, and does not turn
  distance  // two points keep their distance
};

struct JointOptions {
  JointKind kind = JointKind::ball;
  Vec3 point = Vec3::Zero();          // in the world; of `distance`, on the first body [m]
  Vec3 other = Vec3::Zero();          // of `distance`: in the world, on the second body [m]
  Vec3 axis = Vec3(0, 0, 1);          // of `hinge` and `slider`
  std::optional<double> length = {};  // of `distance`; as it is, if not given [m]
  double compliance = 0;              // [m/N]; of turns, [rad/(N m)]
};

// Throws Error for an axis without direction, and numbers that mean nothing.
std::shared_ptr<RigidConstraint> make_joint(BodyId a, const ConstraintSide& at_a, BodyId b,
                                            const ConstraintSide& at_b, const JointOptions& options);

std::span<const std::string_view> joint_names();
// Throws Error for a name that is not there, with the nearest one that is.
JointKind joint_kind(std::string_view name);

}  // namespace palpate
