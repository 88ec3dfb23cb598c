// Bounding spheres. The radius is rounded up: what is enclosed stays enclosed, and "apart" is true.
#pragma once

#include <span>

#include <palpate/geometry/vec.h>

namespace palpate {

struct Sphere {
  Vec3 center = Vec3::Zero();
  double radius = -1;  // [m]; negative: empty

  bool empty() const { return !(radius >= 0); }
  // Small, not smallest: within a few percent of it on ordinary sets (Ritter 1990).
  static Sphere around(std::span<const Vec3> points);
  // The smallest around a triangle, up to rounding.
  static Sphere around(const Triangle& triangle);
  // The smallest around two spheres, up to rounding.
  static Sphere around(const Sphere& a, const Sphere& b);
};

// False only if the spheres are apart; never true for an empty one.
bool overlap(const Sphere& a, const Sphere& b);

}  // namespace palpate
