// Accelerations on linear maps, of which everything is known: mixes against least squares by another method,
// Chebyshev against the polynomials, over-relaxation against what it says it does.
#include <palpate/solve/acceleration.h>

#include <cmath>
#include <optional>
#include <utility>

#include <Eigen/LU>
#include <Eigen/QR>

#include <support/cases.h>

#include <palpate/base/error.h>
#include <palpate/solve/sweep_solver.h>

namespace palpate {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::each_case;
using testing::Random;
using Kind = Acceleration::Kind;

VectorXd random_vector(Random& random, Eigen::Index n) {
  VectorXd result(n);
  for (double& number : result) number = random.uniform(-1, 1);
  return result;
}

// x to matrix x + offset, a contraction.
struct LinearMap {
  MatrixXd matrix;
  VectorXd offset;

  LinearMap(Random& random, Eigen::Index n) : matrix(n, n), offset(random_vector(random, n)) {
    for (Eigen::Index k = 0; k < n; ++k) matrix.col(k) = random_vector(random, n);
    matrix *= 0.9 / matrix.norm();
  }
  VectorXd operator()(const VectorXd& x) const { return matrix * x + offset; }
  VectorXd fixed_point() const {
    return (MatrixXd::Identity(matrix.rows(), matrix.rows()) - matrix).lu().solve(offset);
  }
};

// The same as Anderson, by QR and from all that was ever seen.
class PlainMix {
 public:
  // The mix of the last results, as many as there are columns and one; `times` goes so many times as far.
  std::optional<VectorXd> operator()(const VectorXd& from, const VectorXd& to, const VectorXd& weights,
                                     std::size_t window, std::size_t columns, double times = 1) {
    from_.push_back(from);
    change_.emplace_back(to - from);
    if (change_.size() <= window) return {};
    const auto n = from.size();
    const std::size_t last = change_.size() - 1;
    MatrixXd of_change(n, static_cast<Eigen::Index>(columns)), of_result = of_change;
    for (std::size_t k = 0; k < columns; ++k) {
      const auto column = static_cast<Eigen::Index>(k);
      of_change.col(column) = change_[last - k] - change_[last - k - 1];
      of_result.col(column) = from_[last - k] - from_[last - k - 1] + times * of_change.col(column);
    }
    const VectorXd theta =
        (weights.asDiagonal() * of_change).colPivHouseholderQr().solve(weights.cwiseProduct(change_[last]));
    return from + times * change_[last] - of_result * theta;
  }

