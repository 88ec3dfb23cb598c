// Sparse solves against dense ones.
#include <palpate/solve/metric.h>

#include <Eigen/Cholesky>

#include <support/allocation_counter.h>
#include <support/cases.h>

#include <palpate/base/error.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

TEST(MetricProperty, SolvesLikeADenseMatrix) {
  each_case(200, [](Random& random) {
    const std::size_t n = 1 + random.below(40);
    const auto size = static_cast<Eigen::Index>(n);
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(size, size);
    std::vector<MetricEntry> entries;
    std::vector<std::uint8_t> held(n, 0);
    for (std::uint8_t& h : held) h = random.chance(0.2);
    const auto add = [&](std::uint32_t i, std::uint32_t j, double value) {
      entries.push_back({std::max(i, j), std::min(i, j), value});
      if (held[i] != 0 || held[j] != 0) return;
      dense(i, j) += value;
      if (i != j) dense(j, i) += value;
    };
    for (std::uint32_t i = 0; i < n; ++i) add(i, i, random.uniform(0.1, 2));
    for (std::size_t k = random.below(4 * n); k > 0; --k) {
      const auto i = static_cast<std::uint32_t>(random.below(n)),
                 j = static_cast<std::uint32_t>(random.below(n));
      if (i == j) continue;
      const double spring = random.uniform(0, 100);
      add(i, i, spring);
      add(j, j, spring);
      add(i, j, -spring);
    }
    for (Eigen::Index i = 0; i < size; ++i)
      if (held[static_cast<std::size_t>(i)] != 0) dense(i, i) = 1;
    Metric metric;
    metric.factor(n, entries, held);
    ASSERT_EQ(metric.size(), n);
    std::vector<Vec3> x(n);
    for (Vec3& p : x) p = Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    Eigen::MatrixXd right(size, 3);
    for (Eigen::Index i = 0; i < size; ++i) right.row(i) = x[static_cast<std::size_t>(i)].transpose();
    metric.solve(x);
    const Eigen::MatrixXd expected = dense.llt().solve(right);
    for (Eigen::Index i = 0; i < size; ++i)
      ASSERT_LT((expected.row(i).transpose() - x[static_cast<std::size_t>(i)]).norm(),
                1e-9 * (1 + expected.norm()));
  });
}

TEST(Metric, RefusesWhatIsNotDefiniteAndSolvesWithoutAllocating) {
  Metric metric;
  EXPECT_THROW(metric.factor(2, std::vector<MetricEntry>{{0, 0, 1}, {1, 0, 2}, {1, 1, 1}}, {}), Error);
  metric.factor(0, {}, {});
  metric.solve({});
  metric.factor(2, std::vector<MetricEntry>{{0, 0, 2}, {1, 0, 1}, {1, 1, 2}}, {});
  std::vector<Vec3> x{Vec3(3, 0, 0), Vec3(3, 0, 0)};
  if (!testing::counts_allocations()) GTEST_SKIP() << "the sanitizers have their own allocator";
  EXPECT_EQ(testing::allocations_in([&] { metric.solve(x); }), 0u);
  EXPECT_NEAR(x[0].x(), 1, 1e-12);
}

}  // namespace
}  // namespace palpate
