#include <palpate/collide/moving_pair.h>

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace palpate {

namespace {

constexpr int most_parts = 1000;  // of a step in which something turns

using FourVertices = std::array<std::uint32_t, 4>;
FourVertices vertices_of(const Surfaces& all, ContactKind kind, const FeaturePair& pair) {
  if (kind == ContactKind::vertex_triangle) {
    const TriangleCorners& c = all.triangles()[pair.second];
    return {pair.first, c[0], c[1], c[2]};
  }
  return {all.side_begin(pair.first), all.side_end(pair.first), all.side_begin(pair.second),
          all.side_end(pair.second)};
}

FourPoints points_at(std::span<const Vec3> x, const FourVertices& v) {
  return {x[v[0]], x[v[1]], x[v[2]], x[v[3]]};
}

// Where a vertex is at some part of the step.
Vec3 position_at(const Surfaces& all, std::uint32_t vertex, double t) {
  const Vec3 &start = all.positions()[vertex], &end = all.ends()[vertex];
  if (t <= 0) return start;
  if (t >= 1) return end;
  const Surface& surface = all[all.surface_of_vertex(vertex)];
  if (surface.bow == 0) return (1 - t) * start + t * end;
  const double angle = surface.spin.norm();
  const Vec3 origin = (1 - t) * surface.pose.position + t * surface.end_pose.position;
  return origin + Eigen::AngleAxisd(t * angle, surface.spin / angle) * (start - surface.pose.position);
}

// The same pair over a part of the step at a time.
CrossingTime find_in_parts(const Surfaces& all, ContactKind kind, const FourVertices& vertices, double bow,
                           double slack, const CrossingOptions& options) {
  const auto at = [&](double t) {
    FourPoints x;
    for (std::size_t k = 0; k < 4; ++k) x[k] = position_at(all, vertices[k], t);
    return x;
  };
  double size = 0, far = 0;
  for (const FourPoints& x : {at(0), at(1)})
    for (std::size_t k = 0; k < 4; ++k) {
      size = std::max(size, (x[k] - x[0]).norm());
      far = std::max(far, x[k].norm());
    }
  const double rounding = slack + 1e-14 * far;
  double from = 0, length = 1;
  CrossingTime found;
  for (int parts = 1; from < 1 && from <= options.until; ++parts) {
    const double to = std::min(1.0, from + length),
                 off = (bow - slack) * (to - from) * (to - from) + rounding;
    CrossingOptions part = options;
    part.separation += off;
    if (!(part.separation < 1e75)) return {true, false, from, found.stretches};  // nobody can tell
    part.tolerance = std::min(0.5, options.tolerance / (to - from));
    part.until = std::min(1.0, (options.until - from) / (to - from) * (1 + 1e-9));
    const CrossingTime one = find_crossing(kind, at(from), at(to), part);
    found.stretches += one.stretches;
    if (!one.hit) {
      from = to;
      length *= 2;
      continue;
    }
    length = 0.5 * (to - from);
    from = std::max(from, (from + one.time * (to - from)) * (1 - 0x1p-50));  // they are apart until then
    if (off <= 1e-6 * size + 2 * rounding || parts >= most_parts) {
      found.hit = from <= options.until;
      found.time = std::min(from, options.until);
      return found;
    }
  }
  found.time = std::min(from, options.until);
  return found;
}

}  // namespace

bool share_a_vertex(const Surfaces& all, ContactKind kind, const FeaturePair& pair) {
  const FourVertices v = vertices_of(all, kind, pair);
  if (kind == ContactKind::vertex_triangle) return v[0] == v[1] || v[0] == v[2] || v[0] == v[3];
  return v[0] == v[2] || v[0] == v[3] || v[1] == v[2] || v[1] == v[3];
}

bool stay_apart(const Surfaces& all, ContactKind kind, const FeaturePair& pair,
                const CrossingOptions& options) {
  const FourVertices v = vertices_of(all, kind, pair);
  const std::size_t first = kind == ContactKind::vertex_triangle ? 1 : 2;  // so many points are of the first
  const double reach =
      (options.separation + all[all.surface_of_vertex(v[0])].bow + all[all.surface_of_vertex(v[3])].bow) *
      (1 + 1e-9);
  const FourPoints start = points_at(all.positions(), v), end = points_at(all.ends(), v);
  for (int axis = 0; axis < 3; ++axis) {
    bool above = true, below = true;
    for (const FourPoints* x : {&start, &end})
      for (std::size_t i = 0; i < first; ++i)
        for (std::size_t k = first; k < 4; ++k) {
          const double by = (*x)[i][axis] - (*x)[k][axis];
          above = above && by > reach;
          below = below && by < -reach;
        }
    if (above || below) return true;
  }
  return false;
}

CrossingTime find_crossing(const Surfaces& all, ContactKind kind, const FeaturePair& pair,
                           const CrossingOptions& options) {
  const FourVertices v = vertices_of(all, kind, pair);
  const Surface &one = all[all.surface_of_vertex(v[0])], &other = all[all.surface_of_vertex(v[3])];
  const double bow = one.bow + other.bow;
  if (bow > 0)
    return find_in_parts(all, kind, v, bow, (one.bow > 0 ? one.slack : 0) + (other.bow > 0 ? other.slack : 0),
                         options);
  const FourPoints start = points_at(all.positions(), v), end = points_at(all.ends(), v);
  return options.test != nullptr ? options.test(kind, start, end, options)
                                 : find_crossing(kind, start, end, options);
}

}  // namespace palpate
