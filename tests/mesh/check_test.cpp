// Every problem is found where it is, and a good mesh has none.
#include <palpate/mesh/check.h>

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include <palpate/mesh/generate.h>

namespace palpate {
namespace {

TriangleMesh ball() {
  IcosphereShape shape;
  shape.frequency = 3;
  return make(shape);
}

TetMesh solid() {
  SolidBoxShape shape;
  shape.cells_x = shape.cells_y = shape.cells_z = 2;
  return make(shape);
}

// The first finding of a problem.
const Finding* find(const CheckResult& result, Problem problem) {
  for (const Finding& finding : result.findings)
    if (finding.problem == problem) return &finding;
  return nullptr;
}

TEST(Check, GoodMeshesHaveNothing) {
  for (const TriangleMesh& mesh :
       {make(TorusShape{}), make(KnotShape{}), make(IcosphereShape{}), make(SphereShape{}), make(BoxShape{}),
        make(CylinderShape{}), make(CapsuleShape{}), make(BowlShape{})})
    EXPECT_TRUE(check(mesh).findings.empty()) << check(mesh).findings[0].message;
  for (const TetMesh& mesh : {make(SolidBoxShape{}), make(SolidTorusShape{}), make(SolidKnotShape{}),
                              make(SolidSphereShape{}), make(BlobShape{}), make(BeamShape{})})
    EXPECT_TRUE(check(mesh).findings.empty()) << check(mesh).findings[0].message;
}

TEST(Check, AnOpenBorderIsOnlyNoted) {
  const CheckResult result = check(make(ClothShape{}));
  EXPECT_EQ(result.count(Problem::open_border), 160u);
  EXPECT_EQ(result.count(Severity::warning) + result.count(Severity::error), 0u);
  EXPECT_EQ(result.findings.size(), 100u);  // of 160
}

struct Fault {
  Problem problem;
  ElementKind kind;
  std::uint32_t element;
  std::function<void(TriangleMesh&)> spoil;
};

TEST(Check, FindsEveryFaultOfASurface) {
  const TriangleMesh good = ball();
  const auto last_vertex = static_cast<std::uint32_t>(good.positions.size());
  const auto last_triangle = static_cast<std::uint32_t>(good.triangles.size());
  const Fault faults[] = {
      {Problem::index_out_of_range, ElementKind::triangle, 7,
       [&](auto& m) { m.triangles[7][1] = last_vertex; }},
      {Problem::not_finite, ElementKind::vertex, 5, [](auto& m) { m.positions[5].y() = std::nan(""); }},
      {Problem::not_finite, ElementKind::vertex, 0,
       [](auto& m) { m.positions[0].x() = std::numeric_limits<double>::infinity(); }},
      {Problem::no_elements, ElementKind::mesh, 0, [](auto& m) { m.triangles.clear(); }},
      {Problem::unused_vertex, ElementKind::vertex, last_vertex,
       [](auto& m) { m.positions.emplace_back(0, 0, 0); }},
      {Problem::duplicate_vertex, ElementKind::vertex, last_vertex,
       [](auto& m) { m.positions.push_back(m.positions[3]); }},
      {Problem::degenerate_element, ElementKind::triangle, last_triangle,
       [](auto& m) {
         m.triangles.push_back({1, 1, 2});
       }},
      {Problem::duplicate_element, ElementKind::triangle, last_triangle,
       [](auto& m) {
         m.triangles.push_back({m.triangles[4][1], m.triangles[4][2], m.triangles[4][0]});
       }},
      {Problem::nonmanifold_edge, ElementKind::edge, 0,
       [&](auto& m) {
         m.positions.emplace_back(0.2, 0.2, 0.2);
         m.triangles.push_back({m.triangles[0][0], m.triangles[0][1], last_vertex});
       }},
      {Problem::nonmanifold_vertex, ElementKind::vertex, 0,
       [&](auto& m) {
         m.positions.insert(m.positions.end(), {2 * m.positions[0], 2 * m.positions[0] + Vec3(0.01, 0, 0)});
         m.triangles.push_back({0, last_vertex, last_vertex + 1});
       }},
      {Problem::inconsistent_orientation, ElementKind::edge, 0,
       [](auto& m) { std::swap(m.triangles[0][0], m.triangles[0][1]); }},
      {Problem::inside_out, ElementKind::triangle, 0,
       [](auto& m) {
         for (auto& t : m.triangles) std::swap(t[0], t[1]);
       }},
      {Problem::open_border, ElementKind::edge, 0, [](auto& m) { m.triangles.pop_back(); }},
      {Problem::self_intersection, ElementKind::triangle, 0, [](auto& m) { m.positions[0] *= -1.2; }},
      {Problem::suspicious_unit, ElementKind::mesh, 0,
       [](auto& m) {
         for (auto& p : m.positions) p *= 100;
       }},
      {Problem::suspicious_unit, ElementKind::mesh, 0,
       [](auto& m) {
         for (auto& p : m.positions) p *= 1e-3;
       }},
  };
  for (const Fault& fault : faults) {
    TriangleMesh mesh = good;
    fault.spoil(mesh);
    const CheckResult result = check(mesh);
    const Finding* finding = find(result, fault.problem);
    ASSERT_NE(finding, nullptr) << name_of(fault.problem);
    EXPECT_EQ(finding->kind, fault.kind) << name_of(fault.problem);
    if (fault.kind == ElementKind::vertex || fault.kind == ElementKind::triangle) {
      EXPECT_TRUE(finding->element == fault.element || fault.problem == Problem::self_intersection)
          << name_of(fault.problem) << " at " << finding->element;
    }
    EXPECT_FALSE(finding->message.empty());
  }
}

TEST(Check, FindsEveryFaultOfASolid) {
  TetMesh inverted = solid();
  std::swap(inverted.tets[3][0], inverted.tets[3][1]);
  EXPECT_EQ(check(inverted).count(Problem::inverted_tet), 1u);
  EXPECT_EQ(find(check(inverted), Problem::inverted_tet)->element, 3u);
  EXPECT_EQ(check(inverted).count(Severity::error), 1u);

  TetMesh flat = solid();
  flat.tets.push_back({0, 1, 2, 2});
  EXPECT_EQ(find(check(flat), Problem::degenerate_element)->element, flat.tets.size() - 1);

  TetMesh sliver{{Vec3(0, 0, 0), Vec3(0.1, 0, 0), Vec3(0, 0.1, 0), Vec3(0.05, 0.05, 1e-6)}, {{0, 1, 2, 3}}};
  EXPECT_EQ(check(sliver).count(Problem::sliver_tet), 1u);

  TetMesh doubled = solid();
  doubled.tets.push_back(doubled.tets[2]);
  EXPECT_EQ(find(check(doubled), Problem::duplicate_element)->element, doubled.tets.size() - 1);

  TetMesh crowded = solid();
  crowded.positions.emplace_back(0.9, 0.8, 0.7);
  for (const auto& f : tet_faces)  // on every face of the middle: inner ones have two already
    crowded.tets.push_back({crowded.tets[4][f[0]], crowded.tets[4][f[1]], crowded.tets[4][f[2]],
                            static_cast<std::uint32_t>(crowded.positions.size() - 1)});
  EXPECT_GT(check(crowded).count(Problem::nonmanifold_face), 0u);

  TetMesh out = solid();
  out.tets[1][2] = 1000;
  EXPECT_EQ(find(check(out), Problem::index_out_of_range)->element, 1u);
}

TEST(Check, CavitiesAreNotInsideOut) {
  TriangleMesh shell = ball();
  const auto n = static_cast<std::uint32_t>(shell.positions.size());
  const TriangleMesh inner = shell;
  for (const Vec3& p : inner.positions) shell.positions.push_back(p / 2);
  for (const TriangleCorners& t : inner.triangles) shell.triangles.push_back({n + t[0], n + t[2], n + t[1]});
  EXPECT_TRUE(check(shell).findings.empty());
}

TEST(Check, GravestFirst) {
  TriangleMesh mesh = ball();
  mesh.positions.emplace_back(std::nan(""), 0, 0);
  mesh.triangles[0][0] = 10'000;
  const CheckResult result = check(mesh);
  ASSERT_EQ(result.findings.size(), 2u);
  EXPECT_EQ(result.findings[0].severity(), Severity::error);
}

}  // namespace
}  // namespace palpate
