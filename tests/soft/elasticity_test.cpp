// Energies of deformations against finite differences, closed forms and what must hold of any material.
#include <palpate/soft/elasticity.h>

#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/SVD>

#include <support/cases.h>

#include <palpate/base/error.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

constexpr std::array models = {Model::stvk, Model::neo_hookean, Model::corotated};

Mat3 random_matrix(Random& random, double size) {
  Mat3 m;
  for (int i = 0; i < 9; ++i) m(i % 3, i / 3) = random.uniform(-size, size);
  return m;
}
Mat3 random_rotation(Random& random) {
  return Eigen::Quaterniond(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), 1.1)
      .normalized()
      .toRotationMatrix();
}
// Turned, stretched, flattened or inside out.
Mat3 random_gradient(Random& random) {
  Vec3 stretch(random.uniform(0.3, 2), random.uniform(0.3, 2), random.uniform(0.3, 2));
  if (random.chance(0.2)) stretch.z() *= -1;
  if (random.chance(0.1)) stretch.x() = 1e-3;
  return random_rotation(random) * stretch.asDiagonal() * random_rotation(random);
}
Elasticity random_elasticity(Random& random) {
  return {models[random.below(3)], lame(std::abs(random.magnitude(1e2, 1e9)), random.uniform(-0.3, 0.49))};
}

TEST(ElasticityProperty, DerivativesAgreeWithDifferences) {
  each_case(2000, [](Random& random) {
    const Elasticity e = random_elasticity(random);
    const Mat3 f = random_gradient(random), df = random_matrix(random, 1);
    // Where two stretches are opposite, the rotation of a corotated element jumps: there is no derivative.
    const Vec3 stretches = Eigen::JacobiSVD<Mat3>(f).singularValues();
    if (e.model == Model::corotated && stretches[1] + std::copysign(stretches[2], f.determinant()) < 0.05)
      return;
    // Two differences of different steps give a third that is better by two orders.
    const auto difference = [&](auto&& of, double h) { return (of(f + h * df) - of(f - h * df)) / (2 * h); };
    const auto better = [&](auto&& of) { return (4 * difference(of, 1e-4) - difference(of, 2e-4)) / 3; };
    const double scale = e.mu + std::abs(e.lambda);
    const double slope = better([&](const Mat3& at) { return energy_density(e, at); });
    ASSERT_NEAR(slope, stress(e, f).cwiseProduct(df).sum(), 1e-7 * scale);
    Mat3 change;
    for (int i = 0; i < 9; ++i)
      change(i % 3, i / 3) = better([&](const Mat3& at) { return stress(e, at)(i % 3, i / 3); });
    ASSERT_LT((change - stress_change(e, f, df)).norm(), 1e-6 * scale) << static_cast<int>(e.model);
  });
}

TEST(ElasticityProperty, TurningChangesNothingAndRestIsAtRest) {
  each_case(500, [](Random& random) {
    const Elasticity e = random_elasticity(random);
    const Mat3 turn = random_rotation(random), f = random_gradient(random);
    const double scale = e.mu + std::abs(e.lambda);
    ASSERT_NEAR(energy_density(e, turn), 0, 1e-14 * scale);
    ASSERT_LT(stress(e, turn).norm(), 1e-13 * scale);
    ASSERT_NEAR(energy_density(e, turn * f), energy_density(e, f), 1e-12 * scale * (1 + f.squaredNorm()));
    ASSERT_LT((stress(e, turn * f) - turn * stress(e, f)).norm(), 1e-11 * scale);
    // And in any direction of the body: all are isotropic.
    ASSERT_NEAR(energy_density(e, f * turn), energy_density(e, f), 1e-12 * scale * (1 + f.squaredNorm()));
  });
}

TEST(ElasticityProperty, SmallStrainsFollowHooke) {
  each_case(300, [](Random& random) {
    const Elasticity e = random_elasticity(random);
    const Mat3 any = random_matrix(random, 1), strain = 0.5 * (any + any.transpose());
    const Mat3 hooke = 2 * e.mu * strain + e.lambda * strain.trace() * Mat3::Identity();
    const Mat3 change = stress_change(e, Mat3::Identity(), any);
    ASSERT_LT((change - hooke).norm(), 1e-12 * (e.mu + std::abs(e.lambda))) << static_cast<int>(e.model);
  });
}

TEST(ElasticityProperty, StiffnessIsDefiniteAndRightWhereItIsConvex) {
  each_case(300, [](Random& random) {
    const Elasticity e = random_elasticity(random);
    const double scale = e.mu + std::abs(e.lambda);
    const Mat3 f = random_gradient(random);
    const Mat9 k = definite_stiffness(e, f);
    ASSERT_GT(Eigen::SelfAdjointEigenSolver<Mat9>(k).eigenvalues().minCoeff(), -1e-9 * scale);
    const Mat3 turn = random_rotation(random), df = random_matrix(random, 1);
    const Eigen::Matrix<double, 9, 1> change =
        definite_stiffness(e, turn) * Eigen::Map<const Eigen::Matrix<double, 9, 1>>(df.data());
    const Mat3 expected = stress_change(e, turn, df);
    ASSERT_LT((change - Eigen::Map<const Eigen::Matrix<double, 9, 1>>(expected.data())).norm(), 1e-9 * scale);
  });
}

