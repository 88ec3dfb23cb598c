// Orientation predicates whose sign is always right.
//
// A determinant in floating point and a bound on its error decide nearly every call (the filter, inline
// here). The few calls near zero go to a sharper bound and then to exact arithmetic (predicates_exact.cpp):
// expansions after Shewchuk 1997, and big integers where exponents are so far apart that expansions would
// under- or overflow. Being exact, the signs are antisymmetric under swaps of the points. A compiler that
// fuses multiplications and additions here only takes roundings away, and the bounds hold; the exact part is
// compiled without. Coordinates that are not finite give 0.
//
// The filter has to be nearly free next to the determinant. In 3d that keeps the floating-point units busy,
// so exponents are compared instead, as integers. u = 2^-53 is the rounding unit. Errors of the plain
// determinants, relative to the sum of the magnitudes of their products, are below 3.01 u (2d) and 7.01 u
// (3d); underflow can add 2^-1072 of the largest factor.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <palpate/geometry/vec.h>

namespace palpate {

namespace detail {

int orient2d_exact(const double* a, const double* b, const double* c);
// Near zero: a sharper filter, then exact.
int orient3d_careful(const double* a, const double* b, const double* c, const double* d);

inline std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
// The exponent of a double, as its bits have it: 1023 for 1, 0 for denormals, 2047 for infinity and NaN.
inline int exponent_of(double x) { return static_cast<int>(bits_of(x) << 1 >> 53); }
inline int sign_of_bits(double x) {
  return static_cast<int>(static_cast<std::int64_t>(bits_of(x)) >> 63) | 1;
}

// Smaller determinants may have lost digits to underflow, larger ones to overflow.
inline bool in_range(int exponent) { return static_cast<unsigned>(exponent - 63) < 2047 - 63; }

struct Determinant {
  double value, size;  // size: the largest of the differences, in magnitude
};

#ifdef __SSE2__
// Two lanes hold x and y; by hand, because compilers keep to scalars here.
inline __m128d swapped(__m128d v) { return _mm_castsi128_pd(_mm_shuffle_epi32(_mm_castpd_si128(v), 0x4e)); }
inline __m128d magnitude(__m128d v) { return _mm_and_pd(v, _mm_castsi128_pd(_mm_set1_epi64x(INT64_MAX))); }

// |b - a, c - a, d - a|, expanded along z: bz (c ^ d) + cz (d ^ b) + dz (b ^ c), where p ^ q = px qy - py qx.
inline Determinant determinant3d(const double* a, const double* b, const double* c, const double* d) {
  const __m128d origin = _mm_loadu_pd(a), origin_z = _mm_set1_pd(a[2]);
  const __m128d b_xy = _mm_sub_pd(_mm_loadu_pd(b), origin);
  const __m128d c_xy = _mm_sub_pd(_mm_loadu_pd(c), origin);
  const __m128d d_xy = _mm_sub_pd(_mm_loadu_pd(d), origin);
  const __m128d bc_z = _mm_sub_pd(_mm_loadh_pd(_mm_load_sd(b + 2), c + 2), origin_z);
  const __m128d d_z = _mm_sub_pd(_mm_set1_pd(d[2]), origin_z);
  const __m128d cd = _mm_mul_pd(c_xy, swapped(d_xy));  // (cx dy, cy dx)
  const __m128d db = _mm_mul_pd(d_xy, swapped(b_xy));
  const __m128d bc = _mm_mul_pd(b_xy, swapped(c_xy));
  const __m128d two = _mm_mul_pd(bc_z, _mm_sub_pd(_mm_unpacklo_pd(cd, db), _mm_unpackhi_pd(cd, db)));
  const __m128d third = _mm_mul_sd(d_z, _mm_sub_sd(bc, swapped(bc)));
  const __m128d value = _mm_add_sd(_mm_add_sd(two, swapped(two)), third);
  const __m128d xy = _mm_max_pd(_mm_max_pd(magnitude(b_xy), magnitude(c_xy)), magnitude(d_xy));
  const __m128d all = _mm_max_pd(xy, _mm_max_pd(magnitude(bc_z), magnitude(d_z)));
  return {_mm_cvtsd_f64(value), _mm_cvtsd_f64(_mm_max_sd(all, swapped(all)))};
}
#else
inline Determinant determinant3d(const double* a, const double* b, const double* c, const double* d) {
  const double bx = b[0] - a[0], by = b[1] - a[1], bz = b[2] - a[2];
  const double cx = c[0] - a[0], cy = c[1] - a[1], cz = c[2] - a[2];
  const double dx = d[0] - a[0], dy = d[1] - a[1], dz = d[2] - a[2];
  double size = 0;
  for (const double x : {bx, by, bz, cx, cy, cz, dx, dy, dz}) size = std::abs(x) > size ? std::abs(x) : size;
  const double value = bz * (cx * dy - cy * dx) + cz * (dx * by - dy * bx) + dz * (bx * cy - by * cx);
  return {value, value - value == 0 ? size : value};  // infinity and NaN must be seen
}
#endif

}  // namespace detail

// The sign of the turn a, b, c: +1 to the left, -1 to the right, 0 on one line.
inline int orient2d(const Vec2& a, const Vec2& b, const Vec2& c) {
  const double left = (b.x() - a.x()) * (c.y() - a.y());
  const double right = (b.y() - a.y()) * (c.x() - a.x());
  const double det = left - right;
  constexpr double underflow = 0x1p-1000, bound = 3.01 * 0x1p-53;
  // Not "<=": NaN, from coordinates that overflow, goes to the exact test.
  if (std::abs(det) > bound * (std::abs(left) + std::abs(right) + underflow)) [[likely]]
    return detail::sign_of_bits(det);
  return detail::orient2d_exact(a.data(), b.data(), c.data());
}

// The side of d: +1 where the normal (b - a) x (c - a) points to, -1 on the other side, 0 in the plane.
inline int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  using namespace detail;
  const Determinant det = determinant3d(a.data(), b.data(), c.data(), d.data());
  const int exponent = exponent_of(det.value);
  // Six products of three factors: the error is below 6 * 7.01 u m^3 < 2^-47 m^3 < 2^(3 (e + 1) - 47) with e
  // the exponent of the largest difference m.
  if (exponent - 1023 >= 3 * (exponent_of(det.size) - 1023) - 44 && in_range(exponent)) [[likely]]
    return sign_of_bits(det.value);
  return orient3d_careful(a.data(), b.data(), c.data(), d.data());
}

// The determinant itself, |b - a, c - a, d - a|, to full relative accuracy however much of it cancels: exact,
// then rounded. Slow. Where exponents are so far apart that expansions fail, the plain determinant.
double orient3d_value(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

}  // namespace palpate
