// A point of four numbers, so that one load of a vector register takes it whole.
#pragma once

#include <palpate/geometry/vec.h>

namespace palpate {

struct alignas(32) PaddedPoint {
  double at[4];  // x, y, z, and one that means nothing

  PaddedPoint() = default;
  explicit PaddedPoint(const Vec3& p) : at{p.x(), p.y(), p.z(), 0} {}
  Vec3 point() const { return {at[0], at[1], at[2]}; }
};

}  // namespace palpate
