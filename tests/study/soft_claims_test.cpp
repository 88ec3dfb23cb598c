// The rules by which claims are judged, on curves made for it.
#include <palpate/study/soft_claims.h>

#include <cmath>

#include <gtest/gtest.h>

namespace palpate {
namespace {

// All norms fall by `rate` in each iteration.
SoftCurve falling(const char* method, double rate, int iterations = 100, double ms = 1) {
  SoftCurve curve;
  curve.method = method;
  for (int i = 0; i <= iterations; ++i) {
    const double value = std::pow(rate, i);
    curve.points.push_back({ms * i, value, value, value, value});
  }
  return curve;
}

SoftConvergence synthetic(double plain_rate, double accelerated_rate) {
  using namespace soft_method;
  SoftConvergence one;
  one.curves = {falling(plain, plain_rate),
                falling(anderson_sor, accelerated_rate, 100, 2),
                falling(sor_positions, plain_rate),
                falling(chebyshev, plain_rate * plain_rate),
                falling(sor_multipliers, 2),
                falling(anderson_positions, plain_rate),
                falling(jacobi, std::pow(plain_rate, 0.2))};
  return one;
}

const SoftClaim& claim(const std::vector<SoftClaim>& all, const std::string& part, const std::string& norm) {
  for (const SoftClaim& one : all)
    if (one.claim.find(part) != std::string::npos && one.norm.find(norm) != std::string::npos) return one;
  throw std::logic_error("no claim '" + part + "'");
}

TEST(SoftClaims, CountIterationsToALevelThatBothReach) {
  const SoftCurve slow = falling("slow", 0.9), fast = falling("fast", 0.9 * 0.9 * 0.9);
  EXPECT_NEAR(*times_fewer(fast, slow, SoftNorm::energy_error), 3, 0.1);
  EXPECT_NEAR(*times_fewer(slow, fast, SoftNorm::residual), 1 / 3.0, 0.02);
  EXPECT_EQ(iterations_to(slow, SoftNorm::residual, 0.95), 1);
  EXPECT_EQ(iterations_to(slow, SoftNorm::residual, 0.0), std::nullopt);
  EXPECT_NEAR(*times_faster(falling("fast", 0.729, 100, 3), slow, SoftNorm::residual), 1, 0.05);
  EXPECT_EQ(times_fewer(falling("stuck", 1), slow, SoftNorm::residual), std::nullopt);
  EXPECT_DOUBLE_EQ(milliseconds_per_iteration(falling("timed", 0.9, 10, 4)), 4);
}

TEST(SoftClaims, SeeDivergence) {
  EXPECT_TRUE(diverges(falling("up", 1.1), SoftNorm::residual));
  EXPECT_FALSE(diverges(falling("stuck", 1), SoftNorm::residual));
  EXPECT_FALSE(diverges(falling("down", 0.9), SoftNorm::residual));
  SoftCurve failed = falling("failed", 0.9), lost = falling("lost", 0.9);
  failed.failed = true;
  lost.points.back().residual = no_number;
  EXPECT_TRUE(diverges(failed, SoftNorm::residual));
  EXPECT_TRUE(diverges(lost, SoftNorm::residual));
}

TEST(SoftClaims, AreJudgedByTheCurves) {
  const std::vector<SoftConvergence> fast = {synthetic(0.9, 0.6)}, slow = {synthetic(0.9, 0.85)},
                                     both = {fast[0], slow[0]}, broken = {synthetic(1.2, 0.6)};
  const auto verdict = [](const std::vector<SoftConvergence>& all, const char* part, const char* norm) {
    return claim(judge_soft_claims(all, {}, {}), part, norm).verdict;
  };
  for (const char* norm : {"published", "energy"}) {
    EXPECT_EQ(verdict(fast, "3 to 5 times", norm), Verdict::holds);
    EXPECT_EQ(verdict(slow, "3 to 5 times", norm), Verdict::does_not_hold);
    EXPECT_EQ(verdict(both, "3 to 5 times", norm), Verdict::partly);
    EXPECT_EQ(verdict(broken, "3 to 5 times", norm), Verdict::not_judged);
    EXPECT_EQ(verdict(fast, "Jacobi", norm), Verdict::holds);
    EXPECT_EQ(verdict(fast, "on positions gains", norm), Verdict::holds);
    EXPECT_EQ(verdict(fast, "Chebyshev", norm), Verdict::does_not_hold);
  }
  EXPECT_EQ(verdict(fast, "twice the cost", "whole"), Verdict::holds);
  EXPECT_EQ(verdict(fast, "twice the cost", "stages"), Verdict::not_judged);
  EXPECT_EQ(verdict(fast, "SOR(1.5) on multipliers alone", "published"), Verdict::holds);
  EXPECT_EQ(verdict(fast, "unstable", "published"), Verdict::does_not_hold);
  EXPECT_EQ(verdict(broken, "Plain XPBD", "published"), Verdict::does_not_hold);
  EXPECT_EQ(verdict({}, "Plain XPBD", "published"), Verdict::not_judged);
}

TEST(SoftClaims, TakeNothingFromAMethodThatBlowsUpInTheEnd) {
  SoftConvergence late = synthetic(0.9, 0.6);
  SoftIteration& last = late.curves[1].points.back();
  last.energy_error = last.published_residual = 100;
  const auto claims = judge_soft_claims({&late, 1}, {}, {});
  EXPECT_EQ(claim(claims, "3 to 5 times", "energy").verdict, Verdict::does_not_hold);
  EXPECT_EQ(claim(claims, "3 to 5 times", "energy").measured, std::vector<double>{0});
}

TEST(SoftClaims, CountWhatStaysInverted) {
  const std::vector<SoftInversion> left = {{Model::stvk, "a", 5, 5}, {Model::neo_hookean, "a", 5, 0}},
                                   back = {{Model::stvk, "a", 5, 0}};
  EXPECT_EQ(claim(judge_soft_claims({}, {}, left), "stay inverted", "count").verdict, Verdict::holds);
  EXPECT_EQ(claim(judge_soft_claims({}, {}, back), "stay inverted", "count").verdict, Verdict::does_not_hold);
}

TEST(SoftClaims, AddUpTheStagesOfEachShape) {
  const std::vector<SoftStage> stages = {
      {"one", soft_stage::projection, 2, 0}, {"one", soft_stage::anderson, 1, 0},
      {"one", soft_stage::update, 0.5, 0},   {"one", soft_stage::residuals, 0.5, 0},
      {"one", soft_stage::potential, 9, 0},  {"two", soft_stage::projection, 1, 0},
      {"two", soft_stage::anderson, 4, 0}};
  EXPECT_EQ(stage_ratios(stages), (std::vector<double>{2, 5}));
}

}  // namespace
}  // namespace palpate
