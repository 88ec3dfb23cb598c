#include <palpate/report/run_page.h>

#include <fmt/format.h>
#include <pugixml.hpp>

#include <palpate/base/build_facts.h>
#include <palpate/report/machine.h>

#include "run_samples.h"

namespace palpate::testing {
namespace {

RunFacts odd_facts() {
  RunFacts facts{.scene = "a <b> & \"c\"",
                 .scene_text = "[world]\n# 1 < 2 && </pre><script>alert(1)</script>\nname = \"x\"\n",
                 .command_line = "palpate run 'a b.toml' > log",
                 .state_hash = 1,
                 .threads = 1};
  facts.bodies = {{"<liver>", "soft", "a & b", 1, 2, 3, 4}};
  facts.warnings = {"3 < 4"};
  return facts;
}

// Empty if it is well-formed.
std::string problem_in(const std::string& html, pugi::xml_document& document) {
  const auto result = document.load_string(html.c_str(), pugi::parse_default | pugi::parse_ws_pcdata);
  return result ? "" : result.description();
}

TEST(RunPage, ShowsEverythingEscaped) {
  const RunFacts facts = odd_facts();
  const std::string html = run_page(facts, sample_run(300));
  pugi::xml_document document;
  ASSERT_EQ(problem_in(html, document), "");
  EXPECT_FALSE(document.select_node("//script"));
  EXPECT_STREQ(document.select_node("//h1").node().text().get(), "Run of a <b> & \"c\"");
  const auto texts = document.select_nodes("//pre");
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_EQ(texts[0].node().text().get(), "\n" + facts.command_line);
  EXPECT_EQ(texts[1].node().text().get(), "\n" + facts.scene_text);
  EXPECT_TRUE(document.select_node("//td[text()='<liver>']"));
  EXPECT_TRUE(document.select_node("//li[text()='3 < 4']"));
  EXPECT_TRUE(document.select_node("//td[text()='0000000000000001']"));
  const auto told = [&](const char* what) -> std::string {
    const std::string cell = fmt::format("//tr[*[1][text()='{}']]/*[2]", what);
    return document.select_node(cell.c_str()).node().text().get();
  };
  const BuildFacts build = build_facts();
  expect_in(told("version"), fmt::format("palpate {} ({}", build.version, build.build_type));
  expect_in(told("version"), std::string(build.compiler));
  const MachineFacts machine = machine_facts();
  EXPECT_TRUE(told("machine").starts_with(fmt::format("{}, {} cores", machine.cpu, machine.cores)));
  EXPECT_TRUE(told("machine").ends_with("GB; the run used 1 thread"));
  EXPECT_TRUE(document.select_node("//text[text()='- - 16.7 ms: 60 Hz']"));
  EXPECT_EQ(document.select_nodes("//div[@class='wide plot']").size(), 4u);
  // Nothing is fetched from elsewhere.
  for (const char* part : {"href=", "url(", "src=\"http", "@import"})
    EXPECT_EQ(html.find(part), std::string::npos) << part;
}

TEST(RunPage, SaysWhatItsPlayerLacks) {
  RunFacts facts;
  const auto html = [&] { return run_page(facts, sample_run(3)); };
  const auto has = [&](const char* text) { return html().find(text) != std::string::npos; };
  EXPECT_FALSE(has("player has")) << "nobody promised one";
  facts.no_player = "There is no player here: it is < 2 frames.";
  EXPECT_TRUE(has("<p>There is no player here: it is &lt; 2 frames.</p>"));
  facts.no_player.clear();
  facts.recording = {.bytes = "packed", .frames = 31, .of = 31};
  EXPECT_FALSE(has("of 31 frames"));
  EXPECT_FALSE(has("inside of bodies"));
  facts.recording.of = 62;
  EXPECT_TRUE(has("The player has 31 of 62 frames"));
  EXPECT_FALSE(has("inside of bodies"));
  facts.recording.has_inside = false;
  EXPECT_TRUE(has("inside of bodies"));
  EXPECT_TRUE(has("palpate run --record"));
  pugi::xml_document document;
  EXPECT_EQ(problem_in(html(), document), "");
}

TEST(RunPage, PlotsEnergiesThatAddUp) {
  const std::vector<Plot> plots = run_plots(sample_run(300));
  const Plot& plot = plots.back();
  std::vector<std::string> names;
  for (const PlotSeries& series : plot.series) names.push_back(series.name);
  EXPECT_EQ(names, (std::vector<std::string>{"total", "kinetic", "elastic", "potential (gravity, forces)",
                                             "contact (what is pressed)"}));
  for (std::size_t i = 0; i < plot.series[0].points.size(); ++i) {
    double parts = 0;
    for (std::size_t k = 1; k < plot.series.size(); ++k) parts += plot.series[k].points[i].second;
    EXPECT_NEAR(plot.series[0].points[i].second, parts, 1e-12);
  }
}

TEST(RunPage, IsWellFormedWithoutStepsEnergiesOrBodies) {
  pugi::xml_document document;
  EXPECT_EQ(problem_in(run_page({}, RunRecord()), document), "");
  RunRecord bare;
  StepRecord step;
  for (int i = 0; i < 3; ++i) bare.add(step);
  EXPECT_EQ(run_plots(bare).size(), 2u);  // time and contacts
  const std::string html = run_page({}, bare);
  EXPECT_EQ(problem_in(html, document), "");
  EXPECT_EQ(html.find("nan"), std::string::npos);
  EXPECT_EQ(html.find("inf"), std::string::npos);
}

TEST(RunPage, StaysSmallHoweverLongTheRun) {
  const RunRecord record = sample_run(20'000);
  const auto plots = run_plots(record);
  for (const Plot& plot : plots)
    for (const PlotSeries& series : plot.series) EXPECT_LE(series.points.size(), 1024u);
  ASSERT_GE(plots[0].series.size(), 2u);
  EXPECT_EQ(plots[0].series[1].name, "longest of them");
  EXPECT_EQ(plots[0].title, "Time per step (means of 32 steps)");
  EXPECT_LT(run_page({}, record).size(), 1'000'000u);
}

TEST(RunPage, PlotsTheStagesThatTakeMost) {
  RunRecord record;
  std::vector<std::string> names;
  for (int k = 0; k < 12; ++k) names.push_back("stage " + std::to_string(k));
  std::vector<Stage> stages;
  for (std::size_t k = 0; k < names.size(); ++k)
    stages.push_back({names[k], static_cast<std::int64_t>(k) * 100'000, 1});
  StepRecord step;
  step.stages = stages;
  step.nanoseconds = 7'000'000;
  record.add(step);
  const Plot plot = run_plots(record)[0];
  ASSERT_EQ(plot.series.size(), 8u);  // the whole step and seven
  EXPECT_EQ(plot.series[1].name, "stage 5");
  EXPECT_EQ(plot.series[7].name, "stage 11");
}

}  // namespace
}  // namespace palpate::testing
