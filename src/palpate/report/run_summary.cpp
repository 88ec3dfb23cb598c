#include <palpate/report/run_summary.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace palpate {

namespace {

std::string number(double value, int digits = 4) {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, digits) : "-";
}

// With microseconds, as far as a clock can be believed.
std::string ms_text(double ms) {
  if (!std::isfinite(ms)) return "-";
  return fmt::format("{:.{}f}", ms, ms < 100 ? 3 : 1);
}

std::string count(double value) { return std::isfinite(value) ? fmt::format("{:.0f}", value) : "-"; }

std::vector<std::string> row_of(const std::string& name, const DurationRecord& durations) {
  return {name, ms_text(durations.values().mean()), ms_text(durations.percentile(0.5)),
          ms_text(durations.percentile(0.99)), ms_text(durations.values().high)};
}

std::string steps_text(std::uint64_t steps) { return fmt::format("{} step{}", steps, steps == 1 ? "" : "s"); }

}  // namespace

Table run_table(const RunFacts& facts, const RunRecord& record) {
  const RunValues& values = record.values();
  Table table{"", {"what", "value"}, {}};
  const auto add = [&](const char* what, std::string value) {
    table.rows.push_back({what, std::move(value)});
  };
  add("scene", facts.scene);
  add("simulated", fmt::format("{} s in {}{}", number(record.simulated_seconds()), steps_text(record.steps()),
                               facts.interrupted ? ", interrupted" : ""));
  add("took", fmt::format("{} s, {} s of it in steps", number(facts.wall_seconds, 3),
                          number(record.step_seconds(), 3)));
  add("real-time factor", number(record.real_time_factor(), 3));
  add("contacts", fmt::format("{} mean, {} most, {} last", count(values.contacts.mean()),
                              count(values.contacts.high), count(values.contacts.last)));
  if (values.pushing.high > 0)
    add("pushing", fmt::format("{} mean, {} most, {} last", count(values.pushing.mean()),
                               count(values.pushing.high), count(values.pushing.last)));
  if (values.guarded > 0 || values.cut > 0)
    add("guard", fmt::format("{} contacts added, {} cut short{}", values.guarded, steps_text(values.cut),
                             values.lost > 0 ? fmt::format(", {} s lost", number(values.lost, 3)) : ""));
  if (values.total.count > 0)
    add("energy",
        fmt::format("{} J first, {} J last", number(values.total.first), number(values.total.last)));
  if (values.failures > 0) add("solver failures", fmt::format("{}", values.failures));
  if (facts.state_hash) add("state hash", fmt::format("{:016x}", *facts.state_hash));
  return table;
}

Table run_stages_table(const RunRecord& record) {
  Table table{"", {"stage", "mean [ms]", "p50 [ms]", "p99 [ms]", "worst [ms]"}, {}};
  for (const StageRecord& stage : record.stages()) table.rows.push_back(row_of(stage.name, stage.durations));
  table.rows.push_back(row_of("whole step", record.values().step));
  return table;
}

Table run_bodies_table(const RunFacts& facts) {
  const auto has_material = [](const BodyFacts& body) { return !body.material.empty(); };
  const bool materials = std::any_of(facts.bodies.begin(), facts.bodies.end(), has_material);
  Table table{"", {"body", "kind", "vertices", "elements", "surface triangles", "mass [kg]"}, {}};
  if (materials) table.columns.emplace_back("material");
  for (const BodyFacts& body : facts.bodies) {
    table.rows.push_back({body.name, body.kind, fmt::format("{}", body.vertices),
                          fmt::format("{}", body.elements), fmt::format("{}", body.triangles),
                          number(body.mass)});
    if (materials) table.rows.back().push_back(body.material);
  }
  return table;
}

std::string run_sentences(const RunFacts& facts, const RunRecord& record) {
  const RunValues& values = record.values();
  if (record.steps() == 0) return "No step was taken.";
  const double factor = record.real_time_factor();
  std::string text =
      fmt::format("{} s of the scene in {}, which took {} s", number(record.simulated_seconds()),
                  steps_text(record.steps()), number(record.step_seconds(), 3));
  if (std::isfinite(factor) && factor > 0)
    text += factor >= 1 ? fmt::format(": {} times as fast as real time", number(factor, 3))
                        : fmt::format(": {} times slower than real time", number(1 / factor, 3));
  const DurationRecord& step = values.step;
  text += fmt::format(". Half of the steps took at most {} ms, 99 of 100 at most {} ms, the longest {} ms.",
                      number(step.percentile(0.5), 3), number(step.percentile(0.99), 3),
                      number(step.values().high, 3));
  text += fmt::format(" {} contacts in the mean, {} at most.", count(values.contacts.mean()),
                      count(values.contacts.high));
  if (values.nearest.count > 0)
    text += fmt::format(" The nearest were {} m apart.", number(values.nearest.low, 3));
  if (values.failures > 0)
    text += fmt::format(" The solver failed {} time{}.", values.failures, values.failures == 1 ? "" : "s");
  if (facts.interrupted) text += " The run was interrupted: only what was complete is shown.";
  return text;
}

}  // namespace palpate
