// Squared distances of points, segments and triangles without rounding.
//
// Nothing here looks like the library: each distance is the least of closed formulas over all features, and
// two shapes intersect if that is zero. Degenerate shapes need no special case, because their parts are among
// the candidates.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <support/rational.h>

namespace palpate::testing {

// On integer points.
namespace grid {

inline Rational point_point(const Z3& p, const Z3& q) {
  const Z3 d = p - q;
  return Rational(dot(d, d));
}

inline Rational point_segment(const Z3& p, const Z3& a, const Z3& b) {
  const Z3 d = b - a, r = p - a;
  const Integer along = dot(d, r), length = dot(d, d);
  if (sgn(along) <= 0) return Rational(dot(r, r));
  if (along >= length) return point_point(p, b);
  const Z3 n = cross(d, r);
  return fraction(dot(n, n), length);
}

// Is p, known to be in the plane of a, b, c with normal n, inside the triangle or on its border?
inline bool inside(const Z3& p, const Z3& a, const Z3& b, const Z3& c, const Z3& n) {
  return sgn(dot(cross<Integer>(b - a, p - a), n)) >= 0 && sgn(dot(cross<Integer>(c - b, p - b), n)) >= 0 &&
         sgn(dot(cross<Integer>(a - c, p - c), n)) >= 0;
}

inline Rational point_triangle(const Z3& p, const Z3& a, const Z3& b, const Z3& c) {
  Rational best = std::min({point_segment(p, a, b), point_segment(p, b, c), point_segment(p, c, a)});
  const Z3 n = cross<Integer>(b - a, c - a);
  // The edge products with n see only the part of p in the plane: no need to project p first.
  if (!is_zero(n) && inside(p, a, b, c, n)) {
    const Integer height = dot<Integer>(n, p - a);
    best = std::min(best, fraction(height * height, dot(n, n)));
  }
  return best;
}

inline Rational segment_segment(const Z3& a0, const Z3& a1, const Z3& b0, const Z3& b1) {
  Rational best = std::min({point_segment(a0, b0, b1), point_segment(a1, b0, b1), point_segment(b0, a0, a1),
                            point_segment(b1, a0, a1)});
  const Z3 u = a1 - a0, v = b1 - b0, r = b0 - a0, n = cross(u, v);
  const Integer nn = dot(n, n);
  if (sgn(nn) == 0) return best;  // parallel: the ends are enough
  const Integer s = dot(cross(r, v), n), t = dot(cross(r, u), n);
  if (sgn(s) >= 0 && s <= nn && sgn(t) >= 0 && t <= nn) {
    const Integer height = dot(r, n);
    best = std::min(best, fraction(height * height, nn));
  }
  return best;
}

// Does the segment cross the plane of the triangle in one point, inside the triangle?
inline bool pierces(const Z3& p, const Z3& q, const Z3& a, const Z3& b, const Z3& c) {
  const Z3 n = cross<Integer>(b - a, c - a);
  if (is_zero(n)) return false;
  const Integer hp = dot<Integer>(n, p - a), hq = dot<Integer>(n, q - a);
  if (sgn(hp) * sgn(hq) >= 0) return false;  // an end in the plane is found by point_triangle
  // The crossing is (hq p - hp q) / (hq - hp); everything is multiplied by the denominator.
  const Integer w = hq - hp;
  const Z3 x = hq * p - hp * q;
  const Z3 wa = w * a, wb = w * b, wc = w * c;
  return inside(x, wa, wb, wc, n);
}

inline Rational segment_triangle(const Z3& p, const Z3& q, const Z3& a, const Z3& b, const Z3& c) {
  if (pierces(p, q, a, b, c)) return 0;
  return std::min({point_triangle(p, a, b, c), point_triangle(q, a, b, c), segment_segment(p, q, a, b),
                   segment_segment(p, q, b, c), segment_segment(p, q, c, a)});
}

// a, b: three points each, from index i and j on.
inline Rational triangle_triangle(const std::vector<Z3>& p, std::size_t i, std::size_t j) {
  std::optional<Rational> best;
  const auto consider = [&](Rational d) {
    if (!best || d < *best) best = std::move(d);
  };
  for (std::size_t k = 0; k < 3; ++k) {
    const Z3 &a0 = p[i + k], &a1 = p[i + (k + 1) % 3];
    const Z3 &b0 = p[j + k], &b1 = p[j + (k + 1) % 3];
    if (pierces(a0, a1, p[j], p[j + 1], p[j + 2]) || pierces(b0, b1, p[i], p[i + 1], p[i + 2])) return 0;
    consider(point_triangle(a0, p[j], p[j + 1], p[j + 2]));
    consider(point_triangle(b0, p[i], p[i + 1], p[i + 2]));
    for (std::size_t l = 0; l < 3; ++l) consider(segment_segment(a0, a1, p[j + l], p[j + (l + 1) % 3]));
  }
  return *best;
}

}  // namespace grid

inline Rational exact_distance2(const Vec3& p, const Segment& s) {
  const IntegerPoints z = to_integers(std::vector<Vec3>{p, s[0], s[1]});
  return z.squared_length(grid::point_segment(z[0], z[1], z[2]));
}
inline Rational exact_distance2(const Vec3& p, const Triangle& t) {
  const IntegerPoints z = to_integers(std::vector<Vec3>{p, t[0], t[1], t[2]});
  return z.squared_length(grid::point_triangle(z[0], z[1], z[2], z[3]));
}
inline Rational exact_distance2(const Segment& a, const Segment& b) {
  const IntegerPoints z = to_integers(std::vector<Vec3>{a[0], a[1], b[0], b[1]});
  return z.squared_length(grid::segment_segment(z[0], z[1], z[2], z[3]));
}
inline Rational exact_distance2(const Segment& s, const Triangle& t) {
  const IntegerPoints z = to_integers(std::vector<Vec3>{s[0], s[1], t[0], t[1], t[2]});
  return z.squared_length(grid::segment_triangle(z[0], z[1], z[2], z[3], z[4]));
}
inline Rational exact_distance2(const Triangle& a, const Triangle& b) {
  const IntegerPoints z = to_integers(std::vector<Vec3>{a[0], a[1], a[2], b[0], b[1], b[2]});
  return z.squared_length(grid::triangle_triangle(z.points, 0, 3));
}

// The largest squared distance between any two of the points.
inline Rational exact_diameter2(const std::vector<Vec3>& points) {
  const IntegerPoints z = to_integers(points);
  Rational largest = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) largest = std::max(largest, grid::point_point(z[i], z[j]));
  return z.squared_length(largest);
}

}  // namespace palpate::testing
