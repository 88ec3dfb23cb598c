// Queries against a look at every triangle: nearest points, features in reach, surfaces that meet; changes
// between calls, threads, allocations and bad input.
#include <palpate/collide/queries.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <support/allocation_counter.h>
#include <support/cases.h>
#include <support/contact_scenes.h>
#include <support/data.h>
#include <support/query_scenes.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/collide/detector.h>
#include <palpate/mesh/files.h>
#include <palpate/mesh/self_intersections.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

const TriangleMesh one_triangle{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}, {{0, 1, 2}}};

struct Scene {
  Detector detector;
  std::vector<SurfaceId> ids;
  std::vector<TriangleMesh> meshes;

  explicit Scene(std::vector<TriangleMesh> all) : meshes(std::move(all)) {
    for (const TriangleMesh& mesh : meshes) ids.push_back(detector.add(mesh));
  }
  const Surfaces& surfaces() const { return detector.surfaces(); }
};

bool same(const std::optional<NearestPoint>& a, const std::optional<NearestPoint>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->surface == b->surface && a->triangle == b->triangle && a->weights == b->weights &&
         a->point == b->point && a->distance == b->distance;
}
bool same(const NearFeature& a, const NearFeature& b) {
  return a.surface == b.surface && a.kind == b.kind && a.number == b.number && a.distance == b.distance;
}
bool same(std::span<const NearFeature> a, std::span<const NearFeature> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const NearFeature& x, const NearFeature& y) { return same(x, y); });
}
bool same(const std::optional<RayHit>& a, const std::optional<RayHit>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->surface == b->surface && a->triangle == b->triangle && a->weights == b->weights &&
         a->distance == b->distance && a->side == b->side;
}

TEST(Queries, OfOneTriangle) {
  Scene scene({one_triangle});
  Queries queries(scene.surfaces());
  const auto nearest = queries.nearest(Vec3(0.25, 0.25, 2));
  ASSERT_TRUE(nearest);
  EXPECT_EQ(nearest->surface, scene.ids[0]);
  EXPECT_EQ(nearest->triangle, 0u);
  EXPECT_EQ(nearest->distance, 2);
  EXPECT_EQ(nearest->point, Vec3(0.25, 0.25, 0));
  const auto near = queries.features_within(Vec3(-0.5, 0, 0), 0.5);
  ASSERT_EQ(near.size(), 4u);  // the corner, two edges, the triangle
  EXPECT_EQ(near[0].kind, FeatureKind::vertex);
  EXPECT_EQ(near[0].number, 0u);
  EXPECT_EQ(near[1].kind, FeatureKind::edge);
  EXPECT_EQ(near[1].number, 0u);
  EXPECT_EQ(near[2].number, 2u);
  EXPECT_EQ(near[3].kind, FeatureKind::triangle);
  EXPECT_TRUE(queries.features_within(Vec3(-0.5, 0, 0), 0.499).empty());
  EXPECT_EQ(queries.features_within(Vec3(1, 0, 0), 0).size(), 4u);
}

TEST(QueriesProperty, NearestAndFeaturesEqualALookAtEveryTriangle) {
  each_case(1500, [](Random& random) {
    Scene scene(testing::random_scene(random).meshes);
    Queries queries(scene.surfaces());
    for (int i = 0; i < 8; ++i) {
      const TriangleMesh& mesh = scene.meshes[random.below(scene.meshes.size())];
      const Vec3 point = testing::point_for(random, mesh);
      const auto expected = testing::brute_nearest(scene.surfaces(), point);
      ASSERT_TRUE(same(queries.nearest(point), expected)) << testing::show(point);
      double radius = expected ? expected->distance * random.uniform(0.5, 2) : 1;
      if (random.chance(0.3)) radius = expected ? expected->distance : 0;
      if (random.chance(0.1)) radius = 0;
      ASSERT_TRUE(same(queries.features_within(point, radius),
                       testing::brute_features(scene.surfaces(), point, radius)))
          << testing::show(point) << ' ' << radius;
      // Of one surface.
      const std::size_t which = random.below(scene.ids.size());
      Scene alone({scene.meshes[which]});
      const auto of_one = queries.nearest(scene.ids[which], point);
      const auto by_itself = testing::brute_nearest(alone.surfaces(), point);
      ASSERT_EQ(of_one.has_value(), by_itself.has_value());
      if (of_one) {
        ASSERT_EQ(of_one->surface, scene.ids[which]);
        ASSERT_EQ(of_one->triangle, by_itself->triangle);
        ASSERT_EQ(of_one->distance, by_itself->distance);
      }
      ASSERT_EQ(queries.features_within(scene.ids[which], point, radius).size(),
                testing::brute_features(alone.surfaces(), point, radius).size());
    }
  });
}

