#include "bench/contact_conclusions.h"

#include <cmath>

#include <gtest/gtest.h>

namespace palpate::bench {
namespace {

Row row(const std::string& name, const std::string& method, double ms,
        std::optional<double> ratio_peer = {}) {
  return {name, method, Role::ours, 1, 10, 5, ms, 0, {}, ratio_peer, {}};
}

Row sheet(double triangles, double ms) {
  Row one = row(growth_name, "tree", ms);
  one.facts = {{"triangles", triangles}, {"contacts", 2 * triangles}};
  return one;
}

TEST(ContactConclusions, NothingFromNothing) {
  EXPECT_TRUE(conclusions({}).empty());
  EXPECT_TRUE(
      conclusions({row("tori", "tree", 1), row(pair_prefix + "tori", "ours", 1), sheet(100, 1)}).empty());
}

TEST(ContactConclusions, TheWorstCaseOfPairsCounts) {
  Row several = row(pair_prefix + "c", "ours", 1, 1.5);
  several.threads = 2;
  Row peer = row(pair_prefix + "c", "peer", 1, 1.0);
  peer.role = Role::peer;
  const auto all = conclusions(
      {row(pair_prefix + "a", "ours", 1, 7.0), row(pair_prefix + "b", "ours", 1, 5.0), several, peer});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].value, 5);
  EXPECT_NE(all[0].text.find("on b"), std::string::npos);
}

TEST(ContactConclusions, TheGridsTimeOverThatOfThePeer) {
  const auto all = conclusions({row(grid_prefix + "cloth", "classic_grid", 1, 0.5)});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].value, 2);
}

TEST(ContactConclusions, TheFitFindsThePower) {
  std::vector<Row> rows;
  for (const double n : {1e3, 1e4, 1e5, 1e6}) rows.push_back(sheet(n, 0.3 * std::pow(n, 1.25)));
  const auto all = conclusions(rows);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NEAR(all[0].value, 1.25, 1e-12);
  EXPECT_NE(all[0].text.find("from 1000 to 1000000 triangles at 2.00 to 2.00 contacts"), std::string::npos)
      << all[0].text;
}

}  // namespace
}  // namespace palpate::bench
