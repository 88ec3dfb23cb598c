#include "bench/harness.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>

#include "bench/machine.h"

namespace palpate::bench {
namespace {

Method sleeper(const char* name, Role role, int microseconds, std::uint64_t result = 1) {
  return {name,
          role,
          [=] { std::this_thread::sleep_for(std::chrono::microseconds(microseconds)); },
          {},
          [=] { return result; }};
}

Benchmark of(const std::vector<Method>& methods) {
  return {"test", "", [=](bool) { return std::vector<Case>{{"the case", 10, [=] { return methods; }}}; }};
}

const Row& row(const Report& report, const std::string& method, int threads = 1) {
  for (const Row& one : report.rows)
    if (one.method == method && one.threads == threads) return one;
  throw std::runtime_error("no row " + method);
}

Settings quick() {
  Settings settings;
  settings.quick = true;
  return settings;
}

TEST(Harness, RatiosAreTakenTheRightWayRound) {
  const Report report =
      run(of({sleeper("ours", Role::ours, 1000), sleeper("reference", Role::reference, 20'000),
              sleeper("peer", Role::peer, 20'000), sleeper("better peer", Role::peer, 5000),
              sleeper("floor", Role::floor, 100)}),
          quick());
  // How long a sleep lasts is the machine's affair; which of two lasts longer is not.
  const Row& ours = row(report, "ours");
  EXPECT_GT(*ours.ratio_reference, 1.2);
  EXPECT_GT(*ours.ratio_peer, 1.2);
  EXPECT_LT(*ours.ratio_peer, *ours.ratio_reference);
  EXPECT_GT(*ours.ratio_floor, 1.2);
  EXPECT_LT(*row(report, "peer").ratio_peer, 1);
  EXPECT_EQ(*row(report, "reference").ratio_reference, 1);
  EXPECT_GE(ours.median_ms, 1);
  EXPECT_FALSE(report.calibration_ms.empty());
}

TEST(Harness, LeavesOutRatiosThatHaveNoOtherSide) {
  const Report report = run(of({sleeper("ours", Role::ours, 100)}), quick());
  EXPECT_FALSE(row(report, "ours").ratio_reference);
  EXPECT_FALSE(row(report, "ours").ratio_peer);
  EXPECT_FALSE(row(report, "ours").ratio_floor);
}

TEST(Harness, RefusesMethodsThatComputeDifferentThings) {
  EXPECT_THROW(run(of({sleeper("a", Role::ours, 10, 1), sleeper("b", Role::reference, 10, 2)}), quick()),
               Error);
}

TEST(Harness, RefusesToMeasureNothing) {
  Settings settings = quick();
  settings.cases = {"another"};
  EXPECT_THROW(run(of({sleeper("a", Role::ours, 10)}), settings), Error);
}

TEST(Harness, PreparesBeforeEveryRunAndDoesNotCountIt) {
  int prepared = 0, ran = 0;
  Method method{"ours", Role::ours, [&] { ++ran; },
                [&] {
                  ++prepared;
                  std::this_thread::sleep_for(std::chrono::microseconds(200));
                }};
  const Report report = run(of({method}), quick());
  EXPECT_EQ(prepared, ran);
  EXPECT_GT(row(report, "ours").rounds, 0u);
}

TEST(Harness, GivesThreadsToParallelMethodsOnly) {
  Method parallel = sleeper("parallel", Role::ours, 100);
  parallel.parallel = true;
  int most = 0;
  parallel.prepare = [&] { most = std::max(most, available_threads()); };
  Settings settings = quick();
  settings.threads = {1, 3};
  const Report report = run(of({parallel, sleeper("serial", Role::reference, 100)}), settings);
  EXPECT_EQ(most, 3);
  EXPECT_EQ(report.rows.size(), 3u);
  EXPECT_TRUE(row(report, "parallel", 3).ratio_reference);  // the serial reference counts for it, too
}

TEST(Statistics, MedianAndSpread) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(spread({5, 5, 5, 5}), 0);
  EXPECT_EQ(spread({1, 2, 3, 4, 5}), 2.0 / 3);
}

TEST(Machine, MeasuresItself) {
  EXPECT_GT(calibrate(), 0);
  const Machine machine = look_at_machine();
  EXPECT_GE(machine.cores, 1);
  EXPECT_GT(machine.slowdown_before, 0.5);
  EXPECT_FALSE(machine.built_for.empty());
}

}  // namespace
}  // namespace palpate::bench
