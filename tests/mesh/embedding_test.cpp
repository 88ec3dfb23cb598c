// Embeddings: positions are reproduced, affine maps pass through, forces go back by the transpose.
#include <palpate/mesh/embedding.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <support/cases.h>
#include <Eigen/Geometry>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/mesh/generate.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

Vec3 random_vector(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

TetMesh coarse_ball() {
  SolidSphereShape shape;
  shape.layers = 3;
  return make(shape);
}

TEST(Embedding, HolesCarryNothing) {
  TetMesh solid = coarse_ball();
  for (std::size_t t = 0; t < solid.tets.size(); t += 2) solid.tets[t].fill(no_index);
  const std::vector<Vec3> points = {Vec3(0, 0, 0), Vec3(0.01, 0.02, 0.03), Vec3(0.04, 0, -0.01)};
  const Embedding embedding(solid, points);
  for (const std::uint32_t tet : embedding.tets()) EXPECT_EQ(tet % 2, 1u);
  std::vector<Vec3> mapped(points.size());
  embedding.map(solid.positions, mapped);
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_LT((mapped[i] - points[i]).norm(), 1e-12);
  for (TetCorners& tet : solid.tets) tet.fill(no_index);
  EXPECT_THROW(Embedding(solid, points), Error);
}

TEST(EmbeddingProperty, ReproducesPositionsInsideAndSlightlyOutside) {
  const TetMesh solid = coarse_ball();
  each_case(40, [&](Random& random) {
    std::vector<Vec3> points;
    for (int i = 0; i < 100; ++i) points.push_back(random_vector(random, 0.065));
    // On nodes, edges and faces, where several tetrahedra hold a point.
    for (int i = 0; i < 30; ++i) {
      const auto c = tet_at(solid.positions, solid.tets[random.below(solid.tets.size())]);
      points.push_back(c[0]);
      points.push_back((c[0] + c[1]) / 2);
      points.push_back((c[0] + c[1] + c[2]) / 3);
    }
    const Embedding embedding(solid, points);
    std::vector<Vec3> mapped(points.size());
    embedding.map(solid.positions, mapped);
    for (std::size_t i = 0; i < points.size(); ++i) {
      ASSERT_LT((mapped[i] - points[i]).norm(), 1e-15);
      // The sphere's polyhedron is at most 1 cm inside the sphere: nothing is stretched far.
      for (const double w : embedding.weights()[i]) ASSERT_TRUE(w > -1 && w < 2) << w;
    }
    // Any affine motion of the nodes moves the points alike.
    const Mat3 a =
        Mat3::Identity() + 0.3 * Mat3{{random.uniform(-1, 1), 0.2, 0.1}, {0, 0.5, 0.3}, {0.1, 0, -0.2}};
    const Vec3 b = random_vector(random, 1);
    std::vector<Vec3> nodes = solid.positions;
    for (Vec3& p : nodes) p = a * p + b;
    embedding.map(nodes, mapped);
    for (std::size_t i = 0; i < points.size(); ++i)
      ASSERT_LT((mapped[i] - (a * points[i] + b)).norm(), 1e-14);
  });
}

TEST(EmbeddingProperty, ForcesGoBackByTheTranspose) {
  const TetMesh solid = coarse_ball();
  each_case(20, [&](Random& random) {
    std::vector<Vec3> points, forces, back(solid.positions.size(), Vec3::Zero());
    for (int i = 0; i < 200; ++i) {
      points.push_back(random_vector(random, 0.1));
      forces.push_back(random_vector(random, 1));
    }
    const Embedding embedding(solid, points);
    // The matrix, written out; its transpose applied in the same order gives the same bits.
    std::vector<Vec3> expected(solid.positions.size(), Vec3::Zero());
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t k = 0; k < 4; ++k)
        expected[embedding.corners()[i][k]] += embedding.weights()[i][k] * forces[i];
    embedding.map_back(forces, back);
    for (std::size_t v = 0; v < back.size(); ++v) ASSERT_EQ(back[v], expected[v]);
    // It adds.
    embedding.map_back(forces, back);
    for (std::size_t v = 0; v < back.size(); ++v) ASSERT_LT((back[v] - 2 * expected[v]).norm(), 1e-12);
  });
}