TEST(QueriesProperty, MeetingsEqualALookAtEveryPair) {
  std::size_t meetings = 0;
  each_case(400, [&](Random& random) {
    std::vector<TriangleMesh> meshes = testing::random_scene(random).meshes;
    meshes.push_back(random.chance(0.5) ? testing::random_scene(random).meshes[0]
                                        : testing::shuffled(random, meshes[0]));
    Scene scene(std::move(meshes));
    Queries queries(scene.surfaces());
    const std::size_t i = random.below(scene.ids.size()), j = random.below(scene.ids.size());
    const TriangleMesh &a = scene.meshes[i], &b = scene.meshes[j];
    std::vector<std::array<std::uint32_t, 2>> expected, found;
    if (i == j) {
      expected = self_intersections(a).pairs;
    } else {
      for (std::uint32_t s = 0; s < a.triangles.size(); ++s)
        for (std::uint32_t t = 0; t < b.triangles.size(); ++t)
          if (intersects(triangle_at(a.positions, a.triangles[s]), triangle_at(b.positions, b.triangles[t])))
            expected.push_back({s, t});
    }
    for (const Meeting& m : queries.intersections(scene.ids[i], scene.ids[j])) {
      found.push_back({m.first, m.second});
      const Triangle one = triangle_at(a.positions, a.triangles[m.first]),
                     two = triangle_at(b.positions, b.triangles[m.second]);
      for (const auto* end : {&m.where.from, &m.where.to}) {
        const double size = one[0].norm() + one[1].norm() + one[2].norm() + two[0].norm();
        ASSERT_LE(nearest_point_triangle(end->point, one).squared_distance, 1e-26 * size * size);
        ASSERT_LE(nearest_point_triangle(end->point, two).squared_distance, 1e-26 * size * size);
      }
    }
    ASSERT_EQ(found, expected);
    ASSERT_EQ(queries.intersect(scene.ids[i], scene.ids[j]), !expected.empty());
    meetings += found.size();
  });
  EXPECT_GT(meetings, 2000u);
}

