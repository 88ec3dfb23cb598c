// Distances by brute minimisation in long double: dense sampling, then ever finer around the best sample.
//
// Slow and not very exact, but with nothing in it that could share a mistake with closed formulas: it checks
// the rational oracle, on shapes that are not extreme.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <palpate/geometry/vec.h>

namespace palpate::testing {

namespace detail {

using LongVec3 = Eigen::Matrix<long double, 3, 1>;

// Parameters in the unit square fill a triangle: those beyond its third side are drawn back to that side.
struct BruteShape {
  std::vector<LongVec3> corners;  // 1, 2 or 3

  std::size_t parameters() const { return corners.size() - 1; }
  LongVec3 at(const long double* t) const {
    if (corners.size() == 1) return corners[0];
    if (corners.size() == 2) return corners[0] + t[0] * (corners[1] - corners[0]);
    const long double sum = std::max(1.0L, t[0] + t[1]);
    return corners[0] + t[0] / sum * (corners[1] - corners[0]) + t[1] / sum * (corners[2] - corners[0]);
  }
};

template <class Points>
BruteShape brute_shape(const Points& points) {
  BruteShape result;
  for (const Vec3& p : points) result.corners.push_back(p.cast<long double>());
  return result;
}

inline long double brute_distance(const BruteShape& a, const BruteShape& b) {
  constexpr int cells = 8;
  using Parameters = std::array<long double, 4>;
  const std::size_t n = a.parameters() + b.parameters();
  Parameters best{0.5L, 0.5L, 0.5L, 0.5L};
  const auto value = [&](const Parameters& t) {
    return (a.at(t.data()) - b.at(t.data() + a.parameters())).norm();
  };
  long double least = value(best);
  long double width = 1;
  for (int round = 0; round < 400 && width > 1e-9L; ++round) {
    const Parameters middle = best;
    std::array<int, 4> index{};
    for (bool more = true; more;) {
      Parameters t{};
      for (std::size_t i = 0; i < n; ++i)
        t[i] =
            std::clamp(middle[i] + width * (static_cast<long double>(index[i]) / cells - 0.5L), 0.0L, 1.0L);
      if (const long double d = value(t); d < least) least = d, best = t;
      more = false;
      for (std::size_t i = 0; i < n && !more; ++i) more = ++index[i] <= cells || (index[i] = 0);
    }
    // Narrow only when the best sample is well inside the window; otherwise the window moves.
    bool moved = false;
    for (std::size_t i = 0; i < n; ++i) moved |= std::abs(best[i] - middle[i]) > width * 0.2L;
    if (!moved) width /= 2;
  }
  return least;
}

}  // namespace detail

inline long double brute_distance(const Vec3& p, const Segment& s) {
  return detail::brute_distance(detail::brute_shape(std::array{p}), detail::brute_shape(s));
}
inline long double brute_distance(const Vec3& p, const Triangle& t) {
  return detail::brute_distance(detail::brute_shape(std::array{p}), detail::brute_shape(t));
}
template <class A, class B>
long double brute_distance(const A& a, const B& b) {
  return detail::brute_distance(detail::brute_shape(a), detail::brute_shape(b));
}

}  // namespace palpate::testing
