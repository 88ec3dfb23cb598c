// Inside and outside: against exact crossings of other rays, and where the answer is known.
#include <cmath>

#include <support/cases.h>
#include <support/exact_distance.h>
#include <support/query_scenes.h>

#include <palpate/collide/detector.h>
#include <palpate/collide/queries.h>
#include <palpate/collide/winding.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

TEST(QueriesProperty, SignsEqualThoseOfExactCrossings) {
  std::size_t inside = 0, on = 0;
  const std::size_t cases = each_case(700, [&](Random& random) {
    const TriangleMesh mesh = testing::random_closed(random);
    Detector detector;
    const SurfaceId id = detector.add(mesh);
    Queries queries(detector.surfaces());
    for (int i = 0; i < 6; ++i) {
      Vec3 point = testing::random_point(random, 2);
      if (random.chance(0.6)) point = (point * 4).array().round() / 4;  // under edges and vertices
      if (random.chance(0.3)) point = testing::point_for(random, mesh);
      if (random.chance(0.2)) point.head<2>() = mesh.positions[random.below(mesh.positions.size())].head<2>();
      const std::optional<int> winding = testing::exact_winding(random, mesh, point);
      const NearestPoint found = queries.signed_distance(id, point);
      if (!winding) {
        ASSERT_EQ(found.distance, 0) << testing::show(point);
        ++on;
        continue;
      }
      ASSERT_EQ(queries.winding_number(id, point), *winding) << testing::show(point);
      if (*winding != 0) {
        ASSERT_LE(found.distance, 0) << testing::show(point);
        ++inside;
      } else {
        ASSERT_GE(found.distance, 0) << testing::show(point);
      }
      ASSERT_EQ(std::abs(found.distance), queries.nearest(id, point)->distance);
    }
  });
  EXPECT_GE(7 * inside, 5 * cases);
  EXPECT_GE(7 * on, cases);
}

// Every point of a grid in, on and around a box whose vertices are on the grid.
TEST(Queries, ABoxIsExact) {
  const TriangleMesh mesh = make(BoxShape{4, 4, 4, 4, 4, 4});
  Detector detector;
  const SurfaceId id = detector.add(mesh);
  Queries queries(detector.surfaces());
  for (int x = -6; x <= 6; ++x)
    for (int y = -6; y <= 6; ++y)
      for (int z = -6; z <= 6; ++z) {
        const Vec3 point = Vec3(x, y, z) / 2, out = (point.cwiseAbs() - Vec3::Constant(2)).cwiseMax(0.0);
        const double deep = (point.cwiseAbs() - Vec3::Constant(2)).maxCoeff();
        ASSERT_EQ(queries.signed_distance(id, point).distance, deep < 0 ? deep : out.norm())
            << testing::show(point);
      }
}

// The nearest feature is a vertex or an edge with a normal that points away: a spike seen from beside it.
TEST(Queries, SpikesAndCreases) {
  TriangleMesh mesh{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(10, 10, 0.01)},
                    {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
  Detector detector;
  const SurfaceId id = detector.add(mesh);
  Queries queries(detector.surfaces());
  Random random(5);
  for (int i = 0; i < 3000; ++i) {
    const Vec3 point = Vec3(10, 10, 0.01) + testing::random_point(random, i % 2 == 0 ? 1 : 1e-3);
    const auto winding = testing::exact_winding(random, mesh, point);
    ASSERT_EQ(queries.signed_distance(id, point).distance < 0, winding.value_or(0) != 0);
  }
}

TEST(Queries, PointsBesideTheSurfaceByRounding) {
  const TriangleMesh mesh = make(IcosphereShape{1, 3});
  Detector detector;
  const SurfaceId id = detector.add(mesh);
  Queries queries(detector.surfaces());
  Random random(6);
  for (int i = 0; i < 600; ++i) {
    const Triangle t = triangle_at(mesh.positions, mesh.triangles[random.below(mesh.triangles.size())]);
    const double a = random.uniform(0, 1), b = random.uniform(0, 1 - a);
    const Vec3 point = testing::nudged(random, a * t[0] + b * t[1] + (1 - a - b) * t[2], 1);
    // Convex: inside if it is behind every triangle.
    int most = -1;
    for (const TriangleCorners& c : mesh.triangles) {
      const Triangle face = triangle_at(mesh.positions, c);
      most = std::max(most, testing::orient3d_sign(face[0], face[1], face[2], point));
    }
    const double distance = queries.signed_distance(id, point).distance;
    ASSERT_TRUE(distance == 0 || (distance > 0) == (most > 0));
    if (most == 0) {
      ASSERT_EQ(distance, 0);
    }
  }
}

TEST(Queries, WhatIsClosed) {
  Detector detector;
  Queries queries(detector.surfaces());
  EXPECT_TRUE(queries.is_closed(detector.add(make(TorusShape{}))));
  EXPECT_FALSE(queries.is_closed(detector.add(make(PlaneShape{}))));
  // Two tetrahedra with a common edge: four triangles there, two each way.
  const TriangleMesh pair{
      {Vec3(0, 0, 0), Vec3(0, 0, 1), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(-1, 0, 0), Vec3(0, -1, 0)},
      {{0, 3, 2}, {0, 2, 1}, {2, 3, 1}, {3, 0, 1}, {0, 5, 4}, {0, 4, 1}, {4, 5, 1}, {5, 0, 1}}};
  const SurfaceId id = detector.add(pair);
  EXPECT_TRUE(queries.is_closed(id));
  EXPECT_LT(queries.signed_distance(id, Vec3(0.1, 0.1, 0.1)).distance, 0);
  EXPECT_LT(queries.signed_distance(id, Vec3(-0.1, -0.1, 0.1)).distance, 0);
  EXPECT_GT(queries.signed_distance(id, Vec3(-0.1, 0.1, 0.1)).distance, 0);
  // Cut, it is not; mended, it is again.
  const std::vector<std::uint32_t> one{3};
  detector.remove_triangles(id, one);
  EXPECT_FALSE(queries.is_closed(id));
  std::vector<std::uint32_t> places;
  detector.add_triangles(id, std::vector<TriangleCorners>{{3, 0, 1}}, places);
  EXPECT_TRUE(queries.is_closed(id));
  // A triangle with a repeated corner adds nothing.
  detector.add_triangles(id, std::vector<TriangleCorners>{{3, 3, 1}}, places);
  EXPECT_TRUE(queries.is_closed(id));
}

}  // namespace
}  // namespace palpate
