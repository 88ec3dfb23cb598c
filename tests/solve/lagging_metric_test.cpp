// When a factor that is made in the background comes into use: neither before its time, however early it is
// ready, nor after it. Before and after, solutions are those of the factors themselves, to the bit.
#include <palpate/solve/lagging_metric.h>

#include <chrono>
#include <thread>

#include <solve/term_checks.h>
#include <support/cases.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

// Nodes on a string of springs, each about as stiff as it is said.
struct Chain {
  Equations equations;
  std::vector<MetricEntry> entries;

  Chain(Random& random, std::size_t nodes, double stiffness) {
    equations.masses.assign(nodes, 1);
    equations.held.assign(nodes, 0);
    equations.targets.assign(nodes, Vec3::Zero());
    equations.held[0] = 1;
    entries = matrix_of(equations);
    for (std::uint32_t i = 1; i < nodes; ++i) {
      const double spring = stiffness * random.uniform(0.5, 2);
      entries.insert(entries.end(), {{i, i, spring}, {i - 1, i - 1, spring}, {i, i - 1, -spring}});
    }
  }
  // By a factor of its own.
  std::vector<Vec3> solved(std::vector<Vec3> x) const {
    Metric metric;
    metric.factor(equations.size(), entries, equations.held);
    metric.solve(x);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (equations.held[i] != 0) x[i].setZero();
    return x;
  }
};

std::vector<Vec3> solved(LaggingMetric& metric, std::vector<Vec3> x) {
  metric.solve(x);
  return x;
}

// Right sides are zero where nodes are held, as solvers have them.
std::vector<Vec3> right_side(Random& random, std::size_t nodes) {
  std::vector<Vec3> x = testing::random_directions(random, nodes);
  x[0].setZero();
  return x;
}

// By far enough for it to be ready.
void wait_long() { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }

TEST(LaggingMetricProperty, ANewFactorComesIntoUseAtItsSolveAndNotBefore) {
  each_case(6, [](Random& random) {
    const std::size_t nodes = random.chance(0.5) ? 2 + random.below(200) : 3000 + random.below(3000);
    const Chain old(random, nodes, 1e3), now(random, nodes, 1e5);
    const std::vector<Vec3> right = right_side(random, nodes), before = old.solved(right),
                            after = now.solved(right);
    ASSERT_NE(before, after);
    for (const bool ready_early : {true, false}) {
      LaggingMetric metric;
      metric.factor(old.equations, old.entries);
      metric.begin_solve(old.equations);
      EXPECT_FALSE(metric.lags());
      EXPECT_EQ(solved(metric, right), before);
      metric.refactor(now.equations, now.entries);
      if (ready_early) wait_long();
      for (int solve = 1; solve <= LaggingMetric::lag(nodes) + 2; ++solve) {
        metric.begin_solve(now.equations);
        const bool in_use = solve >= LaggingMetric::lag(nodes);
        EXPECT_EQ(metric.lags(), !in_use) << solve;
        // As often as it likes within a step.
        for (int k = 0; k < 2; ++k) EXPECT_EQ(solved(metric, right), in_use ? after : before) << solve;
      }
    }
  });
}

TEST(LaggingMetric, LargerBodiesWaitLonger) {
  EXPECT_GE(LaggingMetric::lag(1), 2);
  EXPECT_GT(LaggingMetric::lag(100'000), 10 * LaggingMetric::lag(1));
}

// What changes while one is being made waits for it, and for as many solves again; of several changes the
// last.
TEST(LaggingMetric, WhatChangesMeanwhileWaitsItsTurn) {
  Random random(3);
  const std::size_t nodes = 2000;
  const int lag = LaggingMetric::lag(nodes);
  const Chain first(random, nodes, 1e3), second(random, nodes, 1e4), skipped(random, nodes, 1e5),
      third(random, nodes, 1e6);
  const std::vector<Vec3> right = right_side(random, nodes);
  LaggingMetric metric;
  metric.factor(first.equations, first.entries);
  metric.refactor(second.equations, second.entries);
  metric.begin_solve(second.equations);
  metric.refactor(skipped.equations, skipped.entries);
  metric.refactor(third.equations, third.entries);
  wait_long();
  for (int solve = 2; solve <= 2 * lag + 2; ++solve) {
    metric.begin_solve(third.equations);
    if (solve == lag) wait_long();
    const Chain& used = solve < lag ? first : solve < 2 * lag ? second : third;
    EXPECT_EQ(solved(metric, right), used.solved(right)) << solve;
    EXPECT_EQ(metric.lags(), solve < 2 * lag) << solve;
  }
}

// Until then, what the old factor does not know goes for itself: nodes that are new by their own diagonal,
// and those that are held since do not move.
TEST(LaggingMetric, TheOldFactorServesWhatIsNewAndWhatIsHeldSince) {
  Random random(5);
  const std::size_t nodes = 50;
  const Chain old(random, nodes, 1e3);
  Chain now(random, nodes + 3, 1e3);
  now.equations.held[7] = 1;
  std::vector<Vec3> right = right_side(random, nodes + 3);
  right[7].setZero();
  LaggingMetric metric;
  metric.factor(old.equations, old.entries);
  metric.refactor(now.equations, now.entries);
  std::vector<Vec3> expected = old.solved({right.begin(), right.begin() + nodes});
  ASSERT_GT(expected[7].norm(), 0);
  expected[7].setZero();
  for (std::uint32_t i = nodes; i < nodes + 3; ++i) {
    double diagonal = 0;
    for (const MetricEntry& e : now.entries) diagonal += e.i == i && e.j == i ? e.value : 0;
    expected.push_back(right[i] * (1 / diagonal));
  }
  for (int solve = 1; solve < LaggingMetric::lag(nodes + 3); ++solve) {
    metric.begin_solve(now.equations);
    EXPECT_EQ(solved(metric, right), expected) << solve;
  }
  metric.begin_solve(now.equations);
  EXPECT_EQ(solved(metric, right), now.solved(right));
}

// What is saved while one is being made goes on with the solve it was at.
TEST(LaggingMetric, IsSavedWithTheSolvesThatAreLeft) {
  Random random(7);
  const std::size_t nodes = 4000;
  const int lag = LaggingMetric::lag(nodes);
  const Chain old(random, nodes, 1e3), now(random, nodes, 1e5);
  const std::vector<Vec3> right = right_side(random, nodes), before = old.solved(right),
                          after = now.solved(right);
  LaggingMetric saved;
  saved.factor(old.equations, old.entries);
  saved.refactor(now.equations, now.entries);
  saved.begin_solve(now.equations);
  std::vector<std::byte> bytes;
  ByteWriter to(bytes);
  saved.save(to, false);
  LaggingMetric loaded;
  ByteReader from(bytes, "metric");
  loaded.load(now.equations, now.entries, LaggingMetric::State(from, nodes));
  for (int solve = 2; solve <= lag + 1; ++solve) {
    loaded.begin_solve(now.equations);
    EXPECT_EQ(solved(loaded, right), solve < lag ? before : after) << solve;
  }
}

}  // namespace
}  // namespace palpate
