// Orientation predicates whose sign is always right.
//
// A determinant in floating point and a bound on its error decide nearly every call (the filter, inline
// here). The few calls near zero go to exact arithmetic (predicates_exact.cpp): expansions after Shewchuk
// 1997, and big integers where exponents are so far apart that expansions would under- or overflow. Being
// exact, the signs are antisymmetric under swaps of the points. Must be compiled with -ffp-contract=off, as
// all of Palpate is. Coordinates that are not finite give 0.
#pragma once

#include <cmath>

#include <palpate/geometry/vec.h>

namespace palpate {

namespace detail {
int orient2d_exact(const double* a, const double* b, const double* c);
int orient3d_exact(const double* a, const double* b, const double* c, const double* d);

// Shewchuk's bounds on the error of the plain determinants relative to the sum of magnitudes ("permanent").
inline constexpr double rounding_unit = 0x1p-53;
inline constexpr double orient2d_bound = (3 + 16 * rounding_unit) * rounding_unit;
inline constexpr double orient3d_bound = (7 + 56 * rounding_unit) * rounding_unit;
// Added to every sum of products, this covers what underflow takes from a product (at most 2^-1074 each).
inline constexpr double underflow_guard = 0x1p-1000;
}  // namespace detail

// The sign of the turn a, b, c: +1 to the left, -1 to the right, 0 on one line.
inline int orient2d(const Vec2& a, const Vec2& b, const Vec2& c) {
  const double left = (b.x() - a.x()) * (c.y() - a.y());
  const double right = (b.y() - a.y()) * (c.x() - a.x());
  const double det = left - right;
  const double error = detail::orient2d_bound * (std::abs(left) + std::abs(right) + detail::underflow_guard);
  if (std::abs(det) > error) [[likely]]
    return det > 0 ? 1 : -1;
  return detail::orient2d_exact(a.data(), b.data(), c.data());
}

// The side of d: +1 where the normal (b - a) x (c - a) points to, -1 on the other side, 0 in the plane.
inline int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const double bx = b.x() - a.x(), by = b.y() - a.y(), bz = b.z() - a.z();
  const double cx = c.x() - a.x(), cy = c.y() - a.y(), cz = c.z() - a.z();
  const double dx = d.x() - a.x(), dy = d.y() - a.y(), dz = d.z() - a.z();
  const double xy = bx * cy, yx = by * cx;
  const double yz = by * cz, zy = bz * cy;
  const double zx = bz * cx, xz = bx * cz;
  const double det = dx * (yz - zy) + dy * (zx - xz) + dz * (xy - yx);
  const double guard = detail::underflow_guard;
  const double magnitude = std::abs(dx) * (std::abs(yz) + std::abs(zy) + guard) +
                           std::abs(dy) * (std::abs(zx) + std::abs(xz) + guard) +
                           std::abs(dz) * (std::abs(xy) + std::abs(yx) + guard) + guard;
  if (std::abs(det) > detail::orient3d_bound * magnitude) [[likely]]
    return det > 0 ? 1 : -1;
  return detail::orient3d_exact(a.data(), b.data(), c.data(), d.data());
}

}  // namespace palpate
