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

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <Eigen/Geometry>

#include <palpate/geometry/branchless.h>
#include <palpate/geometry/intersect.h>
#include <palpate/geometry/scaling.h>

namespace palpate {

namespace {

// Below this squared sine of the angle between two edges, a triangle is thin and two segments are parallel.
constexpr double ill_conditioned = 1e-6;
// A squared area below this (edges of about 1e-63 m) is near underflow.
constexpr double tiny = 1e-250;
constexpr double infinity = std::numeric_limits<double>::infinity();

// To [0, 1]; not-a-number (0/0, inf - inf) becomes 0.
double clamped(double t) { return smaller_of(larger_of(t, 0), 1); }

Vec3 choose(Choice choice, const Vec3& yes, const Vec3& no) {
  return {choice.of(yes.x(), no.x()), choice.of(yes.y(), no.y()), choice.of(yes.z(), no.z())};
}

// --- order ----------------------------------------------------------------------------------------

// The caller's corners from first to last.
struct Order {
  std::array<std::uint8_t, 3> corner;
  std::size_t operator[](std::size_t k) const { return corner[k]; }
};

// Without branches: three comparisons make the row of a table.
Order sorting_order(const Triangle& t) {
  static constexpr Order orders[8] = {
      {{2, 1, 0}},  // c <= b <= a
      {{1, 2, 0}},  // b < c <= a
      {{2, 1, 0}},  // cannot be
      {{1, 0, 2}},  // b <= a < c
      {{2, 0, 1}},  // c <= a < b
      {{0, 1, 2}},  // cannot be
      {{0, 2, 1}},  // a < c <= b
      {{0, 1, 2}},  // a < b < c
  };
  const unsigned ab = before(t[0], t[1]), bc = before(t[1], t[2]), ac = before(t[0], t[2]);
  return orders[ab << 2 | ac << 1 | bc];
}

Vec3 in_callers_order(const Vec3& weights, const Order& order) {
  Vec3 result;
  for (int k = 0; k < 3; ++k) result[static_cast<int>(order[static_cast<std::size_t>(k)])] = weights[k];
  return result;
}

// --- kernels on sorted input ----------------------------------------------------------------------

struct PointSegment {
  double t;  // position along the segment
  double squared_distance;
};

PointSegment point_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 along = b - a, to_a = a - p, to_b = b - p;
  const double t = clamped(-to_a.dot(along) / along.squaredNorm());
  // From the nearer end, so that the ends themselves are exact.
  const Choice second = Choice::less(0.5, t);
  return {t, (choose(second, to_b, to_a) + second.of(t - 1, t) * along).squaredNorm()};
}

struct PointTriangle {
  Vec3 weights;
  double squared_distance;
};

PointTriangle nearer(const PointTriangle& a, const PointTriangle& b) {
  const Choice second = Choice::less(b.squared_distance, a.squared_distance);
  return {choose(second, b.weights, a.weights), second.of(b.squared_distance, a.squared_distance)};
}

// The foot on the plane, projecting `rounds` times, against the three edges. True if nothing was near
// degenerate. Takes the corners as they lie: copying them into order would make the loads here wait for the
// stores.
template <int rounds>
bool point_triangle(const Vec3& p, const Vec3& corner_a, const Vec3& corner_b, const Vec3& corner_c,
                    PointTriangle& best) {
  const Vec3 ab = corner_b - corner_a, ac = corner_c - corner_a;
  const Vec3 normal = ab.cross(ac);
  const double area = normal.squaredNorm(), scale = 1 / area;
  // Dual to ab and ac up to scale: 1 on the one, 0 on the other and on the normal.
  const Vec3 towards_b = ac.cross(normal), towards_c = normal.cross(ab);
  Vec3 rest = p - corner_a;  // what the weights have not explained yet
  double b = 0, c = 0;
  for (int round = 0; round < rounds; ++round) {
    const double more_b = rest.dot(towards_b) * scale, more_c = rest.dot(towards_c) * scale;
    rest -= more_b * ab + more_c * ac;
    b += more_b;
    c += more_c;
  }
  const double a = 1 - b - c;
  const Choice inside = Choice::less(0, a) & Choice::less(0, b) & Choice::less(0, c);  // NaN is not
  const PointTriangle foot{{a, b, c}, inside.of(rest.squaredNorm(), infinity)};
  const PointSegment on_ab = point_segment(p, corner_a, corner_b);
  const PointSegment on_ac = point_segment(p, corner_a, corner_c);
  const PointSegment on_bc = point_segment(p, corner_b, corner_c);
  best = nearer(nearer({{1 - on_ab.t, on_ab.t, 0}, on_ab.squared_distance}, foot),
                nearer({{1 - on_ac.t, 0, on_ac.t}, on_ac.squared_distance},
                       {{0, 1 - on_bc.t, on_bc.t}, on_bc.squared_distance}));
  return area > ill_conditioned * ab.squaredNorm() * ac.squaredNorm() + tiny;
}

// Thin or extremely small or large triangles: scaled, seen from the corner opposite to the longest edge,
// where the angle is widest and projecting converges best, and projected more often.
PointTriangle careful_point_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const int power = scale_for({a - p, b - p, c - p});
  const Vec3 origin = power == 0 ? Vec3(Vec3::Zero()) : p;
  const Triangle t{scaled(a - origin, power), scaled(b - origin, power), scaled(c - origin, power)};
  const double opposite[3] = {(t[2] - t[1]).squaredNorm(), (t[2] - t[0]).squaredNorm(),
                              (t[1] - t[0]).squaredNorm()};
  const auto first = static_cast<std::size_t>(std::max_element(opposite, opposite + 3) - opposite);
  const std::size_t second = (first + 1) % 3, third = (first + 2) % 3;
  PointTriangle found;
  point_triangle<8>(power == 0 ? p : Vec3(Vec3::Zero()), t[first], t[second], t[third], found);
  PointTriangle best;
  best.weights[static_cast<int>(first)] = found.weights[0];
  best.weights[static_cast<int>(second)] = found.weights[1];
  best.weights[static_cast<int>(third)] = found.weights[2];
  best.squared_distance = std::scalbn(found.squared_distance, -2 * power);
  return best;
}

