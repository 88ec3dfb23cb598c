// The rules by which claims of the grid are judged, on numbers made for it.
#include <gtest/gtest.h>

#include <palpate/study/study_grid.h>

namespace palpate {
namespace {

GridRun made(const char* method, double ms, bool all_threads = false) {
  GridRun run;
  run.method = method;
  run.ms = run.wall_ms = ms;
  run.all_threads = all_threads;
  return run;
}

GridCase made_case(int threads, double parallel_ms) {
  using namespace grid_method;
  GridCase c;
  c.scene = "made";
  c.steps = 300;
  c.triangles = 30'000;
  c.threads = threads;
  c.contacts = 1000;
  c.runs = {made(boxes, 10), made(boxes, parallel_ms, true), made(boxes_features, 11), made(spheres, 15),
            made(published_rules, 9)};
  c.runs[0].counts.triangle_pairs = 60;
  c.runs[3].counts.triangle_pairs = 100;
  c.runs[4].lost = 20;
  c.step_one = {60, 80, 0.1};
  c.step_all = {30, 50, 0.1};
  return c;
}

const Claim& claim(const std::vector<Claim>& all, const std::string& part) {
  for (const Claim& one : all)
    if (one.claim.find(part) != std::string::npos) return one;
  throw std::logic_error("no claim '" + part + "'");
}

Verdict verdict(const GridCase& c, const std::string& part) {
  return claim(judge_grid_claims({&c, 1}), part).verdict;
}

TEST(GridClaims, SixThreadsAreWhatH1Asks) {
  EXPECT_EQ(verdict(made_case(6, 4), "H1"), Verdict::holds);
  EXPECT_EQ(verdict(made_case(6, 6), "H1"), Verdict::does_not_hold);
  const GridCase two = made_case(2, 6);
  const std::vector<Claim> claims = judge_grid_claims({&two, 1});
  EXPECT_EQ(claim(claims, "H1").verdict, Verdict::not_judged);
  EXPECT_NEAR(claim(claims, "H1").measured.at(0), 10.0 / 6, 1e-12);
  EXPECT_NE(claim(claims, "H1").measured_text().find("on 2 threads"), std::string::npos);
  EXPECT_NE(claim(judge_grid_claims({}), "H1").measured_text(), "");
}

TEST(GridClaims, AmdahlsLawGoesFromFewThreadsToSix) {
  EXPECT_DOUBLE_EQ(speedup_of_six(2, 2), 6);
  EXPECT_DOUBLE_EQ(speedup_of_six(1, 2), 1);
  EXPECT_NEAR(speedup_of_six(1 / (0.2 + 0.8 / 2), 2), 1 / (0.2 + 0.8 / 6), 1e-12);
  EXPECT_DOUBLE_EQ(speedup_of_six(3, 6), 3);
  EXPECT_DOUBLE_EQ(speedup_of_six(0.5, 2), 1);
  EXPECT_DOUBLE_EQ(speedup_of_six(1, 1), 1);
}

TEST(GridClaims, FiftyMillisecondsAreForLargeScenes) {
  GridCase c = made_case(2, 6);
  EXPECT_EQ(verdict(c, "H2"), Verdict::holds);
  c.step_all.mean_ms = 51;
  EXPECT_EQ(verdict(c, "H2"), Verdict::does_not_hold);
  c.step_one.mean_ms = 49;
  EXPECT_EQ(verdict(c, "H2"), Verdict::holds);
  c.step_one.mean_ms = 60;
  EXPECT_EQ(verdict(c, "H2"), Verdict::does_not_hold);
  const std::vector<GridCase> both = {c, made_case(2, 6)};
  EXPECT_EQ(claim(judge_grid_claims(both), "H2").verdict, Verdict::partly);
  c.triangles = 4000;
  EXPECT_EQ(verdict(c, "H2"), Verdict::not_judged);
}

TEST(GridClaims, FollowFromTimesAndCounts) {
  GridCase c = made_case(2, 6);
  EXPECT_EQ(verdict(c, "faster than spheres"), Verdict::holds);
  EXPECT_EQ(verdict(c, "fewer pairs"), Verdict::holds);
  EXPECT_EQ(verdict(c, "cost more"), Verdict::holds);
  EXPECT_EQ(verdict(c, "Cones of normals"), Verdict::not_judged);
  EXPECT_EQ(verdict(c, "rules for pairs"), Verdict::does_not_hold);
  EXPECT_DOUBLE_EQ(claim(judge_grid_claims({&c, 1}), "rules for pairs").measured.at(0), 2);
  c.runs[2].ms = 9;
  c.runs[3].ms = 9;
  c.runs[3].counts.triangle_pairs = 60;
  c.runs[4].lost = 0;
  EXPECT_EQ(verdict(c, "faster than spheres"), Verdict::does_not_hold);
  EXPECT_EQ(verdict(c, "fewer pairs"), Verdict::does_not_hold);
  EXPECT_EQ(verdict(c, "cost more"), Verdict::does_not_hold);
  EXPECT_EQ(verdict(c, "rules for pairs"), Verdict::holds);
}

TEST(GridClaims, CountWhatConesLose) {
  GridCase c = made_case(2, 6);
  c.self = true;
  c.runs.push_back(made(grid_method::published_cones, 8));
  c.runs.push_back(made(grid_method::published_cones, 5, true));
  EXPECT_EQ(verdict(c, "Cones of normals"), Verdict::holds);
  EXPECT_EQ(verdict(c, "and lose no contact"), Verdict::holds);
  EXPECT_DOUBLE_EQ(claim(judge_grid_claims({&c, 1}), "H1").measured.at(0), 1.6);
  c.runs[5].lost = 1;
  EXPECT_EQ(verdict(c, "and lose no contact"), Verdict::does_not_hold);
}

TEST(GridClaims, TakeOnlyLossesFromWhatWasNotSimulated) {
  GridCase c = made_case(6, 4);
  c.steps = 0;
  EXPECT_EQ(verdict(c, "H1"), Verdict::not_judged);
  EXPECT_EQ(verdict(c, "H2"), Verdict::not_judged);
  EXPECT_EQ(verdict(c, "faster than spheres"), Verdict::not_judged);
  EXPECT_EQ(verdict(c, "rules for pairs"), Verdict::does_not_hold);
}

}  // namespace
}  // namespace palpate
