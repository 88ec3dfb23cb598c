// The study of the grid for programs.
#include <nlohmann/json.hpp>

#include <palpate/base/build_facts.h>
#include <palpate/report/machine.h>
#include <palpate/study/study_grid.h>

namespace palpate {

namespace {

using nlohmann::ordered_json;

ordered_json json_of(const GridRun& run, const GridCase& c) {
  ordered_json stages;
  for (std::size_t k = 0; !run.is_ours && k < grid_stages; ++k)
    stages[std::string(name_of(static_cast<GridStage>(k)))] = run.stage_ms[k];
  const GridCounts& n = run.counts;
  return {{"method", run.method},
          {"threads", run.all_threads ? c.threads : 1},
          {"ms", run.ms},
          {"wall_ms", run.wall_ms},
          {"stages_ms", stages},
          {"contacts", run.contacts},
          {"lost", run.lost},
          {"extra", run.extra},
          {"counts",
           {{"triangles", n.triangles},
            {"entries", n.entries},
            {"dropped_entries", n.dropped_entries},
            {"cells", n.cells},
            {"dropped_cells", n.dropped_cells},
            {"triangle_pairs", n.triangle_pairs},
            {"feature_pairs", n.feature_pairs},
            {"culled_features", n.culled_features}}}};
}

ordered_json json_of(const StepTimes& times) {
  return {{"mean_ms", times.mean_ms}, {"slowest_ms", times.slowest_ms}, {"search_share", times.search_share}};
}

}  // namespace

std::string grid_json(const GridStudy& study) {
  const BuildFacts facts = build_facts();
  const MachineFacts machine = machine_facts();
  ordered_json all = {
      {"study", "grid"},
      {"version", facts.version},
      {"machine", {{"cpu", machine.cpu}, {"cores", machine.cores}, {"kernels", facts.kernels}}},
      {"threads", study.threads},
      {"quick", study.quick},
      {"interrupted", study.interrupted},
      {"claims", ordered_json::parse(claims_json(study.claims))},
      {"cases", ordered_json::array()}};
  for (const GridCase& c : study.cases) {
    ordered_json runs = ordered_json::array();
    for (const GridRun& run : c.runs) runs.push_back(json_of(run, c));
    all["cases"].push_back({{"scene", c.scene},
                            {"triangles", c.triangles},
                            {"frames", c.frames},
                            {"steps", c.steps},
                            {"step", c.step},
                            {"contact_distance", c.contact_distance},
                            {"edge", c.edge},
                            {"contacts", c.contacts},
                            {"same_states", c.same_states},
                            {"step_one_thread", json_of(c.step_one)},
                            {"step_all_threads", json_of(c.step_all)},
                            {"runs", std::move(runs)}});
  }
  return all.dump(1) + "\n";
}

}  // namespace palpate