PointTriangle point_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  PointTriangle best;
  if (!point_triangle<2>(p, a, b, c, best)) [[unlikely]]
    return careful_point_triangle(p, a, b, c);
  return best;
}

struct SegmentSegment {
  double s, t;
  double squared_distance;
};

// The best of the four pairs of an end with the other segment, and of what is known.
void take_better_ends(const Segment& a, const Segment& b, SegmentSegment& best) {
  const auto take_better = [&](double s, double t, double squared_distance) {
    if (squared_distance <= best.squared_distance) best = {s, t, squared_distance};
  };
  for (const int end : {0, 1}) {
    const PointSegment of_a = point_segment(a[static_cast<std::size_t>(end)], b[0], b[1]);
    take_better(end, of_a.t, of_a.squared_distance);
    const PointSegment of_b = point_segment(b[static_cast<std::size_t>(end)], a[0], a[1]);
    take_better(of_b.t, end, of_b.squared_distance);
  }
}

// The common perpendicular, clamped. True if nothing was near parallel or out of range.
bool perpendicular(const Segment& a, const Segment& b, SegmentSegment& best) {
  const Vec3 u = a[1] - a[0], v = b[1] - b[0], across = b[0] - a[0];
  const double uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v);
  const Vec3 normal = u.cross(v);
  const double nn = normal.squaredNorm();
  // The foot on the one line, clamped; then the nearest point on the other, clamped; and where that clamped,
  // back again. For lines that are not parallel this is the minimum (Ericson 2005, 5.1.9). Written so that
  // the three divisions do not wait for each other.
  const double per_u = 1 / uu, per_v = 1 / vv;
  const double foot = clamped(across.cross(v).dot(normal) / nn);
  const double t_there = (foot * uv - across.dot(v)) * per_v, t = clamped(t_there);
  const double s = Choice::equal(t, t_there).of(foot, clamped((across.dot(u) + t * uv) * per_u));
  // The offset from the nearer ends, so that the ends themselves are exact.
  const Choice second_a = Choice::less(0.5, s), second_b = Choice::less(0.5, t);
  const Vec3 between = choose(second_b, b[1], b[0]) - choose(second_a, a[1], a[0]);
  const Vec3 offset = between + second_b.of(t - 1, t) * v - second_a.of(s - 1, s) * u;
  best = {s, t, offset.squaredNorm()};
  return nn > ill_conditioned * uu * vv + tiny;
}

// Near-parallel or extremely small or large segments: scaled, and the ends tried as well.
SegmentSegment careful_segment_segment(const Segment& a, const Segment& b) {
  const int power = scale_for({a[1] - a[0], b[0] - a[0], b[1] - a[0]});
  Segment near_a = a, near_b = b;
  if (power != 0) {
    near_a = {Vec3::Zero(), scaled(a[1] - a[0], power)};
    near_b = {scaled(b[0] - a[0], power), scaled(b[1] - a[0], power)};
  }
  SegmentSegment best;
  perpendicular(near_a, near_b, best);
  if (!(best.squared_distance < infinity)) best = {0, 0, infinity};
  take_better_ends(near_a, near_b, best);
  best.squared_distance = std::scalbn(best.squared_distance, -2 * power);
  return best;
}

