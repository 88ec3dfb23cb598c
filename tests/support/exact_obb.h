// Oriented boxes without rounding: the sets of points that the stored numbers describe.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include <palpate/geometry/obb.h>
#include <support/rational.h>

namespace palpate::testing {

inline Q3 axis_of(const Obb& box, Eigen::Index i) { return exact(Vec3(box.axes.col(i))); }

// Solves center + sum s_i axis_i = point and compares |s_i| with half_i. The axes must be independent.
inline bool exactly_inside(const Q3& point, const Obb& box) {
  const Q3 x = axis_of(box, 0), y = axis_of(box, 1), z = axis_of(box, 2), r = point - exact(box.center);
  const Rational det = dot(cross(x, y), z);
  const std::array<Rational, 3> s{dot(cross(r, y), z), dot(cross(x, r), z), dot(cross(x, y), r)};
  for (Eigen::Index i = 0; i < 3; ++i)
    if (abs(s[static_cast<std::size_t>(i)]) > exact(box.half[i]) * abs(det)) return false;
  return true;
}

struct Separation {
  bool apart;     // decided without rounding
  double any;     // the widest gap on one of the 15 directions, negative if none
  double sturdy;  // the same, leaving out products of edges that are nearly parallel (less than 0.1 rad)
};

// Projections on the 15 directions: complete for parallelepipeds, flat ones included, as the axes are
// independent even where half lengths are zero.
inline Separation separation(const Obb& a, const Obb& b) {
  std::vector<Q3> shapes{exact(b.center) - exact(a.center)}, directions;
  for (const Obb* box : {&a, &b})
    for (Eigen::Index i = 0; i < 3; ++i) {
      directions.push_back(axis_of(*box, i));
      shapes.push_back(exact(box->half[i]) * directions.back());
    }
  const IntegerPoints s = to_integers(shapes), d = to_integers(directions);
  Separation result{false, -INFINITY, -INFINITY};
  const auto project = [&](const Z3& n, bool edges) {
    if (is_zero(n)) return;
    Integer gap = abs(dot(n, s[0]));
    for (std::size_t i = 1; i <= 6; ++i) gap -= abs(dot(n, s[i]));
    result.apart |= sgn(gap) > 0;
    // Of axes of unit length, to see how parallel they are.
    const double length =
        std::sqrt(std::ldexp(mpf_class(dot(n, n)).get_d(), static_cast<int>(4 * d.exponent)));
    const double width = times_power_of_two(Rational(gap), s.exponent + 2 * d.exponent).get_d() / length;
    result.any = std::max(result.any, width);
    if (!edges || length > 0.1) result.sturdy = std::max(result.sturdy, width);
  };
  for (const std::size_t first : {0u, 3u})
    for (std::size_t i = 0; i < 3; ++i) project(cross(d[first + i], d[first + (i + 1) % 3]), false);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 3; j < 6; ++j) project(cross(d[i], d[j]), true);
  return result;
}

}  // namespace palpate::testing
