// Sparse solves against dense ones.
#include <palpate/solve/metric.h>

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>

#include <support/allocation_counter.h>
#include <support/cases.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>

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

// Large enough for branches: boxes of nodes, sometimes with gaps, against Eigen's factor.
TEST(MetricProperty, BranchesSolveLikeTheWhole) {
  each_case(6, [](Random& random) {
    const std::size_t nx = 6 + random.below(14), ny = 6 + random.below(10), nz = 4 + random.below(10);
    const auto at = [&](std::size_t i, std::size_t j, std::size_t k) {
      return static_cast<std::uint32_t>((i * ny + j) * nz + k);
    };
    const std::size_t n = nx * ny * nz;
    std::vector<MetricEntry> entries;
    std::vector<std::uint8_t> held(n, 0);
    for (std::uint32_t v = 0; v < n; ++v) {
      entries.push_back({v, v, random.uniform(0.01, 0.1)});
      held[v] = random.chance(0.02);
    }
    const double gaps = random.chance(0.5) ? 0 : random.uniform(0, 0.6);
    const auto spring = [&](std::uint32_t a, std::uint32_t b) {
      if (random.chance(gaps)) return;
      const double k = random.uniform(0.1, 10);
      entries.push_back({a, a, k});
      entries.push_back({b, b, k});
      entries.push_back({std::max(a, b), std::min(a, b), -k});
    };
    for (std::size_t i = 0; i < nx; ++i)
      for (std::size_t j = 0; j < ny; ++j)
        for (std::size_t k = 0; k < nz; ++k) {
          if (i > 0) spring(at(i, j, k), at(i - 1, j, k));
          if (j > 0) spring(at(i, j, k), at(i, j - 1, k));
          if (k > 0) spring(at(i, j, k), at(i, j, k - 1));
          if (i > 0 && j > 0 && k > 0) spring(at(i, j, k), at(i - 1, j - 1, k - 1));
        }
    std::vector<Eigen::Triplet<double>> triplets;
    for (const MetricEntry& e : entries)
      if (held[e.i] == 0 && held[e.j] == 0)
        triplets.emplace_back(static_cast<int>(e.i), static_cast<int>(e.j), e.value);
    for (std::size_t v = 0; v < n; ++v)
      if (held[v] != 0) triplets.emplace_back(static_cast<int>(v), static_cast<int>(v), 1.0);
    const auto size = static_cast<Eigen::Index>(n);
    Eigen::SparseMatrix<double> matrix(size, size);
    matrix.setFromTriplets(triplets.begin(), triplets.end());
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower> factored(matrix);
    Eigen::MatrixXd right(size, 3);
    std::vector<Vec3> start(n), first;
    for (std::size_t v = 0; v < n; ++v) {
      start[v] = Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
      right.row(static_cast<Eigen::Index>(v)) = start[v].transpose();
    }
    const Eigen::MatrixXd expected = factored.solve(right);
    Metric metric;
    metric.factor(n, entries, held);
    for (const int threads : {1, 2, 4})
      Threads(threads).run([&] {
        std::vector<Vec3> x = start;
        metric.solve(x);
        if (first.empty()) first = x;
        ASSERT_EQ(x, first);
      });
    for (std::size_t v = 0; v < n; ++v)
      ASSERT_LT((expected.row(static_cast<Eigen::Index>(v)).transpose() - first[v]).norm(),
                1e-10 * expected.norm());
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
