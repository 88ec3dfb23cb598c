#include <palpate/report/run_page.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <palpate/base/build_facts.h>
#include <palpate/report/machine.h>

namespace palpate {

namespace {

constexpr double eye = 1000.0 / 60;     // a frame for the eye [ms]
constexpr std::size_t most_stages = 7;  // that a reader can tell apart in a plot

using BucketValue = double (*)(const BucketSeries::Bucket&);
double mean_of(const BucketSeries::Bucket& bucket) { return bucket.mean(); }
double high_of(const BucketSeries::Bucket& bucket) { return bucket.count > 0 ? bucket.high : not_known; }
double low_of(const BucketSeries::Bucket& bucket) { return bucket.count > 0 ? bucket.low : not_known; }

PlotSeries series_of(std::string name, const RunRecord& record, const BucketSeries& values,
                     BucketValue value = mean_of) {
  PlotSeries series{std::move(name), {}};
  const auto times = record.values().time.series.buckets(), buckets = values.buckets();
  for (std::size_t i = 0; i < std::min(times.size(), buckets.size()); ++i)
    series.points.emplace_back(times[i].mean(), value(buckets[i]));
  return series;
}

// "steps", or what a point of a plot stands for.
std::string thinned_text(const RunRecord& record) {
  const std::uint64_t stride = record.values().time.series.stride();
  return stride > 1 ? fmt::format(" (means of {} steps)", stride) : "";
}

// The stages that take most of the time, in the order of the step; all if there are few.
std::vector<const StageRecord*> shown_stages(const RunRecord& record) {
  std::vector<const StageRecord*> shown;
  for (const StageRecord& stage : record.stages())
    if (stage.durations.values().sum > 0) shown.push_back(&stage);
  if (shown.size() <= most_stages) return shown;
  std::vector<double> sums;
  for (const StageRecord* stage : shown) sums.push_back(stage->durations.values().sum);
  std::nth_element(sums.begin(), sums.begin() + most_stages - 1, sums.end(), std::greater<>());
  std::erase_if(
      shown, [&](const StageRecord* stage) { return stage->durations.values().sum < sums[most_stages - 1]; });
  return shown;
}

// Logarithmic: stages differ by factors, and the budget stays in sight however short the steps are.
Plot time_plot(const RunRecord& record) {
  Plot plot{.title = "Time per step" + thinned_text(record),
            .x = {"simulated time [s]"},
            .y = {"time [ms]", true},
            .series = {}};
  const DurationRecord& step = record.values().step;
  plot.series.push_back(series_of("whole step", record, step.values().series));
  if (step.values().series.stride() > 1)
    plot.series.push_back(series_of("longest of them", record, step.values().series, high_of));
  for (const StageRecord* stage : shown_stages(record))
    plot.series.push_back(series_of(stage->name, record, stage->durations.values().series));
  const double worst = std::isfinite(step.values().high) ? step.values().high : eye;
  plot.y.high = 2 * std::max(worst, eye);
  plot.y.low = std::max(1e-3, 1e-3 * step.percentile(0.5));  // a microsecond is nothing
  if (!(*plot.y.low < eye)) plot.y.low = 0.1 * eye;
  plot.levels.push_back({"16.7 ms: 60 Hz", eye});
  return plot;
}

Plot contacts_plot(const RunRecord& record) {
  const RunValues& values = record.values();
  Plot plot{.title = "Contacts" + thinned_text(record),
            .x = {"simulated time [s]"},
            .y = {"contacts", false, 0.0},
            .series = {},
            .height = 300};
  plot.series.push_back(series_of("all", record, values.contacts.series));
  plot.series.push_back(series_of("vertex and triangle", record, values.vertex_triangle.series));
  plot.series.push_back(series_of("edge and edge", record, values.edge_edge.series));
  plot.y.high = std::max(1.0, 1.05 * (values.contacts.count > 0 ? values.contacts.high : 0));
  return plot;
}

Plot nearest_plot(const RunRecord& record) {
  Plot plot{.title = "Nearest contact",
            .x = {"simulated time [s]"},
            .y = {"distance [m]", true},
            .series = {},
            .height = 260};
  plot.series.push_back(series_of("nearest", record, record.values().nearest.series, low_of));
  return plot;
}

Plot energies_plot(const RunRecord& record) {
  const RunValues& values = record.values();
  Plot plot{.title = "Energy" + thinned_text(record),
            .x = {"simulated time [s]"},
            .y = {"energy [J]"},
            .series = {},
            .height = 320};
  const auto add = [&](const char* name, const ValueRecord& value) {
    if (value.count > 0) plot.series.push_back(series_of(name, record, value.series));
  };
  double low = 0, high = 0;
  for (const ValueRecord* value :
       {&values.total, &values.kinetic, &values.elastic, &values.potential, &values.contact}) {
    low = std::min(low, value->low);  // comparisons with what is not known are false
    high = std::max(high, value->high);
  }
  const double room = 0.04 * (high - low);
  if (room > 0) plot.y.low = low - room, plot.y.high = high + room;
  add("total", values.total);
  add("kinetic", values.kinetic);
  add("elastic", values.elastic);
  add("potential (gravity, forces)", values.potential);
  add("contact (what is pressed)", values.contact);
  return plot;
}

void add_intro(Page& page, const RunFacts& facts, const RunRecord& record) {
  page.paragraph(run_sentences(facts, record));
  if (facts.warnings.empty()) return;
  page.heading("Warnings");
  page.list(facts.warnings);
}

// What the player shows, or why there is none, and what it leaves out.
void add_player(Page& page, const RunFacts& facts) {
  const ShownRecording& shown = facts.recording;
  if (shown.bytes.empty()) {
    if (!facts.no_player.empty()) page.paragraph(facts.no_player);
    return;
  }
  page.player(shown.bytes);
  std::string lacks;
  if (shown.frames < shown.of)
    lacks =
        fmt::format("The player has {} of {} frames: a page has no room for more. ", shown.frames, shown.of);
  if (!shown.has_inside)
    lacks += "The player has no room for what is inside of bodies: tetrahedra, fixed nodes and strain. ";
  if (!lacks.empty()) page.paragraph(lacks + "What palpate run --record FILE keeps has all of it.");
}

void add_provenance(Page& page, const RunFacts& facts) {
  const BuildFacts build = build_facts();
  const MachineFacts machine = machine_facts();
  page.heading("To do it again");
  Table table{"", {"what", "value"}, {}};
  table.rows.push_back(
      {"version", fmt::format("palpate {} ({}, {}, for {}, kernels {})", build.version, build.build_type,
                              build.compiler, build.built_for, build.kernels)});
  table.rows.push_back(
      {"machine", fmt::format("{}, {} cores, {:.1f} GB; the run used {} thread{}", machine.cpu, machine.cores,
                              1e-9 * static_cast<double>(machine.memory), facts.threads,
                              facts.threads == 1 ? "" : "s")});
  if (facts.state_hash) table.rows.push_back({"state hash", fmt::format("{:016x}", *facts.state_hash)});
  page.table(table);
  if (!facts.command_line.empty()) page.preformatted(facts.command_line);
  if (facts.scene_text.empty()) return;
  page.heading("The scene", 3);
  page.preformatted(facts.scene_text);
}

}  // namespace

std::vector<Plot> run_plots(const RunRecord& record) {
  std::vector<Plot> plots;
  if (record.steps() == 0) return plots;
  plots.push_back(time_plot(record));
  plots.push_back(contacts_plot(record));
  if (record.values().nearest.count > 0) plots.push_back(nearest_plot(record));
  Plot energies = energies_plot(record);
  if (!energies.series.empty()) plots.push_back(std::move(energies));
  return plots;
}

std::string run_page(const RunFacts& facts, const RunRecord& record) {
  Page page(facts.scene.empty() ? "A run" : "Run of " + facts.scene);
  add_intro(page, facts, record);
  add_player(page, facts);
  page.heading("Stages of a step");
  Table stages = run_stages_table(record);
  stages.caption = "Stages inside another one count in both.";
  page.table(stages);
  if (record.steps() > 0) page.heading("Through the run");
  for (const Plot& plot : run_plots(record)) page.plot(plot);
  page.heading("Bodies");
  if (facts.bodies.empty())
    page.paragraph("There are none.");
  else
    page.table(run_bodies_table(facts));
  add_provenance(page, facts);
  return page.html();
}

}  // namespace palpate
