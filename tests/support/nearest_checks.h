// What nearest.h promises about a result, stated once for all shapes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <palpate/geometry/nearest.h>
#include <support/exact_distance.h>
#include <support/shapes.h>

namespace palpate::testing {

inline constexpr double unit = 0x1p-53;  // of rounding

// What squares of small distances lose: the root of a few denormals.
inline constexpr double underflow = 1e-161;

// |d - exact| <= 16 units of L, the largest distance between input points.
inline ::testing::AssertionResult accurate(double squared_distance, const Rational& exact2,
                                           const Rational& diameter2) {
  if (!(squared_distance >= 0) || !std::isfinite(squared_distance))
    return ::testing::AssertionFailure() << "squared distance is " << squared_distance;
  const mpf_class off = abs(root(exact(squared_distance)) - root(exact2));
  const mpf_class allowed = root(diameter2) * (16 * unit) + underflow;
  if (off <= allowed) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "distance " << std::sqrt(squared_distance) << ", exact " << root(exact2).get_d() << ", off by "
         << mpf_class(off / allowed * 16).get_d() << " units of L";
}

template <class Weights>
::testing::AssertionResult valid_weights(const Weights& weights) {
  long double sum = 0;
  for (const double w : weights) {
    if (!(w >= 0 && w <= 1)) return ::testing::AssertionFailure() << "weight " << w;
    sum += static_cast<long double>(w);
  }
  if (std::abs(sum - 1) <= 4 * std::numeric_limits<double>::epsilon()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "weights sum to 1 + " << static_cast<double>(sum - 1);
}

// The point is the weighted sum of the corners, up to some units of a magnitude.
template <class Weights, class Corners>
::testing::AssertionResult at_weights(const Vec3& point, const Weights& weights, const Corners& corners,
                                      double magnitude, double units = 16) {
  using Wide = Eigen::Matrix<long double, 3, 1>;
  Wide sum = Wide::Zero();
  for (std::size_t i = 0; i < corners.size(); ++i)
    sum += static_cast<long double>(weights[static_cast<Eigen::Index>(i)]) *
           corners[i].template cast<long double>();
  const long double off = (point.cast<long double>() - sum).template lpNorm<Eigen::Infinity>();
  if (off <= static_cast<long double>(units * unit) * magnitude + static_cast<long double>(underflow))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "point " << show(point) << " is off its weights by " << static_cast<double>(off);
}

// The two points are as far apart as reported, up to rounding of their coordinates.
inline ::testing::AssertionResult realised(const Vec3& a, const Vec3& b, double squared_distance,
                                           double magnitude) {
  const long double apart = (a - b).cast<long double>().norm();
  const long double off = std::abs(apart - std::sqrt(static_cast<long double>(squared_distance)));
  if (off <= static_cast<long double>(32 * unit) * magnitude + static_cast<long double>(underflow))
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "points are " << static_cast<double>(apart) << " apart, distance " << std::sqrt(squared_distance);
}

inline std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

// Corners in one place, or closer than squares can tell, share their weight in more than one way.
template <std::size_t n>
bool distinct(const std::array<Vec3, n>& corners) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if ((corners[i] - corners[j]).stableNorm() <= underflow) return false;
  return true;
}

// corners[order[0]], corners[order[1]], ...
template <std::size_t n>
std::array<Vec3, n> permuted(const std::array<Vec3, n>& corners, const std::array<std::size_t, n>& order) {
  std::array<Vec3, n> result;
  for (std::size_t i = 0; i < n; ++i) result[i] = corners[order[i]];
  return result;
}
template <class Weights, std::size_t n>
Weights permuted(const Weights& weights, const std::array<std::size_t, n>& order) {
  Weights result = weights;
  for (std::size_t i = 0; i < n; ++i)
    result[static_cast<Eigen::Index>(i)] = weights[static_cast<Eigen::Index>(order[i])];
  return result;
}
template <std::size_t n>
std::vector<std::array<std::size_t, n>> permutations() {
  std::array<std::size_t, n> order;
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  std::vector<std::array<std::size_t, n>> all;
  do all.push_back(order);
  while (std::next_permutation(order.begin(), order.end()));
  return all;
}

// One shape for all calls: the point queries of nearest.h in the form of the pair queries.
struct PointAndShape {
  Vec3 point_a, point_b;
  Eigen::Matrix<double, 1, 1> weights_a;
  Eigen::VectorXd weights_b;
  double squared_distance;
};

inline NearestOnSegments nearest(const Segment& a, const Segment& b) { return nearest_segment_segment(a, b); }
inline NearestOnTriangles nearest(const Triangle& a, const Triangle& b) {
  return nearest_triangle_triangle(a, b);
}
inline PointAndShape nearest(const std::array<Vec3, 1>& p, const Segment& s) {
  const NearestOnSegment n = nearest_point_segment(p[0], s);
  return {p[0], n.point, Eigen::Matrix<double, 1, 1>(1), n.weights, n.squared_distance};
}
inline PointAndShape nearest(const std::array<Vec3, 1>& p, const Triangle& t) {
  const NearestOnTriangle n = nearest_point_triangle(p[0], t);
  return {p[0], n.point, Eigen::Matrix<double, 1, 1>(1), n.weights, n.squared_distance};
}
template <class Shape>
Rational exact_distance2(const std::array<Vec3, 1>& p, const Shape& s) {
  return exact_distance2(p[0], s);
}

template <class A, class B>
std::vector<Vec3> all_points(const A& a, const B& b) {
  std::vector<Vec3> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return all;
}
template <class Points>
double magnitude_of(const Points& points) {
  double magnitude = 0;
  for (const Vec3& p : points) magnitude = std::max(magnitude, p.lpNorm<Eigen::Infinity>());
  return magnitude;
}

// Everything but accuracy: weights, points, and that all agree. Holds for every finite input.
template <class A, class B>
void expect_consistent(const A& a, const B& b) {
  const auto n = nearest(a, b);
  for (const ::testing::AssertionResult& result :
       {valid_weights(n.weights_a), valid_weights(n.weights_b),
        at_weights(n.point_a, n.weights_a, a, magnitude_of(a)),
        at_weights(n.point_b, n.weights_b, b, magnitude_of(b)),
        realised(n.point_a, n.point_b, n.squared_distance, magnitude_of(all_points(a, b)))})
    EXPECT_TRUE(result) << show(a) << "\n" << show(b);
}

template <class A, class B>
void expect_accurate(const A& a, const B& b) {
  EXPECT_TRUE(
      accurate(nearest(a, b).squared_distance, exact_distance2(a, b), exact_diameter2(all_points(a, b))))
      << show(a) << "\n"
      << show(b);
}

// Is `after` what `before` becomes: the same squared distance to the last bit, and the same points up to
// their rounding?
template <class Result, class WeightsA, class WeightsB>
::testing::AssertionResult same_result(const Result& after, double squared_distance, const Vec3& point_a,
                                       const Vec3& point_b, const WeightsA& weights_a,
                                       const WeightsB& weights_b, bool unique_weights, double magnitude) {
  if (bits(after.squared_distance) != bits(squared_distance))
    return ::testing::AssertionFailure()
           << "squared distances " << after.squared_distance << " and " << squared_distance;
  const auto near = [&](const Vec3& p, const Vec3& q) {
    return (p - q).lpNorm<Eigen::Infinity>() <= 8 * unit * magnitude + underflow;
  };
  if (!near(after.point_a, point_a) || !near(after.point_b, point_b))
    return ::testing::AssertionFailure() << "points " << show(after.point_a) << show(after.point_b) << " and "
                                         << show(point_a) << show(point_b);
  if (unique_weights && ((after.weights_a - weights_a).cwiseAbs().maxCoeff() > 8 * unit ||
                         (after.weights_b - weights_b).cwiseAbs().maxCoeff() > 8 * unit))
    return ::testing::AssertionFailure()
           << "weights " << after.weights_a.transpose() << ", " << after.weights_b.transpose() << " and "
           << weights_a.transpose() << ", " << weights_b.transpose();
  return ::testing::AssertionSuccess();
}

// The same distance to the last bit for any order of corners, and points and weights that go along.
template <std::size_t na, std::size_t nb>
void expect_symmetric(const std::array<Vec3, na>& a, const std::array<Vec3, nb>& b) {
  static const auto orders_a = permutations<na>();
  static const auto orders_b = permutations<nb>();
  const auto n = nearest(a, b);
  const bool unique = distinct(a) && distinct(b);
  const double magnitude = magnitude_of(all_points(a, b));
  for (const auto& order_a : orders_a)
    for (const auto& order_b : orders_b) {
      const auto pa = permuted(a, order_a);
      const auto pb = permuted(b, order_b);
      const auto wa = permuted(n.weights_a, order_a);
      const auto wb = permuted(n.weights_b, order_b);
      const double d = n.squared_distance;
      ASSERT_TRUE(same_result(nearest(pa, pb), d, n.point_a, n.point_b, wa, wb, unique, magnitude))
          << show(pa) << "\n"
          << show(pb) << "\nagainst\n"
          << show(a) << "\n"
          << show(b);
      if constexpr (na == nb) {
        ASSERT_TRUE(same_result(nearest(pb, pa), d, n.point_b, n.point_a, wb, wa, unique, magnitude))
            << show(pb) << "\n"
            << show(pa) << "\nagainst, swapped,\n"
            << show(a) << "\n"
            << show(b);
      }
    }
}

}  // namespace palpate::testing