// Surfaces move and are cut, come and go: the answers are those of queries that start afresh.
TEST(QueriesProperty, ChangedEqualsFresh) {
  each_case(40, [](Random& random) {
    Scene scene({testing::random_closed(random), testing::sheet(4, 4)});
    const SurfaceId rigid = scene.detector.add(testing::random_closed(random), {.motion = Motion::rigid});
    Queries queries(scene.surfaces());
    for (int round = 0; round < 25; ++round) {
      if (random.chance(0.6)) {
        for (Vec3& p : scene.meshes[1].positions) p += testing::random_point(random, 0.1);
        scene.detector.set_positions(scene.ids[1], scene.meshes[1].positions);
      }
      if (random.chance(0.6)) {
        Pose pose;
        pose.rotation = Quat(random.uniform(-1, 1), random.uniform(-1, 1), 0, 1).normalized();
        pose.position = testing::random_point(random, 1);
        scene.detector.set_pose(rigid, pose);
      }
      if (random.chance(0.3)) {
        const auto t = static_cast<std::uint32_t>(random.below(32));
        if (!scene.surfaces().at(scene.ids[1]).topology.is_hole(t))
          scene.detector.remove_triangles(scene.ids[1], std::span(&t, 1));
      }
      if (random.chance(0.3)) {
        const std::vector<Vec3> more{testing::random_point(random, 1)};
        const std::uint32_t v = scene.detector.add_vertices(scene.ids[1], more);
        scene.meshes[1].positions.push_back(more[0]);
        std::vector<std::uint32_t> places;
        scene.detector.add_triangles(scene.ids[1], std::vector<TriangleCorners>{{v, 0, 7}}, places);
      }
      if (random.chance(0.15)) {
        scene.detector.remove(scene.ids[0]);
        scene.meshes[0] = testing::random_closed(random);
        scene.ids[0] = scene.detector.add(scene.meshes[0]);
      }
      Queries fresh(scene.surfaces());
      const Vec3 point = testing::point_for(random, scene.meshes[random.below(2)]);
      const Ray ray = testing::ray_for(random, scene.meshes[random.below(2)]);
      ASSERT_TRUE(same(queries.nearest(point), fresh.nearest(point)));
      ASSERT_TRUE(same(queries.nearest(point), testing::brute_nearest(scene.surfaces(), point)));
      ASSERT_TRUE(same(queries.first_hit(ray), fresh.first_hit(ray)));
      ASSERT_TRUE(same(queries.features_within(point, 0.5), fresh.features_within(point, 0.5)));
      ASSERT_EQ(queries.signed_distance(rigid, point).distance, fresh.signed_distance(rigid, point).distance);
      ASSERT_EQ(queries.is_closed(scene.ids[1]), fresh.is_closed(scene.ids[1]));
      ASSERT_EQ(queries.intersections(scene.ids[1], rigid).size(),
                fresh.intersections(scene.ids[1], rigid).size());
      ASSERT_EQ(queries.intersect(scene.ids[1], scene.ids[1]), fresh.intersect(scene.ids[1], scene.ids[1]));
    }
  });
}

TEST(Queries, AnotherDetectorInTheSamePlace) {
  Detector detector;
  detector.add(one_triangle);
  Queries queries(detector.surfaces());
  EXPECT_EQ(queries.nearest(Vec3(0, 0, 1))->distance, 1);
  Detector other;
  TriangleMesh above = one_triangle;
  for (Vec3& p : above.positions) p.z() = 3;
  other.add(above);
  detector = std::move(other);
  EXPECT_EQ(queries.nearest(Vec3(0, 0, 1))->distance, 2);
}

TEST(Queries, BatchesAreTheSameForAnyNumberOfThreads) {
  Random random(7);
  Scene scene({make(TorusShape{}), make(IcosphereShape{0.05, 12})});
  std::vector<Vec3> points;
  std::vector<Ray> rays;
  for (int i = 0; i < 1000; ++i) {
    points.push_back(testing::random_point(random, 0.2));
    rays.push_back({testing::random_point(random, 0.2), testing::random_direction(random)});
  }
  std::vector<std::optional<NearestPoint>> nearest(points.size());
  std::vector<std::optional<RayHit>> hits(rays.size());
  std::vector<NearestPoint> depths(points.size());
  for (const int threads : {1, 2, 5})
    Threads(threads).run([&] {
      Queries queries(scene.surfaces());
      queries.nearest(points, nearest);
      queries.first_hits(rays, hits);
      queries.signed_distances(scene.ids[0], points, depths);
      for (std::size_t i = 0; i < points.size(); ++i) {
        ASSERT_TRUE(same(nearest[i], queries.nearest(points[i])));
        if (i % 16 == 0) {
          ASSERT_TRUE(same(nearest[i], testing::brute_nearest(scene.surfaces(), points[i])));
        }
        ASSERT_TRUE(same(hits[i], queries.first_hit(rays[i])));
        ASSERT_EQ(depths[i].distance, queries.signed_distance(scene.ids[0], points[i]).distance);
      }
      EXPECT_EQ(queries.intersections(scene.ids[0], scene.ids[1]).size(), 0u);
    });
}

