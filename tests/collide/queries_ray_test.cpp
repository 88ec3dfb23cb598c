// First hits against a look at every triangle; rays that are aimed at edges and vertices of closed surfaces.
#include <algorithm>
#include <cmath>

#include <support/cases.h>
#include <support/data.h>
#include <support/query_scenes.h>

#include <palpate/collide/detector.h>
#include <palpate/collide/queries.h>
#include <palpate/mesh/files.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

// A hit exactly when there is one, at the least distance; ties go to the lowest.
void expect_first(Queries& queries, const Surfaces& all, const Ray& ray) {
  const auto hits = testing::brute_hits(all, ray);
  const auto found = queries.first_hit(ray);
  ASSERT_EQ(found.has_value(), !hits.empty())
      << testing::show(ray.origin) << ' ' << testing::show(ray.direction);
  if (!found) return;
  const auto first = std::min_element(hits.begin(), hits.end(),
                                      [](const auto& a, const auto& b) { return a.distance < b.distance; });
  ASSERT_EQ(found->distance, first->distance);
  ASSERT_EQ(found->surface, first->surface);
  ASSERT_EQ(found->triangle, first->triangle);
  // The first of all is the first of one of them.
  std::optional<RayHit> best;
  for (const Surface& surface : all.slots())
    if (const auto one = queries.first_hit(surface.id, ray); one && (!best || one->distance < best->distance))
      best = one;
  ASSERT_TRUE(best);
  ASSERT_EQ(best->surface, found->surface);
  ASSERT_EQ(best->triangle, found->triangle);
  // What limits the ray limits the hit.
  ASSERT_TRUE(queries.first_hit(ray, found->distance).has_value());
  if (found->distance > 0) {
    ASSERT_FALSE(queries.first_hit(ray, std::nextafter(found->distance, 0)).has_value());
  }
}

TEST(QueriesProperty, FirstHitsEqualALookAtEveryTriangle) {
  std::size_t hits = 0;
  const std::size_t cases = each_case(1500, [&](Random& random) {
    const auto meshes = random.chance(0.5) ? testing::random_scene(random).meshes
                                           : std::vector<TriangleMesh>{testing::random_closed(random),
                                                                       testing::random_closed(random)};
    Detector detector;
    for (const TriangleMesh& mesh : meshes) detector.add(mesh);
    Queries queries(detector.surfaces());
    for (int i = 0; i < 8; ++i) {
      const Ray ray = testing::ray_for(random, meshes[random.below(meshes.size())]);
      expect_first(queries, detector.surfaces(), ray);
      hits += queries.first_hit(ray).has_value();
    }
  });
  EXPECT_GE(hits, 2 * cases);
}

// From a point inside, towards every vertex, along every edge's middle, and a few units of rounding beside.
void expect_watertight(Random& random, const TriangleMesh& mesh, const Vec3& inside, std::size_t most) {
  Detector detector;
  const SurfaceId id = detector.add(mesh);
  Queries queries(detector.surfaces());
  ASSERT_NE(queries.winding_number(id, inside), 0);
  const auto aim = [&](const Vec3& target) {
    for (const Vec3& at : {target, testing::nudged(random, target, 1)}) {
      ASSERT_TRUE(queries.first_hit({inside, at - inside})) << testing::show(inside) << testing::show(at);
      // From far outside, through the point inside as far as rounding allows.
      const Vec3 out = inside - 100 * (at - inside);
      ASSERT_TRUE(queries.first_hit({out, inside - out}));
    }
  };
  const std::size_t step = std::max<std::size_t>(1, mesh.triangles.size() / most);
  for (std::size_t i = 0; i < mesh.triangles.size(); i += step) {
    const Triangle t = triangle_at(mesh.positions, mesh.triangles[i]);
    for (std::size_t k = 0; k < 3; ++k) {
      aim(t[k]);
      aim(0.5 * (t[k] + t[(k + 1) % 3]));
      aim(0.25 * t[k] + 0.75 * t[(k + 1) % 3]);
    }
  }
}

TEST(QueriesProperty, NoRaySlipsThroughAClosedSurface) {
  each_case(150, [](Random& random) {
    const TriangleMesh mesh = testing::random_closed(random);
    Detector detector;
    const SurfaceId id = detector.add(mesh);
    Queries queries(detector.surfaces());
    for (int i = 0; i < 20; ++i) {
      Vec3 point = testing::random_point(random, 1);
      if (random.chance(0.7)) point = (point * 8).array().round() / 8;
      if (queries.signed_distance(id, point).distance >= 0) continue;
      expect_watertight(random, mesh, point, 200);
      return;
    }
  });
}

TEST(Queries, NoRaySlipsThroughFineOrRealSurfaces) {
  Random random(11);
  expect_watertight(random, make(IcosphereShape{0.1, 20}), Vec3(0, 0, 0), 1000);
  expect_watertight(random, make(BoxShape{0.3, 0.3, 0.3, 10, 10, 10}), Vec3(0.01, 0.02, 0), 600);
  expect_watertight(random, make(TorusShape{}), Vec3(0.1, 0, 0), 1000);
  const auto folder = testing::data_folder();
  if (!folder) GTEST_SKIP() << testing::no_data;
  const TriangleMesh mesh = read_triangle_mesh(*folder / "surfaces" / "armadillo-rollers-326.ply");
  Detector detector;
  const SurfaceId id = detector.add(mesh);
  Queries queries(detector.surfaces());
  const Box box = bounds(mesh.positions);
  ASSERT_TRUE(queries.is_closed(id));
  for (int i = 0; i < 1000; ++i) {
    const Vec3 point = box.center() + box.size().cwiseProduct(testing::random_point(random, 0.5));
    if (queries.signed_distance(id, point).distance > -1e-3 * box.size().norm()) continue;
    expect_watertight(random, mesh, point, 500);
    return;
  }
  FAIL() << "no point was found inside";
}

TEST(Queries, RaysInThePlaneOfASheet) {
  Detector detector;
  detector.add(testing::sheet(4, 4));
  Queries queries(detector.surfaces());
  const auto hit = queries.first_hit({Vec3(-2, 1, 0), Vec3(1, 0, 0)});
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->distance, 2);
  EXPECT_EQ(hit->side, HitSide::along);
  EXPECT_EQ(hit->triangle, 1u);  // (0, 1) is a corner of 1, 8 and 9
  EXPECT_EQ(queries.first_hit({Vec3(2.5, 2.25, 0), Vec3(1, 0, 0)})->distance, 0);
  EXPECT_FALSE(queries.first_hit({Vec3(-2, 4.001, 0), Vec3(1, 0, 0)}));
  EXPECT_FALSE(queries.first_hit({Vec3(-2, 1, 1e-300), Vec3(1, 0, 0)}));
  EXPECT_TRUE(queries.first_hit({Vec3(-2, 4, 0), Vec3(1, 0, 0)}));
  EXPECT_EQ(queries.first_hit({Vec3(2, 2, 1), Vec3(0, 0, -3e-200)})->side, HitSide::front);
  EXPECT_EQ(queries.first_hit({Vec3(2, 2, -1), Vec3(0, 0, 3e200)})->side, HitSide::back);
  EXPECT_NEAR(queries.first_hit({Vec3(2, 2, -1), Vec3(1e-320, 1e-250, 1)})->distance, 1, 1e-15);
}

}  // namespace
}  // namespace palpate