 private:
  std::vector<VectorXd> from_, change_;
};

struct Mixed {
  bool any;
  VectorXd out;
};
Mixed mix(Anderson& anderson, const VectorXd& from, const VectorXd& to, const VectorXd& weights) {
  const auto span = [](const VectorXd& v) { return std::span(v.data(), static_cast<std::size_t>(v.size())); };
  VectorXd out = VectorXd::Constant(to.size(), std::nan(""));
  const bool any = anderson.mix(span(from), span(to), span(weights),
                                std::span(out.data(), static_cast<std::size_t>(out.size())));
  return {any, out};
}

constexpr double no_limit = 1e30;

// Of a linear map with no more numbers than the window, the changes seen tell all.
TEST(AndersonProperty, IsExactOnLinearMapsOnceTheWindowIsFull) {
  for (const std::size_t window : {1, 2, 16})
    each_case(50, [&](Random& random) {
      const auto n = static_cast<Eigen::Index>(1 + random.below(window));
      const LinearMap map(random, n);
      const VectorXd weights = random_vector(random, n).array() + 2;
      Anderson anderson;
      anderson.begin(static_cast<std::size_t>(n), window, 1e12);
      for (std::size_t k = 0; k <= window; ++k) {
        const VectorXd from = random_vector(random, n), to = map(from);
        const auto [any, out] = mix(anderson, from, to, weights);
        ASSERT_EQ(any, k == window) << k;
        if (any) {
          ASSERT_LT((out - map.fixed_point()).norm(), 1e-5) << window << ", " << n << " numbers";
        } else {
          ASSERT_EQ(out, to) << "there was nothing to mix yet";
        }
      }
    });
}

// Also when the window has moved on, and when it all begins again.
TEST(AndersonProperty, MixesAsLeastSquaresDo) {
  for (const std::size_t window : {1, 2, 5, 16})
    each_case(20, [&](Random& random) {
      const auto n = static_cast<Eigen::Index>(2 * window + 3 + random.below(10));
      const LinearMap map(random, n);
      const VectorXd weights = random_vector(random, n).array() + 2;
      Anderson anderson;
      for (int again = 0; again < 2; ++again) {
        anderson.begin(static_cast<std::size_t>(n), window, no_limit);
        PlainMix plain;
        for (std::size_t k = 0; k < 2 * window + 3; ++k) {
          const VectorXd from = random_vector(random, n), to = map(from);
          const auto expected = plain(from, to, weights, window, window);
          const auto [any, out] = mix(anderson, from, to, weights);
          ASSERT_EQ(any, expected.has_value());
          if (any) {
            ASSERT_LT((out - *expected).norm(), 1e-9 * (1 + expected->norm())) << window << ", " << k;
          }
        }
      }
    });
}

// The oldest of four columns is nearly the next: the limit says whether it is used.
TEST(AndersonProperty, ColumnsThatAreNearlyParallelAreLeftOut) {
  each_case(50, [](Random& random) {
    const Eigen::Index n = 12;
    const std::size_t window = 4;
    const LinearMap map(random, n);
    const VectorXd weights = VectorXd::Ones(n), along = random_vector(random, n);
    std::vector<VectorXd> points = {random_vector(random, n)};
    points.emplace_back(points[0] + along);
    points.emplace_back(points[1] + along + 1e-4 * random_vector(random, n));
    for (int k = 0; k < 2; ++k) points.push_back(random_vector(random, n));
    const auto last = [&](auto&& mix_of) {
      for (std::size_t k = 0; k + 1 < points.size(); ++k) mix_of(points[k]);
      return mix_of(points.back());
    };
    const auto ours = [&](double limit) {
      Anderson anderson;
      anderson.begin(static_cast<std::size_t>(n), window, limit);
      return last([&](const VectorXd& from) { return mix(anderson, from, map(from), weights); }).out;
    };
    const auto expected = [&](std::size_t columns) {
      PlainMix plain;
      return last([&](const VectorXd& from) {
        const auto mixed = plain(from, map(from), weights, window, columns);
        return mixed.value_or(from);
      });
    };
    const VectorXd all = expected(4), fewer = expected(3);
    ASSERT_GT((all - fewer).norm(), 1e-3);
    EXPECT_LT((ours(no_limit) - all).norm(), 1e-5 * all.norm());
    EXPECT_LT((ours(1e4) - fewer).norm(), 1e-9 * fewer.norm());
    // However little is borne, two are left, and what they lead to is finite.
    EXPECT_LT((ours(1 + 1e-9) - expected(2)).norm(), 1e-9 * fewer.norm());
  });
}

TEST(Anderson, WhatCannotBeToldApartGivesNumbers) {
  const Eigen::Index n = 6;
  const VectorXd ones = VectorXd::Ones(n), start = VectorXd::LinSpaced(n, -1, 2);
  for (const std::size_t window : {1, 2, 16})
    for (const double limit : {1.5, 1e3, no_limit})
      for (const double step : {0.0, 1e-300, 1e-160, 1.0, 1e150, 1e300}) {
        Anderson anderson;
        anderson.begin(static_cast<std::size_t>(n), window, limit);
        for (int k = 0; k < 40; ++k) {
          const VectorXd from = start + static_cast<double>(k % 3) * step * ones;
          EXPECT_TRUE(mix(anderson, from, VectorXd(0.5 * from), ones).out.allFinite())
              << window << ", limit " << limit << ", steps of " << step;
        }
      }
}

// --- how the solver of sweeps uses them -----------------------------------------------------------

// Sweeps that take positions and multipliers together through a linear map.
class LinearSweep : public SolveSweep {
 public:
  LinearSweep(LinearMap map, MatrixXd changes, VectorXd weights)
      : map_(std::move(map)), changes_(std::move(changes)), weights_(std::move(weights)) {}

