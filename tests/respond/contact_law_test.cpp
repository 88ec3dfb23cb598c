// The law of contacts against finite differences.
#include <palpate/respond/contact_law.h>

#include <Eigen/Eigenvalues>

#include <gtest/gtest.h>
#include <support/cases.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

Vec3 any(Random& random, double size) {
  const double x = random.uniform(-size, size), y = random.uniform(-size, size),
               z = random.uniform(-size, size);
  return {x, y, z};
}

TEST(ContactLawProperty, SlopesAndStiffnessAreRight) {
  each_case(2000, [](Random& random) {
    ContactLaw law;
    ContactSpring spring;
    spring.normal = (any(random, 1) + Vec3(0, 0, 2)).normalized();
    spring.stiffness = std::abs(random.magnitude(1, 1e4));
    spring.target = random.uniform(0, 1e-3);
    if (random.chance(0.7)) {
      spring.hard_stiffness = std::abs(random.magnitude(1, 1e4));
      spring.hard = random.uniform(-1, 1) * spring.target;
    }
    spring.tangent_stiffness = std::abs(random.magnitude(1, 1e4));
    spring.slip = random.chance(0.3) ? 0 : random.uniform(0, 1e-3 * spring.tangent_stiffness);
    spring.origin = any(random, 1e-3);
    law.springs = {spring};
    const std::vector<Vec3> at = {any(random, 2e-3)};
    std::vector<Vec3> gradient(1), ahead(1), behind(1);
    std::vector<Mat3> stiffness(1);
    law.value(at, gradient);
    law.stiffness(at, stiffness);
    EXPECT_LT((stiffness[0] - stiffness[0].transpose()).norm(), 1e-9 * stiffness[0].norm() + 1e-12);
    const Eigen::SelfAdjointEigenSolver<Mat3> solver(stiffness[0]);
    EXPECT_GE(solver.eigenvalues().minCoeff(), -1e-9 * stiffness[0].norm());
    // Not where the law bends.
    const double h = 1e-8, pressed = spring.target - spring.normal.dot(at[0]),
                 pulled = spring.tangent_stiffness * spring.across(at[0]).norm() - spring.slip;
    const double flat = spring.hard - spring.normal.dot(at[0]);
    if (std::abs(pressed) < 2 * h || std::abs(flat) < 2 * h ||
        std::abs(pulled) < 4 * h * spring.tangent_stiffness)
      return;
    for (int k = 0; k < 3; ++k) {
      std::vector<Vec3> one = at, other = at;
      one[0][k] += h;
      other[0][k] -= h;
      const double up = law.value(one, ahead), down = law.value(other, behind);
      const double scale = spring.stiffness + spring.hard_stiffness + spring.tangent_stiffness;
      EXPECT_NEAR(gradient[0][k], (up - down) / (2 * h), 1e-8 * scale);
      EXPECT_LT((stiffness[0].col(k) - (ahead[0] - behind[0]) / (2 * h)).norm(), 1e-4 * scale);
    }
  });
}

// What sticks pulls like a spring, what slides with the coefficient's force, and nothing pulls beyond it.
TEST(ContactLaw, FrictionGivesWay) {
  ContactSpring spring;
  spring.tangent_stiffness = 1000;
  spring.slip = 0.5;
  EXPECT_NEAR(spring.drag(Vec3(1e-4, 0, 0)).x(), -0.1, 1e-12);
  EXPECT_NEAR(spring.drag(Vec3(0, 1, 0)).y(), -0.5, 1e-12);
  EXPECT_EQ(spring.drag(Vec3(0, 0, 1)).norm(), 0) << "along the normal";
}

}  // namespace
}  // namespace palpate
