// Measures of elements: known shapes, closed forms, exact volumes, and no NaN from anything finite.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include <palpate/geometry/predicates.h>
#include <palpate/mesh/generate.h>
#include <palpate/mesh/quality.h>
#include <support/cases.h>
#include <support/rational.h>
#include <support/shapes.h>

#include "mesh_checks.h"

namespace palpate {
namespace {

using testing::each_case;
using testing::expect_mentions;
using testing::Random;
using testing::refusal;
using testing::Shapes;

constexpr double pi = 3.141592653589793;

const Tetrahedron regular = {Vec3(1, 1, 1), Vec3(-1, 1, -1), Vec3(1, -1, -1), Vec3(-1, -1, 1)};
const Tetrahedron corner = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
const Triangle equilateral = {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};

template <class Values>
std::array<double, 2> range_of(const Values& values) {
  return {*std::min_element(values.begin(), values.end()), *std::max_element(values.begin(), values.end())};
}

TEST(QualityOfTets, TheRegularOneIsOne) {
  EXPECT_NEAR(signed_volume(regular), 8.0 / 3, 1e-15);
  EXPECT_NEAR(radius_ratio(regular), 1, 1e-15);
  EXPECT_NEAR(volume_length_ratio(regular), 1, 1e-15);
  for (const double angle : dihedral_angles(regular)) EXPECT_NEAR(angle, std::acos(1.0 / 3), 1e-15);
  for (const double length : edge_lengths(regular)) EXPECT_NEAR(length, std::sqrt(8), 1e-15);
}

TEST(QualityOfTets, TheCornerOfACube) {
  EXPECT_EQ(signed_volume(corner), 1.0 / 6);
  // r = (1 - 1/sqrt 3) / 2 * ... : 3 V / areas with areas = (3 + sqrt 3) / 2, R = sqrt(3) / 2.
  EXPECT_NEAR(radius_ratio(corner), 3 * (1 / (3 + std::sqrt(3))) / (std::sqrt(3) / 2), 1e-15);
  EXPECT_NEAR(volume_length_ratio(corner), std::sqrt(2) / std::pow(1.5, 1.5), 1e-15);
  const auto angles = dihedral_angles(corner);
  for (const std::size_t i : {0u, 1u, 2u}) EXPECT_NEAR(angles[i], pi / 2, 1e-15);
  for (const std::size_t i : {3u, 4u, 5u}) EXPECT_NEAR(angles[i], std::acos(1 / std::sqrt(3)), 1e-15);
}

TEST(QualityOfTets, InvertedOnesAreNegative) {
  const Tetrahedron inverted = {corner[1], corner[0], corner[2], corner[3]};
  EXPECT_EQ(signed_volume(inverted), -1.0 / 6);
  EXPECT_EQ(radius_ratio(inverted), -radius_ratio(corner));
  EXPECT_EQ(volume_length_ratio(inverted), -volume_length_ratio(corner));
  EXPECT_EQ(dihedral_angles(inverted)[0], dihedral_angles(corner)[0]);
}

// Four points on a circle, one lifted by h: two dihedral angles near pi, four near zero, all of order h.
TEST(QualityOfTets, SliversKeepTheirDigits) {
  for (const double h : {1e-3, 1e-6, 1e-9, 1e-12}) {
    const Tetrahedron sliver = {Vec3(1, 0, 0), Vec3(0, 1, h), Vec3(-1, 0, 0), Vec3(0, -1, h)};
    EXPECT_NEAR(std::abs(signed_volume(sliver)) / (2 * h / 3), 1, 1e-14);
    const auto [least, largest] = range_of(dihedral_angles(sliver));
    // At an edge of length sqrt 2: sin = 3 V l / (2 A A'), A = A' = 1 to first order.
    EXPECT_NEAR(least / (std::sqrt(2) * h), 1, std::max(h * h, 1e-14));
    EXPECT_NEAR((pi - largest) / (2 * h), 1, std::max(h * h, 1e-3 * 1e-12 / h));
    EXPECT_NEAR(radius_ratio(sliver) / std::copysign(1.5 * h, radius_ratio(sliver)), 1, 1e-5 + 1e-15 / h);
  }
}

TEST(QualityOfTets, FlatAndCoincidingCornersHaveNoQuality) {
  const Vec3 o(0, 0, 0), x(1, 0, 0), y(0, 1, 0), z(0, 0, 1);
  for (const Tetrahedron& flat :
       {Tetrahedron{o, x, y, x + y}, Tetrahedron{o, o, o, o}, Tetrahedron{o, o, x, y},
        Tetrahedron{o, x, 2 * x, 3 * x}, Tetrahedron{x, x, x, z}}) {
    EXPECT_EQ(signed_volume(flat), 0);
    EXPECT_EQ(radius_ratio(flat), 0);
    EXPECT_EQ(volume_length_ratio(flat), 0);
    for (const double angle : dihedral_angles(flat)) EXPECT_TRUE(angle == 0 || std::abs(angle - pi) < 1e-15);
  }
}

TEST(QualityOfTriangles, KnownOnes) {
  EXPECT_NEAR(area(equilateral), std::sqrt(3) / 2, 1e-15);
  EXPECT_NEAR(radius_ratio(equilateral), 1, 1e-15);
  for (const double angle : angles(equilateral)) EXPECT_NEAR(angle, pi / 3, 1e-15);
  const Triangle pythagoras = {Vec3(0, 0, 0), Vec3(3, 0, 0), Vec3(0, 4, 0)};
  EXPECT_EQ(area(pythagoras), 6);
  EXPECT_NEAR(radius_ratio(pythagoras), 2 * 1 / 2.5, 1e-15);
  EXPECT_EQ(edge_lengths(pythagoras), (std::array<double, 3>{3, 5, 4}));
  EXPECT_NEAR(angles(pythagoras)[1], std::atan2(4, 3), 1e-15);
  const Triangle line = {Vec3(0, 0, 0), Vec3(1, 1, 1), Vec3(2, 2, 2)}, point = {line[1], line[1], line[1]};
  for (const Triangle& t : {line, point}) {
    EXPECT_EQ(area(t), 0);
    EXPECT_EQ(radius_ratio(t), 0);
  }
  EXPECT_EQ(angles(line)[1], pi);
  EXPECT_EQ(angles(point), (std::array<double, 3>{0, 0, 0}));
}

TEST(QualityProperty, VolumesAreExactToTheLastDigits) {
  each_case(3000, [](Random& random) {
    Shapes shapes(random);
    Tetrahedron t = {shapes.point(), shapes.point(), shapes.point(), shapes.point()};
    if (random.chance(0.3)) t[3] = testing::nudged(random, t[0] + random.uniform(0, 1) * (t[1] - t[0]));
    const auto [a, b, c, d] =
        std::array{testing::exact(t[0]), testing::exact(t[1]), testing::exact(t[2]), testing::exact(t[3])};
    const testing::Rational exact = dot(cross<testing::Rational>(b - a, c - a), d - a) / 6;
    const double volume = signed_volume(t), known = exact.get_d();
    EXPECT_EQ((volume > 0) - (volume < 0), sgn(exact)) << volume << " " << known;
    // Digits below 1e-54 of the cube around it may be lost; the sign is not.
    double size = 0;
    for (const Vec3& p : t) size = std::max(size, (p - t[0]).lpNorm<Eigen::Infinity>());
    EXPECT_NEAR(volume, known, 1e-10 * std::abs(known) + 1e-54 * size * size * size + 1e-320)
        << testing::show(t);
  });
}

TEST(QualityProperty, NumberingChangesNothing) {
  each_case(1000, [](Random& random) {
    Shapes shapes(random);
    const Tetrahedron t = {shapes.point(), shapes.point(), shapes.point(), shapes.point()};
    std::array<std::size_t, 4> order = {0, 1, 2, 3};
    do {
      const Tetrahedron p = {t[order[0]], t[order[1]], t[order[2]], t[order[3]]};
      EXPECT_EQ(std::abs(signed_volume(p)), std::abs(signed_volume(t)));
      EXPECT_EQ(std::abs(radius_ratio(p)), std::abs(radius_ratio(t)));
      EXPECT_EQ(std::abs(volume_length_ratio(p)), std::abs(volume_length_ratio(t)));
      EXPECT_EQ(area(Triangle{p[0], p[1], p[2]}), area(Triangle{p[2], p[0], p[1]}));
      EXPECT_EQ(radius_ratio(Triangle{p[0], p[1], p[2]}), radius_ratio(Triangle{p[1], p[0], p[2]}));
    } while (std::next_permutation(order.begin(), order.end()));
  });
}

// The ratios and the angles do not depend on size; here by factors that are exact.
TEST(QualityProperty, ScaleChangesOnlySizes) {
  each_case(1000, [](Random& random) {
    Tetrahedron t, far;
    const int power = static_cast<int>(random.below(1600)) - 900;
    for (std::size_t i = 0; i < 4; ++i) {
      t[i] = Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
      for (int k = 0; k < 3; ++k) far[i][k] = std::scalbn(t[i][k], power);
    }
    EXPECT_EQ(radius_ratio(far), radius_ratio(t));
    EXPECT_EQ(volume_length_ratio(far), volume_length_ratio(t));
    EXPECT_EQ(dihedral_angles(far), dihedral_angles(t));
    EXPECT_EQ(edge_lengths(far)[2], std::scalbn(edge_lengths(t)[2], power));
    EXPECT_EQ(radius_ratio(Triangle{far[0], far[1], far[2]}), radius_ratio(Triangle{t[0], t[1], t[2]}));
    EXPECT_EQ(angles(Triangle{far[0], far[1], far[2]}), angles(Triangle{t[0], t[1], t[2]}));
  });
}

// The angles of a triangle add up, and the solid angles of the dihedral ones are those of the corners.
TEST(QualityProperty, AnglesAddUp) {
  each_case(2000, [](Random& random) {
    Tetrahedron t;
    for (Vec3& p : t) p = Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    const auto a = angles(Triangle{t[0], t[1], t[2]});
    EXPECT_NEAR(a[0] + a[1] + a[2], pi, 1e-14);
    const auto d = dihedral_angles(t);
    // Girard: the solid angle at corner 0 from its three dihedral angles, against the formula of Van
    // Oosterom.
    const Vec3 x = (t[1] - t[0]).normalized(), y = (t[2] - t[0]).normalized(), z = (t[3] - t[0]).normalized();
    const double solid = 2 * std::atan2(std::abs(x.dot(y.cross(z))), 1 + x.dot(y) + y.dot(z) + z.dot(x));
    EXPECT_NEAR(d[0] + d[1] + d[2] - pi, solid, 1e-11);
  });
}

// Whatever is finite gives numbers: also where squares, cubes and even differences overflow.
TEST(QualityProperty, NeverNaN) {
  constexpr double largest = std::numeric_limits<double>::max(), tiny = 5e-324;
  each_case(5000, [](Random& random) {
    Tetrahedron t;
    for (Vec3& p : t)
      for (double& x : p) {
        const double special[] = {0, -0.0, 1, -1, largest, -largest, tiny, -tiny, 1e200, 1e-200, 1 + 1e-15};
        x = random.chance(0.7) ? special[random.below(std::size(special))] : random.magnitude(1e-300, 1e300);
      }
    const auto number = [](double x) { return !std::isnan(x); };
    EXPECT_TRUE(number(signed_volume(t)));
    EXPECT_TRUE(std::abs(radius_ratio(t)) <= 1) << testing::show(t);
    EXPECT_TRUE(std::abs(volume_length_ratio(t)) <= 1);
    for (const double x : edge_lengths(t)) EXPECT_TRUE(number(x));
    for (const double x : dihedral_angles(t)) EXPECT_TRUE(x >= 0 && x <= pi) << testing::show(t);
    const Triangle s = {t[0], t[1], t[2]};
    EXPECT_TRUE(number(area(s)) && radius_ratio(s) >= 0 && radius_ratio(s) <= 1) << testing::show(s);
    for (const double x : angles(s)) EXPECT_TRUE(x >= 0 && x <= pi) << testing::show(s);
    const TetQuality tets =
        quality_of(TetMesh{{t[0], t[1], t[2], t[3]}, {{0, 1, 2, 3}, {1, 0, 2, 3}, {0, 0, 0, 0}}});
    for (const Spread& m : {tets.volume, tets.edge_length, tets.dihedral_angle, tets.radius_ratio})
      EXPECT_TRUE(number(m.least) && number(m.mean) && number(m.largest)) << testing::show(t);
  });
}

TEST(QualityOfMeshes, SummariesSayWhichIsWorst) {
  TetMesh mesh{{corner[0], corner[1], corner[2], corner[3], Vec3(1, 1, 0)},
               {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 1, 4, 2}, {1, 4, 2, 3}}};
  const TetQuality tets = quality_of(mesh);
  EXPECT_EQ(tets.tets, 4u);
  EXPECT_EQ(tets.inverted, 1u);
  EXPECT_EQ(tets.flat, 1u);
  EXPECT_EQ(tets.radius_ratio.least_at, 1u);
  EXPECT_EQ(tets.radius_ratio.least, -radius_ratio(corner));
  EXPECT_EQ(std::accumulate(tets.histogram.begin(), tets.histogram.end(), std::size_t{0}), 4u);
  EXPECT_EQ(tets.histogram[0], 2u);
  EXPECT_EQ(tets.volume.largest, 1.0 / 6);
  EXPECT_NEAR(tets.volume.mean, 1.0 / 24, 1e-16);
  const TriangleMesh flat{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(2, 0, 0), Vec3(0.5, std::sqrt(0.75), 0)},
                          {{0, 1, 3}, {0, 1, 2}}};
  const TriangleQuality triangles = quality_of(flat);
  EXPECT_EQ(triangles.degenerate, 1u);
  EXPECT_EQ(triangles.radius_ratio.least_at, 1u);
  EXPECT_EQ(triangles.histogram[9], 1u);
  EXPECT_EQ(triangles.angle.largest, pi);
  EXPECT_EQ(triangles.edge_length.largest, 2);
}

