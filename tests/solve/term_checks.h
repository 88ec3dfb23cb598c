// What must hold of every term, by finite differences.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <Eigen/Geometry>

#include <support/cases.h>

#include <palpate/solve/term.h>

namespace palpate::testing {

inline std::vector<Vec3> random_directions(Random& random, std::size_t n) {
  std::vector<Vec3> d(n);
  for (Vec3& v : d) v = Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  return d;
}
inline double dot(std::span<const Vec3> a, std::span<const Vec3> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].dot(b[i]);
  return sum;
}

// At `x`, which has lengths of about `size` [m] and stiffnesses of about `stiffness` [N/m].
inline void check_term(Term& term, std::span<const Vec3> x, double size, double stiffness, Random& random) {
  const std::size_t n = x.size();
  const std::vector<Vec3> d = random_directions(random, n);
  std::vector<Vec3> gradient(n, Vec3::Zero()), trial(n);
  const double value = term.add_gradient(x, gradient);
  EXPECT_EQ(value, term.value(x)) << "with and without the gradient";
  const auto along = [&](double h) {
    for (std::size_t i = 0; i < n; ++i) trial[i] = x[i] + h * d[i];
    return term.value(trial);
  };
  const double h = 1e-4 * size;
  const auto difference = [&](double step) { return (along(step) - along(-step)) / (2 * step); };
  const double slope = (4 * difference(h) - difference(2 * h)) / 3;
  // Where a gradient vanishes, what is left of the difference is rounding of the values.
  const double rounding = 1e-15 * std::abs(value) / h;
  EXPECT_NEAR(slope, dot(gradient, d), 1e-6 * std::sqrt(dot(gradient, gradient) * dot(d, d)) + rounding);
  const double scale = stiffness * size * static_cast<double>(n);
  // Nothing inside pushes or turns the whole.
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  for (std::size_t i = 0; i < n; ++i) {
    force += gradient[i];
    torque += x[i].cross(gradient[i]);
  }
  if (!term.is_anchored()) {
    EXPECT_LT(force.norm(), 1e-11 * scale);
    EXPECT_LT(torque.norm(), 1e-11 * scale * size);
  }
  // The second derivative is symmetric, and nothing goes down along it.
  const std::vector<Vec3> e = random_directions(random, n);
  std::vector<Vec3> hd(n, Vec3::Zero()), he(n, Vec3::Zero());
  term.add_product(x, d, hd);
  term.add_product(x, e, he);
  EXPECT_NEAR(dot(e, hd), dot(d, he), 1e-8 * stiffness * static_cast<double>(n));
  EXPECT_GT(dot(d, hd), -1e-8 * stiffness * static_cast<double>(n));
  // A node alone has its part of the gradient, and a stiffness that is symmetric and goes up everywhere.
  for (std::uint32_t i = 0; i < n; ++i) {
    Vec3 own = Vec3::Zero();
    Mat3 block = Mat3::Zero();
    term.add_block(i, x, own, block);
    EXPECT_LT((own - gradient[i]).norm(), 1e-11 * scale) << "node " << i;
    EXPECT_LT((block - block.transpose()).norm(), 1e-11 * stiffness);
    EXPECT_GT(d[i].dot(block * d[i]), -1e-11 * stiffness);
  }
  // The metric is of the nodes that there are, the lower half of it, and nothing goes down along it either.
  std::vector<MetricEntry> entries;
  term.add_metric(entries);
  double sum = 0;
  for (const MetricEntry& m : entries) {
    ASSERT_LT(m.i, n);
    ASSERT_LE(m.j, m.i);
    sum += (m.i == m.j ? 1 : 2) * m.value * d[m.i].dot(d[m.j]);
  }
  EXPECT_GT(sum, -1e-8 * stiffness * static_cast<double>(n));
}

// At rest, where nothing has to stand in for the second derivative: products with it are differences of
// gradients. Returns how large they are, and what they were taken with.
struct ProductsAtRest {
  double scale;
  std::vector<Vec3> d;
};
inline ProductsAtRest check_products_at_rest(Term& term, std::span<const Vec3> rest, double size,
                                             Random& random) {
  const std::size_t n = rest.size();
  const std::vector<Vec3> d = random_directions(random, n);
  const auto gradient = [&](double h) {
    std::vector<Vec3> x(n), result(n, Vec3::Zero());
    for (std::size_t i = 0; i < n; ++i) x[i] = rest[i] + h * d[i];
    term.add_gradient(x, result);
    return result;
  };
  const double h = 1e-4 * size;
  const auto near_after = gradient(h), near_before = gradient(-h), after = gradient(2 * h),
             before = gradient(-2 * h);
  std::vector<Vec3> product(n, Vec3::Zero());
  term.add_product(rest, d, product);
  const double scale = std::sqrt(dot(product, product));
  EXPECT_GT(scale, 0) << "no stiffness";
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3 slope = (8 * (near_after[i] - near_before[i]) - (after[i] - before[i])) / (12 * h);
    EXPECT_LT((slope - product[i]).norm(), 1e-6 * scale) << "node " << i;
  }
  return {scale, d};
}

// And the blocks of nodes are its own, or (not `exact_blocks`) a little more than that.
inline void check_stiffness_at_rest(Term& term, std::span<const Vec3> rest, double size, Random& random,
                                    bool exact_blocks = true) {
  const std::size_t n = rest.size();
  const auto [scale, d] = check_products_at_rest(term, rest, size, random);
  for (std::uint32_t i = 0; i < n; ++i) {
    std::vector<Vec3> alone(n, Vec3::Zero()), pulled(n, Vec3::Zero());
    alone[i] = d[i];
    term.add_product(rest, alone, pulled);
    Vec3 own = Vec3::Zero();
    Mat3 block = Mat3::Zero();
    term.add_block(i, rest, own, block);
    if (exact_blocks) {
      EXPECT_LT((block * d[i] - pulled[i]).norm(), 1e-6 * scale) << "node " << i;
    } else {
      const double all = d[i].dot(block * d[i]), needed = d[i].dot(pulled[i]);
      EXPECT_GT(all, needed - 1e-9 * scale) << "node " << i;
      EXPECT_LT(all, 3 * needed + 1e-9 * scale) << "node " << i;
    }
  }
}

}  // namespace palpate::testing
