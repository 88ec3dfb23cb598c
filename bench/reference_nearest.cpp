#include "reference_nearest.h"

#include <algorithm>
#include <limits>

namespace palpate::bench {

namespace {

NearestOnTriangle at(const Vec3& p, const Triangle& t, const Vec3& weights) {
  const Vec3 point = weights[0] * t[0] + weights[1] * t[1] + weights[2] * t[2];
  return {point, weights, (p - point).squaredNorm()};
}

}  // namespace

NearestOnTriangle reference_point_triangle(const Vec3& p, const Triangle& t) {
  const Vec3 ab = t[1] - t[0], ac = t[2] - t[0], ap = p - t[0];
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return at(p, t, {1, 0, 0});
  const Vec3 bp = p - t[1];
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return at(p, t, {0, 1, 0});
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    const double v = d1 / (d1 - d3);
    return at(p, t, {1 - v, v, 0});
  }
  const Vec3 cp = p - t[2];
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return at(p, t, {0, 0, 1});
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    const double w = d2 / (d2 - d6);
    return at(p, t, {1 - w, 0, w});
  }
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return at(p, t, {0, 1 - w, w});
  }
  const double scale = 1 / (va + vb + vc);
  return at(p, t, {va * scale, vb * scale, vc * scale});
}

NearestOnSegments reference_segment_segment(const Segment& a, const Segment& b) {
  const Vec3 d1 = a[1] - a[0], d2 = b[1] - b[0], r = a[0] - b[0];
  const double aa = d1.squaredNorm(), e = d2.squaredNorm(), f = d2.dot(r), c = d1.dot(r);
  double s = 0, t = 0;
  if (aa > 0 && e > 0) {
    const double bb = d1.dot(d2), denominator = aa * e - bb * bb;
    s = denominator > 0 ? std::clamp((bb * f - c * e) / denominator, 0.0, 1.0) : 0.0;
    t = (bb * s + f) / e;
    if (t < 0) {
      t = 0;
      s = std::clamp(-c / aa, 0.0, 1.0);
    } else if (t > 1) {
      t = 1;
      s = std::clamp((bb - c) / aa, 0.0, 1.0);
    }
  } else if (aa > 0) {
    s = std::clamp(-c / aa, 0.0, 1.0);
  } else if (e > 0) {
    t = std::clamp(f / e, 0.0, 1.0);
  }
  const Vec3 p = a[0] + s * d1, q = b[0] + t * d2;
  return {p, q, {1 - s, s}, {1 - t, t}, (p - q).squaredNorm()};
}

double reference_triangle_triangle(const Triangle& a, const Triangle& b) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 3; ++i) {
    least = std::min(least, reference_point_triangle(a[i], b).squared_distance);
    least = std::min(least, reference_point_triangle(b[i], a).squared_distance);
    for (std::size_t j = 0; j < 3; ++j)
      least = std::min(
          least, reference_segment_segment({a[i], a[(i + 1) % 3]}, {b[j], b[(j + 1) % 3]}).squared_distance);
  }
  return least;
}

}  // namespace palpate::bench
