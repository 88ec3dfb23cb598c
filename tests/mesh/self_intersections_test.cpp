// Self-intersections against all pairs, decided in another way: by cutting a little off around what is
// shared.
#include <palpate/mesh/self_intersections.h>

#include <algorithm>

#include <support/cases.h>
#include <Eigen/Geometry>

#include <palpate/base/parallel.h>
#include <palpate/geometry/intersect.h>
#include <palpate/mesh/generate.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

// What two convex shapes have in common is convex. So if it is more than the shared corner or edge, it
// reaches beyond any small neighbourhood of that; and on a grid of small integers a 2^-20 is small. All
// numbers are exact.
bool cross_brute(const Triangle& a, const Triangle& b) {
  std::vector<Vec3> shared, rest;
  for (const Vec3& p : a) (std::find(b.begin(), b.end(), p) != b.end() ? shared : rest).push_back(p);
  const auto toward = [](const Vec3& from, const Vec3& to) { return Vec3(from + 0x1p-20 * (to - from)); };
  if (shared.empty()) return intersects(a, b);
  if (shared.size() == 1) {
    const Vec3 p = toward(shared[0], rest[0]), q = toward(shared[0], rest[1]);
    return intersects(Triangle{p, rest[0], rest[1]}, b) || intersects(Triangle{p, rest[1], q}, b);
  }
  if (shared.size() == 2)
    return intersects(Triangle{rest[0], toward(shared[0], rest[0]), toward(shared[1], rest[0])}, b);
  return false;
}

bool is_proper(const Triangle& t) { return (t[1] - t[0]).cross(t[2] - t[0]) != Vec3::Zero(); }

TEST(SelfIntersectionsProperty, AgreeWithAllPairs) {
  each_case(600, [](Random& random) {
    TriangleMesh mesh;
    const int side = random.chance(0.5) ? 2 : 4;  // on few points nearly everything is coplanar or shared
    const bool flat = random.chance(0.3);
    for (int i = 0; i < 14; ++i) {
      const auto coordinate = [&] {
        return static_cast<double>(random.below(static_cast<std::size_t>(side) + 1));
      };
      mesh.positions.emplace_back(coordinate(), coordinate(), flat ? 0 : coordinate());
    }
    for (std::size_t i = random.below(14); i > 0; --i) {
      TriangleCorners t{};
      for (std::uint32_t& v : t) v = static_cast<std::uint32_t>(random.below(14));
      if (is_proper(triangle_at(mesh.positions, t))) mesh.triangles.push_back(t);
    }
    std::vector<std::array<std::uint32_t, 2>> expected;
    const auto is_twin = [&](std::uint32_t t) {
      Triangle mine = triangle_at(mesh.positions, mesh.triangles[t]);
      std::sort(mine.begin(), mine.end(), before);
      for (std::uint32_t s = 0; s < t; ++s) {
        Triangle other = triangle_at(mesh.positions, mesh.triangles[s]);
        std::sort(other.begin(), other.end(), before);
        if (mine == other) return true;
      }
      return false;
    };
    for (std::uint32_t a = 0; a < mesh.triangles.size(); ++a)
      for (std::uint32_t b = a + 1; b < mesh.triangles.size(); ++b)
        if (!is_twin(a) && !is_twin(b) &&
            cross_brute(triangle_at(mesh.positions, mesh.triangles[a]),
                        triangle_at(mesh.positions, mesh.triangles[b])))
          expected.push_back({a, b});
    const SelfIntersections found = self_intersections(mesh);
    ASSERT_EQ(found.pairs, expected);
    ASSERT_TRUE(found.complete);
  });
}

TEST(SelfIntersections, OfGeneratedSurfaces) {
  EXPECT_TRUE(self_intersections(make(TorusShape{})).pairs.empty());
  EXPECT_TRUE(self_intersections(make(KnotShape{})).pairs.empty());
  // Two spheres through each other; the same for any thread count.
  TriangleMesh two = make(IcosphereShape{});
  const std::size_t vertices = two.positions.size(), triangles = two.triangles.size();
  for (std::size_t v = 0; v < vertices; ++v)
    two.positions.push_back(two.positions[v] + Vec3(0.11, 0.003, 0.002));
  for (std::size_t t = 0; t < triangles; ++t) {
    TriangleCorners corners = two.triangles[t];
    for (std::uint32_t& v : corners) v += static_cast<std::uint32_t>(vertices);
    two.triangles.push_back(corners);
  }
  SelfIntersections a, b;
  Threads(1).run([&] { a = self_intersections(two); });
  Threads(2).run([&] { b = self_intersections(two); });
  EXPECT_GT(a.pairs.size(), 50u);
  EXPECT_EQ(a.pairs, b.pairs);
  const SelfIntersections few = self_intersections(two, 10);
  EXPECT_FALSE(few.complete);
  EXPECT_TRUE(std::equal(few.pairs.begin(), few.pairs.end(), a.pairs.begin()));
}

TEST(SelfIntersections, KnowsWhenItHasAll) {
  const TriangleMesh crossing{
      {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0.2, 0.2, -1), Vec3(0.2, 0.2, 1), Vec3(3, 3, 1)},
      {{0, 1, 2}, {3, 4, 5}}};
  EXPECT_EQ(self_intersections(crossing, 1).pairs.size(), 1u);
  EXPECT_TRUE(self_intersections(crossing, 1).complete);
  EXPECT_FALSE(self_intersections(crossing, 0).complete);
  EXPECT_TRUE(self_intersections(TriangleMesh{}, 0).complete);
}

TEST(SelfIntersections, SeamsOfRepeatedVerticesAreNone) {
  // Two triangles that share an edge by position only.
  const TriangleMesh mesh{
      {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(1, 0, -0.0), Vec3(-0.0, 1, 0), Vec3(1, 1, 0)},
      {{0, 1, 2}, {3, 5, 4}}};
  EXPECT_TRUE(self_intersections(mesh).pairs.empty());
}

}  // namespace
}  // namespace palpate
