#include <palpate/collide/kernel.h>

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include <palpate/geometry/nearest.h>

namespace palpate {

namespace {

// Below this square a length has no direction to speak of.
constexpr double tiny = 1e-280;

bool is_length(double squared) { return squared > tiny && squared < 1e300; }

// Along `offset`; where there is none, across both features; where there is no such direction either, along
// x.
Vec3 direction(const Vec3& offset, const Vec3& across) {
  for (const Vec3* v : {&offset, &across})
    if (const double squared = v->squaredNorm(); is_length(squared)) return *v * (1 / std::sqrt(squared));
  return Vec3::UnitX();
}

}  // namespace

Proximity vertex_triangle(const Vec3& p, const Triangle& t) {
  const NearestOnTriangle nearest = nearest_point_triangle(p, t);
  std::array<int, 3> order = {0, 1, 2};
  const auto corner = [&](std::size_t k) -> const Vec3& { return t[static_cast<std::size_t>(order[k])]; };
  std::sort(order.begin(), order.end(), [&](int i, int j) {
    return before(t[static_cast<std::size_t>(i)], t[static_cast<std::size_t>(j)]);
  });
  const Vec3 to_a = corner(0) - p, to_b = corner(1) - p, to_c = corner(2) - p;
  const Vec3 offset = (nearest.weights[order[0]] * to_a + nearest.weights[order[1]] * to_b) +
                      nearest.weights[order[2]] * to_c;
  const Vec3 across = (corner(1) - corner(0)).cross(corner(2) - corner(0));
  return {nearest.squared_distance, {nearest.weights[1], nearest.weights[2]}, direction(offset, across)};
}

Proximity edge_edge(const Segment& a, const Segment& b) {
  const NearestOnSegments nearest = nearest_segment_segment(a, b);
  const bool swap_a = before(a[1], a[0]), swap_b = before(b[1], b[0]);
  Segment one = {a[swap_a], a[!swap_a]}, two = {b[swap_b], b[!swap_b]};
  double s = nearest.weights_a[!swap_a], t = nearest.weights_b[!swap_b];
  const bool swapped = before(two[0], one[0]) || (two[0] == one[0] && before(two[1], one[1]));
  if (swapped) std::swap(one, two), std::swap(s, t);
  // From the nearer ends, as the distance is.
  const bool far_s = s > 0.5, far_t = t > 0.5;
  const Vec3 u = one[1] - one[0], v = two[1] - two[0];
  const Vec3 offset = ((two[far_t] - one[far_s]) + (far_t ? t - 1 : t) * v) - (far_s ? s - 1 : s) * u;
  const Vec3 normal = direction(offset, u.cross(v));
  return {nearest.squared_distance,
          {nearest.weights_a[1], nearest.weights_b[1]},
          swapped ? Vec3(-normal) : normal};
}

}  // namespace palpate
