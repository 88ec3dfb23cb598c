// The power of n that a cost grows with: the line through the logarithms, by least squares.
#pragma once

#include <cmath>
#include <span>
#include <utility>

namespace palpate::bench {

inline double growth(std::span<const std::pair<double, double>> costs) {  // n, cost
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [n, cost] : costs) {
    const double a = std::log(n), b = std::log(cost);
    x += a, y += b, xx += a * a, xy += a * b;
  }
  const auto count = static_cast<double>(costs.size());
  return (count * xy - x * y) / (count * xx - x * x);
}

}  // namespace palpate::bench
