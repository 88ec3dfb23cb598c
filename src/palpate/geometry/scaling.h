// Scaling by powers of two: exact, and the way to keep products of lengths from under- and overflowing.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include <palpate/geometry/vec.h>

namespace palpate {

// v * 2^power: exact, as long as nothing under- or overflows.
inline Vec3 scaled(const Vec3& v, int power) {
  return {std::scalbn(v.x(), power), std::scalbn(v.y(), power), std::scalbn(v.z(), power)};
}

// The power of two that brings the largest of these vectors near 1; 0 if products of six lengths are safe
// anyway, and for vectors that are all zero.
inline int scale_for(std::initializer_list<Vec3> vectors) {
  double size = 0;
  for (const Vec3& v : vectors) size = std::max(size, v.lpNorm<Eigen::Infinity>());
  const bool safe = size > 1e-40 && size < 1e40;
  return safe || !(size > 0) || !(size < std::numeric_limits<double>::infinity()) ? 0 : -std::ilogb(size);
}

}  // namespace palpate