  void prepare(const Equations& /*equations*/) override {}
  std::size_t multipliers() const override { return static_cast<std::size_t>(weights_.size()); }
  void begin(const Equations& /*equations*/, std::span<PaddedPoint> /*x*/) const override {}
  void sweep(Equations& /*equations*/, std::span<PaddedPoint> x, std::span<double> multipliers) override {
    VectorXd all(map_.offset.size());
    all << packed(x), Eigen::Map<VectorXd>(multipliers.data(), weights_.size());
    all = map_(all);
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c) x[i].at[c] = all[static_cast<Eigen::Index>(3 * i + c)];
    Eigen::Map<VectorXd>(multipliers.data(), weights_.size()) = all.tail(weights_.size());
  }
  void apply(std::span<const PaddedPoint> /*x*/, std::span<const double> changes,
             std::span<PaddedPoint> to) override {
    const VectorXd moved = changes_ * Eigen::Map<const VectorXd>(changes.data(), weights_.size());
    for (std::size_t i = 0; i < to.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c) to[i].at[c] += moved[static_cast<Eigen::Index>(3 * i + c)];
  }
  void weigh(std::span<double> out) const override {
    Eigen::Map<VectorXd>(out.data(), weights_.size()) = weights_;
  }

 private:
  static VectorXd packed(std::span<const PaddedPoint> x) {
    VectorXd result(3 * static_cast<Eigen::Index>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c) result[static_cast<Eigen::Index>(3 * i + c)] = x[i].at[c];
    return result;
  }

  LinearMap map_;
  MatrixXd changes_;  // what multipliers do to positions
  VectorXd weights_;
};

struct Sweeps {
  static constexpr Eigen::Index nodes = 4, numbers = 3 * nodes, multipliers = 5;
  LinearMap map;
  MatrixXd changes{numbers, multipliers};
  VectorXd weights, start, masses;

  explicit Sweeps(Random& random)
      : map(random, numbers + multipliers),
        weights(random_vector(random, multipliers).array() + 2),
        start(random_vector(random, numbers)),
        masses(random_vector(random, nodes).array() + 2) {
    for (Eigen::Index k = 0; k < multipliers; ++k) changes.col(k) = random_vector(random, numbers);
  }
  // Positions and multipliers at the start.
  VectorXd first() const {
    VectorXd all = VectorXd::Zero(numbers + multipliers);
    all.head(numbers) = start;
    return all;
  }
  // The positions after every iteration.
  std::vector<VectorXd> run(const Acceleration& acceleration, int iterations) const {
    Equations equations;
    equations.step = 0.5;
    equations.masses.assign(masses.begin(), masses.end());
    equations.held.assign(nodes, 0);
    equations.targets.assign(nodes, Vec3::Zero());
    SweepSolver solver("linear", std::make_unique<LinearSweep>(map, changes, weights), acceleration);
    solver.prepare(equations);
    std::vector<Vec3> x(nodes);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = start.segment<3>(static_cast<Eigen::Index>(3 * i));
    std::vector<VectorXd> result;
    solver.solve(equations, x, {.iterations = iterations, .watch = [&](int, std::span<const Vec3> now) {
                                  result.emplace_back(numbers);
                                  for (std::size_t i = 0; i < now.size(); ++i)
                                    result.back().segment<3>(static_cast<Eigen::Index>(3 * i)) = now[i];
                                  return true;
                                }});
    return result;
  }
};

