#include "bench/soft_conclusions.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

namespace palpate::bench {
namespace {

Row to_error(const std::string& name, double target, double error, std::optional<double> ratio = {}) {
  Row row{name, "quasi_newton", Role::ours, 1, 10, 5, 1.0, 0, ratio, {}, {}};
  row.facts = {{"target", target}, {"error", error}};
  row.flags = {"default"};
  return row;
}

const Conclusion* find(const std::vector<Conclusion>& all, const std::string& name) {
  for (const Conclusion& one : all)
    if (one.name == name) return &one;
  return nullptr;
}

TEST(SoftConclusions, NothingFromNothing) { EXPECT_TRUE(soft_conclusions({}).empty()); }

// A default that misses its target has a row, and is counted.
TEST(SoftConclusions, WhatIsMissedIsSaid) {
  const auto all =
      soft_conclusions({to_error("beam-E1e6", 1e-2, 0.009, 7.0), to_error("hippo-E1e6", 1e-2, 0.02, 6.0),
                        to_error("hippo-E1e4", 1e-2, 0.001, 2.0), to_error("hippo-E1e4", 1e-4, 1e-5, 2.0)});
  const Conclusion* const reached = find(all, "default_reached_at_1e-02");
  ASSERT_NE(reached, nullptr);
  EXPECT_EQ(reached->value, 2);
  EXPECT_EQ(reached->bound, 3);
  const Conclusion* const finely = find(all, "default_reached_at_1e-04");
  ASSERT_NE(finely, nullptr);
  EXPECT_EQ(finely->value, 1);
  EXPECT_EQ(finely->bound, 1);
  // Of the ratios the worst counts, of those moduli that a bound is given for.
  const Conclusion* const ratio = find(all, "default_over_reference_at_1e-02");
  ASSERT_NE(ratio, nullptr);
  EXPECT_EQ(ratio->value, 6);
}

Row standing(int power, int threads, double one_step_ms, double median_ms, double p99_ms) {
  Row row{standing_prefix + "armadillo-E1e" + std::to_string(power),
          "quasi_newton",
          Role::ours,
          threads,
          50000,
          5,
          one_step_ms,
          0,
          {},
          {},
          {}};
  row.facts = {{"shape_error", 0.01},
               {"all_steps_threads", 2},
               {"all_steps_median_ms", median_ms},
               {"all_steps_p99_ms", p99_ms}};
  row.flags = {"default"};
  return row;
}

// All steps were done with all cores, whatever the row: they are judged once, by their median. What one step
// of the fall takes is not judged.
TEST(SoftConclusions, StandingIsJudgedByTheMedianOfAllSteps) {
  const auto all = soft_conclusions({standing(6, 1, 40, 20, 33), standing(6, 2, 25, 20, 33)});
  const Conclusion* const rate = find(all, "standing-armadillo-E1e6_hz_2_threads");
  ASSERT_NE(rate, nullptr);
  EXPECT_DOUBLE_EQ(rate->value, 50);
  EXPECT_EQ(rate->bound, 30);
  EXPECT_NE(rate->text.find("50 steps a second with 2 threads"), std::string::npos) << rate->text;
  EXPECT_NE(rate->text.find("33 ms"), std::string::npos) << rate->text;
  EXPECT_EQ(find(all, "standing-armadillo-E1e6_hz_1_threads"), nullptr);
  const Conclusion* const shape = find(all, "standing-armadillo-E1e6_shape_error");
  ASSERT_NE(shape, nullptr);
  EXPECT_EQ(shape->value, 0.01);
  EXPECT_EQ(shape->bound, 0.02);
  EXPECT_EQ(all.size(), 2u);
  EXPECT_EQ(soft_conclusions({standing(8, 1, 40, 20, 33)}).size(), 2u);
}

Row sweep(const std::string& method, int threads, double ms, std::optional<double> ratio) {
  Row row{sweep_prefix + "armadillo-stvk", method, Role::ours, threads, 50000, 5, ms, 0, ratio, {}, {}};
  row.facts = {{"tetrahedra", 50000}};
  return row;
}

TEST(SoftConclusions, SweepsAreComparedWithPlainEigenOnOneCore) {
  const auto all =
      soft_conclusions({sweep("plain Eigen", 1, 30, {}), sweep("xpbd", 1, 5, 6.0),
                        sweep("xpbd_coloured", 1, 2.5, 12.0), sweep("xpbd_coloured", 2, 1.5, 20.0)});
  const Conclusion* const coloured = find(all, "coloured_over_plain_armadillo-stvk");
  ASSERT_NE(coloured, nullptr);
  EXPECT_EQ(coloured->value, 12);
  EXPECT_EQ(coloured->bound, 8);
  const Conclusion* const price = find(all, "reference_ns_armadillo-stvk");
  ASSERT_NE(price, nullptr);
  EXPECT_DOUBLE_EQ(price->value, 100);
  EXPECT_EQ(all.size(), 2u);
}

TEST(SoftConclusions, TheCostOfIterationsGrowsWithAPower) {
  std::vector<Row> rows;
  const auto add = [&](double tetrahedra, int threads, double ms) {
    rows.push_back({iteration_prefix + "beam",
                    "quasi_newton",
                    Role::ours,
                    threads,
                    static_cast<std::size_t>(tetrahedra),
                    5,
                    ms,
                    0,
                    {},
                    {},
                    {}});
    rows.back().facts = {{"tetrahedra", tetrahedra}};
  };
  add(400, 1, 0.5);
  add(40000, 1, 0.5 * std::pow(100, 1.1));
  add(40000, 2, 1000);  // of more threads nothing counts
  EXPECT_EQ(find(soft_conclusions(rows), "iteration_growth_exponent"), nullptr) << "of two points";
  add(4000, 1, 0.5 * std::pow(10, 1.1));
  const auto all = soft_conclusions(rows);
  const Conclusion* const exponent = find(all, "iteration_growth_exponent");
  ASSERT_NE(exponent, nullptr);
  EXPECT_NEAR(exponent->value, 1.1, 1e-12);
  EXPECT_EQ(exponent->bound, 1.15);
  EXPECT_NE(exponent->text.find("n^1.10 from 400 to 40000"), std::string::npos) << exponent->text;
}

TEST(SoftConclusions, TheReferenceHasItsPrice) {
  Row row{sweep_prefix + "armadillo-stvk", "xpbd", Role::ours, 1, 10, 5, 5.5, 0, {}, {}, {}};
  row.facts = {{"tetrahedra", 50000}};
  const auto all = soft_conclusions({row});
  const Conclusion* const price = find(all, "reference_ns_armadillo-stvk");
  ASSERT_NE(price, nullptr);
  EXPECT_DOUBLE_EQ(price->value, 110);
}

}  // namespace
}  // namespace palpate::bench
