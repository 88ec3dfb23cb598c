// The study of the grid as plots and a page.
#include <algorithm>

#include <fmt/format.h>

#include <palpate/base/build_facts.h>
#include <palpate/report/machine.h>
#include <palpate/report/picture.h>
#include <palpate/study/grid_published.h>
#include <palpate/study/study_grid.h>

namespace palpate {

namespace {

// Milliseconds against triangles, where contacts are between two surfaces.
Plot size_plot(const GridStudy& study) {
  Plot plot;
  plot.title = "Tori: detection on one thread, against triangles";
  plot.x = {"triangles", true};
  plot.y = {"a step [ms]", true};
  PlotSeries published{"grid of boxes, published", {}};
  for (const char* method : {grid_method::boxes, grid_method::spheres, grid_method::ours})
    plot.series.push_back({method, {}});
  for (const GridCase& c : study.cases) {
    if (c.self) continue;
    const auto triangles = static_cast<double>(c.triangles);
    for (PlotSeries& series : plot.series)
      if (const GridRun* run = c.run(series.name)) series.points.emplace_back(triangles, run->ms);
    if (const PublishedGrid* p = published_of(c.scene))
      published.points.emplace_back(triangles, p->boxes_without);
  }
  plot.series.push_back(std::move(published));
  return plot;
}

// One value of each frame.
template <class Value>
PlotSeries along(const GridCase& c, const std::string& name, Value&& value) {
  PlotSeries series{name, {}};
  for (std::size_t f = 0; f < c.frames; ++f)
    series.points.emplace_back(c.step * static_cast<double>((f + 1) * c.every), value(f));
  return series;
}

Plot motion_plot(const GridCase& c) {
  Plot plot;
  plot.title = fmt::format("{}: detection on one thread, as the scene goes on", c.scene);
  plot.x = {"time in the scene [s]"};
  plot.y = {"a step [ms]", true};
  std::vector<const char*> methods = {grid_method::spheres, grid_method::boxes};
  if (c.self) methods = {grid_method::boxes, grid_method::published_cones, grid_method::cones};
  methods.push_back(grid_method::ours);
  for (const char* method : methods)
    if (const GridRun* run = c.run(method); run != nullptr && run->frame_ms.size() == c.frames)
      plot.series.push_back(along(c, method, [&](std::size_t f) { return run->frame_ms[f]; }));
  return plot;
}

Plot loss_plot(const GridCase& c) {
  Plot plot;
  plot.title = fmt::format("{}: contacts that published rules lose", c.scene);
  plot.x = {"time in the scene [s]"};
  plot.y = {"lost, of all [%]"};
  for (const char* method : {grid_method::published_cones, grid_method::published_rules,
                             grid_method::as_published, grid_method::cones})
    if (const GridRun* run = c.run(method); run != nullptr && run->frame_lost.size() == c.frames)
      plot.series.push_back(along(c, method, [&](std::size_t f) {
        const auto all = static_cast<double>(c.frame_contacts[f]);
        return all > 0 ? 100 * static_cast<double>(run->frame_lost[f]) / all : 0;
      }));
  return plot;
}

void add_intro(Page& page, const GridStudy& study) {
  const BuildFacts facts = build_facts();
  const MachineFacts machine = machine_facts();
  page.paragraph(
      "Léonard (2021) finds the contacts of deformable surfaces with a uniform grid for each pair of "
      "surfaces. "
      "Here the published experiments are done again: the published pipeline stage by stage, with boxes or "
      "spheres around triangles, with and without volumes around single features, with and without cones of "
      "normals, on one thread and on all. Two published rules lose contacts; unless a variant is named after "
      "them, they are repaired, so that all variants do the same work and what they find is compared contact "
      "by contact.");
  page.paragraph(fmt::format(
      "Made by `palpate study grid{}`, palpate {} ({}, {}, kernels {}), on {} with {} cores, {} threads at "
      "most. Published figures are of another machine (i5-9400F, six cores) and of contact distances that "
      "are "
      "not told: compare ratios.",
      study.quick ? " --quick" : "", facts.version, facts.build_type, facts.compiler, facts.kernels,
      machine.cpu, machine.cores, study.threads));
  if (study.quick) page.paragraph("A quick run: small scenes, few frames. Do not cite it.");
  if (study.interrupted) page.paragraph("The study was interrupted: only what was complete is shown.");
}

void add_terms(Page& page) {
  page.heading("How it was measured");
  std::vector<std::string> terms;
  terms.emplace_back(
      "Scenes: ours of the same names and sizes, as many steps as published; every third step is kept as a "
      "frame "
      "(ten of them in a quick run). Steps of the knot are of 20 ms, as published. Our tori, of 28 cm, fall "
      "and "
      "slide off in half a second, where the published ones took six: their steps are of 2 ms. Between tori "
      "only contacts of one with the other count, in the knot those inside it.");
  terms.emplace_back(
      "In every round each variant is measured on each frame, and who begins changes; of a frame the lower "
      "quartile of the rounds counts. Figures are means over frames, those without contacts included, as "
      "published. On one thread, time is that of the thread, without what else the machine did; on all, by "
      "the "
      "clock.");
  terms.emplace_back(
      "Stages go over the whole scene one after the other. Region, cells, cones, pairs and tests use all "
      "threads; "
      "the sort uses one, as published. \"Other\" is what detection does before and after: boxes of "
      "surfaces, "
      "contacts put in order.");
  terms.emplace_back(
      "A contact is a pair of features below the contact distance, neighbours along the surface left out "
      "(docs/contacts.md). Published were also contacts between neighbours.");
  terms.emplace_back(
      "\"Sound cones\" leave a cell alone only where no two features can be near, which needs the outline of "
      "the "
      "patch as well as its normals.");
  terms.emplace_back(
      "The rolled sheet is ours, to show what cones lose: a sheet rolled up in layers nearer than the "
      "contact "
      "distance, three times, not simulated. It is in the table of losses alone.");
  page.list(terms);
}

void add_pictures(Page& page, const GridStudy& study) {
  for (const GridCase& c : study.cases) {
    if (c.moment.empty()) continue;
    const PictureView view{.width = 900, .height = 600, .edges = c.triangles < 20'000};
    page.picture(png(draw_picture(c.moment, view), view.width, view.height), view.width, view.height,
                 fmt::format("{}, where contacts are most", c.scene));
  }
}

}  // namespace

std::vector<std::pair<std::string, Plot>> grid_plots(const GridStudy& study) {
  std::vector<std::pair<std::string, Plot>> plots;
  if (study.cases.empty()) return plots;
  plots.emplace_back("grid-sizes", size_plot(study));
  for (const GridCase& c : study.cases) {
    if (c.steps == 0) continue;  // a few moments, no motion
    plots.emplace_back(fmt::format("grid-{}-motion", c.scene), motion_plot(c));
    plots.emplace_back(fmt::format("grid-{}-lost", c.scene), loss_plot(c));
  }
  return plots;
}

std::string grid_page(const GridStudy& study) {
  Page page("A grid for contacts: the published experiments, re-run");
  add_intro(page, study);
  page.heading("What was claimed, and what we measure");
  page.table(claims_table(study.claims));
  page.heading("Tables");
  for (const Table& table : grid_tables(study)) page.table(table);
  page.heading("Plots");
  for (const auto& [name, plot] : grid_plots(study)) page.plot(plot);
  add_pictures(page, study);
  add_terms(page);
  return page.html();
}

}  // namespace palpate
