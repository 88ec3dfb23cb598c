// Mass, centre and inertia: closed forms, convergence, exact rationals, and laws that hold for any body.
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include <palpate/geometry/pose.h>
#include <palpate/mesh/generate.h>
#include <palpate/mesh/mass.h>
#include <support/cases.h>
#include <support/rational.h>
#include <support/shapes.h>

#include "mesh_checks.h"

namespace palpate {
namespace {

using testing::each_case;
using testing::expect_mentions;
using testing::Random;
using testing::Rational;
using testing::refusal;

constexpr double pi = 3.141592653589793;

Mat3 diagonal(double x, double y, double z) { return Vec3(x, y, z).asDiagonal(); }

void expect_near(const Mat3& a, const Mat3& b, double relative) {
  EXPECT_LE((a - b).norm(), relative * b.norm()) << a << "\n\n" << b;
}

void expect_same(const MassProperties& a, const MassProperties& b, double relative) {
  EXPECT_NEAR(a.mass, b.mass, relative * b.mass);
  EXPECT_LE((a.centre - b.centre).norm(), relative * (1 + b.centre.norm()));
  expect_near(a.inertia, b.inertia, relative);
}

template <class Mesh>
Mesh moved(Mesh mesh, const Pose& pose) {
  for (Vec3& p : mesh.positions) p = pose.apply(p);
  return mesh;
}

Pose random_pose(Random& random, double far) {
  const Vec3 axis = testing::random_direction(random);
  return {Quat(Eigen::AngleAxisd(random.uniform(-3, 3), axis)),
          Vec3(random.uniform(-far, far), random.uniform(-far, far), random.uniform(-far, far))};
}

TEST(Mass, BoxIsExact) {
  const double m = 2 * 3 * 5 * 1000;
  const Mat3 inertia = m / 12 * diagonal(9 + 25, 4 + 25, 4 + 9);
  for (const MassProperties& box : {solid_mass(make(SolidBoxShape{2, 3, 5, 2, 3, 4}), 1000),
                                    enclosed_mass(make(BoxShape{2, 3, 5, 2, 3, 4}), 1000)}) {
    EXPECT_NEAR(box.mass, m, 1e-12 * m);
    EXPECT_NEAR(box.measure, 30, 1e-12);
    EXPECT_LE(box.centre.norm(), 1e-14);
    expect_near(box.inertia, inertia, 1e-13);
  }
  // Its six sides as a shell: plates about their own centres, moved out.
  const MassProperties shell = shell_mass(make(BoxShape{2, 3, 5, 2, 3, 4}), 10);
  EXPECT_NEAR(shell.measure, 62, 1e-12);
  const double xy = 60, yz = 150, zx = 100;
  const double about_x = 2 * (xy * (9.0 / 12 + 25.0 / 4) + yz * (9 + 25) / 12.0 + zx * (25.0 / 12 + 9.0 / 4));
  EXPECT_NEAR(shell.inertia(0, 0), about_x, 1e-11 * about_x);
}

// Halving the steps divides the error by four.
template <class Error>
void expect_second_order(Error&& error) {
  const double coarse = error(1), fine = error(2), finer = error(4);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.15);
  EXPECT_NEAR(std::log2(fine / finer), 2, 0.1);
}

TEST(Mass, SphereConverges) {
  const double r = 0.1, m = 4.0 / 3 * pi * r * r * r, inertia = 0.4 * m * r * r;
  expect_second_order([&](std::size_t k) {
    return m - solid_mass(make(SolidSphereShape{r, 5 * k}), 1).mass;
  });
  expect_second_order([&](std::size_t k) {
    return inertia - solid_mass(make(SolidSphereShape{r, 5 * k}), 1).inertia(1, 1);
  });
  expect_second_order([&](std::size_t k) {
    return inertia - enclosed_mass(make(IcosphereShape{r, 8 * k}), 1).inertia(2, 2);
  });
}

TEST(Mass, TorusConverges) {
  const double R = 0.1, r = 0.04, m = 2 * pi * pi * R * r * r;
  const double about_axis = m * (R * R + 0.75 * r * r), across = m * (0.5 * R * R + 0.625 * r * r);
  const auto solid = [&](std::size_t k) { return solid_mass(make(SolidTorusShape{R, r, 24 * k, 2 * k}), 1); };
  expect_second_order([&](std::size_t k) { return m - solid(k).mass; });
  expect_second_order([&](std::size_t k) { return about_axis - solid(k).inertia(2, 2); });
  expect_second_order([&](std::size_t k) { return across - solid(k).inertia(0, 0); });
  expect_second_order([&](std::size_t k) {
    return about_axis - enclosed_mass(make(TorusShape{R, r, 40 * k, 16 * k}), 1).inertia(2, 2);
  });
}

TEST(Mass, ShellsConverge) {
  const double r = 0.1, sphere = 4 * pi * r * r;
  const auto shell = [&](std::size_t k) { return shell_mass(make(IcosphereShape{r, 6 * k}), 1); };
  expect_second_order([&](std::size_t k) { return sphere - shell(k).mass; });
  expect_second_order([&](std::size_t k) { return 2.0 / 3 * sphere * r * r - shell(k).inertia(0, 0); });
  const MassProperties plate = shell_mass(make(PlaneShape{2, 3, 4, 5}), 7);
  EXPECT_NEAR(plate.mass, 42, 1e-12);
  expect_near(plate.inertia, 42.0 / 12 * diagonal(9, 4, 13), 1e-13);
}

TEST(Mass, TheSolidAndItsBoundaryAgree) {
  const TetMesh blob = make(BlobShape{0.15, 1, 1, 6});
  expect_same(enclosed_mass(testing::outer_faces(blob), 1060), solid_mass(blob, 1060), 1e-12);
}

TEST(MassProperty, SingleTetrahedraAgainstRationals) {
  each_case(500, [](Random& random) {
    const double far = random.chance(0.5) ? 0 : 1000;
    TetMesh mesh;
    for (int i = 0; i < 4; ++i)
      mesh.positions.emplace_back(far + random.uniform(-1, 1), random.uniform(-1, 1),
                                  random.uniform(-1, 1) - far);
    mesh.tets = {{0, 1, 2, 3}};
    if (orient3d(mesh.positions[0], mesh.positions[1], mesh.positions[2], mesh.positions[3]) < 0)
      std::swap(mesh.tets[0][2], mesh.tets[0][3]);
    std::array<testing::Q3, 4> q;
    for (std::size_t i = 0; i < 4; ++i) q[i] = testing::exact(mesh.positions[mesh.tets[0][i]]);
    const Rational volume = dot(cross<Rational>(q[1] - q[0], q[2] - q[0]), q[3] - q[0]) / 6;
    const testing::Q3 centre = Rational(1, 4) * (q[0] + q[1] + q[2] + q[3]);
    const MassProperties got = solid_mass(mesh, 8);
    EXPECT_NEAR(got.mass, Rational(8 * volume).get_d(), 1e-11 * got.mass);
    EXPECT_NEAR(got.centre.x(), centre.x.get_d(), 1e-12 + 1e-15 * far);
    // About the centre: the sum of the corners is zero, the integral of x_i x_j is V / 20 times that of
    // corners.
    Rational second[3][3];
    for (const testing::Q3& p : q) {
      const testing::Q3 d = p - centre;
      const Rational c[] = {d.x, d.y, d.z};
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) second[i][j] += volume / 20 * c[i] * c[j];
    }
    const Rational trace = second[0][0] + second[1][1] + second[2][2];
    Mat3 inertia;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        inertia(i, j) = Rational(8 * ((i == j ? trace : Rational(0)) - second[i][j])).get_d();
    expect_near(got.inertia, inertia, 1e-11);
  });
}

