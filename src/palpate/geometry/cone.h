// Cones of directions: which way the normals of a patch of surface may point.
//
// A cone holds the unit vectors whose angle to the axis is at most `angle`, from a single direction (0) to
// all of them (pi). Merging is sound: whatever lay in one of the parts lies in the result, also when axes are
// opposite and no plane joins them. That is had by measuring the angle of the new axis to each part, not by
// trusting how it was made.
#pragma once

#include <span>

#include <palpate/geometry/vec.h>

namespace palpate {

struct Cone {
  Vec3 axis = Vec3::UnitZ();  // of unit length
  double angle = -1;          // half opening [rad], 0 to pi; negative: empty

  bool empty() const { return !(angle >= 0); }
  bool full() const;  // holds every direction
  // A cone around directions of any length; zero vectors have no direction and make it full.
  static Cone around(std::span<const Vec3> directions);
  static Cone of(const Vec3& direction, double angle = 0);
  // Sound, and not much wider than needed.
  static Cone around(const Cone& a, const Cone& b);
  // True for every direction inside, and for those outside by rounding (1e-14 rad).
  bool contains(const Vec3& direction) const;
};

// The angle between two directions [rad], accurate for small and for straight angles alike; 0 if one is zero.
double angle_between(const Vec3& a, const Vec3& b);

}  // namespace palpate
