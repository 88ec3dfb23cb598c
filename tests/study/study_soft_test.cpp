// The quick study: what its numbers must be like, on any machine.
#include <palpate/study/study_soft.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

namespace palpate {
namespace {

// The smallest beam, from two starts.
const std::vector<SoftConvergence>& cases() {
  static const std::vector<SoftConvergence> all = {
      converge_soft(soft_beams()[0], Model::stvk, "violent", {}, true),
      converge_soft(soft_beams()[0], Model::stvk, "slight", {.stretch = 1.001, .twist = 0, .shake = 0},
                    true)};
  return all;
}

TEST(StudySoft, FollowsEverySolverFromTheSameStart) {
  for (const SoftConvergence& one : cases()) {
    EXPECT_EQ(one.tets, 460u);
    EXPECT_EQ(one.curves.size(), soft_methods(true).size());
    for (const SoftCurve& curve : one.curves) {
      EXPECT_EQ(curve.points[0].ms, 0);
      EXPECT_EQ(curve.points[0].potential, one.curves[0].points[0].potential) << curve.method;
      EXPECT_EQ(curve.points.size(), 61u) << curve.method;
      for (std::size_t i = 1; i < curve.points.size(); ++i) {
        EXPECT_GE(curve.points[i].ms, curve.points[i - 1].ms);
        EXPECT_GE(curve.points[i].energy_error, 0) << curve.method;
      }
    }
  }
}

TEST(StudySoft, TheDefaultComesDownAndItsErrorNeverRises) {
  for (const SoftConvergence& one : cases()) {
    const SoftCurve* curve = one.curve(soft_method::best);
    ASSERT_NE(curve, nullptr);
    for (std::size_t i = 1; i < curve->points.size(); ++i)
      EXPECT_LE(curve->points[i].energy_error, curve->points[i - 1].energy_error * (1 + 1e-9) + 1e-15);
    EXPECT_LT(curve->points.back().energy_error, 1e-3);
  }
}

TEST(StudySoft, HasThePublishedResidualWhereThereAreMultipliers) {
  for (const SoftConvergence& one : cases())
    for (const SoftCurve& curve : one.curves) {
      const bool has = curve.method != "quasi_newton" && curve.method != "vertex";
      for (std::size_t i = 1; i < curve.points.size(); ++i)
        EXPECT_EQ(std::isfinite(curve.points[i].published_residual), has) << curve.method << ", " << i;
    }
}

TEST(StudySoft, OverRelaxedMultipliersDiverge) {
  for (const SoftConvergence& one : cases())
    EXPECT_TRUE(diverges(*one.curve(soft_method::sor_multipliers_10), SoftNorm::published_residual));
}

TEST(StudySoft, TheClassicAccelerationIsPlainUntilItsWindowIsFull) {
  for (const SoftConvergence& one : cases()) {
    const SoftCurve &plain = *one.curve(soft_method::plain), &classic = *one.curve(soft_method::anderson);
    for (std::size_t i = 1; i <= 5; ++i) {
      EXPECT_EQ(plain.points[i].potential, classic.points[i].potential) << i;
      EXPECT_EQ(plain.points[i].published_residual, classic.points[i].published_residual) << i;
    }
    EXPECT_NE(plain.points.back().potential, classic.points.back().potential);
  }
}

// In parallel, too, projections come nearer with Anderson's acceleration of positions and multipliers.
TEST(StudySoft, AcceleratedParallelProjectionsComeNearer) {
  const SoftConvergence& slight = cases()[1];
  for (const auto& [fast, plain] : {std::pair{soft_method::coloured_both, "xpbd_coloured"},
                                    {soft_method::jacobi_both, soft_method::jacobi}})
    EXPECT_LT(slight.curve(fast)->points.back().energy_error,
              0.5 * slight.curve(plain)->points.back().energy_error)
        << fast;
}

// Residual and energy error, against iterations and against time; the first two are pictures of their own.
TEST(StudySoft, PlotsBothMeasuresAgainstTime) {
  SoftStudy study;
  study.convergence = {cases()[1]};
  const auto plots = soft_plots(study);
  const auto has = [&](std::string_view end) {
    return std::any_of(plots.begin(), plots.end(), [&](const auto& plot) {
      return plot.first.ends_with(end) && plot.second.find("time [ms]") != std::string::npos &&
             plot.second.find(soft_method::coloured_both) != std::string::npos;
    });
  };
  EXPECT_TRUE(has("-energy-time"));
  EXPECT_TRUE(has("-residual-time"));
  const std::string page = soft_page(study);
  const auto count = [&](std::string_view what) {
    std::size_t times = 0;
    for (std::size_t at = page.find(what); at != std::string::npos; at = page.find(what, at + 1)) ++times;
    return times;
  };
  EXPECT_GE(count("residual [m]"), 2u);
  EXPECT_GE(count("time [ms]"), 2u);
}

TEST(StudySoft, SmallStrainsContractAsTheyShould) {
  for (const Model model : {Model::stvk, Model::neo_hookean})
    for (const double poisson : {0.0, 0.4}) {
      const SoftContraction one = find_contraction(model, poisson, 1e-3);
      EXPECT_NEAR(one.strain, 1e-3, 1e-4);
      EXPECT_NEAR(one.contraction / one.strain, -poisson, 0.01) << words_of(model);
    }
}

TEST(StudySoft, SofterBodiesSagMore) {
  const SoftSag soft = find_sag(soft_beams()[0], 1e6, 40), hard = find_sag(soft_beams()[0], 1e8, 40);
  EXPECT_GT(soft.sag, 50 * hard.sag);
  EXPECT_GT(hard.sag, 0.5 * hard.closed_form);  // coarse elements are too stiff
  EXPECT_LT(hard.sag, hard.closed_form);
  EXPECT_EQ(soft.inverted, 0u);
  EXPECT_TRUE(hard.settled);
}

TEST(StudySoft, GreenStrainLeavesTheInvertedInverted) {
  const SoftInversion stays = find_inversion(Model::stvk, "quasi_newton"),
                      returns = find_inversion(Model::neo_hookean, "quasi_newton");
  EXPECT_GT(stays.before, 100u);
  EXPECT_GT(stays.after, 0u);
  EXPECT_EQ(returns.before, stays.before);
  EXPECT_EQ(returns.after, 0u);
}

void expect_page(const SoftStudy& study) {
  pugi::xml_document document;
  const auto result = document.load_string(soft_page(study).c_str());
  EXPECT_TRUE(result) << result.description();
  for (const auto& [name, plot] : soft_plots(study)) EXPECT_TRUE(document.load_string(plot.c_str())) << name;
}

TEST(StudySoft, TellsAllInJsonAndOnAPage) {
  const SoftStudy study = study_soft({.quick = true});
  const auto json = nlohmann::json::parse(soft_json(study));
  EXPECT_EQ(json["study"], "soft");
  EXPECT_EQ(json["claims"].size(), study.claims.size());
  EXPECT_EQ(json["convergence"].size(), study.convergence.size());
  EXPECT_EQ(json["convergence"][0]["curves"][0]["ms"].size(), 61u);
  EXPECT_FALSE(json["stages"].empty());
  EXPECT_FALSE(json["sags"].empty());
  for (const SoftClaim& claim : study.claims) EXPECT_NE(claim.verdict, Verdict::not_judged) << claim.claim;
  expect_page(study);
}

TEST(StudySoft, EndsEarlyWithWhatThereIs) {
  int calls = 0;
  const SoftStudy study =
      study_soft({.quick = true, .progress = [&](double, std::string_view) { return ++calls < 3; }});
  EXPECT_TRUE(study.interrupted);
  EXPECT_TRUE(study.sags.empty());
  EXPECT_TRUE(nlohmann::json::parse(soft_json(study))["interrupted"]);
  expect_page(study);
  expect_page({});
}

}  // namespace
}  // namespace palpate
