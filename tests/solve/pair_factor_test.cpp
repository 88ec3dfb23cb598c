// The factor of linked pairs against a dense one.
#include <palpate/solve/pair_factor.h>

#include <Eigen/Cholesky>

#include <gtest/gtest.h>
#include <support/cases.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

// Masses and springs between random pairs: trees, rings, cliques, and pairs that nothing links.
TEST(PairFactorProperty, SolvesWhatADenseOneDoes) {
  PairFactor factor;  // one for all: nothing is left of the case before
  each_case(200, [&](Random& random) {
    const std::size_t n = 1 + random.below(12);
    const auto size = static_cast<Eigen::Index>(6 * n);
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(size, size);
    std::vector<std::array<std::uint32_t, 2>> links;
    for (std::size_t k = random.below(3 * n); k > 0; --k)
      links.push_back(
          {static_cast<std::uint32_t>(random.below(n)), static_cast<std::uint32_t>(random.below(n))});
    factor.begin(n);
    for (const auto& [a, b] : links) factor.link(a, b);
    factor.order();
    factor.clear();
    const auto add = [&](std::uint32_t a, std::uint32_t b, const PairFactor::Block& block) {
      factor.add(a, b, block);
      dense.block<6, 6>(6 * a, 6 * b) += block;
      if (a != b) dense.block<6, 6>(6 * b, 6 * a) += block.transpose();
    };
    for (std::uint32_t i = 0; i < n; ++i) add(i, i, random.uniform(0.1, 10) * PairFactor::Block::Identity());
    for (const auto& [a, b] : links) {
      if (a == b) continue;
      std::array<Eigen::Matrix<double, 3, 6>, 2> arms;
      for (auto& arm : arms)
        for (int i = 0; i < 18; ++i) arm(i) = random.uniform(-1, 1);
      const double k = std::abs(random.magnitude(1, 1e4));
      add(a, a, k * arms[0].transpose() * arms[0]);
      add(b, b, k * arms[1].transpose() * arms[1]);
      add(a, b, k * arms[0].transpose() * arms[1]);
    }
    factor.factor();
    std::vector<PairFactor::Six> x(n);
    Eigen::VectorXd right(size);
    for (std::size_t i = 0; i < n; ++i)
      for (int k = 0; k < 6; ++k)
        right[static_cast<Eigen::Index>(6 * i) + k] = x[i][k] = random.uniform(-1, 1);
    factor.solve(x);
    Eigen::VectorXd solution(size);
    for (std::size_t i = 0; i < n; ++i) solution.segment<6>(static_cast<Eigen::Index>(6 * i)) = x[i];
    EXPECT_LT((dense * solution - right).norm(), 1e-10 * dense.norm() * solution.norm());
    const Eigen::VectorXd expected = dense.ldlt().solve(right);
    EXPECT_LT((solution - expected).norm(), 1e-8 * expected.norm());
  });
}

}  // namespace
}  // namespace palpate
