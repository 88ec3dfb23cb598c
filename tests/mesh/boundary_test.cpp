// The boundary of solids: closed, outward, and the way back to the nodes.
#include <palpate/mesh/boundary.h>

#include <algorithm>
#include <set>

#include <support/cases.h>
#include <Eigen/Geometry>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/mesh/generate.h>
#include <palpate/mesh/mass.h>
#include <palpate/mesh/topology.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

void expect_outward(const TetMesh& solid, const BoundarySurface& surface, double volume) {
  const TopologyFacts facts = describe(Topology(surface.mesh.positions.size(), surface.mesh.triangles));
  EXPECT_TRUE(facts.closed());
  EXPECT_TRUE(facts.oriented());
  EXPECT_EQ(facts.unused_vertices, 0u);
  EXPECT_NEAR(enclosed_mass(surface.mesh, 1).measure, volume, 1e-12 * volume);
  ASSERT_EQ(surface.nodes.size(), surface.mesh.positions.size());
  EXPECT_TRUE(std::is_sorted(surface.nodes.begin(), surface.nodes.end()));
  for (std::size_t v = 0; v < surface.nodes.size(); ++v)
    ASSERT_EQ(surface.mesh.positions[v], solid.positions[surface.nodes[v]]);
  // Each triangle is a face of the tetrahedron it names.
  for (std::size_t t = 0; t < surface.mesh.triangles.size(); ++t) {
    const TetCorners& tet = solid.tets[surface.tets[t]];
    for (const std::uint32_t v : surface.mesh.triangles[t])
      ASSERT_NE(std::find(tet.begin(), tet.end(), surface.nodes[v]), tet.end());
  }
}

TEST(Boundary, OfGeneratedSolids) {
  for (const TetMesh& solid : {make(SolidBoxShape{}), make(SolidTorusShape{}), make(SolidSphereShape{}),
                               make(SolidKnotShape{}), make(BlobShape{})})
    expect_outward(solid, boundary_surface(solid), solid_mass(solid, 1).measure);
}

TEST(Boundary, HolesHaveNoFaces) {
  TetMesh solid = make(SolidBoxShape{});
  for (std::size_t t = 0; t < solid.tets.size(); t += 3) solid.tets[t].fill(no_index);
  TetMesh without = solid;
  std::erase_if(without.tets, [](const TetCorners& t) { return t[0] == no_index; });
  const BoundarySurface surface = boundary_surface(solid), expected = boundary_surface(without);
  EXPECT_EQ(surface.mesh, expected.mesh);
  EXPECT_EQ(surface.nodes, expected.nodes);
  EXPECT_TRUE(surface.crowded_tets.empty());
  for (TetCorners& tet : solid.tets) tet.fill(no_index);
  EXPECT_TRUE(boundary_surface(solid).mesh.triangles.empty());
}

// A tetrahedron against every face of every other: faces of one alone.
TEST(BoundaryProperty, AgreesWithCountingFaces) {
  each_case(300, [](Random& random) {
    TetMesh soup;
    for (int i = 0; i < 8; ++i)
      soup.positions.emplace_back(random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1));
    std::multiset<std::set<std::uint32_t>> faces;
    for (std::size_t i = random.below(12); i > 0; --i) {
      TetCorners tet{};
      for (std::uint32_t& v : tet) v = static_cast<std::uint32_t>(random.below(8));
      soup.tets.push_back(tet);
      if (std::set<std::uint32_t>(tet.begin(), tet.end()).size() < 4) continue;
      for (const auto& f : tet_faces) faces.insert({tet[f[0]], tet[f[1]], tet[f[2]]});
    }
    std::set<std::set<std::uint32_t>> alone, found;
    for (const auto& face : faces)
      if (faces.count(face) == 1) alone.insert(face);
    const BoundarySurface surface = boundary_surface(soup);
    for (const TriangleCorners& t : surface.mesh.triangles)
      found.insert({surface.nodes[t[0]], surface.nodes[t[1]], surface.nodes[t[2]]});
    ASSERT_EQ(found, alone);
    ASSERT_EQ(found.size(), surface.mesh.triangles.size());
  });
}

TEST(BoundaryProperty, InvertedAndFlatElementsDoNotTurnIt) {
  each_case(30, [](Random& random) {
    SolidBoxShape shape;
    shape.cells_x = shape.cells_y = shape.cells_z = 3;
    const TetMesh solid = make(shape);
    const double volume = solid_mass(solid, 1).measure;
    TetMesh mixed = solid;
    for (TetCorners& tet : mixed.tets)
      if (random.chance(0.4)) std::swap(tet[0], tet[1]);
    expect_outward(mixed, boundary_surface(mixed), volume);
    // Flat tetrahedra glued to the outside, with their corners in any order: the surface stays consistent.
    const BoundarySurface before = boundary_surface(mixed);
    const TriangleCorners face = before.mesh.triangles[random.below(before.mesh.triangles.size())];
    const auto middle = static_cast<std::uint32_t>(mixed.positions.size());
    const Triangle corners = triangle_at(before.mesh.positions, face);
    mixed.positions.push_back(corners[0] / 4 + corners[1] / 4 + corners[2] / 2);
    TetCorners flat{before.nodes[face[0]], before.nodes[face[1]], before.nodes[face[2]], middle};
    if (random.chance(0.5)) std::swap(flat[0], flat[1]);
    mixed.tets.push_back(flat);
    const BoundarySurface after = boundary_surface(mixed);
    EXPECT_TRUE(describe(Topology(after.mesh.positions.size(), after.mesh.triangles)).oriented());
    EXPECT_NEAR(enclosed_mass(after.mesh, 1).measure, volume, 1e-12);
  });
}

TEST(Boundary, NamesFacesOfThree) {
  TetMesh mesh;
  mesh.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0),  Vec3(0, 1, 0),
                    Vec3(0, 0, 1), Vec3(0, 0, -1), Vec3(0, 0, 2)};
  mesh.tets = {{0, 1, 2, 3}, {0, 2, 1, 4}, {0, 1, 2, 5}};
  EXPECT_EQ(boundary_surface(mesh).crowded_tets, (std::vector<std::uint32_t>{0, 1, 2}));
  mesh.tets.pop_back();
  EXPECT_TRUE(boundary_surface(mesh).crowded_tets.empty());
}

TEST(Boundary, SameForAnyThreadCountAndRefusesBadIndices) {
  const TetMesh solid = make(SolidSphereShape{});
  BoundarySurface one, two;
  Threads(1).run([&] { one = boundary_surface(solid); });
  Threads(2).run([&] { two = boundary_surface(solid); });
  EXPECT_TRUE(one.mesh == two.mesh && one.nodes == two.nodes && one.tets == two.tets);
  EXPECT_THROW(boundary_surface(TetMesh{{Vec3::Zero()}, {{0, 0, 0, 1}}}), Error);
  EXPECT_TRUE(boundary_surface(TetMesh{}).mesh.triangles.empty());
}

}  // namespace
}  // namespace palpate
