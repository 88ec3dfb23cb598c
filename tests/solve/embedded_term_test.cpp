// Terms on points that follow nodes: derivatives, and the same as on the nodes where the two are the same.
#include <palpate/solve/embedded_term.h>

#include <Eigen/Dense>

#include <solve/term_checks.h>
#include <support/allocation_counter.h>
#include <support/cases.h>

#include <palpate/soft/spring_rules.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

using Springs = CompliantTerm<SpringRule>;

struct Case {
  std::vector<Vec3> x;  // nodes
  Embedding embedding;
  std::unique_ptr<Springs> springs;
};
Case random_case(Random& random) {
  Case c;
  const std::size_t nodes = 4 + random.below(6), points = 2 + random.below(8);
  c.x = testing::random_directions(random, nodes);
  std::vector<TetCorners> corners(points, TetCorners{});
  std::vector<std::array<double, 4>> weights(points, std::array<double, 4>{});
  for (std::size_t i = 0; i < points; ++i) {
    const std::size_t used = 1 + random.below(4);
    double sum = 0;
    for (std::size_t k = 0; k < used; ++k) {
      corners[i][k] = static_cast<std::uint32_t>(random.below(nodes));  // also the same one twice
      weights[i][k] = random.chance(0.2) ? random.uniform(-0.3, 0) : random.uniform(0.2, 1);
      sum += weights[i][k];
    }
    if (std::abs(sum) < 0.1) weights[i][0] += 1, sum += 1;
    for (double& w : weights[i]) w /= sum;
  }
  c.embedding = Embedding(nodes, corners, weights);
  std::vector<Compliant<SpringRule>> elements;
  for (std::size_t i = 1 + random.below(12); i > 0; --i) {
    const auto a = static_cast<std::uint32_t>(random.below(points)),
               b = static_cast<std::uint32_t>(random.below(points));
    if (a != b) elements.push_back({{a, b}, random.uniform(1, 100), {random.uniform(0.1, 2)}});
  }
  c.springs = std::make_unique<Springs>(points, elements);
  return c;
}

TEST(EmbeddedTermProperty, DerivativesAreRight) {
  each_case(300, [](Random& random) {
    Case c = random_case(random);
    EmbeddedTerm term(*c.springs, c.embedding);
    testing::check_term(term, c.x, 1, 1e4, random);
  });
}

// Springs between points that are not too near to each other, each as long as it is.
std::vector<Compliant<SpringRule>> springs_at_rest(std::span<const Vec3> points, Random& random) {
  std::vector<Compliant<SpringRule>> springs;
  for (std::uint32_t a = 0; a < points.size(); ++a)
    for (std::uint32_t b = 0; b < a; ++b)
      if (const double length = (points[a] - points[b]).norm(); length > 0.2)
        springs.push_back({{a, b}, random.uniform(1, 100), {length}});
  return springs;
}

TEST(EmbeddedTermProperty, StiffnessAtRestIsTheDerivativeOfForces) {
  each_case(100, [](Random& random) {
    // Points that follow any nodes, also the same ones: blocks may be more than their own.
    const Case c = random_case(random);
    std::vector<Vec3> points(c.embedding.size());
    c.embedding.map(c.x, points);
    Springs springs(points.size(), springs_at_rest(points, random));
    EmbeddedTerm any(springs, c.embedding);
    if (!springs.elements().empty()) testing::check_products_at_rest(any, c.x, 1, random);
    // Where no node is followed twice, they are exact.
    const std::size_t count = 2 + random.below(3);
    const std::vector<Vec3> x = testing::random_directions(random, 4 * count);
    std::vector<TetCorners> corners;
    std::vector<std::array<double, 4>> weights;
    for (std::uint32_t i = 0; i < count; ++i) {
      corners.push_back({4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3});
      const double a = random.uniform(-0.5, 1), b = random.uniform(0.1, 0.5), z = random.uniform(0, 0.3);
      weights.push_back({a, b, z, 1 - a - b - z});
    }
    const Embedding apart(x.size(), corners, weights);
    points.resize(count);
    apart.map(x, points);
    Springs others(count, springs_at_rest(points, random));
    EmbeddedTerm exact(others, apart);
    if (!others.elements().empty()) testing::check_stiffness_at_rest(exact, x, 1, random);
  });
}

