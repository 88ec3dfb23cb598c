// The summary for programs. What is not a number is null; text that is not UTF-8 gets replacement signs.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <palpate/base/build_facts.h>
#include <palpate/report/machine.h>
#include <palpate/report/run_summary.h>

namespace palpate {

namespace {

using nlohmann::ordered_json;

ordered_json number(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

ordered_json machine_json() {
  const BuildFacts build = build_facts();
  const MachineFacts machine = machine_facts();
  return {{"cpu", machine.cpu},         {"cores", machine.cores},
          {"memory", machine.memory},   {"build_type", build.build_type},
          {"compiler", build.compiler}, {"built_for", build.built_for},
          {"kernels", build.kernels}};
}

ordered_json json_of(const DurationRecord& durations) {
  return {{"mean", number(durations.values().mean())},
          {"p50", number(durations.percentile(0.5))},
          {"p99", number(durations.percentile(0.99))},
          {"worst", number(durations.values().high)}};
}

ordered_json range_of(const ValueRecord& value) {
  return {{"first", number(value.first)},
          {"last", number(value.last)},
          {"min", number(value.low)},
          {"max", number(value.high)}};
}

ordered_json counts_of(const ValueRecord& value) {
  return {{"mean", number(value.mean())}, {"max", number(value.high)}, {"last", number(value.last)}};
}

ordered_json contacts_json(const RunValues& values) {
  ordered_json contacts = counts_of(values.contacts);
  contacts["vertex_triangle"] = counts_of(values.vertex_triangle);
  contacts["edge_edge"] = counts_of(values.edge_edge);
  contacts["nearest"] = number(values.nearest.low);
  contacts["pushing"] = counts_of(values.pushing);
  contacts["guard"] = {
      {"added", values.guarded}, {"steps_cut", values.cut}, {"lost_seconds", number(values.lost)}};
  return contacts;
}

ordered_json energy_json(const RunValues& values) {
  ordered_json energy = range_of(values.total);
  energy["drift"] = number(values.total.last - values.total.first);
  energy["kinetic"] = range_of(values.kinetic);
  energy["elastic"] = range_of(values.elastic);
  energy["potential"] = range_of(values.potential);
  energy["contact"] = range_of(values.contact);
  return energy;
}

ordered_json json_of(const BodyFacts& body) {
  return {{"name", body.name},
          {"kind", body.kind},
          {"material", body.material.empty() ? ordered_json(nullptr) : ordered_json(body.material)},
          {"vertices", body.vertices},
          {"elements", body.elements},
          {"triangles", body.triangles},
          {"mass", number(body.mass)}};
}

}  // namespace

std::string run_json(const RunFacts& facts, const RunRecord& record) {
  const RunValues& values = record.values();
  ordered_json hash = nullptr;
  if (facts.state_hash) hash = fmt::format("{:016x}", *facts.state_hash);
  ordered_json all = {{"scene", facts.scene},
                      {"version", build_facts().version},
                      {"machine", machine_json()},
                      {"command_line", facts.command_line},
                      {"threads", facts.threads},
                      {"steps", record.steps()},
                      {"simulated_seconds", number(record.simulated_seconds())},
                      {"wall_seconds", number(facts.wall_seconds)},
                      {"step_seconds", number(record.step_seconds())},
                      {"real_time_factor", number(record.real_time_factor())},
                      {"state_hash", hash},
                      {"interrupted", facts.interrupted},
                      {"frames", facts.frames}};
  all["step"] = json_of(values.step);
  all["stages"] = ordered_json::object();
  for (const StageRecord& stage : record.stages()) all["stages"][stage.name] = json_of(stage.durations);
  all["contacts"] = contacts_json(values);
  all["energy"] = energy_json(values);
  all["solver"] = {{"iterations", counts_of(values.iterations)},
                   {"residual", counts_of(values.residual)},
                   {"failures", values.failures}};
  all["bodies"] = ordered_json::array();
  for (const BodyFacts& body : facts.bodies) all["bodies"].push_back(json_of(body));
  all["warnings"] = facts.warnings;
  return all.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace palpate