TEST(QualityOfMeshes, EmptyAndBrokenOnes) {
  EXPECT_EQ(quality_of(TetMesh{}).radius_ratio.least_at, no_index);
  EXPECT_EQ(quality_of(TriangleMesh{}).area.mean, 0);
  expect_mentions(refusal([] {
                    quality_of(TetMesh{{Vec3(0, 0, 0)}, {{0, 0, 0, 1}}});
                  }),
                  {"tetrahedron 0", "no vertex 1"});
  expect_mentions(refusal([] {
                    quality_of(TriangleMesh{{Vec3(0, 0, NAN)}, {{0, 0, 0}}});
                  }),
                  {"vertex 0", "not finite"});
}

TEST(QualityOfMeshes, GeneratedOnesAreWellShaped) {
  EXPECT_GT(quality_of(make(IcosphereShape{0.1, 20})).radius_ratio.least, 0.8);
  EXPECT_GT(quality_of(make(KnotShape{})).radius_ratio.least, 0.6);
  EXPECT_GT(quality_of(make(SolidSphereShape{0.1, 20})).radius_ratio.least, 0.5);
  EXPECT_GT(quality_of(make(SolidTorusShape{})).radius_ratio.least, 0.5);
  EXPECT_GT(quality_of(make(SolidKnotShape{})).radius_ratio.least, 0.5);
  EXPECT_GT(quality_of(make(BlobShape{0.15, 1, 1, 20})).radius_ratio.least, 0.05);
}

}  // namespace
}  // namespace palpate