// By the matrix W of all weights, dense: H = W^T H_points W, of the product and of the metric; a node alone
// is at least as stiff as its part of that.
TEST(EmbeddedTermProperty, IsTheTransposeOfAPlainMatrix) {
  each_case(300, [](Random& random) {
    Case c = random_case(random);
    EmbeddedTerm term(*c.springs, c.embedding);
    const auto n = static_cast<Eigen::Index>(c.x.size()), m = static_cast<Eigen::Index>(c.embedding.size());
    Eigen::MatrixXd w = Eigen::MatrixXd::Zero(m, n);
    for (Eigen::Index i = 0; i < m; ++i)
      for (std::size_t k = 0; k < 4; ++k) {
        const auto point = static_cast<std::size_t>(i);
        w(i, c.embedding.corners()[point][k]) += c.embedding.weights()[point][k];
      }
    const auto dense = [](const Term& of, Eigen::Index size) {
      std::vector<MetricEntry> entries;
      of.add_metric(entries);
      Eigen::MatrixXd all = Eigen::MatrixXd::Zero(size, size);
      for (const MetricEntry& e : entries) {
        all(e.i, e.j) += e.value;
        if (e.i != e.j) all(e.j, e.i) += e.value;
      }
      return all;
    };
    const Eigen::MatrixXd expected = w.transpose() * dense(*c.springs, m) * w;
    EXPECT_LT((dense(term, n) - expected).norm(), 1e-12 * (1 + expected.norm()));

    std::vector<Vec3> at(c.embedding.size(), Vec3::Zero());
    for (Eigen::Index i = 0; i < m; ++i)
      for (Eigen::Index j = 0; j < n; ++j)
        at[static_cast<std::size_t>(i)] += w(i, j) * c.x[static_cast<std::size_t>(j)];
    for (Eigen::Index j = 0; j < n; ++j) {
      const auto node = static_cast<std::uint32_t>(j);
      Vec3 gradient = Vec3::Zero();
      Mat3 block = Mat3::Zero(), own;
      term.add_block(node, c.x, gradient, block);
      for (int axis = 0; axis < 3; ++axis) {
        std::vector<Vec3> moved(at.size(), Vec3::Zero()), pulls = moved, d(c.x.size(), Vec3::Zero()), out = d;
        for (Eigen::Index i = 0; i < m; ++i) moved[static_cast<std::size_t>(i)][axis] = w(i, j);
        c.springs->add_product(at, moved, pulls);
        own.col(axis).setZero();
        for (Eigen::Index i = 0; i < m; ++i) own.col(axis) += w(i, j) * pulls[static_cast<std::size_t>(i)];
        d[node][axis] = 1;
        term.add_product(c.x, d, out);
        EXPECT_LT((out[node] - own.col(axis)).norm(), 1e-11 * (1 + own.col(axis).norm()));
      }
      const double least = Eigen::SelfAdjointEigenSolver<Mat3>(block - own).eigenvalues()[0];
      EXPECT_GT(least, -1e-10 * (1 + block.norm()));
    }
  });
}

TEST(EmbeddedTerm, WarmCallsAllocateNothing) {
  Random random(7);
  Case c = random_case(random);
  EmbeddedTerm term(*c.springs, c.embedding);
  std::vector<Vec3> out(c.x.size(), Vec3::Zero());
  Mat3 block = Mat3::Zero();
  const auto all = [&] {
    term.value(c.x);
    term.add_gradient(c.x, out);
    term.add_product(c.x, c.x, out);
    for (std::uint32_t i = 0; i < c.x.size(); ++i) term.add_block(i, c.x, out[i], block);
  };
  all();
  if (!testing::counts_allocations()) GTEST_SKIP() << "the sanitizers have their own allocator";
  EXPECT_EQ(testing::allocations_in(all), 0u);
}

}  // namespace
}  // namespace palpate