// Of stable Neo-Hookean, rest is the least of all, and nothing else is at rest but what was collapsed to a
// point or a line: from anywhere else it goes down.
TEST(ElasticityProperty, NeoHookeanComesBackFromInsideOut) {
  each_case(200, [](Random& random) {
    const Elasticity e(Model::neo_hookean, lame(1, random.uniform(0, 0.49)));
    Mat3 f = random_gradient(random);
    f.col(2) *= -1;
    if (f.determinant() > 0) f.col(2) *= -1;
    for (int i = 0; i < 20'000 && stress(e, f).norm() > 1e-9; ++i)
      f -= 0.1 / (e.lambda + e.mu) * stress(e, f) / std::max(1.0, f.norm());
    ASSERT_NEAR(f.determinant(), 1, 1e-5);
    ASSERT_NEAR(energy_density(e, f), 0, 1e-8);
  });
}

TEST(Elasticity, ClosedForms) {
  const double lambda = 3e4, mu = 2e4;
  const Mat3 stretched = Vec3(1.5, 1, 1).asDiagonal();
  // Green strain (1.5^2 - 1) / 2 = 0.625 along x.
  EXPECT_NEAR(energy_density({Model::stvk, {lambda, mu}}, stretched), (mu + lambda / 2) * 0.625 * 0.625,
              1e-9);
  EXPECT_NEAR(energy_density({Model::corotated, {lambda, mu}}, stretched), (mu + lambda / 2) * 0.25, 1e-9);
  // Simple shear keeps the volume: of Neo-Hookean the first part is left.
  Mat3 sheared = Mat3::Identity();
  sheared(0, 1) = 0.8;
  EXPECT_NEAR(energy_density({Model::neo_hookean, {lambda, mu}}, sheared),
              0.5 * 4.0 / 3 * mu * (0.64 - std::log(1 + 0.16)), 1e-9);
}

TEST(ElasticityProperty, TetrahedraPullWithoutForceOrTorque) {
  each_case(500, [](Random& random) {
    const Elasticity e = random_elasticity(random);
    const double scale = e.mu + std::abs(e.lambda);
    std::array<Vec3, 4> rest, now;
    do
      for (Vec3& p : rest) p = random_matrix(random, 1).col(0);
    while (std::abs(TetShape(rest).volume) < 0.02);
    if (TetShape(rest).volume < 0) std::swap(rest[0], rest[1]);
    const TetShape shape(rest);
    const Mat3 f = random_gradient(random);
    const Vec3 shift = random_matrix(random, 1).col(0);
    for (std::size_t i = 0; i < 4; ++i) now[i] = f * rest[i] + shift;
    ASSERT_LT((shape.gradient(now) - f).norm(), 1e-11);
    const std::array<Vec3, 4> pull = shape.pull(stress(e, shape.gradient(now)));
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    for (std::size_t i = 0; i < 4; ++i) {
      force += pull[i];
      torque += now[i].cross(pull[i]);
    }
    ASSERT_LT(force.norm(), 1e-11 * scale);
    ASSERT_LT(torque.norm(), 1e-10 * scale);
    // The pull is the gradient of the energy by the corners.
    const std::size_t corner = random.below(4);
    const Vec3 by = random_matrix(random, 1).col(0);
    const auto energy = [&](double h) {
      std::array<Vec3, 4> moved = now;
      moved[corner] += h * by;
      return shape.volume * energy_density(e, shape.gradient(moved));
    };
    const double h = 1e-5, slope = (energy(h) - energy(-h)) / (2 * h);
    ASSERT_NEAR(slope, pull[corner].dot(by), 1e-5 * scale);
  });
}

// As published: six components of the Green strain times the root of the volume, with engineering shears,
// make the energy of StVK.
TEST(ElasticityProperty, ThePublishedConstraintHasTheEnergyOfStVK) {
  each_case(200, [](Random& random) {
    const Lame l = lame(std::abs(random.magnitude(1e2, 1e9)), random.uniform(0, 0.49));
    const Mat3 f = random_gradient(random), strain = 0.5 * (f.transpose() * f - Mat3::Identity());
    const double volume = random.uniform(0.1, 2);
    Eigen::Matrix<double, 6, 1> c;
    c << strain(0, 0), strain(1, 1), strain(2, 2), 2 * strain(1, 2), 2 * strain(0, 2), 2 * strain(0, 1);
    c *= std::sqrt(volume);
    Eigen::Matrix<double, 6, 6> stiffness = Eigen::Matrix<double, 6, 6>::Zero();
    stiffness.topLeftCorner<3, 3>().setConstant(l.lambda);
    stiffness.diagonal() << l.lambda + 2 * l.mu, l.lambda + 2 * l.mu, l.lambda + 2 * l.mu, l.mu, l.mu, l.mu;
    const double energy = volume * energy_density({Model::stvk, l}, f);
    ASSERT_NEAR(0.5 * c.dot(stiffness * c), energy, 1e-12 * energy);
  });
}

TEST(Material, NamesAndMistakes) {
  for (const NamedMaterial& named : named_materials()) {
    EXPECT_NO_THROW(require(named.material, named.name));
    EXPECT_EQ(&named_material(named.name), &named);
    if (named.least_young) {
      EXPECT_LE(*named.least_young, named.material.young);
      EXPECT_LE(named.material.young, *named.most_young);
    }
    EXPECT_FALSE(named.source.empty());
  }
  const auto message = [](auto&& work) {
    try {
      work();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message([] { named_material("ruber"); }).find("rubber"), std::string::npos);
  EXPECT_NE(message([] { named_material("unobtainium"); }).find("silicone"), std::string::npos);
  EXPECT_NE(message([] { require({.young = -1}, "jelly"); }).find("jelly"), std::string::npos);
  for (const Material& bad : {Material{.density = 0},
                              {.density = std::nan("")},
                              {.young = 0},
                              {.poisson = 0.5},
                              {.poisson = -1},
                              {.damping = -1},
                              {.young = INFINITY}})
    EXPECT_THROW(require(bad, "bad"), Error);
}

}  // namespace
}  // namespace palpate
