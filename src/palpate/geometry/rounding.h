// Rounding towards a side, for bounds that must hold: what is enclosed stays enclosed.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace palpate {

// The neighbours of a number. Infinities and NaN stay what they are on the outer side.
template <class Real, class Bits>
constexpr Real next_above_of(Real x) {
  if (!(x < std::numeric_limits<Real>::infinity())) return x;
  if (x == 0) return std::numeric_limits<Real>::denorm_min();
  const Bits bits = std::bit_cast<Bits>(x);
  return std::bit_cast<Real>(x > 0 ? bits + 1 : bits - 1);
}
constexpr double next_above(double x) { return next_above_of<double, std::uint64_t>(x); }
constexpr float next_above(float x) { return next_above_of<float, std::uint32_t>(x); }
constexpr double next_below(double x) { return -next_above(-x); }
constexpr float next_below(float x) { return -next_above(-x); }

// The largest float not above x, the smallest not below.
inline float float_below(double x) {
  const float nearest = static_cast<float>(x);
  return static_cast<double>(nearest) > x ? next_below(nearest) : nearest;
}
inline float float_above(double x) { return -float_below(-x); }

// The rounding error of a sum: a + b == sum + error exactly (finite numbers, no overflow).
inline double sum_error(double a, double b, double sum) {
  const double b_part = sum - a;
  const double a_part = sum - b_part;
  return (a - a_part) + (b - b_part);
}

// a + b, a - b rounded to a side: the exact result is never on the other side.
inline double add_below(double a, double b) {
  const double sum = a + b;
  return sum_error(a, b, sum) < 0 || sum == std::numeric_limits<double>::infinity() ? next_below(sum) : sum;
}
inline double add_above(double a, double b) { return -add_below(-a, -b); }

}  // namespace palpate
