// Vectors that follow unknowns, against matrices.
#include <palpate/solve/couplings.h>

#include <Eigen/Core>

#include <gtest/gtest.h>
#include <support/cases.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

Vec3 any(Random& random) {
  const double x = random.uniform(-1, 1), y = random.uniform(-1, 1), z = random.uniform(-1, 1);
  return {x, y, z};
}

TEST(CouplingsProperty, AreWhatTheirMatrixSays) {
  each_case(200, [](Random& random) {
    const auto nodes = static_cast<Eigen::Index>(1 + random.below(20)),
               count = static_cast<Eigen::Index>(random.below(30));
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(3 * count, 3 * nodes);
    Eigen::VectorXd constants(3 * count);
    Couplings couplings;
    for (Eigen::Index c = 0; c < count; ++c) {
      const Vec3 constant = any(random);
      constants.segment<3>(3 * c) = constant;
      couplings.begin_vector(constant);
      for (std::size_t k = random.below(5); k > 0; --k) {
        const auto node = static_cast<Eigen::Index>(random.below(static_cast<std::size_t>(nodes)));
        Mat3 arm = random.uniform(-1, 1) * Mat3::Identity();
        if (random.chance(0.5)) {
          for (int i = 0; i < 9; ++i) arm(i) = random.uniform(-1, 1);
          couplings.add(static_cast<std::uint32_t>(node), arm);
        } else {
          couplings.add(static_cast<std::uint32_t>(node), arm(0, 0));
        }
        matrix.block<3, 3>(3 * c, 3 * node) += arm;
      }
    }
    couplings.finish(static_cast<std::size_t>(nodes));
    std::vector<Vec3> x, pulls, out(couplings.size()), back;
    Eigen::VectorXd flat(3 * nodes), flat_pulls(3 * count);
    for (Eigen::Index i = 0; i < nodes; ++i) flat.segment<3>(3 * i) = x.emplace_back(any(random));
    for (Eigen::Index c = 0; c < count; ++c) flat_pulls.segment<3>(3 * c) = pulls.emplace_back(any(random));
    couplings.at(x, out);
    const Eigen::VectorXd at = constants + matrix * flat;
    for (Eigen::Index c = 0; c < count; ++c)
      EXPECT_LT((out[static_cast<std::size_t>(c)] - at.segment<3>(3 * c)).norm(), 1e-13);
    couplings.along(x, out);
    for (Eigen::Index c = 0; c < count; ++c)
      EXPECT_LT((out[static_cast<std::size_t>(c)] - (matrix * flat).segment<3>(3 * c)).norm(), 1e-13);
    back.assign(x.size(), Vec3::Ones());
    couplings.add_back(pulls, back);
    const Eigen::VectorXd expected = matrix.transpose() * flat_pulls;
    for (Eigen::Index i = 0; i < nodes; ++i)
      EXPECT_LT((back[static_cast<std::size_t>(i)] - Vec3::Ones() - expected.segment<3>(3 * i)).norm(),
                1e-13);
  });
}

}  // namespace
}  // namespace palpate