// Inertia turns with the body, and does not see where the body is.
TEST(MassProperty, TurningAndMoving) {
  const TetMesh solid = make(BlobShape{0.15, 1, 1, 2});
  const TriangleMesh surface = testing::outer_faces(solid);
  const MassProperties a = solid_mass(solid, 1060), b = enclosed_mass(surface, 1060),
                       c = shell_mass(surface, 3);
  each_case(200, [&](Random& random) {
    const Pose pose = random_pose(random, random.chance(0.5) ? 1 : 1e4);
    const double relative = 1e-12 + 1e-14 * pose.position.norm();
    const auto turned = [&](MassProperties m) {
      m.centre = pose.apply(m.centre);
      m.inertia = pose.rotation.toRotationMatrix() * m.inertia * pose.rotation.toRotationMatrix().transpose();
      return m;
    };
    expect_same(solid_mass(moved(solid, pose), 1060), turned(a), relative);
    expect_same(enclosed_mass(moved(surface, pose), 1060), turned(b), relative);
    expect_same(shell_mass(moved(surface, pose), 3), turned(c), relative);
  });
}

// Two bodies as one: masses add, inertias by the theorem of parallel axes.
TEST(MassProperty, ParallelAxes) {
  each_case(100, [](Random& random) {
    const TetMesh first = moved(make(SolidBoxShape{1, 2, 3, 1, 1, 1}), random_pose(random, 5));
    const TetMesh second = moved(make(SolidSphereShape{0.5, 2}), random_pose(random, 5));
    TetMesh both = first;
    for (const Vec3& p : second.positions) both.positions.push_back(p);
    for (TetCorners t : second.tets) {
      for (std::uint32_t& v : t) v += static_cast<std::uint32_t>(first.positions.size());
      both.tets.push_back(t);
    }
    const MassProperties a = solid_mass(first, 10), b = solid_mass(second, 10), got = solid_mass(both, 10);
    MassProperties sum;
    sum.mass = a.mass + b.mass;
    sum.centre = (a.mass * a.centre + b.mass * b.centre) / sum.mass;
    for (const MassProperties& part : {a, b}) {
      const Vec3 d = part.centre - sum.centre;
      sum.inertia += part.inertia + part.mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
    }
    expect_same(got, sum, 1e-12);
  });
}

