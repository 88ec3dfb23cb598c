// Animals of the published work: brought back from states that no body should be in, and sagging from jelly
// to stone.
#include <palpate/soft/soft_body.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numeric>

#include <support/cases.h>
#include <support/data.h>
#include <Eigen/Cholesky>

#include <palpate/mesh/files.h>
#include <palpate/mesh/generate.h>
#include <palpate/soft/elements.h>

namespace palpate {
namespace {

using testing::Random;

struct Box {
  Vec3 low, high;
  double longest() const { return (high - low).maxCoeff(); }
};
Box box_of(std::span<const Vec3> points) {
  Box box{points[0], points[0]};
  for (const Vec3& p : points) {
    box.low = box.low.cwiseMin(p);
    box.high = box.high.cwiseMax(p);
  }
  return box;
}

TetMesh animal(const std::filesystem::path& folder, const std::string& name) {
  TetMesh mesh = read_tet_mesh(folder / "tets" / (name + ".node"));
  for (Vec3& p : mesh.positions) p *= 0.1;  // one unit is 0.1 m
  return mesh;
}

// The states of the matter: flattened to a plane, turned inside out, at random in the box.
std::vector<std::vector<Vec3>> bad_states(const TetMesh& mesh) {
  const Box box = box_of(mesh.positions);
  std::vector<Vec3> flat = mesh.positions, mirrored = mesh.positions, random = mesh.positions;
  Random dice(1);
  for (std::size_t i = 0; i < flat.size(); ++i) {
    flat[i].z() = box.low.z();
    mirrored[i].x() = box.low.x() + box.high.x() - mirrored[i].x();
    for (int c = 0; c < 3; ++c) random[i][c] = dice.uniform(box.low[c], box.high[c]);
  }
  return {flat, mirrored, random};
}

// The largest change of an edge, of the longest side of all.
double out_of_shape(const SoftBody& body) {
  double worst = 0;
  for (const TetCorners& t : body.rest().tets)
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const double rest = (body.rest().positions[t[a]] - body.rest().positions[t[b]]).norm();
        worst = std::max(worst, std::abs((body.positions()[t[a]] - body.positions()[t[b]]).norm() - rest));
      }
  return worst / box_of(body.rest().positions).longest();
}

// How fast its shape still changes: without what all of it moves and turns with, which nothing stops.
double fastest(const SoftBody& body) {
  const std::span<const Vec3> x = body.positions(), v = body.velocities();
  Vec3 centre = Vec3::Zero(), drift = Vec3::Zero();
  for (std::size_t i = 0; i < x.size(); ++i) {
    centre += x[i] / static_cast<double>(x.size());
    drift += v[i] / static_cast<double>(x.size());
  }
  Mat3 inertia = Mat3::Zero();
  Vec3 momentum = Vec3::Zero();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3 arm = x[i] - centre;
    inertia += arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose();
    momentum += arm.cross(v[i] - drift);
  }
  const Vec3 spin = inertia.ldlt().solve(momentum);
  double speed = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    speed = std::max(speed, (v[i] - drift - spin.cross(x[i] - centre)).norm());
  return speed;
}

// Within so many steps to positive volumes and to rest in its shape, and it stays upright.
void expect_back(const TetMesh& mesh, double density, double young, int steps) {
  const double size = box_of(mesh.positions).longest();
  for (const std::vector<Vec3>& state : bad_states(mesh)) {
    SoftBodyOptions options;
    options.gravity.setZero();
    SoftBody body(mesh, {.density = density, .young = young, .poisson = 0.4}, options);
    body.set_positions(state);
    const auto is_back = [&] {
      return body.inverted() == 0 && out_of_shape(body) < 1e-3 && fastest(body) < 0.01 * size;
    };
    int upright = 0, i = 0;
    for (; i < steps && !is_back(); ++i) {
      body.step(1.0 / 60);
      if (body.inverted() > 0) upright = i + 2;
      for (const Vec3& p : body.positions()) ASSERT_TRUE(p.allFinite());
    }
    ::testing::Test::RecordProperty("steps_until_positive", std::to_string(upright));
    ::testing::Test::RecordProperty("steps_until_at_rest", std::to_string(i));
    ASSERT_TRUE(is_back()) << "after " << i << " steps: " << body.inverted() << " inverted, "
                           << out_of_shape(body) << " out of shape, which changes by " << fastest(body)
                           << " m/s";
    for (int more = 0; more < 30; ++more) {
      body.step(1.0 / 60);
      ASSERT_TRUE(body.inverted() == 0 && out_of_shape(body) < 1e-3) << i << " + " << more << " steps";
    }
  }
}