SegmentSegment segment_segment(const Segment& a, const Segment& b) {
  SegmentSegment best;
  if (!perpendicular(a, b, best)) [[unlikely]]
    return careful_segment_segment(a, b);
  return best;
}

Vec3 point_at(const Triangle& t, const Vec3& weights) {
  return weights[0] * t[0] + weights[1] * t[1] + weights[2] * t[2];
}

bool before(const Segment& a, const Segment& b) {
  const bool same = (a[0].x() == b[0].x()) & (a[0].y() == b[0].y()) & (a[0].z() == b[0].z());
  return palpate::before(a[0], b[0]) | (same & palpate::before(a[1], b[1]));
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
  double squared_distance = infinity;

  void take_better(const Vec3& weights_a, const Vec3& weights_b, double distance) {
    if (distance < squared_distance) *this = {weights_a, weights_b, distance};
  }
};

TriangleTriangle triangle_triangle(const Triangle& a, const Triangle& b) {
  TriangleTriangle best{Vec3::UnitX(), Vec3::UnitX()};
  if (const auto common = intersection(a, b)) return {common->from.weights_a, common->from.weights_b, 0.0};
  for (int k = 0; k < 3; ++k) {
    const PointTriangle of_a = point_triangle(a[static_cast<std::size_t>(k)], b[0], b[1], b[2]);
    best.take_better(Vec3::Unit(k), of_a.weights, of_a.squared_distance);
    const PointTriangle of_b = point_triangle(b[static_cast<std::size_t>(k)], a[0], a[1], a[2]);
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
  // Apart by less than rounding can show: not zero all the same.
  best.squared_distance = std::max(best.squared_distance, std::numeric_limits<double>::denorm_min());
  return best;
}

}  // namespace

// --- the four functions: sort, solve, put back ----------------------------------------------------

// Swaps by indexing, not by branching: which way round a shape comes cannot be foreseen.

NearestOnSegment nearest_point_segment(const Vec3& p, const Segment& s) {
  const bool swapped = before(s[1], s[0]);
  const Vec3 &first = s[swapped], &second = s[!swapped];
  const PointSegment found = point_segment(p, first, second);
  NearestOnSegment result;
  result.weights[swapped] = 1 - found.t;
  result.weights[!swapped] = found.t;
  result.point = (1 - found.t) * first + found.t * second;
  result.squared_distance = found.squared_distance;
  return result;
}

NearestOnTriangle nearest_point_triangle(const Vec3& p, const Triangle& t) {
  const Order order = sorting_order(t);
  const Vec3 &a = t[order[0]], &b = t[order[1]], &c = t[order[2]];
  const PointTriangle found = point_triangle(p, a, b, c);
  const Vec3 point = found.weights[0] * a + found.weights[1] * b + found.weights[2] * c;
  return {point, in_callers_order(found.weights, order), found.squared_distance};
}

NearestOnSegments nearest_segment_segment(const Segment& a, const Segment& b) {
  const bool swap_a = before(a[1], a[0]), swap_b = before(b[1], b[0]);
  const Segment pair[2] = {{a[swap_a], a[!swap_a]}, {b[swap_b], b[!swap_b]}};
  const bool swapped = before(pair[1], pair[0]);
  const SegmentSegment found = segment_segment(pair[swapped], pair[!swapped]);
  const double at[2] = {found.s, found.t};
  const double s = at[swapped], t = at[!swapped];
  NearestOnSegments result;
  result.weights_a[swap_a] = 1 - s;
  result.weights_a[!swap_a] = s;
  result.weights_b[swap_b] = 1 - t;
  result.weights_b[!swap_b] = t;
  result.point_a = (1 - s) * pair[0][0] + s * pair[0][1];
  result.point_b = (1 - t) * pair[1][0] + t * pair[1][1];
  result.squared_distance = found.squared_distance;
  return result;
}

NearestOnTriangles nearest_triangle_triangle(const Triangle& a, const Triangle& b) {
  const Order order_a = sorting_order(a), order_b = sorting_order(b);
  const Triangle sorted_a{a[order_a[0]], a[order_a[1]], a[order_a[2]]};
  const Triangle sorted_b{b[order_b[0]], b[order_b[1]], b[order_b[2]]};
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