TEST(Mass, LumpedMassesAddUp) {
  const TetMesh solid = make(BlobShape{});
  const std::vector<double> masses = lumped_masses(solid, 1060);
  ASSERT_EQ(masses.size(), solid.positions.size());
  const double sum = std::accumulate(masses.begin(), masses.end(), 0.0);
  EXPECT_NEAR(sum, solid_mass(solid, 1060).mass, 1e-12);
  // A linear function is integrated exactly: the centre of the lumps is the centre of the body.
  Vec3 centre = Vec3::Zero();
  for (std::size_t i = 0; i < masses.size(); ++i) centre += masses[i] / sum * solid.positions[i];
  EXPECT_LE((centre - solid_mass(solid, 1060).centre).norm(), 1e-14);
  const TetMesh one{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(9, 9, 9)},
                    {{0, 1, 2, 3}}};
  EXPECT_EQ(lumped_masses(one, 24), (std::vector<double>{1, 1, 1, 1, 0}));
  const TriangleMesh sheet{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}, {{0, 1, 2}}};
  EXPECT_EQ(lumped_masses(sheet, 6), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(lumped_masses(TriangleMesh{}, 6).size(), 0u);
}

TEST(Mass, RefusesWhatHasNone) {
  const TriangleMesh box = make(BoxShape{});
  TriangleMesh inside_out = box;
  for (TriangleCorners& t : inside_out.triangles) std::swap(t[0], t[1]);
  expect_mentions(refusal([&] { enclosed_mass(inside_out, 1); }),
                  {"volume inside the surface is -", "inside out or open"});
  const Pose tilted{Quat(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized())), Vec3(1, 2, 3)};
  expect_mentions(refusal([&] { enclosed_mass(moved(make(ClothShape{}), tilted), 1); }),
                  {"inside out or open"});
  expect_mentions(refusal([] { enclosed_mass(TriangleMesh{}, 1); }), {"0 m^3"});
  expect_mentions(refusal([] { solid_mass(TetMesh{}, 1); }), {"0 m^3", "at least one tetrahedron"});
  expect_mentions(refusal([] { shell_mass(TriangleMesh{}, 1); }), {"0 m^2", "at least one triangle"});
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    expect_mentions(refusal([&] { enclosed_mass(box, bad); }), {"the density is", "kg/m^3", "positive"});
    expect_mentions(refusal([&] { shell_mass(box, bad); }), {"the density is", "kg/m^2", "positive"});
    expect_mentions(refusal([&] { solid_mass(make(BeamShape{}), bad); }), {"the density is", "positive"});
    expect_mentions(refusal([&] { lumped_masses(make(BeamShape{}), bad); }), {"the density is", "positive"});
    expect_mentions(refusal([&] { lumped_masses(box, bad); }), {"the density is", "positive"});
  }
  TetMesh inverted = make(BeamShape{});
  std::swap(inverted.tets[7][0], inverted.tets[7][1]);
  expect_mentions(refusal([&] { solid_mass(inverted, 1); }), {"tetrahedron 7", "inverted", "Swap two"});
  expect_mentions(refusal([&] { lumped_masses(inverted, 1); }), {"tetrahedron 7", "inverted"});
  TriangleMesh broken = box;
  broken.triangles[3][1] = 9999;
  expect_mentions(refusal([&] { enclosed_mass(broken, 1); }), {"triangle 3", "no vertex 9999"});
}

}  // namespace
}  // namespace palpate