TEST(Queries, AWarmCallAllocatesNothing) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "the sanitizers have their own allocator";
  Scene scene({make(TorusShape{}), make(TorusShape{0.12, 0.04, 80, 32})});
  const std::vector<Vec3>& positions = scene.meshes[0].positions;
  Queries queries(scene.surfaces());
  std::size_t near = 0, meetings = 0;
  const std::vector<Vec3> points(100, Vec3(0.1, 0, 0));
  std::vector<std::optional<NearestPoint>> out(points.size());
  const auto ask = [&] {
    scene.detector.set_positions(scene.ids[0], positions);
    near = queries.features_within(Vec3(0.1, 0, 0), 0.05).size();
    queries.nearest(Vec3(0.3, 0, 0));
    queries.nearest(points, out);
    queries.signed_distance(scene.ids[0], Vec3(0.1, 0, 0));
    queries.first_hit({Vec3(0.1, 0, 0), Vec3(1, 2, 3)});
    queries.intersect(scene.ids[0], scene.ids[1]);
    meetings = queries.intersections(scene.ids[0], scene.ids[1]).size();
    queries.intersections(scene.ids[0], scene.ids[0]);
  };
  Threads(1).run([&] {
    ask();
    ask();
    EXPECT_EQ(testing::allocations_in(ask), 0u);
  });
  EXPECT_GT(near, 100u);
  EXPECT_GT(meetings, 100u);
  EXPECT_GT(queries.memory(), 0u);
}

template <class Work>
std::string message_of(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}
void expect_part(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(Queries, RefusesWhatIsBad) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  Detector detector;
  const SurfaceId cloth = detector.add(one_triangle, {.name = "cloth"});
  const SurfaceId odd = detector.add({{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)},
                                      {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}},
                                     {.name = "odd"});
  const SurfaceId nothing = detector.add({}, {.name = "nothing"});
  Queries queries(detector.surfaces());
  const Vec3 bad(0, nan, 0), good(0, 0, 1);
  expect_part(message_of([&] { queries.nearest(bad); }), "parameter 'point': its y is nan");
  expect_part(message_of([&] { queries.nearest(cloth, Vec3(infinity, 0, 0)); }), "its x is inf");
  expect_part(message_of([&] { queries.features_within(bad, 1); }), "its y");
  expect_part(message_of([&] { queries.features_within(good, -1); }),
              "'radius': -1 is not a possible length");
  expect_part(message_of([&] { queries.features_within(good, nan); }), "radius");
  expect_part(message_of([&] { queries.first_hit({bad, good}); }), "'ray': its origin's y is nan");
  expect_part(message_of([&] { queries.first_hit({good, Vec3::Zero()}); }), "its direction is (0, 0, 0)");
  expect_part(message_of([&] { queries.first_hit({good, bad}); }), "direction");
  expect_part(message_of([&] { queries.first_hit({good, good}, nan); }), "'most'");
  expect_part(message_of([&] { queries.first_hit({good, good}, -1); }), "'most'");
  expect_part(message_of([&] { queries.signed_distance(cloth, good); }),
              "surface 'cloth': it is not closed: there is only one triangle at the edge from vertex 0 to "
              "vertex 1");
  expect_part(message_of([&] { queries.signed_distance(odd, good); }), "triangles face opposite ways");
  expect_part(message_of([&] { queries.winding_number(cloth, good); }), "not closed");
  expect_part(message_of([&] { queries.signed_distance(nothing, good); }), "no triangles");
  std::vector<std::optional<NearestPoint>> out(2);
  const std::vector<Vec3> points{good, bad};
  expect_part(message_of([&] { queries.nearest(points, out); }), "'points', point 1: its y is nan");
  expect_part(message_of([&] { queries.nearest(std::span(points).first(1), out); }), "room for 2");
  std::vector<std::optional<RayHit>> hits(1);
  const std::vector<Ray> rays{{good, Vec3::Zero()}};
  expect_part(message_of([&] { queries.first_hits(rays, hits); }), "'rays', ray 0");
  detector.remove(cloth);
  expect_part(message_of([&] { queries.nearest(cloth, good); }), "there is none");
  expect_part(message_of([&] { queries.intersect(odd, cloth); }), "there is none");
  expect_part(message_of([&] { queries.first_hit(cloth, {good, good}); }), "there is none");
  expect_part(message_of([&] { nearest_on({{good}, {{0, 1, 2}}}, good); }), "corner 1");
}

