// How the promises of nearest.h are kept.
//
// Order: corners are sorted by coordinates, segments and triangles of a pair likewise; weights are put back
// into the caller's order at the end. Everything in between sees one and the same input for all permutations.
//
// Candidates: an unconstrained minimum (foot on the plane, common perpendicular of two lines) when it falls
// inside both shapes, else the best of the borders. Differences of coordinates come first and are all that is
// used, so errors scale with the shapes' size and distance, not with their place. The offset between the two
// points is built from these differences, never from the points. Errors of the parameters along a shape
// hardly matter: the offset is perpendicular to it, so they enter squared. The exception are thin triangles
// and near-parallel segments, where the parameters can be off by much: so the foot on a plane is refined by
// projecting what is left over once more, and the foot on a second line is found by projecting the first one.
#include <palpate/geometry/nearest.h>

#include <cstdint>
#include <limits>
#include <utility>

#include <Eigen/Geometry>

#include <palpate/geometry/intersect.h>

namespace palpate {

namespace {

// Below this squared sine of an angle, a solution by cross products is no longer taken as it is.
constexpr double ill_conditioned = 1e-6;

// To [0, 1]; not-a-number (0/0, inf - inf) becomes 0.
double clamped(double t) { return t > 0 ? (t < 1 ? t : 1) : 0; }

// --- order ----------------------------------------------------------------------------------------

// sorted[k] = t[order[k]]
using Order = std::array<std::uint8_t, 3>;

// Without branches: three comparisons make the row of a table.
Order sorting_order(const Triangle& t) {
  static constexpr Order orders[8] = {
      {2, 1, 0},  // c <= b <= a
      {1, 2, 0},  // b < c <= a
      {2, 1, 0},  // cannot be
      {1, 0, 2},  // b <= a < c
      {2, 0, 1},  // c <= a < b
      {0, 1, 2},  // cannot be
      {0, 2, 1},  // a < c <= b
      {0, 1, 2},  // a < b < c
  };
  const unsigned ab = before(t[0], t[1]), bc = before(t[1], t[2]), ac = before(t[0], t[2]);
  return orders[ab << 2 | ac << 1 | bc];
}

Triangle sorted(const Triangle& t, const Order& order) { return {t[order[0]], t[order[1]], t[order[2]]}; }

Vec3 in_callers_order(const Vec3& weights, const Order& order) {
  Vec3 result;
  for (int k = 0; k < 3; ++k) result[order[static_cast<std::size_t>(k)]] = weights[k];
  return result;
}

// --- kernels on sorted input ----------------------------------------------------------------------

struct PointSegment {
  double t;     // position along the segment
  Vec3 offset;  // from the point to the nearest point
  double squared_distance;
};

PointSegment point_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 along = b - a, to_a = a - p, to_b = b - p;
  PointSegment result;
  result.t = clamped(-to_a.dot(along) / along.squaredNorm());
  // From the nearer end, so that the ends themselves are exact.
  result.offset = result.t <= 0.5 ? Vec3(to_a + result.t * along) : Vec3(to_b - (1 - result.t) * along);
  result.squared_distance = result.offset.squaredNorm();
  return result;
}

struct PointTriangle {
  Vec3 weights;
  double squared_distance;
};

// The foot on the plane, where it lies inside; true if nothing on the border can be nearer.
bool foot_inside(const Vec3& p, const Triangle& t, PointTriangle& best) {
  const Vec3 ab = t[1] - t[0], ac = t[2] - t[0];
  const Vec3 normal = ab.cross(ac);
  const double area = normal.squaredNorm();
  const bool thin = !(area > ill_conditioned * ab.squaredNorm() * ac.squaredNorm());
  // Dual to ab and ac: 1 on the one, 0 on the other and on the normal.
  const Vec3 towards_b = ac.cross(normal) / area, towards_c = normal.cross(ab) / area;
  Vec3 rest = p - t[0];  // what the weights have not explained yet
  double b = 0, c = 0;
  for (int round = 0; round < (thin ? 3 : 2); ++round) {
    const double more_b = rest.dot(towards_b), more_c = rest.dot(towards_c);
    rest -= more_b * ab + more_c * ac;
    b += more_b;
    c += more_c;
  }
  if (!(b > 0 && c > 0 && b + c < 1)) return false;
  best = {{1 - b - c, b, c}, rest.squaredNorm()};
  return !thin;
}

PointTriangle point_triangle(const Vec3& p, const Triangle& t) {
  PointTriangle best{Vec3::Zero(), std::numeric_limits<double>::infinity()};
  if (foot_inside(p, t, best)) return best;
  for (const auto& [i, j] : {std::pair{0, 1}, {0, 2}, {1, 2}}) {
    const PointSegment edge =
        point_segment(p, t[static_cast<std::size_t>(i)], t[static_cast<std::size_t>(j)]);
    if (edge.squared_distance < best.squared_distance || best.weights.isZero()) {
      best = {Vec3::Zero(), edge.squared_distance};
      best.weights[i] = 1 - edge.t;
      best.weights[j] = edge.t;
    }
  }
  return best;
}

struct SegmentSegment {
  double s, t;
  double squared_distance;
};

// The common perpendicular, its feet clamped to the segments; true if nothing on the borders can be nearer.
bool perpendicular_inside(const Segment& a, const Segment& b, SegmentSegment& best) {
  const Vec3 u = a[1] - a[0], v = b[1] - b[0], from_a_to_b = b[0] - a[0];
  const double uu = u.squaredNorm(), vv = v.squaredNorm();
  const Vec3 normal = u.cross(v);
  const double nn = normal.squaredNorm();
  const bool parallel = !(nn > ill_conditioned * uu * vv);
  const double s = from_a_to_b.cross(v).dot(normal) / nn;
  if (!(s > 0 && s < 1)) return false;
  const double t = (s * u - from_a_to_b).dot(v) / vv;
  if (!(t > 0 && t < 1)) return false;
  best = {s, t, (from_a_to_b + t * v - s * u).squaredNorm()};
  return !parallel;
}

SegmentSegment segment_segment(const Segment& a, const Segment& b) {
  SegmentSegment best{0, 0, std::numeric_limits<double>::infinity()};
  if (perpendicular_inside(a, b, best)) return best;
  bool first = best.squared_distance == std::numeric_limits<double>::infinity();
  const auto take_better = [&](double s, double t, double squared_distance) {
    if (squared_distance < best.squared_distance || first) best = {s, t, squared_distance};
    first = false;
  };
  for (const int end : {0, 1}) {
    const PointSegment of_a = point_segment(a[static_cast<std::size_t>(end)], b[0], b[1]);
    take_better(end, of_a.t, of_a.squared_distance);
    const PointSegment of_b = point_segment(b[static_cast<std::size_t>(end)], a[0], a[1]);
    take_better(of_b.t, end, of_b.squared_distance);
  }
  return best;
}

Vec3 point_at(const Segment& s, const Vec2& weights) { return weights[0] * s[0] + weights[1] * s[1]; }
Vec3 point_at(const Triangle& t, const Vec3& weights) {
  return weights[0] * t[0] + weights[1] * t[1] + weights[2] * t[2];
}

bool before(const Segment& a, const Segment& b) {
  return palpate::before(a[0], b[0]) || (a[0] == b[0] && palpate::before(a[1], b[1]));
}

bool before(const Triangle& a, const Triangle& b) {
  for (std::size_t k = 0; k < 3; ++k)
    if (a[k] != b[k]) return palpate::before(a[k], b[k]);
  return false;
}

Segment edge_of(const Triangle& t, std::size_t k) {
  return k < 2 ? Segment{t[0], t[k + 1]} : Segment{t[1], t[2]};
}
Vec3 weights_on(std::size_t k, double t) {
  return k == 0 ? Vec3(1 - t, t, 0) : (k == 1 ? Vec3(1 - t, 0, t) : Vec3(0, 1 - t, t));
}

struct TriangleTriangle {
  Vec3 a, b;
  double squared_distance = std::numeric_limits<double>::infinity();

