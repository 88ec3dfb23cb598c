// Distances by plain minimisation in long double: a golden-section search inside a golden-section search.
//
// The squared distance of two convex shapes is a convex function of the parameters of the two points, and
// what is left after minimising over some of them is convex in the others. So one search per parameter, one
// inside the other, finds the minimum however narrow the valley is in which it lies. No case distinction, no
// linear system: nothing in it could share a mistake with the closed formulas and the rational oracle it
// checks.
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

// A point, or what a point spans with the edges that leave it: t along the first, at most 1 - t along the
// second.
struct BruteShape {
  LongVec3 corner;
  std::vector<LongVec3> edges;  // up to 2
};

template <class Points>
BruteShape brute_shape(const Points& points) {
  BruteShape result{points[0].template cast<long double>(), {}};
  for (std::size_t i = 1; i < points.size(); ++i)
    result.edges.push_back(points[i].template cast<long double>() - result.corner);
  return result;
}

// The least of a convex function on [0, end].
template <class Function>
long double least_value(const Function& f, long double end) {
  constexpr long double golden = 0.61803398874989484820L;
  long double low = 0, high = end;
  long double left = high - golden * (high - low), right = low + golden * (high - low);
  long double f_left = f(left), f_right = f(right);
  for (int round = 0; round < 42; ++round) {
    if (f_left <= f_right) {
      high = right, right = left, f_right = f_left;
      f_left = f(left = high - golden * (high - low));
    } else {
      low = left, left = right, f_left = f_right;
      f_right = f(right = low + golden * (high - low));
    }
  }
  return std::min({f_left, f_right, f(0.0L), f(end)});
}

struct BruteSearch {
  std::array<LongVec3, 4> edges;  // the outer searches first
  std::array<bool, 4> shares;     // this edge may use only what the edge before it left of 1
  std::size_t count;

  // The least squared length of `from` plus the edges `level` and later.
  long double operator()(const LongVec3& from, std::size_t level, long double left) const {
    if (level == count) return from.squaredNorm();
    const long double end = shares[level] ? left : 1.0L;
    const LongVec3& edge = edges[level];
    if (level + 1 == count) {  // a parabola
      const long double square = edge.squaredNorm();
      const long double t = square > 0 ? std::clamp(-from.dot(edge) / square, 0.0L, end) : 0.0L;
      return (from + t * edge).squaredNorm();
    }
    return least_value([&](long double t) { return (*this)(from + t * edge, level + 1, 1 - t); }, end);
  }
};

}  // namespace detail

template <class A, class B>
double brute_distance(const A& a, const B& b) {
  const detail::BruteShape first = detail::brute_shape(a), second = detail::brute_shape(b);
  detail::BruteSearch search{};
  for (std::size_t i = 0; i < first.edges.size(); ++i, ++search.count) {
    search.edges[search.count] = first.edges[i];
    search.shares[search.count] = i > 0;
  }
  for (std::size_t i = 0; i < second.edges.size(); ++i, ++search.count) {
    search.edges[search.count] = -second.edges[i];
    search.shares[search.count] = i > 0;
  }
  return static_cast<double>(std::sqrt(search(first.corner - second.corner, 0, 1)));
}

}  // namespace palpate::testing
