#include <palpate/report/run_summary.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include <palpate/base/build_facts.h>
#include <palpate/report/machine.h>

#include "run_samples.h"

namespace palpate::testing {
namespace {

using nlohmann::json;

RunFacts sample_facts() {
  RunFacts facts{.scene = "tori",
                 .command_line = "palpate run \"scenes/tori.toml\"",
                 .state_hash = 0x00ab,
                 .wall_seconds = 3,
                 .threads = 2,
                 .frames = 7};
  facts.bodies = {{"liver", "soft", "muscle", 10, 20, 30, 1.5}, {"floor", "fixed"}};
  facts.warnings = {"little room"};
  return facts;
}

TEST(RunSummary, TellsAllFields) {
  const json all = json::parse(run_json(sample_facts(), sample_run(200)));
  EXPECT_EQ(all["scene"], "tori");
  EXPECT_EQ(all["version"], build_facts().version);
  EXPECT_GT(all["machine"]["cores"], 0);
  for (const char* name : {"cpu", "memory", "build_type", "compiler", "built_for", "kernels"})
    EXPECT_TRUE(all["machine"].contains(name)) << name;
  EXPECT_EQ(all["command_line"], "palpate run \"scenes/tori.toml\"");
  EXPECT_EQ(all["threads"], 2);
  EXPECT_EQ(all["steps"], 200);
  EXPECT_DOUBLE_EQ(all["simulated_seconds"], 2);
  EXPECT_EQ(all["wall_seconds"], 3);
  EXPECT_NEAR(all["real_time_factor"].get<double>() * all["step_seconds"].get<double>(), 2, 1e-9);
  EXPECT_EQ(all["state_hash"], "00000000000000ab");
  EXPECT_EQ(all["interrupted"], false);
  EXPECT_EQ(all["frames"], 7);
  EXPECT_EQ(all["warnings"], json({"little room"}));
  EXPECT_EQ(all["contacts"]["max"], 6);
  EXPECT_EQ(all["contacts"]["last"], 200 % 5 + 200 % 3);
  EXPECT_EQ(all["contacts"]["vertex_triangle"]["max"], 4);
  EXPECT_DOUBLE_EQ(all["contacts"]["nearest"], 1e-3 / 201);
  EXPECT_EQ(all["contacts"]["pushing"]["max"], 2);
  EXPECT_EQ(all["contacts"]["guard"]["added"], 28 * 21 + 10);
  EXPECT_EQ(all["contacts"]["guard"]["steps_cut"], 50);
  EXPECT_EQ(all["contacts"]["guard"]["lost_seconds"], 0);
  EXPECT_EQ(all["energy"]["first"], 1.6875);
  EXPECT_EQ(all["energy"]["last"], 1 + 0.25 - 25 + 0.125);
  EXPECT_EQ(all["energy"]["drift"], 1 + 0.25 - 25 + 0.125 - 1.6875);
  EXPECT_EQ(all["energy"]["contact"]["max"], 0.125);
  for (const char* when : {"first", "last"}) {
    double parts = 0;
    for (const char* part : {"kinetic", "elastic", "potential", "contact"})
      parts += all["energy"][part][when].get<double>();
    EXPECT_EQ(all["energy"][when], parts) << when;
  }
  EXPECT_EQ(all["energy"]["kinetic"]["max"], 1.5);
  EXPECT_EQ(all["solver"]["failures"], 4);
  EXPECT_EQ(all["solver"]["iterations"]["max"], 11);
  ASSERT_EQ(all["bodies"].size(), 2u);
  EXPECT_EQ(all["bodies"][0]["elements"], 20);
  EXPECT_EQ(all["bodies"][0]["mass"], 1.5);
  EXPECT_TRUE(all["bodies"][1]["mass"].is_null());
}

TEST(RunSummary, HasThePercentilesOfTheSortedTimes) {
  const json all = json::parse(run_json(sample_facts(), sample_run(200)));
  std::vector<double> detect, solve;
  for (std::uint64_t i = 1; i <= 200; ++i) {
    const SampleStep step(i);
    detect.push_back(1e-6 * static_cast<double>(step.stages[0].nanoseconds));
    solve.push_back(1e-6 * static_cast<double>(step.stages[1].nanoseconds));
  }
  for (auto* list : {&detect, &solve}) std::sort(list->begin(), list->end());
  EXPECT_EQ(all["stages"].size(), 2u);
  EXPECT_NEAR(all["stages"]["detect"]["p50"], detect[99], 1e-6);
  EXPECT_NEAR(all["stages"]["solve"]["p50"], solve[99], 1e-6);
  EXPECT_NEAR(all["stages"]["solve"]["p99"], solve[197], 1e-6);
  EXPECT_NEAR(all["stages"]["solve"]["worst"], solve[199], 1e-12);
  EXPECT_TRUE(all["step"].contains("mean"));
}

TEST(RunSummary, HasNullWhereNothingIsKnown) {
  const json all = json::parse(run_json({}, RunRecord()));
  EXPECT_EQ(all["steps"], 0);
  EXPECT_EQ(all["simulated_seconds"], 0);
  for (const char* name : {"real_time_factor", "state_hash"}) EXPECT_TRUE(all[name].is_null()) << name;
  EXPECT_TRUE(all["energy"]["drift"].is_null());
  EXPECT_TRUE(all["contacts"]["mean"].is_null());
  EXPECT_TRUE(all["stages"].is_object());
  EXPECT_TRUE(all["bodies"].is_array());
  EXPECT_EQ(run_sentences({}, RunRecord()), "No step was taken.");
}

TEST(RunSummary, BearsAnyText) {
  RunFacts facts;
  facts.scene = "\xff\xfe \"quotes\" \n";
  facts.bodies = {{"na\xc3me", "soft"}};
  const json all = json::parse(run_json(facts, sample_run(1)));
  EXPECT_NE(all["scene"].get<std::string>().find("\"quotes\" \n"), std::string::npos);
}

TEST(RunSummary, IsATableForTheScreen) {
  RunFacts facts = sample_facts();
  facts.interrupted = true;
  const RunRecord record = sample_run(200);
  const std::string text = plain_text(run_table(facts, record));
  expect_in(text, "2 s in 200 steps, interrupted");
  expect_in(text, "00000000000000ab");
  const Table stages = run_stages_table(record);
  ASSERT_EQ(stages.rows.size(), 3u);
  EXPECT_EQ(stages.rows[0][0], "detect");
  EXPECT_EQ(stages.rows[0][4], "1.600");
  EXPECT_EQ(stages.rows[2][0], "whole step");
  const Table bodies = run_bodies_table(facts);
  EXPECT_EQ(bodies.columns.back(), "material");
  EXPECT_EQ(bodies.rows[1][5], "-");
  for (const auto& row : bodies.rows) EXPECT_EQ(row.size(), bodies.columns.size());
  expect_in(run_sentences(facts, record), "The solver failed 4 times.");
}

TEST(Machine, IsKnown) {
  const MachineFacts facts = machine_facts();
  EXPECT_FALSE(facts.cpu.empty());
  EXPECT_GT(facts.cores, 0);
}

}  // namespace
}  // namespace palpate::testing