  void take_better(const Vec3& weights_a, const Vec3& weights_b, double distance) {
    if (distance < squared_distance) *this = {weights_a, weights_b, distance};
  }
};

TriangleTriangle triangle_triangle(const Triangle& a, const Triangle& b) {
  TriangleTriangle best{Vec3::UnitX(), Vec3::UnitX()};
  if (const auto common = intersection(a, b)) return {common->from.weights_a, common->from.weights_b, 0.0};
  for (int k = 0; k < 3; ++k) {
    const PointTriangle of_a = point_triangle(a[static_cast<std::size_t>(k)], b);
    best.take_better(Vec3::Unit(k), of_a.weights, of_a.squared_distance);
    const PointTriangle of_b = point_triangle(b[static_cast<std::size_t>(k)], a);
    best.take_better(of_b.weights, Vec3::Unit(k), of_b.squared_distance);
  }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const Segment e = edge_of(a, i), f = edge_of(b, j);
      const bool swapped = before(f, e);
      SegmentSegment edges = swapped ? segment_segment(f, e) : segment_segment(e, f);
      if (swapped) std::swap(edges.s, edges.t);
      best.take_better(weights_on(i, edges.s), weights_on(j, edges.t), edges.squared_distance);
    }
  return best;
}

}  // namespace

