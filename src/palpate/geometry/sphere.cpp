#include <palpate/geometry/sphere.h>

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

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

// The sphere with two points at its ends, or the circumcircle's, whichever the triangle calls for.
Vec3 smallest_center(const Triangle& t) {
  const Vec3 ab = t[1] - t[0], ac = t[2] - t[0], bc = t[2] - t[1];
  const double cc = ab.squaredNorm(), bb = ac.squaredNorm(), aa = bc.squaredNorm();
  // Opposite to an angle of 90 degrees or more the longest side is a diameter.
  if (aa >= bb + cc) return (t[1] + t[2]) / 2;
  if (bb >= aa + cc) return (t[0] + t[2]) / 2;
  if (cc >= aa + bb) return (t[0] + t[1]) / 2;
  const Vec3 normal = ab.cross(ac);
  return t[0] + (normal.cross(ab) * bb + ac.cross(normal) * cc) / (2 * normal.squaredNorm());
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
  Vec3 center = smallest_center(triangle);
  if (!center.allFinite()) center = triangle[0];
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
