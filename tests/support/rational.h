// Exact arithmetic for oracles, on GMP. Tests only.
//
// Every double is a rational number; what is computed here has no rounding at all. Fractions are slow because
// each operation cancels common factors, so oracles first multiply a set of points by a power of two that
// makes integers of all coordinates (to_integers) and divide once at the end.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <gmpxx.h>

#include <palpate/geometry/vec.h>

namespace palpate::testing {

using Integer = mpz_class;
using Rational = mpq_class;

template <class Number>
struct Exact3 {
  Number x, y, z;

  friend Exact3 operator+(const Exact3& a, const Exact3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Exact3 operator-(const Exact3& a, const Exact3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Exact3 operator*(const Number& s, const Exact3& a) { return {s * a.x, s * a.y, s * a.z}; }
  friend bool operator==(const Exact3& a, const Exact3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
};
using Q3 = Exact3<Rational>;
using Z3 = Exact3<Integer>;

template <class Number>
Number dot(const Exact3<Number>& a, const Exact3<Number>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class Number>
Exact3<Number> cross(const Exact3<Number>& a, const Exact3<Number>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class Number>
bool is_zero(const Exact3<Number>& a) {
  return sgn(a.x) == 0 && sgn(a.y) == 0 && sgn(a.z) == 0;
}

// The number itself; it must be finite.
inline Rational exact(double x) { return Rational(x); }
inline Q3 exact(const Vec3& p) { return {exact(p.x()), exact(p.y()), exact(p.z())}; }

inline Rational times_power_of_two(const Rational& x, long exponent) {
  Rational result;
  if (exponent >= 0)
    mpq_mul_2exp(result.get_mpq_t(), x.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  else
    mpq_div_2exp(result.get_mpq_t(), x.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  return result;
}

// The given points are points[i] * 2^exponent.
struct IntegerPoints {
  std::vector<Z3> points;
  long exponent = 0;

  const Z3& operator[](std::size_t i) const { return points[i]; }
  Rational length(const Rational& in_grid) const { return times_power_of_two(in_grid, exponent); }
  Rational squared_length(const Rational& in_grid) const { return times_power_of_two(in_grid, 2 * exponent); }
};

// Denominators must be powers of two, as those of sums and products of doubles are.
inline IntegerPoints to_integers(const std::vector<Q3>& points) {
  mp_bitcnt_t shift = 0;
  for (const Q3& p : points)
    for (const Rational* c : {&p.x, &p.y, &p.z}) shift = std::max(shift, mpz_scan1(c->get_den_mpz_t(), 0));
  const auto scaled = [&](const Rational& c) {
    Integer result;
    mpz_mul_2exp(result.get_mpz_t(), c.get_num_mpz_t(), shift - mpz_scan1(c.get_den_mpz_t(), 0));
    return result;
  };
  IntegerPoints result;
  result.exponent = -static_cast<long>(shift);
  for (const Q3& p : points) result.points.push_back({scaled(p.x), scaled(p.y), scaled(p.z)});
  return result;
}
inline IntegerPoints to_integers(const std::vector<Vec3>& points) {
  std::vector<Q3> exact_points;
  for (const Vec3& p : points) exact_points.push_back(exact(p));
  return to_integers(exact_points);
}

// A fraction in lowest terms from integers; the denominator is not zero.
inline Rational fraction(const Integer& numerator, const Integer& denominator) {
  Rational result(numerator, denominator);
  result.canonicalize();
  return result;
}

// (b - a) x (c - a) . (d - a)
template <class Number>
int orient3d_sign(const Exact3<Number>& a, const Exact3<Number>& b, const Exact3<Number>& c,
                  const Exact3<Number>& d) {
  return sgn(dot(cross<Number>(b - a, c - a), d - a));
}
inline int orient3d_sign(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const IntegerPoints p = to_integers(std::vector<Vec3>{a, b, c, d});
  return orient3d_sign(p[0], p[1], p[2], p[3]);
}
inline int orient2d_sign(const Vec2& a, const Vec2& b, const Vec2& c) {
  const auto lifted = [](const Vec2& p) { return Vec3(p.x(), p.y(), 0); };
  const IntegerPoints p = to_integers(std::vector<Vec3>{lifted(a), lifted(b), lifted(c)});
  return sgn(cross<Integer>(p[1] - p[0], p[2] - p[0]).z);
}

// Square roots of rationals, to about 300 bits.
inline mpf_class root(const Rational& x) {
  mpf_class value(0, 320);
  mpf_set_q(value.get_mpf_t(), x.get_mpq_t());
  mpf_class result(0, 320);
  mpf_sqrt(result.get_mpf_t(), value.get_mpf_t());
  return result;
}

}  // namespace palpate::testing