// --- the four functions: sort, solve, put back ----------------------------------------------------

NearestOnSegment nearest_point_segment(const Vec3& p, const Segment& s) {
  const bool swapped = before(s[1], s[0]);
  const PointSegment found = swapped ? point_segment(p, s[1], s[0]) : point_segment(p, s[0], s[1]);
  NearestOnSegment result;
  result.weights = swapped ? Vec2(found.t, 1 - found.t) : Vec2(1 - found.t, found.t);
  result.point = point_at(s, result.weights);
  result.squared_distance = found.squared_distance;
  return result;
}

NearestOnTriangle nearest_point_triangle(const Vec3& p, const Triangle& t) {
  const Order order = sorting_order(t);
  const PointTriangle found = point_triangle(p, sorted(t, order));
  const Vec3 weights = in_callers_order(found.weights, order);
  return {point_at(t, weights), weights, found.squared_distance};
}

NearestOnSegments nearest_segment_segment(const Segment& a, const Segment& b) {
  const bool swap_a = before(a[1], a[0]), swap_b = before(b[1], b[0]);
  const Segment sorted_a = swap_a ? Segment{a[1], a[0]} : a, sorted_b = swap_b ? Segment{b[1], b[0]} : b;
  const bool swapped = before(sorted_b, sorted_a);
  SegmentSegment found = swapped ? segment_segment(sorted_b, sorted_a) : segment_segment(sorted_a, sorted_b);
  if (swapped) std::swap(found.s, found.t);
  NearestOnSegments result;
  result.weights_a = swap_a ? Vec2(found.s, 1 - found.s) : Vec2(1 - found.s, found.s);
  result.weights_b = swap_b ? Vec2(found.t, 1 - found.t) : Vec2(1 - found.t, found.t);
  result.point_a = point_at(a, result.weights_a);
  result.point_b = point_at(b, result.weights_b);
  result.squared_distance = found.squared_distance;
  return result;
}

NearestOnTriangles nearest_triangle_triangle(const Triangle& a, const Triangle& b) {
  const Order order_a = sorting_order(a), order_b = sorting_order(b);
  const Triangle sorted_a = sorted(a, order_a), sorted_b = sorted(b, order_b);
  const bool swapped = before(sorted_b, sorted_a);
  TriangleTriangle found =
      swapped ? triangle_triangle(sorted_b, sorted_a) : triangle_triangle(sorted_a, sorted_b);
  if (swapped) std::swap(found.a, found.b);
  NearestOnTriangles result;
  result.weights_a = in_callers_order(found.a, order_a);
  result.weights_b = in_callers_order(found.b, order_b);
  result.point_a = point_at(a, result.weights_a);
  result.point_b = point_at(b, result.weights_b);
  result.squared_distance = found.squared_distance;
  return result;
}

}  // namespace palpate
