// Numbers of twice the digits: the unevaluated sum of two doubles (Dekker 1971).
//
// Sums and products err by less than 2^-102 of their size, as long as nothing under- or overflows; quotients
// and roots by less than 2^-98. For the few cases that double leaves open, where exact arithmetic would be
// slower still.
#pragma once

#include <cmath>

#include <palpate/geometry/expansion.h>

namespace palpate {

struct Wide {
  double high = 0, low = 0;

  Wide() = default;
  Wide(double x) : high(x) {}  // NOLINT(google-explicit-constructor): stands for a double everywhere
  // Of two with |a| >= |b|, or a == 0.
  static Wide of_sum(double a, double b) {
    Wide result;
    result.high = a + b;
    result.low = b - (result.high - a);
    return result;
  }
  explicit operator double() const { return high + low; }

  friend Wide operator-(const Wide& a) {
    Wide result;
    result.high = -a.high;
    result.low = -a.low;
    return result;
  }
  friend Wide operator+(const Wide& a, const Wide& b) {
    const double high = a.high + b.high, low = a.low + b.low;
    const Wide first = of_sum(high, sum_error(a.high, b.high, high) + low);
    return of_sum(first.high, first.low + sum_error(a.low, b.low, low));
  }
  friend Wide operator-(const Wide& a, const Wide& b) { return a + (-b); }
  friend Wide operator*(const Wide& a, const Wide& b) {
    const double high = a.high * b.high;
    const double error = detail::product_error(high, detail::Halves(a.high), detail::Halves(b.high));
    return of_sum(high, error + (a.high * b.low + a.low * b.high));
  }
  friend Wide operator/(const Wide& a, const Wide& b) {
    const double first = a.high / b.high;
    const Wide left = a - Wide(first) * b;
    return of_sum(first, left.high / b.high);
  }
  Wide& operator+=(const Wide& b) { return *this = *this + b; }
  Wide& operator*=(const Wide& b) { return *this = *this * b; }
  friend bool operator<(const Wide& a, const Wide& b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
  friend bool operator>(const Wide& a, const Wide& b) { return b < a; }
  friend bool operator<=(const Wide& a, const Wide& b) {
    return a.high < b.high || (a.high == b.high && a.low <= b.low);
  }
  friend bool operator>=(const Wide& a, const Wide& b) { return b <= a; }
};

inline Wide sqrt(const Wide& a) {
  if (!(a.high > 0)) return {};
  const double root = std::sqrt(a.high);
  const Wide left = a - Wide(root) * Wide(root);
  return Wide::of_sum(root, left.high / (2 * root));
}

}  // namespace palpate
