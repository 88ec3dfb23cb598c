// Meshes and nodes of scenes: from files and shapes, in metres, and what is told when they are not there.
#include <cmath>
#include <filesystem>
#include <numbers>

#include <gtest/gtest.h>

#include <palpate/mesh/files.h>
#include <palpate/mesh/generate.h>
#include <palpate/scene/scene_mesh.h>

#include "scene_checks.h"

namespace palpate {
namespace {

namespace fs = std::filesystem;
using testing::parsed;

SceneBody body_with(const std::string& mesh, const std::string& kind = "rigid") {
  return parsed("[[body]]\nname = 'a'\nkind = '" + kind + "'\nmesh = { " + mesh + " }\n").bodies[0];
}

template <class Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "was made";
}

TEST(SceneMesh, ShapesAreThoseOfTheGenerators) {
  EXPECT_EQ(triangle_mesh(body_with("shape = 'torus'").mesh), make(TorusShape{}));
  EXPECT_EQ(triangle_mesh(body_with("shape = 'torus', triangles = 1600").mesh).triangles.size(), 1600u);
  EXPECT_EQ(tet_mesh(body_with("shape = 'beam', along = 5", "soft").mesh), make(BeamShape{.along = 5}));
  EXPECT_EQ(triangle_mesh(body_with("shape = 'solid-sphere', layers = 2").mesh).triangles.size(), 80u);
  const TriangleMesh scaled = triangle_mesh(body_with("shape = 'icosphere', scale = [1, 2, 3]").mesh);
  EXPECT_EQ(scaled.positions[5], make(IcosphereShape{}).positions[5].cwiseProduct(Vec3(1, 2, 3)));
}

TEST(SceneMesh, FilesAreScaledToMetres) {
  const fs::path folder = fs::path(::testing::TempDir()) / "scene mesh test";
  fs::create_directories(folder);
  const TetMesh solid = make(SolidBoxShape{1, 1, 1, 1, 1, 1});
  write_mesh((folder / "a.vtu").string(), solid);
  write_mesh((folder / "a.ply").string(), make(IcosphereShape{1, 1}));
  const std::string path = folder.string();
  const MeshSource source = body_with("file = '" + path + "/a.vtu', unit = 'cm', scale = 2").mesh;
  EXPECT_EQ(tet_mesh(source).positions[0], solid.positions[0] * 0.02);
  EXPECT_EQ(triangle_mesh(source).triangles.size(), 12u);
  EXPECT_EQ(refusal([&] { tet_mesh(body_with("file = '" + path + "/a.ply'", "soft").mesh); }),
            "s:4:8: " + path +
                "/a.ply: it has triangles but no tetrahedra. Fill it first: palpate mesh "
                "tetrahedralize SURFACE OUT.");
  fs::remove_all(folder);
}

TEST(SceneMesh, ErrorsNameTheLineAndTheFile) {
  EXPECT_EQ(refusal([] { triangle_mesh(body_with("file = '/no/such.ply'").mesh); }),
            "s:4:8: /no/such.ply: cannot open it: No such file or directory. Is the name right, and may you "
            "read it?");
  const std::string small = refusal([] { triangle_mesh(body_with("shape = 'torus', around = 1").mesh); });
  EXPECT_EQ(small.substr(0, 32), "s:4:8: shape 'torus': around is ") << small;
  EXPECT_EQ(
      refusal([] { tet_mesh(body_with("shape = 'torus'").mesh); }),
      "s:4:8: shape 'torus': it is a surface, and tetrahedra are needed. Take a solid shape: solid-box, "
      "solid-sphere, beam, ...");
  EXPECT_EQ(
      refusal([] { triangle_mesh(body_with("shape = 'plane', size-x = 1e9, scale = 1e15").mesh); }),
      "s:4:8: scaled, vertex 0 of the mesh is too far away. Check unit and scale, and the mesh (palpate mesh "
      "check).");
}

TEST(SceneMesh, StringsAreCutEvenly) {
  SceneBody string;
  string.points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};
  EXPECT_EQ(string_points(string), string.points);
  string.segments = 4;
  EXPECT_EQ(string_points(string),
            (std::vector<Vec3>{{0, 0, 0}, {0.5, 0, 0}, {1, 0, 0}, {1, 0.5, 0}, {1, 1, 0}}));
  string.points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  string.closed = true;
  string.segments = 8;
  const std::vector<Vec3> ring = string_points(string);
  ASSERT_EQ(ring.size(), 8u);
  EXPECT_EQ(ring[7], Vec3(0, 0.5, 0));
  string.points = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
  for (const Vec3& p : string_points(string)) EXPECT_EQ(p, Vec3(1, 1, 1));
}

