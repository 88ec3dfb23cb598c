// Surfaces, points and rays for queries, and what a look at every triangle answers.
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include <support/cases.h>
#include <support/contact_scenes.h>
#include <support/rational.h>
#include <support/shapes.h>

#include <palpate/collide/queries.h>
#include <palpate/geometry/nearest.h>
#include <palpate/mesh/generate.h>

namespace palpate::testing {

// Points on, near and off a mesh.
inline Vec3 point_for(Random& random, const TriangleMesh& mesh) {
  if (mesh.triangles.empty() || random.chance(0.2)) return random_point(random, 2);
  const TriangleCorners& corners = mesh.triangles[random.below(mesh.triangles.size())];
  if (corners[0] == no_index) return random_point(random, 2);
  const Triangle t = triangle_at(mesh.positions, corners);
  switch (random.below(6)) {
    case 0:
      return t[random.below(3)];
    case 1:
      return 0.5 * (t[0] + t[1]);
    case 2:
      return 0.25 * t[0] + 0.25 * t[1] + 0.5 * t[2];
    case 3:
      return nudged(random, t[random.below(3)]);
    case 4:
      return (t[0] + t[1] + t[2]) / 3 + random_point(random, 0.1);
    default:
      return 0.5 * (t[0] + t[1]) + random_point(random, 1e-9);
  }
}

inline Ray ray_for(Random& random, const TriangleMesh& mesh) {
  const Vec3 a = random.chance(0.5) ? point_for(random, mesh) : random_point(random, 3);
  Vec3 direction = random.chance(0.7) ? Vec3(point_for(random, mesh) - a) : random_direction(random);
  if (random.chance(0.1)) direction = Vec3::Unit(static_cast<int>(random.below(3)));
  if (direction == Vec3::Zero()) direction = Vec3::UnitX();
  return {a, direction};
}

// By every triangle of every surface.
inline std::optional<NearestPoint> brute_nearest(const Surfaces& all, const Vec3& point) {
  std::optional<NearestPoint> best;
  double least = 0;
  for (const Surface& s : all.slots())
    for (std::uint32_t t = 0; t < s.triangles; ++t) {
      if (s.topology.is_hole(t)) continue;
      const NearestOnTriangle at = nearest_point_triangle(point, all.triangle(s.first_triangle + t));
      if (best && at.squared_distance >= least) continue;
      least = at.squared_distance;
      best = NearestPoint{s.id, t, at.weights, at.point, std::sqrt(least)};
    }
  return best;
}

inline std::vector<NearFeature> brute_features(const Surfaces& all, const Vec3& point, double radius) {
  std::vector<NearFeature> found;
  const auto add = [&](const Surface& s, FeatureKind kind, std::uint32_t number, double distance) {
    if (distance <= radius) found.push_back({s.id, kind, number, distance});
  };
  for (const Surface& s : all.slots()) {
    for (std::uint32_t v = 0; v < s.vertices; ++v)
      if (!s.topology.corners_at(v).empty())
        add(s, FeatureKind::vertex, v, (all.positions()[s.first_vertex + v] - point).norm());
    for (std::uint32_t side = 0; side < 3 * s.triangles; ++side)
      if (s.topology.edge_of(side) == side)
        add(s, FeatureKind::edge, side,
            std::sqrt(nearest_point_segment(point, all.edge(3 * s.first_triangle + side)).squared_distance));
    for (std::uint32_t t = 0; t < s.triangles; ++t)
      if (!s.topology.is_hole(t))
        add(s, FeatureKind::triangle, t,
            std::sqrt(nearest_point_triangle(point, all.triangle(s.first_triangle + t)).squared_distance));
  }
  return found;
}

// Every hit, the lowest surface and triangle first. Like the queries' own, no distance is less than that to
// the triangle's box.
struct BruteHit {
  double distance;
  SurfaceId surface;
  std::uint32_t triangle;
};
inline double entry(const Ray& ray, const Triangle& t) {
  double at = 0;
  for (int k = 0; k < 3; ++k)
    if (const double slope = ray.direction[k]; std::abs(slope) > 1e-200) {
      const double side =
          slope > 0 ? std::min({t[0][k], t[1][k], t[2][k]}) : std::max({t[0][k], t[1][k], t[2][k]});
      at = std::max(at, (side - ray.origin[k]) * (ray.direction.norm() * (1 / slope)));
    }
  return at;
}
inline std::vector<BruteHit> brute_hits(const Surfaces& all, const Ray& ray) {
  std::vector<BruteHit> hits;
  for (const Surface& s : all.slots())
    for (std::uint32_t t = 0; t < s.triangles; ++t) {
      if (s.topology.is_hole(t)) continue;
      const Triangle corners = all.triangle(s.first_triangle + t);
      if (const auto found = first_common_point(ray, corners))
        hits.push_back({std::max(found->at * ray.direction.norm(), entry(ray, corners)), s.id, t});
    }
  return hits;
}

// How often a surface winds around a point, by exact crossings of a ray in a direction that meets no edge.
// None if the point is on the surface.
inline std::optional<int> exact_winding(Random& random, const TriangleMesh& mesh, const Vec3& point) {
  std::vector<Vec3> all = mesh.positions;
  all.push_back(point);
  const IntegerPoints z = to_integers(all);
  const Z3& p = z[mesh.positions.size()];
  for (;;) {
    Integer far = 1;
    for (const Z3& q : z.points)
      for (const Integer* x : {&q.x, &q.y, &q.z}) far += 2 * abs(*x);
    const auto some = [&] { return static_cast<long>(random.below(2000)) - 1000; };
    const Z3 q = p + far * Z3{some(), some(), some() * 2 + 1};
    int sum = 0;
    bool degenerate = false;
    for (const TriangleCorners& t : mesh.triangles) {
      const Z3 &a = z[t[0]], &b = z[t[1]], &c = z[t[2]];
      if (is_zero(cross<Integer>(b - a, c - a))) continue;
      const int from = orient3d_sign(a, b, c, p), to = orient3d_sign(a, b, c, q);
      if (from * to > 0) continue;
      const int ab = orient3d_sign(p, q, a, b), bc = orient3d_sign(p, q, b, c),
                ca = orient3d_sign(p, q, c, a);
      const bool outside = (ab > 0 || bc > 0 || ca > 0) && (ab < 0 || bc < 0 || ca < 0);
      if (outside) continue;
      if (ab == 0 || bc == 0 || ca == 0 || to == 0) {
        degenerate = true;
      } else if (from == 0) {
        return std::nullopt;
      } else {
        sum += to;
      }
    }
    if (!degenerate) return sum;
    // Through an edge, or the point is on one; on a line through an edge nothing else helps than another try.
    for (const TriangleCorners& t : mesh.triangles)
      if (intersects(Segment{point, point}, triangle_at(mesh.positions, t))) return std::nullopt;
  }
}

// Closed surfaces, some turned inside out, some that cross themselves, all with coordinates of few digits, so
// that rays meet edges and vertices.
inline TriangleMesh random_closed(Random& random) {
  TriangleMesh mesh;
  switch (random.below(5)) {
    case 0: {
      BoxShape box{2, 4, 2, 1 + random.below(2), 1 + random.below(4), 1 + random.below(2)};
      mesh = make(box);
      break;
    }
    case 1:
      mesh = make(IcosphereShape{1.5, 1 + random.below(3)});
      break;
    case 2:
      mesh = make(TorusShape{1.5, 0.6, 3 + random.below(8), 3 + random.below(6)});
      break;
    case 3:
      mesh = make(CapsuleShape{0.8, 1.2, 3 + random.below(5), 1, 1 + random.below(2)});
      break;
    default: {  // one inside the other
      mesh = make(BoxShape{2, 2, 2, 1, 1, 1});
      const TriangleMesh inner = make(BoxShape{1, 1, 1, 1, 1, 1});
      for (const TriangleCorners& t : inner.triangles)
        mesh.triangles.push_back({t[0] + 8, t[1] + 8, t[2] + 8});
      mesh.positions.insert(mesh.positions.end(), inner.positions.begin(), inner.positions.end());
    }
  }
  const bool crumple = random.chance(0.3), snap = random.chance(0.7);
  for (Vec3& p : mesh.positions) {
    if (crumple) p += random_point(random, 0.7);
    if (snap) p = (p * 4).array().round() / 4;
  }
  if (random.chance(0.2))
    for (TriangleCorners& t : mesh.triangles) std::swap(t[0], t[1]);
  return mesh;
}

}  // namespace palpate::testing
