#include "bench/soft_conclusions.h"

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
