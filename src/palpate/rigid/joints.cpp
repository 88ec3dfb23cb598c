// Turns are measured by their rotation vectors: unlike sines of half the angle, these have a slope up to half
// a turn, so that joints come together from wherever they are.
#include <palpate/rigid/joints.h>

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/suggest.h>

namespace palpate {

namespace {

constexpr std::array<std::string_view, 5> names = {"fixed", "ball", "hinge", "slider", "distance"};

using Row = ConstraintRows::Row;

// The joint's own axes, x along the given one.
Quat frame_along(const Vec3& axis) { return Quat::FromTwoVectors(Vec3(1, 0, 0), axis.normalized()); }

// Where the joint is, seen from a body.
struct Anchor {
  Vec3 point;
  Quat axes;
  Anchor(const ConstraintSide& side, const Vec3& world, const Quat& turn)
      : point(side.pose.inverse().apply(world)), axes((side.pose.rotation.conjugate() * turn).normalized()) {}
};

// Angle times axis of a turn, the shorter way: up to half a turn, where its sign changes.
Vec3 rotation_vector(const Quat& turn) {
  const double sign = turn.w() < 0 ? -1 : 1, s = turn.vec().squaredNorm();  // sine squared
  if (s < 1e-4) return sign * 2 * (1 + s * (1.0 / 6 + s * (3.0 / 40 + s * (5.0 / 112)))) * turn.vec();
  const double sine = std::sqrt(s);
  return sign * 2 * std::atan2(sine, std::abs(turn.w())) / sine * turn.vec();
}

// By a further, small turn about the axes that were turned: the inverse of the right Jacobian of SO(3),
// 1 + [v]/2 + (1 - a cot a) / |v|^2 [v]^2, with a half of the angle.
Mat3 change_of_rotation_vector(const Vec3& v) {
  const double s = v.squaredNorm();  // angle squared
  double factor = 1.0 / 12 + s * (1.0 / 720 + s * (1.0 / 30240 + s * (1.0 / 1209600)));
  if (s > 1e-2) {
    const double half = 0.5 * std::sqrt(s);
    factor = (1 - half * std::cos(half) / std::sin(half)) / s;
  }
  Mat3 cross;
  cross << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return Mat3::Identity() + 0.5 * cross + factor * cross * cross;
}

// A joint out of parts: the same point, axes that agree, no turn.
class Joint : public RigidConstraint {
 public:
  Joint(BodyId a, const ConstraintSide& at_a, BodyId b, const ConstraintSide& at_b,
        const JointOptions& options)
      : RigidConstraint(a, b),
        kind_(options.kind),
        compliance_(options.compliance),
        a_(at_a, options.point, frame_along(options.axis)),
        b_(at_b, options.point, frame_along(options.axis)) {}

  double compliance() const override { return compliance_; }
  std::string_view kind() const override { return names[static_cast<std::size_t>(kind_)]; }
  std::size_t rows() const override {
    switch (kind_) {
      case JointKind::ball:
        return 3;
      case JointKind::hinge:
      case JointKind::slider:
        return 5;
      default:
        return 6;
    }
  }
  void at(const ConstraintSide& a, const ConstraintSide& b, ConstraintRows& out) const override {
    const Quat axes_a = a.pose.rotation * a_.axes, axes_b = b.pose.rotation * b_.axes;
    Row* next = out.row.data();
    const Vec3 pa = a.pose.apply(a_.point), pb = b.pose.apply(b_.point);
    for (int k = kind_ == JointKind::slider ? 1 : 0; k < 3; ++k)
      beside(axes_a * Vec3(Vec3::Unit(k)), pa, pb, a, b, *next++);
    if (kind_ == JointKind::hinge) {
      for (const Vec3& across : {Vec3(0, 1, 0), Vec3(0, 0, 1)})
        at_right_angles(axes_a * across, axes_b * Vec3(1, 0, 0), *next++);
    } else if (kind_ != JointKind::ball) {
      no_turn(axes_a, axes_b, next);
    }
  }