TEST(AccelerationProperty, OverRelaxationGoesOmegaTimesAsFar) {
  each_case(20, [](Random& random) {
    const Sweeps sweeps(random);
    const double omega = random.uniform(0.3, 1.9);
    const auto positions = sweeps.run({.kind = Kind::sor_positions, .omega = omega, .safeguard = false}, 5),
               multipliers =
                   sweeps.run({.kind = Kind::sor_multipliers, .omega = omega, .safeguard = false}, 5);
    VectorXd a = sweeps.first(), b = a;
    for (std::size_t k = 0; k < 5; ++k) {
      const VectorXd to = sweeps.map(a);
      a.head(Sweeps::numbers) += omega * (to - a).head(Sweeps::numbers);
      a.tail(Sweeps::multipliers) = to.tail(Sweeps::multipliers);
      ASSERT_LT((positions[k] - a.head(Sweeps::numbers)).norm(), 1e-12) << k;
      const VectorXd change = omega * (sweeps.map(b) - b).tail(Sweeps::multipliers);
      b.head(Sweeps::numbers) += sweeps.changes * change;
      b.tail(Sweeps::multipliers) += change;
      ASSERT_LT((multipliers[k] - b.head(Sweeps::numbers)).norm(), 1e-9 * (1 + b.norm())) << k;
    }
  });
}

// What is mixed are sweeps that go omega times as far; before the window is full, sweeps are plain.
TEST(AccelerationProperty, AndersonOnPositionsAndOnBothMixesOverRelaxedSweeps) {
  each_case(20, [](Random& random) {
    const Sweeps sweeps(random);
    const int iterations = 7;
    for (const double omega : {1.0, 0.4, 1.7})
      for (const Kind kind : {Kind::anderson_positions, Kind::anderson_both}) {
        const Acceleration acceleration{
            .kind = kind, .omega = omega, .window = 3, .condition_limit = no_limit, .safeguard = false};
        const auto ours = sweeps.run(acceleration, iterations);
        const Eigen::Index mixed =
            Sweeps::numbers + (kind == Kind::anderson_both ? Sweeps::multipliers : Eigen::Index{0});
        VectorXd weights(Sweeps::numbers + Sweeps::multipliers);
        for (Eigen::Index i = 0; i < Sweeps::numbers; ++i) weights[i] = std::sqrt(sweeps.masses[i / 3]) / 0.5;
        weights.tail(Sweeps::multipliers) = sweeps.weights;
        PlainMix plain;
        VectorXd at = sweeps.first();
        for (std::size_t k = 0; k < ours.size(); ++k) {
          VectorXd to = sweeps.map(at);
          if (const auto out = plain(at.head(mixed), to.head(mixed), weights.head(mixed), 3, 3, omega))
            to.head(mixed) = *out;
          at = to;
          ASSERT_LT((ours[k] - at.head(Sweeps::numbers)).norm(), 1e-7 * (1 + at.norm()))
              << name_of(kind) << ", " << omega << ", " << k;
        }
        ASSERT_EQ(ours.size(), static_cast<std::size_t>(iterations));
        if (omega == 1) continue;
        Acceleration without = acceleration;
        without.omega = 1;
        EXPECT_GT((ours[3] - sweeps.run(without, 4)[3]).norm(), 1e-3) << "omega changed nothing";
      }
  });
}

// As published: the mix is one of changes, and what it leads to is taken times omega.
TEST(AccelerationProperty, AndersonOnMultipliersGoesOmegaTimesTheMix) {
  each_case(20, [](Random& random) {
    const Sweeps sweeps(random);
    for (const double omega : {1.0, 2.5}) {
      const auto ours = sweeps.run({.kind = Kind::anderson_multipliers,
                                    .omega = omega,
                                    .window = 2,
                                    .condition_limit = no_limit,
                                    .safeguard = false},
                                   6);
      PlainMix plain;
      VectorXd at = sweeps.first(), last;
      for (std::size_t k = 0; k < ours.size(); ++k) {
        VectorXd to = sweeps.map(at);
        const VectorXd change = (to - at).tail(Sweeps::multipliers);
        if (last.size() > 0)
          if (const auto out = plain(last, change, VectorXd::Ones(Sweeps::multipliers), 2, 2)) {
            to.head(Sweeps::numbers) = at.head(Sweeps::numbers) + sweeps.changes * (omega * *out);
            to.tail(Sweeps::multipliers) = at.tail(Sweeps::multipliers) + omega * *out;
          }
        last = change;
        at = to;
        ASSERT_LT((ours[k] - at.head(Sweeps::numbers)).norm(), 1e-7 * (1 + at.norm())) << omega << ", " << k;
      }
    }
  });
}

