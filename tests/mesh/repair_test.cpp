// Each repair mends its fault, says so, leaves the rest alone, and has nothing to do the second time.
#include <palpate/mesh/repair.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <support/cases.h>
#include <support/data.h>

#include <palpate/base/error.h>
#include <palpate/mesh/boundary.h>
#include <palpate/mesh/check.h>
#include <palpate/mesh/files.h>
#include <palpate/mesh/generate.h>
#include <palpate/mesh/mass.h>
#include <palpate/mesh/quality.h>
#include <palpate/mesh/topology.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

TriangleMesh ball() {
  IcosphereShape shape;
  shape.frequency = 4;
  return make(shape);
}

TEST(RepairProperty, UndoesWhatWasSpoiled) {
  const TriangleMesh good = ball();
  each_case(100, [&](Random& random) {
    TriangleMesh mesh = good;
    // Every corner gets a vertex of its own at times; some triangles are doubled, turned, or flat.
    for (TriangleCorners& t : mesh.triangles)
      for (std::uint32_t& v : t)
        if (random.chance(0.3)) {
          mesh.positions.push_back(mesh.positions[v]);
          v = static_cast<std::uint32_t>(mesh.positions.size() - 1);
        }
    for (TriangleCorners& t : mesh.triangles)
      if (random.chance(0.2)) std::swap(t[1], t[2]);
    for (std::size_t i = 0; i < 5; ++i) {
      const TriangleCorners t = mesh.triangles[random.below(mesh.triangles.size())];
      mesh.triangles.push_back(random.chance(0.5) ? t : TriangleCorners{t[0], t[1], t[0]});
    }
    mesh.positions.emplace_back(7, 7, 7);
    EXPECT_FALSE(repair(mesh).empty());
    ASSERT_EQ(mesh.positions, good.positions);  // first come, first kept
    ASSERT_EQ(mesh.triangles.size(), good.triangles.size());
    ASSERT_TRUE(check(mesh).findings.empty()) << check(mesh).findings[0].message;
    const TriangleMesh once = mesh;
    EXPECT_TRUE(repair(mesh).empty());
    ASSERT_TRUE(mesh == once);
  });
}

TEST(RepairProperty, MergesWithinATolerance) {
  each_case(100, [](Random& random) {
    const double tolerance = 0.01;
    TriangleMesh mesh;
    for (int i = 0; i < 300; ++i)
      mesh.positions.emplace_back(random.uniform(0, 0.1), random.uniform(0, 0.1), random.uniform(0, 0.02));
    for (std::uint32_t i = 0; i + 2 < 300; ++i) mesh.triangles.push_back({i, i + 1, i + 2});
    // The slow way.
    std::vector<Vec3> kept;
    for (const Vec3& p : mesh.positions)
      if (std::none_of(kept.begin(), kept.end(), [&](const Vec3& q) { return (p - q).norm() <= tolerance; }))
        kept.push_back(p);
    merge_duplicate_vertices(mesh, tolerance);
    ASSERT_EQ(mesh.positions, kept);
  });
}

TEST(Repair, TurnsTheFewer) {
  TriangleMesh mesh = make(ClothShape{});
  const TriangleMesh good = mesh;
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 5)
    std::swap(mesh.triangles[t][1], mesh.triangles[t][2]);
  const Repair turned = orient(mesh);
  EXPECT_EQ(turned.count, (good.triangles.size() + 4) / 5);
  EXPECT_TRUE(mesh == good);
}

TEST(Repair, LeavesAMoebiusStripAlone) {
  TriangleMesh strip;
  for (std::uint32_t i = 0; i < 6; ++i) {
    const double angle = i * 1.0472, half = angle / 2;
    for (const double side : {-1.0, 1.0})
      strip.positions.emplace_back((3 + side * std::cos(half)) * std::cos(angle),
                                   (3 + side * std::cos(half)) * std::sin(angle), side * std::sin(half));
  }
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::uint32_t a = 2 * i, b = a + 1;
    const std::uint32_t c = i == 5 ? 1 : a + 2, d = i == 5 ? 0 : a + 3;
    strip.triangles.push_back({a, b, c});
    strip.triangles.push_back({b, d, c});
  }
  const TriangleMesh before = strip;
  const Repair repair = orient(strip);
  EXPECT_EQ(repair.count, 0u);
  EXPECT_NE(repair.message.find("one side"), std::string::npos);
  EXPECT_TRUE(strip == before);
}

