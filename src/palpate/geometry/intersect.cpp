// Exact decisions first (signs only), coordinates of the common points second.
#include <palpate/geometry/intersect.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include <Eigen/Geometry>

#include <palpate/geometry/nearest.h>
#include <palpate/geometry/predicates.h>
#include <palpate/geometry/scaling.h>

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
  Vec2 on_segment = Vec2::UnitX();
  Vec3 on_triangle = Vec3::UnitX();
  double gap = std::numeric_limits<double>::infinity();  // squared distance of the two points

  void take_better(const CommonPoint& other) {
    if (other.gap < gap) *this = other;
  }
};

// The gap between the points of a segment and a triangle at these weights.
CommonPoint with_gap(const Segment& s, const Triangle& t, const Vec2& on_segment, const Vec3& on_triangle) {
  // From differences, as in nearest.cpp: coordinates far from the origin would be too coarse.
  const Vec3 gap = (s[0] - t[0]) + on_segment[1] * (s[1] - s[0]) - on_triangle[1] * (t[1] - t[0]) -
                   on_triangle[2] * (t[2] - t[0]);
  return {on_segment, on_triangle, gap.squaredNorm()};
}

// The crossing of a plane, by the ratios of volumes. Plain determinants serve well-shaped triangles that are
// crossed steeply; the exact ones serve all.
template <class Volume>
CommonPoint crossing(const Segment& s, const Triangle& t, Volume volume) {
  const double below = std::abs(volume(t[0], t[1], t[2], s[0])),
               above = std::abs(volume(t[0], t[1], t[2], s[1]));
  const Vec3 parts(std::abs(volume(s[0], s[1], t[1], t[2])), std::abs(volume(s[0], s[1], t[2], t[0])),
                   std::abs(volume(s[0], s[1], t[0], t[1])));
  const double height = below + above, area = parts.sum();
  if (!(height > 0) || !(area > 0)) return {};  // in the plane: not a crossing
  return with_gap(s, t, Vec2(above, below) / height, parts / area);
}

double plain_volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return detail::determinant3d(a.data(), b.data(), c.data(), d.data()).value;
}

CommonPoint at_end(const Segment& s, int end, const Triangle& t) {
  const NearestOnTriangle found = nearest_point_triangle(s[static_cast<std::size_t>(end)], t);
  return {Vec2::Unit(end), found.weights, found.squared_distance};
}

CommonPoint at_edge(const Segment& s, const Triangle& t, int k) {
  const int next = (k + 1) % 3;
  const NearestOnSegments found =
      nearest_segment_segment(s, {t[static_cast<std::size_t>(k)], t[static_cast<std::size_t>(next)]});
  Vec3 weights = Vec3::Zero();
  weights[k] = found.weights_b[0];
  weights[next] = found.weights_b[1];
  return {found.weights_a, weights, found.squared_distance};
}

// Where a segment known to meet the triangle does so: the crossing of the plane, or else the best of that and
// of the borders. All of them are points of both shapes; the one with the smallest gap between the two is
// taken.
CommonPoint common_point(const Segment& original_segment, const Triangle& original_triangle) {
  Segment s = original_segment;
  Triangle t = original_triangle;
  const int power = scale_for({s[1] - s[0], t[0] - s[0], t[1] - s[0], t[2] - s[0]});
  if (power != 0) {
    const Vec3 origin = s[0];
    for (Vec3& p : s) p = scaled(p - origin, power);
    for (Vec3& p : t) p = scaled(p - origin, power);
  }
  const double size = std::max((s[1] - s[0]).squaredNorm(), (t[0] - s[0]).squaredNorm());
  CommonPoint best = crossing(s, t, plain_volume);
  constexpr double good = 4 * std::numeric_limits<double>::epsilon();
  if (best.gap <= good * good * size) return best;
  best.take_better(crossing(s, t, orient3d_value));
  for (int end = 0; end < 2; ++end) best.take_better(at_end(s, end, t));
  for (int k = 0; k < 3; ++k) best.take_better(at_edge(s, t, k));
  return best;
}

Segment edge_of(const Triangle& t, std::size_t k) { return {t[k], t[(k + 1) % 3]}; }

Vec3 edge_weights(std::size_t k, const Vec2& on_edge) {
  Vec3 weights = Vec3::Zero();
  weights[static_cast<int>(k)] = on_edge[0];
  weights[static_cast<int>((k + 1) % 3)] = on_edge[1];
  return weights;
}

// Common points of two triangles, of which the two farthest apart are kept.
struct Ends {
  using End = TriangleIntersection::End;
  std::array<End, 21> found;  // 6 corners, 9 crossings of edges, 6 piercings
  std::size_t count = 0;

  void add(const Triangle& a, const Vec3& weights_a, const Vec3& weights_b) {
    found[count++] = {weights_a[0] * a[0] + weights_a[1] * a[1] + weights_a[2] * a[2], weights_a, weights_b};
  }
  std::pair<End, End> farthest() const {
    std::pair<std::size_t, std::size_t> result{0, 0};
    double largest = 0;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = i + 1; j < count; ++j)
        if (const double distance = (found[i].point - found[j].point).stableNorm(); distance > largest) {
          largest = distance;
          result = {i, j};
        }
    return {found[result.first], found[result.second]};
  }
};

// Where edges of one pierce the plane of the other inside it.
void add_piercings(const Triangle& a, const Triangle& b, const std::array<int, 3>& a_sides,
                   const std::array<int, 3>& b_sides, Ends& ends) {
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t next = (k + 1) % 3;
    if (meets(edge_of(a, k), b, a_sides[k], a_sides[next])) {
      const CommonPoint common = common_point(edge_of(a, k), b);
      ends.add(a, edge_weights(k, common.on_segment), common.on_triangle);
    }
    if (meets(edge_of(b, k), a, b_sides[k], b_sides[next])) {
      const CommonPoint common = common_point(edge_of(b, k), a);
      ends.add(a, common.on_triangle, edge_weights(k, common.on_segment));
    }
  }
}

// Triangles in one plane share an area, whose corners are corners of one inside the other and crossings of
// edges.
void add_corners_of_area(const Triangle& a, const Triangle& b, Ends& ends) {
  for (std::size_t k = 0; k < 3; ++k) {
    if (intersects(Segment{a[k], a[k]}, b))
      ends.add(a, Vec3::Unit(static_cast<int>(k)), nearest_point_triangle(a[k], b).weights);
    if (intersects(Segment{b[k], b[k]}, a))
      ends.add(a, nearest_point_triangle(b[k], a).weights, Vec3::Unit(static_cast<int>(k)));
  }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (segments_meet(edge_of(a, i), edge_of(b, j))) {
        const NearestOnSegments at = nearest_segment_segment(edge_of(a, i), edge_of(b, j));
        ends.add(a, edge_weights(i, at.weights_a), edge_weights(j, at.weights_b));
      }
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
  constexpr std::array<int, 3> in_plane = {0, 0, 0};
  const bool coplanar = a_sides == in_plane || b_sides == in_plane;
  Ends ends;
  add_piercings(a, b, a_sides, b_sides, ends);
  if (coplanar) add_corners_of_area(a, b, ends);
  if (ends.count == 0) return std::nullopt;
  const auto [from, to] = ends.farthest();
  return TriangleIntersection{from, to, coplanar};
}

}  // namespace palpate