// Where every number is taken times a factor within the radius, what is left after k sweeps are Chebyshev's
// polynomials: T_k(factor / radius) / T_k(1 / radius).
TEST(Acceleration, ChebyshevLeavesWhatItsPolynomialsSay) {
  const double radius = 0.9;
  Random random(3);
  Sweeps sweeps(random);
  sweeps.map.matrix.setZero();
  sweeps.map.offset.setZero();
  for (Eigen::Index i = 0; i < Sweeps::numbers; ++i)
    sweeps.map.matrix(i, i) = radius * (2.0 * static_cast<double>(i) / (Sweeps::numbers - 1) - 1);
  const auto ours = sweeps.run({.kind = Kind::chebyshev, .radius = radius, .safeguard = false}, 12);
  // The first factors, by hand.
  const VectorXd first = sweeps.map(sweeps.first()).head(Sweeps::numbers), start = sweeps.start;
  const VectorXd plain = (sweeps.map.matrix * sweeps.map(sweeps.first())).head(Sweeps::numbers);
  EXPECT_LT((ours[0] - first).norm(), 1e-14);
  const double factor = 2 / (2 - 0.81);
  EXPECT_LT((ours[1] - (start + factor * (plain - start))).norm(), 1e-14);
  VectorXd second = VectorXd::Zero(Sweeps::numbers + Sweeps::multipliers);
  second.head(Sweeps::numbers) = ours[1];
  const VectorXd next = sweeps.map(second).head(Sweeps::numbers);
  EXPECT_LT((ours[2] - (first + 4 / (4 - 0.81 * factor) * (next - first))).norm(), 1e-14);
  const auto polynomial = [](int k, double at) {
    return std::abs(at) <= 1 ? std::cos(k * std::acos(at)) : std::cosh(k * std::acosh(at));
  };
  for (int k = 1; k <= 12; ++k)
    for (Eigen::Index i = 0; i < Sweeps::numbers; ++i)
      EXPECT_NEAR(ours[static_cast<std::size_t>(k - 1)][i],
                  polynomial(k, sweeps.map.matrix(i, i) / radius) / polynomial(k, 1 / radius) * start[i],
                  1e-12)
          << k << ", " << i;
}

TEST(Acceleration, WhatMakesNoSenseIsRefused) {
  const auto message = [](const Acceleration& acceleration) {
    try {
      require(acceleration);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message({.kind = Kind::chebyshev, .omega = 1.5}).find("leave omega at 1"), std::string::npos);
  for (const Kind kind : all_accelerations()) {
    EXPECT_EQ(message({.kind = kind}), "") << name_of(kind);
    EXPECT_EQ(message({.kind = kind, .omega = 1.5}).empty(), kind != Kind::chebyshev) << name_of(kind);
  }
  for (const double omega : {0.0, -1.0, 101.0, std::nan("")})
    EXPECT_NE(message({.omega = omega}).find("omega"), std::string::npos) << omega;
  for (const std::size_t window : {std::size_t{0}, std::size_t{1}, Anderson::most + 1})
    EXPECT_NE(message({.window = window}).find("window"), std::string::npos) << window;
  EXPECT_NE(message({.radius = 1}).find("radius"), std::string::npos);
  EXPECT_NE(message({.condition_limit = 1}).find("condition_limit"), std::string::npos);
}

}  // namespace
}  // namespace palpate
