#include <palpate/geometry/sphere.h>

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include <palpate/geometry/scaling.h>

namespace palpate {

namespace {

// Norms and distances err by a few units of rounding; this much more encloses.
double rounded_up(double length) { return length * (1 + 8 * 0x1p-52) + 0x1p-1000; }

double largest_distance(const Vec3& center, std::span<const Vec3> points) {
  double largest = 0;
  for (const Vec3& point : points) largest = std::max(largest, (point - center).stableNorm());
  return largest;
}

const Vec3& farthest(const Vec3& from, std::span<const Vec3> points) {
  return *std::max_element(points.begin(), points.end(), [&](const Vec3& a, const Vec3& b) {
    return (a - from).squaredNorm() < (b - from).squaredNorm();
  });
}

// The centre of the smallest sphere around 0, b and c.
Vec3 smallest_center(const Vec3& b, const Vec3& c) {
  const double bb = b.squaredNorm(), cc = c.squaredNorm(), aa = (c - b).squaredNorm();
  // Opposite to an angle of 90 degrees or more the longest side is a diameter; else it is the circumcircle's.
  if (aa >= bb + cc) return (b + c) / 2;
  if (cc >= aa + bb) return c / 2;
  if (bb >= aa + cc) return b / 2;
  const Vec3 normal = b.cross(c);
  return (normal.cross(b) * cc + c.cross(normal) * bb) / (2 * normal.squaredNorm());
}

}  // namespace

Sphere Sphere::around(std::span<const Vec3> points) {
  if (points.empty()) return {};
  const Vec3 one = farthest(points[0], points), other = farthest(one, points);
  Vec3 center = one / 2 + other / 2;
  double radius = (other - one).norm() / 2;
  for (const Vec3& point : points) {
    const Vec3 out = point - center;
    const double distance = out.norm();
    if (distance <= radius) continue;
    const double larger = (radius + distance) / 2;
    center += out * ((distance - larger) / distance);
    radius = larger;
  }
  return {center, rounded_up(largest_distance(center, points))};
}

Sphere Sphere::around(const Triangle& triangle) {
  // About the first corner and scaled to size 1 by a power of two: products of four lengths stay in range.
  const Vec3 ab = triangle[1] - triangle[0], ac = triangle[2] - triangle[0];
  const double size = std::max(ab.lpNorm<Eigen::Infinity>(), ac.lpNorm<Eigen::Infinity>());
  Vec3 center = triangle[0];
  if (size > 0 && std::isfinite(size)) {
    const int exponent = std::ilogb(size);
    center += scaled(smallest_center(scaled(ab, -exponent), scaled(ac, -exponent)), exponent);
  }
  return {center, rounded_up(largest_distance(center, triangle))};
}

Sphere Sphere::around(const Sphere& a, const Sphere& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  const Vec3 out = b.center - a.center;
  const double distance = out.stableNorm();
  if (rounded_up(distance + b.radius) <= a.radius) return a;
  if (rounded_up(distance + a.radius) <= b.radius) return b;
  // The middle of the stretch from a's far end to b's; then whatever radius both need from there.
  const double along = std::clamp((distance + b.radius - a.radius) / 2, 0.0, distance);
  const Vec3 center = distance > 0 ? Vec3(a.center + out * (along / distance)) : a.center;
  const double to_a = rounded_up((a.center - center).stableNorm()) + a.radius;
  const double to_b = rounded_up((b.center - center).stableNorm()) + b.radius;
  return {center, rounded_up(std::max(to_a, to_b))};
}

bool overlap(const Sphere& a, const Sphere& b) {
  if (a.empty() || b.empty()) return false;
  return (b.center - a.center).stableNorm() <= rounded_up(a.radius + b.radius);
}

}  // namespace palpate