TEST(Queries, EmptyThingsHaveEmptyAnswers) {
  Detector detector;
  Queries queries(detector.surfaces());
  const Vec3 point(1, 2, 3);
  EXPECT_FALSE(queries.nearest(point));
  EXPECT_FALSE(queries.first_hit({point, point}));
  EXPECT_TRUE(queries.features_within(point, 1).empty());
  const SurfaceId a = detector.add({}), b = detector.add({{point}, {}});
  EXPECT_FALSE(queries.nearest(point));
  EXPECT_FALSE(queries.nearest(b, point));
  EXPECT_FALSE(queries.first_hit(a, {point, point}));
  EXPECT_TRUE(queries.features_within(point, 1).empty());
  EXPECT_FALSE(queries.intersect(a, b));
  EXPECT_FALSE(queries.intersect(a, a));
  EXPECT_TRUE(queries.intersections(b, a).empty());
  const SurfaceId c = detector.add(one_triangle);
  EXPECT_FALSE(queries.intersect(a, c));
  EXPECT_TRUE(queries.nearest(point));
  detector.remove(c);
  EXPECT_FALSE(queries.nearest(point));
  EXPECT_TRUE(queries.features_within(point, 100).empty());
}

TEST(Queries, ForOneUse) {
  const TriangleMesh box = make(BoxShape{2, 2, 2, 1, 1, 1});
  EXPECT_EQ(nearest_on(box, Vec3(3, 0, 0))->distance, 2);
  EXPECT_EQ(signed_distance_to(box, Vec3(0.25, 0, 0)).distance, -0.75);
  EXPECT_EQ(first_hit_on(box, {Vec3(3, 0, 0), Vec3(-10, 0, 0)})->distance, 2);
  EXPECT_FALSE(first_hit_on(box, {Vec3(3, 0, 0), Vec3(-10, 0, 0)}, 1.5));
  EXPECT_EQ(features_within(box, Vec3(1, 1, 1), 0)[0].kind, FeatureKind::vertex);
  TriangleMesh other = box;
  for (Vec3& p : other.positions) p += Vec3(1, 1, 1);
  EXPECT_TRUE(intersect(box, other));
  EXPECT_FALSE(intersections(box, other).empty());
  for (Vec3& p : other.positions) p += Vec3(1.5, 0, 0);
  EXPECT_FALSE(intersect(box, other));
}

TEST(Queries, OfARealMesh) {
  const auto folder = testing::data_folder();
  if (!folder) GTEST_SKIP() << testing::no_data;
  Random random(3);
  const TriangleMesh bunny = read_triangle_mesh(*folder / "surfaces" / "bunny.ply");
  Scene scene({bunny});
  Queries queries(scene.surfaces());
  const Box box = bounds(bunny.positions);
  for (int i = 0; i < 200; ++i) {
    const Vec3 point = box.center() + box.size().cwiseProduct(testing::random_point(random, 1));
    ASSERT_TRUE(same(queries.nearest(point), testing::brute_nearest(scene.surfaces(), point)));
  }
  EXPECT_EQ(queries.intersections(scene.ids[0], scene.ids[0]).size(), self_intersections(bunny).pairs.size());
}

}  // namespace
}  // namespace palpate