TEST(SceneMesh, Deformations) {
  TetMesh rest = make(SolidBoxShape{2, 1, 1, 2, 1, 1});
  for (Vec3& p : rest.positions) p += Vec3(5, 6, 7);
  SceneDeform deform;
  EXPECT_EQ(deformed_positions(deform, rest, 1), rest.positions);
  deform.stretch = 1.5;
  deform.twist = std::numbers::pi;
  const std::vector<Vec3> bent = deformed_positions(deform, rest, 1);
  for (std::size_t i = 0; i < bent.size(); ++i) {
    const Vec3 from = rest.positions[i] - Vec3(5, 6, 7), to = bent[i] - Vec3(5, 6, 7);
    const double turn = from.x() / 2 * std::numbers::pi;  // a quarter at each end
    const Vec3 expected(1.5 * from.x(), std::cos(turn) * from.y() - std::sin(turn) * from.z(),
                        std::sin(turn) * from.y() + std::cos(turn) * from.z());
    EXPECT_LT((to - expected).norm(), 1e-14);
  }
  deform.shake = 0.1;
  const std::vector<Vec3> shaken = deformed_positions(deform, rest, 1);
  EXPECT_EQ(deformed_positions(deform, rest, 1), shaken);
  EXPECT_NE(deformed_positions(deform, rest, 2), shaken);
  for (std::size_t i = 0; i < bent.size(); ++i) EXPECT_LT((shaken[i] - bent[i]).cwiseAbs().maxCoeff(), 0.15);
  EXPECT_TRUE(deformed_positions(deform, TetMesh{}, 1).empty());
}

TEST(SceneMesh, NodesThatAreHeld) {
  const std::vector<Vec3> nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  using Numbers = std::vector<std::uint32_t>;
  SceneFix fix;
  EXPECT_EQ(fixed_nodes(fix, nodes), (Numbers{0, 1, 2, 3, 4}));
  fix.kind = SceneFix::Kind::box;
  fix.high = {1, 1, 0};
  EXPECT_EQ(fixed_nodes(fix, nodes), (Numbers{0, 1, 2}));
  fix.kind = SceneFix::Kind::plane;
  fix.point = {0, 0, 0.5};
  EXPECT_EQ(fixed_nodes(fix, nodes), (Numbers{0, 1, 2})) << "behind it";
  fix.normal = -fix.normal;
  EXPECT_EQ(fixed_nodes(fix, nodes), (Numbers{3, 4}));
  fix.kind = SceneFix::Kind::sphere;
  fix.point = {0, 0, 0};
  fix.radius = 1;
  EXPECT_EQ(fixed_nodes(fix, nodes), (Numbers{0, 1, 2, 3}));
  fix.kind = SceneFix::Kind::vertices;
  fix.vertices = {4, 0, 4};
  EXPECT_EQ(fixed_nodes(fix, nodes), (Numbers{0, 4}));
  fix.origin.place = Place::file("s", 7, 1);
  fix.vertices = {4, 5};
  EXPECT_EQ(refusal([&] { fixed_nodes(fix, nodes); }),
            "s:7:1: there is no vertex 5. The mesh has 5, with numbers from 0.");
  fix.vertices.clear();
  EXPECT_EQ(refusal([&] { fixed_nodes(fix, nodes); }).substr(0, 42),
            "s:7:1: no node of the body is held by this");
}

}  // namespace
}  // namespace palpate