TEST(Repair, OfSolids) {
  const TetMesh good = make(SolidSphereShape{});
  TetMesh mesh = good;
  for (std::size_t t = 0; t < mesh.tets.size(); t += 3) std::swap(mesh.tets[t][2], mesh.tets[t][3]);
  mesh.tets.push_back(mesh.tets[1]);
  mesh.tets.push_back({0, 1, 2, 2});
  mesh.positions.emplace_back(1, 1, 1);
  EXPECT_EQ(repair(mesh).size(), 4u);
  EXPECT_TRUE(mesh == good);
}

TEST(Repair, RefusesWhatItCannotMend) {
  TriangleMesh bad{{Vec3::Zero()}, {{0, 0, 9}}};
  EXPECT_THROW(merge_duplicate_vertices(bad), Error);
  EXPECT_THROW(drop_degenerate(bad), Error);
  EXPECT_THROW(drop_unused_vertices(bad), Error);
  EXPECT_THROW(orient(bad), Error);
  TriangleMesh good = ball();
  EXPECT_THROW(merge_duplicate_vertices(good, -1), Error);
  EXPECT_THROW(merge_duplicate_vertices(good, std::nan("")), Error);
  TetMesh tets = make(SolidBoxShape{});
  EXPECT_THROW(improve_slivers(tets, {2, 10, 0}), Error);
}

TEST(Repair, OrientsAtAnySize) {
  for (const double scale : {1e-120, 1e110, 1e300}) {
    TriangleMesh mesh = ball();
    for (Vec3& p : mesh.positions) p *= scale;
    EXPECT_EQ(orient(mesh).count, 0u) << scale;
    EXPECT_EQ(check(mesh).count(Problem::inside_out), 0u) << scale;
    for (TriangleCorners& t : mesh.triangles) std::swap(t[1], t[2]);
    EXPECT_EQ(check(mesh).count(Problem::inside_out), 1u) << scale;
    EXPECT_EQ(orient(mesh).count, mesh.triangles.size()) << scale;
  }
}

