// geometry/: predicates beside the plain determinant, nearest points beside the textbook's, both beside CGAL.
#include <memory>
#include <random>

#include <Eigen/Geometry>

#include <palpate/geometry/intersect.h>
#include <palpate/geometry/nearest.h>
#include <palpate/geometry/obb.h>
#include <palpate/geometry/predicates.h>

#include "benchmarks.h"
#include "peer_cgal.h"
#include "reference_nearest.h"

namespace palpate::bench {

namespace {

constexpr std::size_t count =
    20'000;                           // small enough to stay in the cache: arithmetic is measured, not memory
constexpr double near = 0.25 * 0.25;  // squared distance that about half of the random pairs are within

std::vector<Vec3> random_points(std::size_t n, bool on_grid = false) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Vec3> points(n);
  for (Vec3& p : points)
    for (int k = 0; k < 3; ++k) p[k] = on_grid ? static_cast<double>(random() % 4) / 8 : uniform(random);
  return points;
}

// A method that maps the points, group by group, to a number; the sum of these is its result.
template <std::size_t group, class Points, class Each>
Method over(const char* name, Role role, std::shared_ptr<const Points> points, Each each) {
  const auto sum = std::make_shared<std::int64_t>(0);
  return {name,
          role,
          [=] {
            // Ends and sum are kept in locals, so that loops with and without calls cost the same around the
            // work.
            std::int64_t total = 0;
            const auto* const end = points->data() + points->size();
            for (const auto* p = points->data(); p != end; p += group) total += each(p);
            *sum = total;
          },
          {},
          [sum] { return static_cast<std::uint64_t>(*sum); }};
}

#ifdef PALPATE_CGAL
template <class Points, class All>
Method peer(const char* name, std::shared_ptr<const Points> points, All all) {
  const auto sum = std::make_shared<std::int64_t>(0);
  return {
      name, Role::peer, [=] { *sum = all(*points); }, {}, [sum] { return static_cast<std::uint64_t>(*sum); }};
}
#endif

int sign(double x) { return (x > 0) - (x < 0); }  // without branches

double plain_determinant(const Vec3* p) {
  const Vec3 b = p[1] - p[0], c = p[2] - p[0], d = p[3] - p[0];
  return d.x() * (b.y() * c.z() - b.z() * c.y()) + d.y() * (b.z() * c.x() - b.x() * c.z()) +
         d.z() * (b.x() * c.y() - b.y() * c.x());
}

std::vector<Method> orient2d_methods() {
  using Points = std::vector<Vec2>;
  auto made = std::make_shared<Points>();
  for (const Vec3& p : random_points(3 * count)) made->push_back(p.head<2>());
  const std::shared_ptr<const Points> points = made;
  std::vector<Method> methods = {
      over<3>("plain determinant", Role::reference, points,
              [](const Vec2* p) {
                return sign((p[1].x() - p[0].x()) * (p[2].y() - p[0].y()) -
                            (p[1].y() - p[0].y()) * (p[2].x() - p[0].x()));
              }),
      over<3>("orient2d", Role::ours, points, [](const Vec2* p) { return orient2d(p[0], p[1], p[2]); })};
#ifdef PALPATE_CGAL
  methods.push_back(peer("CGAL", points, [](const Points& p) { return cgal_orient2d_sum(p); }));
#endif
  return methods;
}

std::vector<Method> orient3d_methods(bool on_grid) {
  using Points = std::vector<Vec3>;
  const std::shared_ptr<const Points> points = std::make_shared<Points>(random_points(4 * count, on_grid));
  std::vector<Method> methods = {over<4>("plain determinant", Role::reference, points,
                                         [](const Vec3* p) { return sign(plain_determinant(p)); }),
                                 over<4>("orient3d", Role::ours, points,
                                         [](const Vec3* p) { return orient3d(p[0], p[1], p[2], p[3]); })};
#ifdef PALPATE_CGAL
  methods.push_back(peer("CGAL", points, [](const Points& p) { return cgal_orient3d_sum(p); }));
#endif
  return methods;
}

std::vector<Method> point_triangle_methods() {
  using Points = std::vector<Vec3>;
  const std::shared_ptr<const Points> points = std::make_shared<Points>(random_points(4 * count));
  std::vector<Method> methods = {
      over<4>("textbook", Role::reference, points,
              [](const Vec3* p) {
                return reference_point_triangle(p[0], {p[1], p[2], p[3]}).squared_distance < near;
              }),
      over<4>("nearest_point_triangle", Role::ours, points, [](const Vec3* p) {
        return nearest_point_triangle(p[0], {p[1], p[2], p[3]}).squared_distance < near;
      })};
#ifdef PALPATE_CGAL
  methods.push_back(peer("CGAL", points, [](const Points& p) { return cgal_point_triangle_below(p, near); }));
#endif
  return methods;
}

std::vector<Method> segment_segment_methods() {
  using Points = std::vector<Vec3>;
  const std::shared_ptr<const Points> points = std::make_shared<Points>(random_points(4 * count));
  std::vector<Method> methods = {
      over<4>("textbook", Role::reference, points,
              [](const Vec3* p) {
                return reference_segment_segment({p[0], p[1]}, {p[2], p[3]}).squared_distance < near;
              }),
      over<4>("nearest_segment_segment", Role::ours, points, [](const Vec3* p) {
        return nearest_segment_segment({p[0], p[1]}, {p[2], p[3]}).squared_distance < near;
      })};
#ifdef PALPATE_CGAL
  methods.push_back(
      peer("CGAL", points, [](const Points& p) { return cgal_segment_segment_below(p, near); }));
#endif
  return methods;
}

std::vector<Method> triangle_intersection_methods() {
  using Points = std::vector<Vec3>;
  const std::shared_ptr<const Points> points = std::make_shared<Points>(random_points(6 * count));
  std::vector<Method> methods = {over<6>("intersects", Role::ours, points, [](const Vec3* p) {
    return intersects(Triangle{p[0], p[1], p[2]}, Triangle{p[3], p[4], p[5]});
  })};
#ifdef PALPATE_CGAL
  methods.push_back(peer("CGAL", points, [](const Points& p) { return cgal_triangles_meeting(p); }));
#endif
  return methods;
}

// Triangles that are apart: nearest points are then on a corner and a triangle, or on two edges.
std::vector<Method> triangle_distance_methods() {
  using Points = std::vector<Vec3>;
  auto made = std::make_shared<Points>(random_points(6 * count));
  for (std::size_t i = 3; i < made->size(); i += (i % 6 == 5 ? 4 : 1)) (*made)[i].x() += 1.1;
  const std::shared_ptr<const Points> points = made;
  const double near_squared = 0.36;
  return {over<6>("textbook, 15 pairs", Role::reference, points,
                  [=](const Vec3* p) {
                    return reference_triangle_triangle({p[0], p[1], p[2]}, {p[3], p[4], p[5]}) < near_squared;
                  }),
          over<6>("nearest_triangle_triangle", Role::ours, points, [=](const Vec3* p) {
            return nearest_triangle_triangle({p[0], p[1], p[2]}, {p[3], p[4], p[5]}).squared_distance <
                   near_squared;
          })};
}

std::vector<Case> cases(bool /*quick*/) {
  return {
      {"orient2d, random points", count, orient2d_methods},
      {"orient3d, random points", count, [] { return orient3d_methods(false); }},
      {"orient3d, points on a grid", count, [] { return orient3d_methods(true); }},
      {"point-triangle, random", count, point_triangle_methods},
      {"segment-segment, random", count, segment_segment_methods},
      {"triangle-triangle distance, apart", count, triangle_distance_methods},
      {"triangle-triangle intersection, random", count, triangle_intersection_methods},
  };
}

}  // namespace

Benchmark geometry() {
  return {"geometry", "predicates, nearest points and intersections of small shapes", cases};
}

}  // namespace palpate::bench
