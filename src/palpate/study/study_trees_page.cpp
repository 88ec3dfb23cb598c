// The study of trees and voxels as tables, plots, a page and JSON.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <palpate/base/build_facts.h>
#include <palpate/report/machine.h>
#include <palpate/report/picture.h>
#include <palpate/study/study_trees.h>

namespace palpate {

namespace {

std::string published_hertz(const TreesCase& c, const std::string& method) {
  using namespace trees_method;
  const PublishedTrees& p = published_trees;
  if (c.soft_bodies == 4) return method == trees ? fmt::format("{:g}", p.four_hertz) : "-";
  if (c.soft_bodies != 1) return "-";
  if (method == brute) return fmt::format("{:g}", p.brute_hertz);
  if (method == voxels) return fmt::format("{:g}", p.voxels_hertz);
  return method == trees ? fmt::format("{:g}", p.trees_hertz) : "-";
}

std::string published_share(const TreesCase& c, const std::string& method) {
  if (c.soft_bodies != 1) return "-";
  if (method == trees_method::brute) return "almost 100 %";
  return method == trees_method::trees ? fmt::format("{:.0f} %", 100 * published_trees.trees_share) : "-";
}

bool is_size(const TreesRun& run) {
  return run.finder == "classic_voxels" && run.method != trees_method::voxels;
}

std::size_t contacts_of(const TreesRun& run) {
  std::size_t sum = 0;
  for (const TreesStep& step : run.steps) sum += step.contacts;
  return sum;
}

Table rates_table(const TreesStudy& study) {
  Table table{
      "Steps a second, and the share of the step that finding contacts takes. Detection: contacts where "
      "things are, as published; the guard is ours, and looks for what would cross on the way, by the "
      "same method. Published rates are those of a processor of 195 MHz.",
      {"scene", "method", "published [Hz]", "here [Hz]", "step [ms]", "detection [ms]", "published share",
       "detection, of the step", "with the guard", "steps", "contacts a step", "same states"},
      {}};
  for (const TreesCase& c : study.cases)
    for (const TreesRun& run : c.runs) {
      if (is_size(run) || run.steps.empty()) continue;
      table.rows.push_back(
          {c.name, run.method, published_hertz(c, run.method), fmt::format("{:.4g}", run.hertz()),
           fmt::format("{:.3g}", run.mean_ms()), fmt::format("{:.3g}", run.detect_ms()),
           published_share(c, run.method), fmt::format("{:.1f} %", 100 * run.detect_share()),
           fmt::format("{:.1f} %", 100 * run.search_share()), fmt::format("{}", run.steps.size()),
           fmt::format("{:.0f}",
                       static_cast<double>(contacts_of(run)) / static_cast<double>(run.steps.size())),
           run.same ? "yes" : "no"});
    }
  return table;
}

Table ratios_table(const TreesStudy& study) {
  using namespace trees_method;
  Table table{"How many times faster than the method in the row, in the steps that both did.",
              {"scene", "than", "trees, published", "trees: step", "trees: detection", "ours: step",
               "ours: detection"},
              {}};
  const auto text = [](const std::optional<double>& times) {
    return times ? fmt::format("{:.3g} x", *times) : std::string("-");
  };
  for (const TreesCase& c : study.cases)
    for (const char* than : {brute, voxels, trees}) {
      if (c.run(than) == nullptr) continue;
      const bool told = c.soft_bodies == 1 && than != trees;
      const PublishedTrees& p = published_trees;
      const double published = p.trees_hertz / (than == brute ? p.brute_hertz : p.voxels_hertz);
      table.rows.push_back(
          {c.name, than, told ? fmt::format("{:.3g} x", published) : "-",
           text(c.times(than, trees, &TreesStep::ms)), text(c.times(than, trees, &TreesStep::detect_ms)),
           text(c.times(than, ours, &TreesStep::ms)), text(c.times(than, ours, &TreesStep::detect_ms))});
    }
  return table;
}

// Runs of voxels by their size, ascending.
std::vector<const TreesRun*> by_size(const TreesCase& c) {
  std::vector<const TreesRun*> runs;
  for (const TreesRun& run : c.runs)
    if (run.finder == "classic_voxels") runs.push_back(&run);
  std::sort(runs.begin(), runs.end(), [](const TreesRun* a, const TreesRun* b) {
    return a->options.voxel_size < b->options.voxel_size;
  });
  return runs;
}

Table sizes_table(const TreesStudy& study) {
  Table table{"Voxels of other sizes, in mean triangles (their boxes grown by the contact distance).",
              {"scene", "size", "detection [ms]", "step [ms]", "here [Hz]"},
              {}};
  for (const TreesCase& c : study.cases)
    for (const TreesRun* run : by_size(c))
      table.rows.push_back({c.name, fmt::format("{:g}", run->options.voxel_size),
                            fmt::format("{:.3g}", run->detect_ms()), fmt::format("{:.3g}", run->mean_ms()),
                            fmt::format("{:.4g}", run->hertz())});
  return table;
}

Plot sizes_plot(const TreesCase& c) {
  Plot plot;
  plot.title = fmt::format("{}: detection against the size of voxels", c.name);
  plot.x = {"size [mean triangles]", true};
  plot.y = {"detection, a step [ms]", true};
  PlotSeries voxels{trees_method::voxels, {}};
  const std::vector<const TreesRun*> sizes = by_size(c);
  for (const TreesRun* run : sizes) voxels.points.emplace_back(run->options.voxel_size, run->detect_ms());
  plot.series.push_back(std::move(voxels));
  for (const char* method : {trees_method::trees, trees_method::ours})
    if (const TreesRun* run = c.run(method); run != nullptr && !sizes.empty())
      plot.series.push_back({method,
                             {{sizes.front()->options.voxel_size, run->detect_ms()},
                              {sizes.back()->options.voxel_size, run->detect_ms()}}});
  return plot;
}

Plot motion_plot(const TreesCase& c) {
  Plot plot;
  plot.title = fmt::format("{}: detection, as the scene goes on", c.name);
  plot.x = {"step"};
  plot.y = {"detection [ms]", true};
  for (const TreesRun& run : c.runs) {
    if (is_size(run)) continue;
    PlotSeries series{run.method, {}, !run.sampled};
    for (std::size_t i = 0; i < run.steps.size(); i += run.sampled ? 1 : 4)
      series.points.emplace_back(static_cast<double>(run.steps[i].step), run.steps[i].detect_ms);
    plot.series.push_back(std::move(series));
  }
  return plot;
}

void add_intro(Page& page, const TreesStudy& study) {
  const BuildFacts facts = build_facts();
  const MachineFacts machine = machine_facts();
  page.paragraph(
      "Meseure, Hilde and Chaillou (about 1998) found the contacts of a deformable sphere with rigid organs, "
      "for a "
      "simulator of laparoscopy, in three ways: every triangle with every other, a regular grid of voxels, "
      "and "
      "trees of boxes (oriented ones for what is rigid, refitted axis-aligned ones for what deforms). Here a "
      "scene of the same sizes is simulated by our own worlds with each of them, and with our default "
      "finder. "
      "All find the same contacts and stay in the same state, so that they do the same work.");
  page.paragraph(fmt::format(
      "Made by `palpate study trees{}`, palpate {} ({}, {}, kernels {}), on {}, one thread. Rates "
      "of different machines say little: compare ratios and shares.",
      study.quick ? " --quick" : "", facts.version, facts.build_type, facts.compiler, facts.kernels,
      machine.cpu));
  for (const TreesCase& c : study.cases)
    page.paragraph(fmt::format("{}: {} soft {} with {} faces, rigid ones with {} faces, of which {} move.",
                               c.name, c.soft_bodies, c.soft_bodies == 1 ? "body" : "bodies", c.soft_faces,
                               c.rigid_faces, c.moving_faces));
  if (study.quick) page.paragraph("A quick run: few steps. Do not cite it.");
  if (study.interrupted) page.paragraph("The study was interrupted: only what was complete is shown.");
}

}  // namespace

std::vector<Table> trees_tables(const TreesStudy& study) {
  return {rates_table(study), ratios_table(study), sizes_table(study)};
}

std::vector<std::pair<std::string, Plot>> trees_plots(const TreesStudy& study) {
  std::vector<std::pair<std::string, Plot>> plots;
  for (std::size_t i = 0; i < study.cases.size(); ++i) {
    plots.emplace_back(fmt::format("trees-{}-motion", i + 1), motion_plot(study.cases[i]));
    if (by_size(study.cases[i]).size() > 1)
      plots.emplace_back(fmt::format("trees-{}-sizes", i + 1), sizes_plot(study.cases[i]));
  }
  return plots;
}

std::string trees_page(const TreesStudy& study) {
  Page page("Trees and voxels for deformable bodies: the published experiment, re-run");
  add_intro(page, study);
  page.heading("What was claimed, and what we measure");
  page.table(claims_table(study.claims));
  page.heading("Tables");
  for (const Table& table : trees_tables(study)) page.table(table);
  page.heading("Plots");
  for (const auto& [name, plot] : trees_plots(study)) page.plot(plot);
  for (const TreesCase& c : study.cases) {
    if (c.moment.empty()) continue;
    const PictureView view{.width = 900, .height = 600, .elevation = 15};
    page.picture(png(draw_picture(c.moment, view), view.width, view.height), view.width, view.height,
                 fmt::format("{}, where contacts are most", c.name));
  }
  page.heading("How it was measured");
  page.list(
      {"One world for each method, stepped in turn; who begins changes from step to step. Brute force is set "
       "to "
       "where the others are every now and then, and does that step with them. Hashes of all worlds are "
       "compared after every step. Times are those of the thread, without what else the machine did.",
       "Contacts inside the soft bodies are left out, and so are contacts among several of them, as "
       "published. "
       "The four soft bodies lie almost in the same place, so that each does what the single one does.",
       "Our step also looks for what would cross on its way (the guard), which was not published: it is "
       "counted apart. The published way for fast motion, boxes grown by how far things go, is not used.",
       "Refitting oriented boxes, which was published as too slow or too loose, was not tried again."});
  return page.html();
}

std::string trees_json(const TreesStudy& study) {
  using nlohmann::ordered_json;
  const BuildFacts facts = build_facts();
  ordered_json all = {{"study", "trees"},
                      {"version", facts.version},
                      {"machine", {{"cpu", machine_facts().cpu}, {"kernels", facts.kernels}}},
                      {"quick", study.quick},
                      {"interrupted", study.interrupted},
                      {"claims", ordered_json::parse(claims_json(study.claims))},
                      {"cases", ordered_json::array()}};
  for (const TreesCase& c : study.cases) {
    ordered_json runs = ordered_json::array();
    for (const TreesRun& run : c.runs)
      runs.push_back({{"method", run.method},
                      {"finder", run.finder},
                      {"voxel_size", run.options.voxel_size},
                      {"steps", run.steps.size()},
                      {"step_ms", run.mean_ms()},
                      {"hertz", run.hertz()},
                      {"detect_ms", run.detect_ms()},
                      {"detect_share", run.detect_share()},
                      {"search_share", run.search_share()},
                      {"contacts", contacts_of(run)},
                      {"same_states", run.same}});
    all["cases"].push_back({{"name", c.name},
                            {"soft_bodies", c.soft_bodies},
                            {"soft_faces", c.soft_faces},
                            {"rigid_faces", c.rigid_faces},
                            {"moving_faces", c.moving_faces},
                            {"runs", std::move(runs)}});
  }
  return all.dump(1) + "\n";
}

}  // namespace palpate