TEST(Repair, MergesManyOddPositionsInTime) {
  // Would take minutes if they all fell into one bucket.
  TriangleMesh mesh;
  for (int i = 0; i < 100'000; ++i) mesh.positions.emplace_back(std::nan(""), i, 0);
  EXPECT_EQ(merge_duplicate_vertices(mesh).count, 0u);
  mesh.positions.clear();
  for (int i = 0; i < 100'000; ++i) mesh.positions.emplace_back(1e300 * (1 + i), 0, 0);
  EXPECT_EQ(merge_duplicate_vertices(mesh, 1e-9).count, 0u);
}

TEST(RepairProperty, SliversOfSoupsDoNoHarm) {
  each_case(300, [](Random& random) {
    TetMesh soup;
    for (int i = 0; i < 7; ++i)
      soup.positions.emplace_back(random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 0.2));
    for (std::size_t i = 1 + random.below(6); i > 0; --i) {
      TetCorners tet{};
      for (std::uint32_t& v : tet) v = static_cast<std::uint32_t>(random.below(7));
      soup.tets.push_back(tet);  // doubled, repeated corners, faces of three: anything
    }
    try {
      improve_slivers(soup, {0.3, 5, 0.1});
    } catch (const Error& error) {
      ASSERT_NE(std::string(error.what()).find("share one of its faces"), std::string::npos);
    }
    for (const TetCorners& tet : soup.tets)
      for (const std::uint32_t v : tet) ASSERT_LT(v, soup.positions.size());
  });
}

// What must hold after slivers were worked on: the same boundary surface, all positive, the same volume.
void expect_same_solid(const TetMesh& before, const TetMesh& after) {
  const auto triangles_of = [](const TetMesh& mesh) {
    const BoundarySurface surface = boundary_surface(mesh);
    std::multiset<std::array<std::array<double, 3>, 3>> all;
    for (const TriangleCorners& t : surface.mesh.triangles) {
      std::array<std::array<double, 3>, 3> corners{};
      for (std::size_t k = 0; k < 3; ++k) {
        const Vec3& p = surface.mesh.positions[t[k]];
        corners[k] = {p.x(), p.y(), p.z()};
      }
      std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
      all.insert(corners);
    }
    return all;
  };
  EXPECT_EQ(triangles_of(before), triangles_of(after));
  EXPECT_EQ(check(after).count(Severity::error), 0u);
  EXPECT_NEAR(solid_mass(after, 1).measure, solid_mass(before, 1).measure,
              1e-12 * solid_mass(before, 1).measure);
}

TEST(RepairProperty, ImprovesSlivers) {
  each_case(10, [](Random& random) {
    SolidBoxShape shape;
    shape.cells_x = shape.cells_y = shape.cells_z = 4;
    TetMesh mesh = make(shape);
    // Inner nodes are pushed around until some tetrahedra are nearly flat.
    std::vector<char> outside(mesh.positions.size(), 0);
    for (const std::uint32_t v : boundary_surface(mesh).nodes) outside[v] = 1;
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      if (outside[v]) continue;
      const Vec3 good = mesh.positions[v];
      mesh.positions[v] += Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)) * 0.02;
      if (quality_of(mesh).inverted > 0) mesh.positions[v] = good;
    }
    const TetMesh before = mesh;
    const double worst = quality_of(mesh).radius_ratio.least;
    improve_slivers(mesh, {0.3, 20, 0});
    ASSERT_GE(quality_of(mesh).radius_ratio.least, std::min(0.2, worst));
    ASSERT_GE(quality_of(mesh).radius_ratio.least, worst);
    expect_same_solid(before, mesh);
  });
}

TEST(Repair, SliversOfTheHippo) {
  const auto folder = testing::data_folder();
  if (!folder) GTEST_SKIP() << testing::no_data;
  const TetMesh before = read_tet_mesh((*folder / "tets/hippo.node").string());
  const TetQuality old = quality_of(before);
  // With the surface left exactly as it is, and with a little freedom: it has triangles of quality 1e-4.
  TetMesh strict = before, free = before;
  improve_slivers(strict, {0.05, 20, 0});
  EXPECT_GT(quality_of(strict).radius_ratio.least, 10 * old.radius_ratio.least);
  expect_same_solid(before, strict);
  const Repair repair = improve_slivers(free);
  EXPECT_FALSE(repair.message.empty());
  EXPECT_GT(quality_of(free).radius_ratio.least, 50 * old.radius_ratio.least);
  EXPECT_GT(quality_of(free).volume_length_ratio.least, 50 * old.volume_length_ratio.least);
  EXPECT_EQ(check(free).count(Severity::error), 0u);
  const BoundarySurface surface = boundary_surface(free);
  const TopologyFacts facts = describe(Topology(surface.mesh.positions.size(), surface.mesh.triangles));
  EXPECT_TRUE(facts.closed() && facts.manifold() && facts.oriented());
  EXPECT_EQ(facts.euler_characteristic, 2);
  EXPECT_NEAR(solid_mass(free, 1).measure, solid_mass(before, 1).measure,
              1e-3 * solid_mass(before, 1).measure);
  std::set<std::array<double, 3>> there;
  for (const Vec3& p : before.positions) there.insert({p.x(), p.y(), p.z()});
  for (const Vec3& p : surface.mesh.positions) EXPECT_TRUE(there.contains({p.x(), p.y(), p.z()}));
}

}  // namespace
}  // namespace palpate
