#include <palpate/geometry/cone.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Geometry>

#include <palpate/geometry/scaling.h>

namespace palpate {

namespace {

constexpr double pi = std::numbers::pi;
constexpr double slack = 4e-15;  // [rad] covers the rounding of an angle measured between unit vectors

// Scaled by a power of two first, so that neither tiny nor huge vectors lose their direction.
Vec3 unit(const Vec3& v) {
  const double size = v.lpNorm<Eigen::Infinity>();
  if (!(size > 0) || !std::isfinite(size)) return Vec3::Zero();
  return scaled(v, -std::ilogb(size)).normalized();
}

Vec3 any_perpendicular(const Vec3& v) {
  int smallest = 0;
  v.cwiseAbs().minCoeff(&smallest);
  return unit(v.cross(Vec3::Unit(smallest)));
}

// v turned by `angle` towards `to`; for opposite directions, over any side.
Vec3 turned_towards(const Vec3& v, const Vec3& to, double angle) {
  Vec3 side = to - v * v.dot(to);
  // Of nearly opposite directions the difference is mostly rounding, and any side is as good. Else a second
  // projection takes out what rounding left of v.
  if (side.norm() < 1e-10) side = any_perpendicular(v);
  side = unit(side);
  side = unit(side - v * v.dot(side));
  return unit(v * std::cos(angle) + side * std::sin(angle));
}

}  // namespace

double angle_between(const Vec3& a, const Vec3& b) {
  // Twice the half angle from sum and difference (Kahan): no cancellation anywhere.
  const Vec3 u = unit(a), v = unit(b);
  if (u.isZero() || v.isZero()) return 0;
  return 2 * std::atan2((u - v).norm(), (u + v).norm());
}

bool Cone::full() const { return angle >= pi; }

Cone Cone::of(const Vec3& direction, double angle) {
  const Vec3 axis = unit(direction);
  if (axis.isZero()) return {Vec3::UnitZ(), pi};
  return {axis, std::min(angle, pi)};
}

Cone Cone::around(const Cone& a, const Cone& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  const double between = angle_between(a.axis, b.axis);
  if (a.full() || between + b.angle <= a.angle - slack) return a;
  if (b.full() || between + a.angle <= b.angle - slack) return b;
  const double half = (between + a.angle + b.angle) / 2;
  if (half >= pi) return {a.axis, pi};
  const Vec3 axis = turned_towards(a.axis, b.axis, std::clamp(half - a.angle, 0.0, between));
  const double needed =
      std::max(angle_between(axis, a.axis) + a.angle, angle_between(axis, b.axis) + b.angle);
  return {axis, std::min(pi, needed + slack)};
}

Cone Cone::around(std::span<const Vec3> directions) {
  // The axis is their mean direction, the angle what they need from there.
  Vec3 mean = Vec3::Zero();
  for (const Vec3& direction : directions) mean += unit(direction);
  Cone cone;
  if (directions.empty()) return cone;
  cone = of(mean);
  if (cone.full()) cone = of(directions[0]);  // they cancel out: any axis is as good
  for (const Vec3& direction : directions) {
    const Vec3 u = unit(direction);
    if (u.isZero()) return {cone.axis, pi};
    cone.angle = std::max(cone.angle, angle_between(cone.axis, u) + slack);
  }
  cone.angle = std::min(cone.angle, pi);
  return cone;
}

bool Cone::contains(const Vec3& direction) const {
  if (empty()) return false;
  return full() || angle_between(axis, direction) <= angle + slack;
}

}  // namespace palpate
