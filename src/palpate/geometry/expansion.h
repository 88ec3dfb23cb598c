// Expansion arithmetic: exact sums and products of doubles (Shewchuk 1997).
//
// An expansion is a sum of doubles that do not overlap, smallest first; its sign is the sign of its last
// term. The functions below are exact as long as no product under- or overflows, which the caller sees to.
// Zero terms are dropped, so short inputs (coordinates on a grid, exact differences) stay short and cheap.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include <palpate/geometry/rounding.h>

namespace palpate::detail {

template <std::size_t capacity>
struct Expansion {
  std::array<double, capacity> term;
  std::size_t size = 0;

  void push(double x) {
    if (x != 0) term[size++] = x;
  }
  int sign() const { return size == 0 ? 0 : (term[size - 1] > 0 ? 1 : -1); }
};

// a - b
inline Expansion<2> exact_difference(double a, double b) {
  Expansion<2> result;
  const double difference = a - b;
  result.push(sum_error(a, -b, difference));
  result.push(difference);
  return result;
}

// x = high + low with at most 26 bits each, so that products of halves are exact.
struct Halves {
  double high, low;
  explicit Halves(double x) {
    const double c = 134217729.0 * x;  // 2^27 + 1
    high = c - (c - x);
    low = x - high;
  }
};

// The rounding error of product = a * b.
inline double product_error(double product, const Halves& a, const Halves& b) {
  return a.low * b.low - (((product - a.high * b.high) - a.low * b.high) - a.high * b.low);
}

// e + f: merge by magnitude, then carry upwards.
template <std::size_t n, std::size_t m>
Expansion<n + m> operator+(const Expansion<n>& e, const Expansion<m>& f) {
  Expansion<n + m> result;
  std::size_t i = 0, j = 0;
  const auto next = [&] {
    const bool from_e = j == f.size || (i < e.size && std::abs(e.term[i]) <= std::abs(f.term[j]));
    return from_e ? e.term[i++] : f.term[j++];
  };
  if (e.size + f.size == 0) return result;
  double carry = next();
  while (i < e.size || j < f.size) {
    const double x = next();
    const double sum = carry + x;
    result.push(sum_error(carry, x, sum));
    carry = sum;
  }
  result.push(carry);
  return result;
}

template <std::size_t n>
Expansion<n> operator-(Expansion<n> e) {
  for (std::size_t i = 0; i < e.size; ++i) e.term[i] = -e.term[i];
  return e;
}
template <std::size_t n, std::size_t m>
Expansion<n + m> operator-(const Expansion<n>& e, const Expansion<m>& f) {
  return e + -f;
}

// e * x
template <std::size_t n>
Expansion<2 * n> scaled(const Expansion<n>& e, double x) {
  Expansion<2 * n> result;
  if (e.size == 0) return result;
  const Halves x_halves(x);
  double carry = e.term[0] * x;
  result.push(product_error(carry, Halves(e.term[0]), x_halves));
  for (std::size_t i = 1; i < e.size; ++i) {
    const double product = e.term[i] * x;
    const double error = product_error(product, Halves(e.term[i]), x_halves);
    const double sum = carry + error;
    result.push(sum_error(carry, error, sum));
    carry = product + sum;
    result.push(sum_error(product, sum, carry));
  }
  result.push(carry);
  return result;
}

// e * f for an f of one or two terms, as differences of doubles are.
template <std::size_t n>
Expansion<2 * n> operator*(const Expansion<n>& e, const Expansion<1>& f) {
  return f.size == 0 ? Expansion<2 * n>() : scaled(e, f.term[0]);
}
template <std::size_t n>
Expansion<4 * n> operator*(const Expansion<n>& e, const Expansion<2>& f) {
  Expansion<4 * n> result;
  if (f.size == 0) return result;
  const auto first = scaled(e, f.term[0]);
  if (f.size == 1) {
    for (std::size_t i = 0; i < first.size; ++i) result.push(first.term[i]);
    return result;
  }
  return first + scaled(e, f.term[1]);
}

}  // namespace palpate::detail
