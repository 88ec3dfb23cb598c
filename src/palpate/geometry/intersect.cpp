// Exact decisions first (signs only), coordinates of the common points second.
#include <palpate/geometry/intersect.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include <Eigen/Geometry>

#include <palpate/geometry/nearest.h>
#include <palpate/geometry/predicates.h>

namespace palpate {

namespace {

// Projection along axis k: the two other coordinates.
Vec2 without(int axis, const Vec3& p) { return {p[(axis + 1) % 3], p[(axis + 2) % 3]}; }

int orient_along(int axis, const Vec3& a, const Vec3& b, const Vec3& c) {
  return orient2d(without(axis, a), without(axis, b), without(axis, c));
}

// An axis along which the three points project to a proper triangle; -1 if they lie on a line.
int proper_axis(const Vec3& a, const Vec3& b, const Vec3& c) {
  for (int axis = 0; axis < 3; ++axis)
    if (orient_along(axis, a, b, c) != 0) return axis;
  return -1;
}

// Is p, on the line of a and b, between them?
bool between(const Vec3& p, const Vec3& a, const Vec3& b) {
  const auto [low, high] = before(b, a) ? std::pair{&b, &a} : std::pair{&a, &b};
  return !before(p, *low) && !before(*high, p);
}

// Segments in a plane that projects properly along the axis.
bool coplanar_segments_meet(int axis, const Segment& s, const Segment& t) {
  const int s0 = orient_along(axis, t[0], t[1], s[0]), s1 = orient_along(axis, t[0], t[1], s[1]);
  const int t0 = orient_along(axis, s[0], s[1], t[0]), t1 = orient_along(axis, s[0], s[1], t[1]);
  if (s0 * s1 < 0 && t0 * t1 < 0) return true;
  return (s0 == 0 && between(s[0], t[0], t[1])) || (s1 == 0 && between(s[1], t[0], t[1])) ||
         (t0 == 0 && between(t[0], s[0], s[1])) || (t1 == 0 && between(t[1], s[0], s[1]));
}

bool segments_meet(const Segment& s, const Segment& t) {
  if (orient3d(s[0], s[1], t[0], t[1]) != 0) return false;
  // Coplanar: any three of the points that are not on a line give an axis.
  for (const auto& [p, q, r] :
       {std::tuple{s[0], s[1], t[0]}, {s[0], s[1], t[1]}, {t[0], t[1], s[0]}, {t[0], t[1], s[1]}})
    if (const int axis = proper_axis(p, q, r); axis >= 0) return coplanar_segments_meet(axis, s, t);
  // All on one line (or points): they meet if an end of one is inside the other.
  return between(s[0], t[0], t[1]) || between(s[1], t[0], t[1]) || between(t[0], s[0], s[1]) ||
         between(t[1], s[0], s[1]);
}

// The segment that a triangle without area is.
Segment longest_extent(const Triangle& t) {
  const auto [low, high] =
      std::minmax_element(t.begin(), t.end(), [](const Vec3& a, const Vec3& b) { return before(a, b); });
  return {*low, *high};
}

bool inside_coplanar(int axis, const Vec3& p, const Triangle& t) {
  const int ab = orient_along(axis, t[0], t[1], p), bc = orient_along(axis, t[1], t[2], p),
            ca = orient_along(axis, t[2], t[0], p);
  return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

bool coplanar_segment_meets(const Segment& s, const Triangle& t) {
  const int axis = proper_axis(t[0], t[1], t[2]);
  if (axis < 0) return segments_meet(s, longest_extent(t));
  if (inside_coplanar(axis, s[0], t) || inside_coplanar(axis, s[1], t)) return true;
  for (std::size_t k = 0; k < 3; ++k)
    if (coplanar_segments_meet(axis, s, {t[k], t[(k + 1) % 3]})) return true;
  return false;
}

// side0, side1: on which side of the triangle's plane the segment's ends are.
bool meets(const Segment& s, const Triangle& t, int side0, int side1) {
  if (side0 * side1 > 0) return false;
  if (side0 == 0 && side1 == 0) return coplanar_segment_meets(s, t);
  // The line crosses the plane in one point, which is inside if it passes all three edges on the same side.
  const int ab = orient3d(s[0], s[1], t[0], t[1]), bc = orient3d(s[0], s[1], t[1], t[2]);
  if (ab * bc < 0) return false;
  const int ca = orient3d(s[0], s[1], t[2], t[0]);
  return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

std::array<int, 3> sides(const Triangle& of, const Triangle& plane) {
  std::array<int, 3> result;
  for (std::size_t k = 0; k < 3; ++k) result[k] = orient3d(plane[0], plane[1], plane[2], of[k]);
  return result;
}

bool one_sided(const std::array<int, 3>& s) {
  return (s[0] > 0 && s[1] > 0 && s[2] > 0) || (s[0] < 0 && s[1] < 0 && s[2] < 0);
}

// --- common points --------------------------------------------------------------------------------

struct CommonPoint {
  Vec2 on_segment;
  Vec3 on_triangle;
};

// Where a segment known to meet the triangle does so: the best of the crossing of the plane and the nearest
// points of the borders. All of them are points of both shapes; the one with the smallest gap between the two
// is taken.
CommonPoint common_point(const Segment& s, const Triangle& t) {
  CommonPoint best{};
  double smallest_gap = std::numeric_limits<double>::infinity();
  const auto take_better = [&](const Vec2& on_segment, const Vec3& on_triangle, double gap) {
    if (gap < smallest_gap) {
      smallest_gap = gap;
      best = {on_segment, on_triangle};
    }
  };
  const Vec3 along = s[1] - s[0];
  const Vec3 ab = t[1] - t[0], ac = t[2] - t[0], normal = ab.cross(ac);
  const double crossing = -(s[0] - t[0]).dot(normal) / along.dot(normal);
  if (crossing >= 0 && crossing <= 1) {
    const Vec3 p = s[0] + crossing * along;
    const NearestOnTriangle foot = nearest_point_triangle(p, t);
    take_better({1 - crossing, crossing}, foot.weights, foot.squared_distance);
  }
  for (int end = 0; end < 2; ++end) {
    const NearestOnTriangle found = nearest_point_triangle(s[static_cast<std::size_t>(end)], t);
    take_better(Vec2::Unit(end), found.weights, found.squared_distance);
  }
  for (int k = 0; k < 3; ++k) {
    const int next = (k + 1) % 3;
    const NearestOnSegments found =
        nearest_segment_segment(s, {t[static_cast<std::size_t>(k)], t[static_cast<std::size_t>(next)]});
    Vec3 weights = Vec3::Zero();
    weights[k] = found.weights_b[0];
    weights[next] = found.weights_b[1];
    take_better(found.weights_a, weights, found.squared_distance);
  }
  return best;
}

// Gathers the points where edges meet the other triangle and keeps the two farthest apart.
struct Ends {
  std::array<TriangleIntersection::End, 6> found;
  std::size_t count = 0;

  std::pair<std::size_t, std::size_t> farthest() const {
    std::pair<std::size_t, std::size_t> result{0, 0};
    double largest = 0;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = i + 1; j < count; ++j) {
        const double distance = (found[i].point - found[j].point).squaredNorm();
        if (distance > largest) {
          largest = distance;
          result = {i, j};
        }
      }
    return result;
  }
};

TriangleIntersection::End end_on(const Triangle& of_edge, std::size_t k, const Triangle& other,
                                 bool first_is_edge) {
  const std::size_t next = (k + 1) % 3;
  const Segment edge{of_edge[k], of_edge[next]};
  const CommonPoint common = common_point(edge, other);
  Vec3 on_edge = Vec3::Zero();
  on_edge[static_cast<int>(k)] = common.on_segment[0];
  on_edge[static_cast<int>(next)] = common.on_segment[1];
  const Vec3 point = common.on_segment[0] * edge[0] + common.on_segment[1] * edge[1];
  if (first_is_edge) return {point, on_edge, common.on_triangle};
  return {point, common.on_triangle, on_edge};
}

}  // namespace

bool intersects(const Segment& s, const Triangle& t) {
  return meets(s, t, orient3d(t[0], t[1], t[2], s[0]), orient3d(t[0], t[1], t[2], s[1]));
}

bool intersects(const Triangle& a, const Triangle& b) {
  const auto a_sides = sides(a, b);
  if (one_sided(a_sides)) return false;
  const auto b_sides = sides(b, a);
  if (one_sided(b_sides)) return false;
  // Two triangles that meet do so on the border of one of them.
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t next = (k + 1) % 3;
    if (meets({a[k], a[next]}, b, a_sides[k], a_sides[next])) return true;
    if (meets({b[k], b[next]}, a, b_sides[k], b_sides[next])) return true;
  }
  return false;
}

std::optional<SegmentTriangleIntersection> intersection(const Segment& s, const Triangle& t) {
  const int side0 = orient3d(t[0], t[1], t[2], s[0]), side1 = orient3d(t[0], t[1], t[2], s[1]);
  if (!meets(s, t, side0, side1)) return std::nullopt;
  const CommonPoint common = common_point(s, t);
  SegmentTriangleIntersection result;
  result.segment_weights = common.on_segment;
  result.triangle_weights = common.on_triangle;
  result.point = common.on_segment[0] * s[0] + common.on_segment[1] * s[1];
  result.coplanar = side0 == 0 && side1 == 0;
  return result;
}

std::optional<TriangleIntersection> intersection(const Triangle& a, const Triangle& b) {
  const auto a_sides = sides(a, b), b_sides = sides(b, a);
  if (one_sided(a_sides) || one_sided(b_sides)) return std::nullopt;
  Ends ends;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t next = (k + 1) % 3;
    if (meets({a[k], a[next]}, b, a_sides[k], a_sides[next]))
      ends.found[ends.count++] = end_on(a, k, b, true);
    if (meets({b[k], b[next]}, a, b_sides[k], b_sides[next]))
      ends.found[ends.count++] = end_on(b, k, a, false);
  }
  if (ends.count == 0) return std::nullopt;
  const auto [from, to] = ends.farthest();
  const bool coplanar = a_sides == std::array{0, 0, 0} || b_sides == std::array{0, 0, 0};
  return TriangleIntersection{ends.found[from], ends.found[to], coplanar};
}

}  // namespace palpate