TEST(RealMeshesProperty, BeamsComeBack) {
  const std::array beams = {BeamShape{.cell = 0.005, .along = 23, .across = 2},
                            BeamShape{.cell = 0.01 / 3, .along = 31, .across = 3},
                            BeamShape{.cell = 0.0025, .along = 39, .across = 4}};
  for (const BeamShape& beam : beams) {
    if (beam.across > 2 && !testing::long_run()) continue;
    for (const double young : {1e4, 1e6, 1e8}) expect_back(make(beam), 1000, young, 600);
  }
}

TEST(RealMeshesProperty, AnimalsComeBack) {
  const auto folder = testing::data_folder();
  if (!folder) GTEST_SKIP() << testing::no_data;
  const std::vector<double> moduli =
      testing::long_run() && !testing::fewer_cases() ? std::vector{1e4, 1e6, 1e8} : std::vector{1e6};
  for (const double young : moduli) {
    expect_back(animal(*folder, "hippo"), 1227, young, 600);
    if (!testing::fewer_cases()) expect_back(animal(*folder, "armadillo"), 1027, young, 600);
  }
}

// How many elements are inverted where forces are in balance, when gravity is switched on bit by bit: what a
// material that weak comes to by itself.
std::size_t inverted_in_balance(const TetMesh& mesh, const Material& material,
                                std::span<const std::uint32_t> held) {
  SoftBodyOptions options;
  options.solve = {.iterations = 3000, .tolerance = 1e-8};
  SoftBody body(mesh, material, options);
  body.fix(held);
  const int parts = 20;
  for (int k = 1; k <= parts; ++k) {
    for (std::uint32_t v = 0; v < mesh.positions.size(); ++v)
      body.set_force(v, -options.gravity * body.masses()[v] * (1 - static_cast<double>(k) / parts));
    body.set_velocities(std::vector<Vec3>(mesh.positions.size(), Vec3::Zero()));
    body.step(1);
  }
  return body.inverted();
}

// Held by a slab in the middle of the longest side, the rest hangs; the softer, the lower.
void expect_sag(const TetMesh& mesh, double density, std::span<const double> moduli, int steps) {
  const Box box = box_of(mesh.positions);
  int axis = 0;
  const double length = (box.high - box.low).maxCoeff(&axis);
  const double middle = 0.5 * (box.low[axis] + box.high[axis]);
  std::vector<std::uint32_t> held;
  for (std::uint32_t v = 0; v < mesh.positions.size(); ++v)
    if (std::abs(mesh.positions[v][axis] - middle) < 0.15 * length) held.push_back(v);
  double last = HUGE_VAL;
  for (const double young : moduli) {
    const Material material{.density = density, .young = young, .poisson = 0.4};
    SoftBody body(mesh, material);
    body.fix(held);
    for (int i = 0; i < steps; ++i) body.step(1.0 / 60);
    double sag = 0, speed = 0;
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      ASSERT_TRUE(body.positions()[v].allFinite());
      sag = std::max(sag, (body.positions()[v] - mesh.positions[v]).norm());
      speed = std::max(speed, body.velocities()[v].norm());
    }
    ::testing::Test::RecordProperty("sag_" + std::to_string(young), std::to_string(sag / length));
    if (body.inverted() > 0) {
      EXPECT_LE(body.inverted(), inverted_in_balance(mesh, material, held)) << young;
    }
    EXPECT_LT(sag, last) << young;
    EXPECT_LT(sag, 3 * length) << young;
    EXPECT_LT(speed, 0.05) << young;
    last = sag;
  }
  EXPECT_LT(last, 1e-4 * length);
}

std::vector<double> moduli(bool all) {
  return all ? std::vector{1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9} : std::vector{1e4, 1e9};
}

TEST(RealMeshesProperty, HippoSagsFromJellyToStone) {
  const auto folder = testing::data_folder();
  if (!folder) GTEST_SKIP() << testing::no_data;
  expect_sag(animal(*folder, "hippo"), 1227, moduli(testing::long_run()), testing::long_run() ? 240 : 80);
}

TEST(RealMeshesProperty, ArmadilloSagsFromJellyToStone) {
  const auto folder = testing::data_folder();
  if (!folder) GTEST_SKIP() << testing::no_data;
  if (testing::fewer_cases()) return;  // hours without optimisation
  expect_sag(animal(*folder, "armadillo"), 1027, moduli(testing::long_run()), testing::long_run() ? 240 : 60);
}

}  // namespace
}  // namespace palpate
