// The study of trees and voxels: its rules on made-up numbers, and what a small run must be like anywhere.
#include <palpate/study/study_trees.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include <palpate/base/error.h>
#include <palpate/scene/read_scene.h>

namespace palpate {
namespace {

std::string scenes() { return std::string(PALPATE_SOURCE_DIR) + "/scenes"; }

// Every step takes as long.
TreesRun made(const char* method, const char* finder, double ms, double detect, std::size_t every = 1) {
  TreesRun run{.method = method, .finder = finder};
  for (std::size_t i = 0; i < 12; i += every) run.steps.push_back({i, ms, detect, 0, 10});
  return run;
}

TreesCase made_case(double brute, double voxels, double trees) {
  using namespace trees_method;
  TreesCase c;
  c.name = "made";
  c.soft_bodies = 1;
  c.runs = {made(trees_method::trees, "classic_trees", trees + 1, trees),
            made(trees_method::voxels, "classic_voxels", voxels + 1, voxels),
            made(trees_method::brute, "brute", brute + 1, brute, 4), made(ours, "auto", 1.1, 0.1)};
  return c;
}

const Claim& claim(const std::vector<Claim>& all, const std::string& part, std::size_t after = 0) {
  for (std::size_t i = 0; i + after < all.size(); ++i)
    if (all[i].claim.find(part) != std::string::npos) return all[i + after];
  throw std::logic_error("no claim '" + part + "'");
}

TEST(TreesClaims, AreJudgedByRatiosOfTheSameSteps) {
  const TreesCase c = made_case(3000, 8, 2);
  EXPECT_DOUBLE_EQ(*c.times(trees_method::brute, trees_method::trees, &TreesStep::detect_ms), 1500);
  EXPECT_DOUBLE_EQ(*c.times(trees_method::voxels, trees_method::trees, &TreesStep::ms), 3);
  EXPECT_EQ(c.times("none", trees_method::trees, &TreesStep::ms), std::nullopt);
  const std::vector<Claim> claims = judge_trees_claims({&c, 1});
  EXPECT_EQ(claim(claims, "three times").verdict, Verdict::holds);
  EXPECT_EQ(claim(claims, "three times", 1).verdict, Verdict::holds);
  EXPECT_EQ(claim(claims, "550 times").verdict, Verdict::holds);
  EXPECT_EQ(claim(claims, "practically all").verdict, Verdict::holds);
  EXPECT_EQ(claim(claims, "still most").verdict, Verdict::holds);
  EXPECT_EQ(claim(claims, "four times").verdict, Verdict::not_judged);
  EXPECT_EQ(claim(claims, "chosen well").verdict, Verdict::does_not_hold);  // one size
  const TreesCase other = made_case(4, 0.5, 0.6);
  const std::vector<Claim> not_so = judge_trees_claims({&other, 1});
  for (const char* part : {"three times", "550 times", "practically all", "still most"})
    EXPECT_EQ(claim(not_so, part).verdict, Verdict::does_not_hold) << part;
  for (const Claim& one : judge_trees_claims({})) EXPECT_EQ(one.verdict, Verdict::not_judged) << one.claim;
}

TEST(TreesClaims, CompareFourBodiesAndSizes) {
  std::vector<TreesCase> cases = {made_case(3000, 8, 2), made_case(0, 20, 6)};
  EXPECT_EQ(claim(judge_trees_claims(cases), "four times").verdict, Verdict::holds);  // 7 against 3
  cases[1] = made_case(0, 20, 20);
  EXPECT_EQ(claim(judge_trees_claims(cases), "four times").verdict, Verdict::does_not_hold);
  cases[0].runs.push_back(made("voxels of 9", "classic_voxels", 20, 16));
  EXPECT_EQ(claim(judge_trees_claims(cases), "chosen well").verdict, Verdict::holds);
}

// Ten steps, while the ball settles on its bed.
TEST(StudyTrees, AllMethodsDoTheSameWork) {
  const Scene scene =
      read_scene(scenes() + "/laparoscopy.toml", std::vector<std::string>{"body.organ.mesh.layers=2"});
  TreesStudy study;
  for (const std::size_t bodies : {1u, 2u}) {
    const TreesCase c =
        measure_trees("made", trees_scene(scene, bodies),
                      {.steps = 10, .brute_every = bodies == 1 ? 10u : 0u, .voxel_sizes = {1, 5}});
    EXPECT_EQ(c.soft_faces, 512 * bodies);
    EXPECT_EQ(c.rigid_faces, 3592u);
    EXPECT_EQ(c.moving_faces, 64u);
    EXPECT_EQ(c.runs.size(), bodies == 1 ? 6u : 5u);
    const TreesRun& trees = *c.run(trees_method::trees);
    EXPECT_GT(trees.steps.back().contacts, 0u);
    for (const TreesRun& run : c.runs) {
      SCOPED_TRACE(run.method);
      EXPECT_TRUE(run.same);
      EXPECT_EQ(run.steps.size(), run.sampled ? 1u : 10u);
      for (const TreesStep& step : run.steps) {
        EXPECT_EQ(step.contacts, trees.steps[step.step].contacts) << step.step;
        EXPECT_GE(step.ms, step.detect_ms);
      }
      EXPECT_GT(run.hertz(), 0);
      EXPECT_GE(run.search_share(), run.detect_share());
    }
    study.cases.push_back(c);
  }
  study.claims = judge_trees_claims(study.cases);
  pugi::xml_document document;
  const std::string html = trees_page(study);
  EXPECT_TRUE(document.load_string(html.c_str()));
  EXPECT_EQ(document.select_nodes("//table").size(), 1 + trees_tables(study).size());
  EXPECT_EQ(document.select_nodes("//svg[not(ancestor::svg)]").size(), trees_plots(study).size());
  EXPECT_NE(html.find("16.5"), std::string::npos);
  for (const Table& table : trees_tables(study))
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.caption;
  EXPECT_EQ(nlohmann::json::parse(trees_json(study))["cases"].size(), 2u);
}

TEST(StudyTrees, EndsEarlyWithWhatThereIs) {
  const TreesStudy study =
      study_trees({.scenes = scenes(), .quick = true, .progress = [](double) { return false; }});
  EXPECT_TRUE(study.interrupted);
  EXPECT_TRUE(study.cases.empty());
  EXPECT_NE(trees_page(study).find("</html>"), std::string::npos);
  EXPECT_THROW(study_trees({.scenes = "nowhere"}), Error);
  EXPECT_THROW(trees_scene({}, 1), Error);
}

}  // namespace
}  // namespace palpate