TEST(Embedding, ASliverAtTheSurfaceIsNotStretched) {
  // A good tetrahedron with a sliver of a micrometre on one of its faces, and a point a millimetre above
  // that.
  TetMesh mesh;
  mesh.positions = {Vec3(0, 0, 0), Vec3(0.1, 0, 0), Vec3(0, 0.1, 0), Vec3(0.03, 0.03, -0.1),
                    Vec3(0.03, 0.03, 1e-6)};
  mesh.tets = {{0, 2, 1, 3}, {0, 1, 2, 4}};
  const std::vector<Vec3> point{Vec3(0.03, 0.03, 1e-3)};
  const Embedding embedding(mesh, point);
  for (const double w : embedding.weights()[0]) EXPECT_LT(std::abs(w), 1.1);
  EXPECT_EQ(embedding.outside_count(), 1u);
  EXPECT_NEAR(embedding.farthest_outside(), 1e-3 - 1e-6, 1e-9);
}

TEST(Embedding, WorksInInvertedElementsAndAtAnyScale) {
  TetMesh solid = coarse_ball();
  for (std::size_t t = 0; t < solid.tets.size(); t += 2) std::swap(solid.tets[t][0], solid.tets[t][1]);
  for (const double scale : {0x1p-400, 1.0, 0x1p400}) {
    TetMesh scaled = solid;
    for (Vec3& p : scaled.positions) p *= scale;
    const std::vector<Vec3> points{Vec3(0.01, 0.02, 0.03) * scale, Vec3(0, 0, 0.11) * scale};
    const Embedding embedding(scaled, points);
    std::vector<Vec3> mapped(points.size());
    embedding.map(scaled.positions, mapped);
    for (std::size_t i = 0; i < points.size(); ++i) EXPECT_LT((mapped[i] - points[i]).norm(), 1e-15 * scale);
  }
}

TEST(Embedding, SameForAnyThreadCount) {
  const TetMesh solid = coarse_ball();
  const TriangleMesh surface = make(IcosphereShape{});
  std::vector<Vec3> one(solid.positions.size(), Vec3::Zero()), two = one;
  Threads(1).run([&] { Embedding(solid, surface.positions).map_back(surface.positions, one); });
  Threads(2).run([&] { Embedding(solid, surface.positions).map_back(surface.positions, two); });
  EXPECT_EQ(one, two);
}

TEST(Embedding, RefusesWhatCannotBe) {
  const TetMesh solid = coarse_ball();
  const std::vector<Vec3> far{Vec3(1, 0, 0)}, nan{Vec3(std::nan(""), 0, 0)}, inside{Vec3(0.01, 0, 0)};
  EXPECT_THROW(Embedding(solid, far, 0.01), Error);
  EXPECT_NO_THROW(Embedding(solid, far));
  EXPECT_THROW(Embedding(solid, nan), Error);
  EXPECT_THROW(Embedding(TetMesh{}, inside), Error);
  TetMesh flat{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(1, 1, 0)}, {{0, 1, 2, 3}}};
  EXPECT_THROW(Embedding(flat, inside), Error);
  const Embedding embedding(solid, inside);
  std::vector<Vec3> few(1);
  EXPECT_THROW(embedding.map(few, few), Error);
  const std::array<double, 4> half{0.5, 0.5, 0, 0}, none{0.5, std::nan(""), 0, 0};
  EXPECT_NO_THROW(Embedding(2, {{0, 1, 0, 0}}, {half}));
  EXPECT_THROW(Embedding(1, {{0, 1, 0, 0}}, {half}), Error);
  EXPECT_THROW(Embedding(2, {{0, 1, 0, 0}}, {none}), Error);
  EXPECT_THROW(Embedding(2, {{0, 1, 0, 0}}, {half, half}), Error);
}

}  // namespace
}  // namespace palpate
