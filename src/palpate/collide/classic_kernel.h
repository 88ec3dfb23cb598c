// Distances as textbooks have them, for the classic finders: one pair after the other, as in their papers.
//
// They only ever say that a pair is farther apart than a limit, beyond their own rounding; what may be near
// goes to the kernel that all finders share, which decides. Thin triangles and near-parallel edges, where the
// plain formulas are no good, count as near.
#pragma once

#include <algorithm>

#include <Eigen/Geometry>

#include <palpate/geometry/vec.h>

namespace palpate {

inline bool is_thin(const Triangle& t) {
  const Vec3 ab = t[1] - t[0], ac = t[2] - t[0], bc = t[2] - t[1];
  const double longest = std::max({ab.squaredNorm(), ac.squaredNorm(), bc.squaredNorm()});
  return !(ab.cross(ac).squaredNorm() > 1e-6 * longest * longest) || !(longest > 1e-60) || !(longest < 1e60);
}

namespace detail {

// By the seven regions of a triangle's plane (Ericson 2005, 5.1.5).
inline double plain_squared_distance(const Vec3& p, const Triangle& t, const Vec3& ab, const Vec3& ac) {
  const Vec3 ap = p - t[0], bp = p - t[1], cp = p - t[2];
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return ap.squaredNorm();
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return bp.squaredNorm();
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return (ap - d1 / (d1 - d3) * ab).squaredNorm();
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return cp.squaredNorm();
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return (ap - d2 / (d2 - d6) * ac).squaredNorm();
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
    return (bp - (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (t[2] - t[1])).squaredNorm();
  const double sum = va + vb + vc;
  return (ap - vb / sum * ab - vc / sum * ac).squaredNorm();
}

}  // namespace detail

// `limit` is a squared distance. The triangle is not thin.
inline bool plainly_apart(const Vec3& p, const Triangle& t, double limit) {
  const Vec3 ab = t[1] - t[0], ac = t[2] - t[0];
  const double slack = 1e-8 * (limit + ab.squaredNorm() + ac.squaredNorm());
  return detail::plain_squared_distance(p, t, ab, ac) > limit + slack;
}

inline bool plainly_apart(const Segment& a, const Segment& b, double limit) {
  const Vec3 u = a[1] - a[0], v = b[1] - b[0], r = a[0] - b[0];
  const double uu = u.dot(u), vv = v.dot(v), uv = u.dot(v), ur = u.dot(r), vr = v.dot(r);
  const double det = uu * vv - uv * uv;
  if (!(det > 1e-6 * uu * vv) || !(det > 1e-200) || !(det < 1e200)) return false;
  double s = std::clamp((uv * vr - ur * vv) / det, 0.0, 1.0);
  double t = (uv * s + vr) / vv;
  if (t < 0 || t > 1) {
    t = t < 0 ? 0 : 1;
    s = std::clamp((uv * t - ur) / uu, 0.0, 1.0);
  }
  return (r + s * u - t * v).squaredNorm() > limit + 1e-8 * (limit + uu + vv);
}

}  // namespace palpate