 private:
  // The second point stays in the plane through the first, whose normal turns with the first body: values
  // that a turn of the whole does not change have pushes without a torque, also where the joint gives way.
  static void beside(const Vec3& normal, const Vec3& pa, const Vec3& pb, const ConstraintSide& a,
                     const ConstraintSide& b, Row& out) {
    out = {normal.dot(pb - pa),
           {-normal, normal},
           {-(pb - a.centre).cross(normal), (pb - b.centre).cross(normal)}};
  }
  static void at_right_angles(const Vec3& of_a, const Vec3& of_b, Row& out) {
    const Vec3 turn = of_a.cross(of_b);
    out = {of_a.dot(of_b), {Vec3::Zero(), Vec3::Zero()}, {turn, -turn}};
  }
  // The turn from the one to the other, angle times axis, along the axes of the first.
  static void no_turn(const Quat& axes_a, const Quat& axes_b, Row* out) {
    const Vec3 off = rotation_vector(axes_a.conjugate() * axes_b);
    const Mat3 change = change_of_rotation_vector(off) * axes_b.toRotationMatrix().transpose();
    for (int r = 0; r < 3; ++r) {
      const Vec3 turn = change.row(r);
      out[r] = {off[r], {Vec3::Zero(), Vec3::Zero()}, {-turn, turn}};
    }
  }

  JointKind kind_;
  double compliance_;
  Anchor a_, b_;
};

class DistanceJoint : public RigidConstraint {
 public:
  DistanceJoint(BodyId a, const ConstraintSide& at_a, BodyId b, const ConstraintSide& at_b,
                const JointOptions& options)
      : RigidConstraint(a, b),
        a_(at_a.pose.inverse().apply(options.point)),
        b_(at_b.pose.inverse().apply(options.other)),
        length_(options.length.value_or((options.other - options.point).norm())),
        compliance_(options.compliance) {}

  double compliance() const override { return compliance_; }
  std::string_view kind() const override { return names[static_cast<std::size_t>(JointKind::distance)]; }
  std::size_t rows() const override { return 1; }
  void at(const ConstraintSide& a, const ConstraintSide& b, ConstraintRows& out) const override {
    const Vec3 pa = a.pose.apply(a_), pb = b.pose.apply(b_);
    const double length = (pb - pa).norm();
    const Vec3 along = length > 0 ? Vec3((pb - pa) / length) : Vec3(0, 0, 1);
    out.row[0] = {
        length - length_, {-along, along}, {-(pa - a.centre).cross(along), (pb - b.centre).cross(along)}};
  }

 private:
  Vec3 a_, b_;
  double length_, compliance_;
};

}  // namespace

std::span<const std::string_view> joint_names() { return names; }

JointKind joint_kind(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<JointKind>(i);
  throw Error(Place::named("joint", name), "there is none of this name",
              did_you_mean(name, std::vector<std::string>(names.begin(), names.end())));
}

std::shared_ptr<RigidConstraint> make_joint(BodyId a, const ConstraintSide& at_a, BodyId b,
                                            const ConstraintSide& at_b, const JointOptions& options) {
  const Place where = Place::named("joint", names[static_cast<std::size_t>(options.kind)]);
  if (a == b) throw Error(where, "it joins a body to itself", "Name two bodies, or one and the world.");
  if (!options.point.allFinite() || !options.other.allFinite() || !options.axis.allFinite())
    throw Error(where, "its point or axis is not finite", "Look at where it was computed.");
  if (!(options.axis.norm() > 1e-12))
    throw Error(where, "its axis has no direction", "Give a vector with some length.");
  if (!(options.compliance >= 0) || !std::isfinite(options.compliance))
    throw Error(where, fmt::format("its compliance is {}", options.compliance), "It must be 0 or above.");
  if (options.length && (!(*options.length >= 0) || !std::isfinite(*options.length)))
    throw Error(where, fmt::format("its length is {} m", *options.length), "It must be 0 or above.");
  if (options.kind != JointKind::distance) return std::make_shared<Joint>(a, at_a, b, at_b, options);
  if (!(options.length.value_or((options.other - options.point).norm()) > 0))
    throw Error(where, "it keeps two points at the same place", "Take a ball joint for that.");
  return std::make_shared<DistanceJoint>(a, at_a, b, at_b, options);
}

}  // namespace palpate
