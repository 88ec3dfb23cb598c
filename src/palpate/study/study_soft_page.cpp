// The study of soft bodies as a page: claims first, then what they rest on.
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include <fmt/format.h>

#include <palpate/base/build_facts.h>
#include <palpate/base/parallel.h>
#include <palpate/geometry/box.h>
#include <palpate/report/picture.h>
#include <palpate/study/study_soft.h>
#include <palpate/study/study_soft_tables.h>

namespace palpate {

namespace {

const std::vector<std::string>& published_methods() {
  using namespace soft_method;
  static const std::vector<std::string> names = {plain,         anderson_sor,    anderson, chebyshev,
                                                 sor_positions, sor_multipliers, jacobi};
  return names;
}
const std::vector<std::string>& compared_methods() {
  using namespace soft_method;
  static const std::vector<std::string> names = {best,
                                                 plain,
                                                 "xpbd_coloured",
                                                 jacobi,
                                                 "vertex",
                                                 anderson_sor,
                                                 anderson,
                                                 anderson_positions,
                                                 chebyshev,
                                                 "Anderson on both",
                                                 coloured_both,
                                                 jacobi_both,
                                                 "vertex, Anderson on positions"};
  return names;
}

enum class Across : std::uint8_t { iterations, milliseconds };

// What blows up would squeeze all others: the axis ends a little above where they begin.
Plot convergence_plot(const SoftConvergence& one, SoftNorm norm, Across across,
                      const std::vector<std::string>& methods) {
  Plot plot;
  plot.title = fmt::format("{}: {}", title_of(one), name_of(norm));
  plot.x = {across == Across::iterations ? "iterations" : "time [ms]", across == Across::milliseconds};
  plot.y = {norm == SoftNorm::energy_error ? "energy error (of what there was to lose)"
            : norm == SoftNorm::residual   ? "residual [m]"
                                           : "|C + a/h² λ| [m^1.5]",
            true};
  double first = 0, least = std::numeric_limits<double>::infinity();
  for (const std::string& name : methods) {
    const SoftCurve* curve = one.curve(name);
    if (curve == nullptr || (norm == SoftNorm::published_residual &&
                             !std::isfinite(curve->points.back().published_residual) && !curve->failed))
      continue;
    PlotSeries series{name + (diverges(*curve, norm) ? " (blows up)" : ""), {}};
    for (std::size_t i = 0; i < curve->points.size(); ++i) {
      const SoftIteration& point = curve->points[i];
      const double value = value_of(point, norm);
      series.points.emplace_back(across == Across::iterations ? static_cast<double>(i) : point.ms, value);
      if (std::isfinite(value) && value > 0) least = std::min(least, value);
      if (first == 0 && std::isfinite(value)) first = value;
    }
    plot.series.push_back(std::move(series));
  }
  if (first > 0) {
    plot.y.high = 30 * first;
    plot.y.low = std::max(0.5 * least, 1e-12 * first);
  }
  return plot;
}

void add_intro(Page& page, const SoftStudy& study) {
  const BuildFacts facts = build_facts();
  page.paragraph(
      "Boukadida (2020) accelerated the projection of strain constraints (XPBD) by Anderson's mixing "
      "of the multipliers. Here the experiments are done again with our solvers, on the same meshes, "
      "and each claim is judged by a rule that is stated with it.");
  page.paragraph(
      fmt::format("Made by `palpate study soft{}`, palpate {} ({}, {}, kernels {}), {} threads. Times "
                  "are of this machine; ratios say more.",
                  study.quick ? " --quick" : "", facts.version, facts.build_type, facts.compiler,
                  facts.kernels, available_threads()));
  if (study.quick) page.paragraph("A quick run: the smallest beam only, and few iterations. Do not cite it.");
  if (study.interrupted) page.paragraph("The study was interrupted: only what was complete is shown.");
  for (const std::string& name : study.missing)
    page.paragraph(
        fmt::format("Left out: {}. Put its .node and .ele files there, or set PALPATE_DATA to the folder "
                    "that holds tets/.",
                    name));
}

void add_terms(Page& page) {
  page.heading("Norms and starts");
  std::vector<std::string> terms;
  terms.emplace_back(
      "Published residual: |C + a/h² λ|, the norm of the published figures, in m^1.5. It is small "
      "where multipliers fit the positions; it does not say whether the positions fit the "
      "multipliers, so it can be small far from the solution.");
  terms.emplace_back(
      "Residual: how far the forces that are left would carry the nodes in a step, as a mean weighted "
      "by mass, in m. All solvers have it.");
  terms.emplace_back(
      "Energy error: the potential of the step above the least that any solver met, of what there was "
      "to lose. Projections do not end quite at the least, whatever their residual says.");
  terms.emplace_back(
      "Violent start: stretched to 1.5 times the length, twisted by 90 degrees, shaken by a tenth of "
      "an edge. Gentle: stretched as far as plain XPBD bears it without a rise of its residual to "
      "three times or an inverted element, 10 % at most. Slight: stretched by 0.1 %. The published "
      "start is not told beyond \"deformed\".");
  terms.emplace_back(
      "One step of 1/60 s, E = 1e6 Pa, Poisson's ratio 0.4, all nodes free, gravity. Milliseconds "
      "leave out what measuring took.");
  terms.emplace_back(
      "Methods named \"published\" follow the published algorithm (a jump before each sweep, taken "
      "where the published residual falls); \"on multipliers\" ones are ours, which take a mixed step "
      "where the potential is no higher. SOR and Chebyshev run without a safeguard, as published. "
      "Factors of SOR(1.5) and Chebyshev(0.95) are usual ones; the published text tells only the 10 "
      "of Anderson's.");
  page.list(terms);
}

void add_convergence(Page& page, const SoftStudy& study) {
  page.heading("Convergence (figures 3.5 to 3.9)");
  if (!study.stretches.empty()) {
    Table table{
        "The largest stretch from which plain XPBD with Green strain comes down, E = 1e6 Pa, h = 1/60 s.",
        {"shape", "stretch"},
        {}};
    for (const auto& [shape, stretch] : study.stretches)
      table.rows.push_back({shape, stretch > 1 ? fmt::format("{:.4g}", stretch) : "none of 1.0001 to 1.1"});
    page.table(table);
  }
  for (const SoftConvergence& one : study.convergence) {
    page.heading(title_of(one), 3);
    page.paragraph(fmt::format("{} nodes, {} tetrahedra, of which {} are inverted at the start.", one.nodes,
                               one.tets, one.inverted));
    if (one.model == Model::stvk)
      page.plot(convergence_plot(one, SoftNorm::published_residual, Across::iterations, published_methods()));
    page.plot(convergence_plot(one, SoftNorm::energy_error, Across::milliseconds, compared_methods()));
    page.plot(convergence_plot(one, SoftNorm::residual, Across::milliseconds, compared_methods()));
    const std::size_t mark = page.mark();
    page.plot(convergence_plot(one, SoftNorm::energy_error, Across::iterations, compared_methods()));
    page.plot(convergence_plot(one, SoftNorm::residual, Across::iterations, compared_methods()));
    page.table(convergence_table(one));
    page.fold(mark, "All methods, and both against iterations");
  }
}

void add_stages(Page& page, const SoftStudy& study) {
  page.heading("Cost by stage (figure 3.10)");
  page.paragraph(
      "One core. The published iteration is projection, Anderson, position update and two residuals; "
      "it was published to cost twice a plain one. The coloured projection does eight elements at a "
      "time in float.");
  Table table{"Median of an iteration.", {"shape", "stage", "ms", "ns a tetrahedron"}, {}};
  for (const SoftStage& stage : study.stages)
    table.rows.push_back(
        {stage.shape, stage.stage, number_text(stage.ms), fmt::format("{:.1f}", stage.ns_per_tet)});
  page.table(table);
}

// All of a shape in one picture, side by side at the same scale, the softest first. What hangs down far
// would make the others too small to see: it is left out.
void add_sag_picture(Page& page, const SoftStudy& study, const std::string& shape) {
  std::vector<TriangleMesh> meshes;
  double right = 0, low = 0, high = 0, usual = 0;
  std::string shown, left_out;
  for (const SoftSag& sag : study.sags)
    if (sag.shape == shape) usual = bounds(sag.surface.positions).size().maxCoeff();  // of the hardest
  for (const SoftSag& sag : study.sags) {
    if (sag.shape != shape) continue;
    TriangleMesh mesh = sag.surface;
    const Box box = bounds(mesh.positions);
    if (box.size().z() > 2.5 * usual) {
      left_out += fmt::format(" E = {:.0e} Pa is left out: it hangs {:.0f} cm long.", sag.young,
                              100 * box.size().z());
      continue;
    }
    for (Vec3& p : mesh.positions) p.x() += right - box.lo.x();
    right += box.size().x() + 0.1 * usual;
    low = std::min(low, box.lo.z());
    high = std::max(high, box.hi.z());
    shown += fmt::format("{}{:.0e}", shown.empty() ? "" : ", ", sag.young);
    meshes.push_back(std::move(mesh));
  }
  if (meshes.empty()) return;
  PictureView view{.width = 1400, .azimuth = -90, .elevation = 0, .edges = shape.starts_with("beam")};
  view.height = std::clamp<std::size_t>(static_cast<std::size_t>(1400 * (high - low) / right * 1.1), 80, 900);
  const std::vector<std::uint8_t> grey = draw_picture(meshes, view);
  page.picture(png(grey, view.width, view.height), view.width, view.height,
               fmt::format("{}: E = {} Pa, from the left.{}", shape, shown, left_out));
}

Plot sag_plot(const SoftStudy& study) {
  Plot plot{.title = "Largest sag against Young's modulus",
            .x = {"Young's modulus [Pa]", true},
            .y = {"sag [m]", true},
            .series = {}};
  for (const SoftSag& sag : study.sags) {
    if (plot.series.empty() || plot.series.back().name != sag.shape) plot.series.push_back({sag.shape, {}});
    plot.series.back().points.emplace_back(sag.young, sag.sag);
  }
  PlotSeries closed{"thin beam of 11.5 cm, closed form for small sags", {}};
  for (const SoftSag& sag : study.sags)
    if (sag.shape == "beam-460" && sag.closed_form < 0.05)
      closed.points.emplace_back(sag.young, sag.closed_form);
  plot.series.push_back(std::move(closed));
  return plot;
}

void add_sags(Page& page, const SoftStudy& study) {
  page.heading("Sag for Young's moduli of 1e3 to 1e9 Pa (figures 3.1 to 3.3)");
  page.paragraph(
      "Beams are held at their left end, animals by their feet (the lowest 6 %); Neo-Hookean, "
      "Poisson's ratio 0.4, steps of 1/20 s until nothing moves. There is no floor and nothing "
      "touches itself. The closed form is that of a thin beam and holds for sags that are small "
      "beside its length; coarse beams of linear tetrahedra are too stiff in bending; finer ones come "
      "nearer to it.");
  if (study.sags.empty()) return;
  page.plot(sag_plot(study));
  Table table{"", {"shape", "E [Pa]", "largest sag [mm]", "thin beam [mm]", "inverted", "came to rest"}, {}};
  std::string last;
  for (const SoftSag& sag : study.sags) {
    if (sag.shape != last) add_sag_picture(page, study, sag.shape);
    last = sag.shape;
    table.rows.push_back({sag.shape, fmt::format("{:.0e}", sag.young), number_text(1e3 * sag.sag),
                          number_text(1e3 * sag.closed_form), fmt::format("{}", sag.inverted),
                          sag.settled ? "yes" : "no"});
  }
  page.table(table);
}

Plot contraction_plot(const SoftStudy& study) {
  Plot plot{.title = "Contraction across, for each strain along",
            .x = {"Poisson's ratio"},
            .y = {"- strain across / strain along"},
            .series = {}};
  std::string last;
  for (const SoftContraction& one : study.contractions) {
    const std::string name = fmt::format("{}, {:.2g} % longer", words_of(one.model), 100 * one.strain);
    const std::string group = fmt::format("{}{}", words_of(one.model), one.strain > 0.1);
    if (group != last) plot.series.push_back({name, {}});
    last = group;
    plot.series.back().points.emplace_back(one.poisson, -one.contraction / one.strain);
  }
  plot.series.push_back({"closed form for small strains", {{0, 0}, {0.5, 0.5}}});
  return plot;
}

void add_contractions(Page& page, const SoftStudy& study) {
  page.heading("Lateral contraction for Poisson's ratios of 0 to 0.49 (figure 3.4)");
  page.paragraph(
      "A bar, both ends held and pulled apart; strains of the elements in its middle third. For small "
      "strains the contraction is the ratio times the strain, whatever the material; for large ones "
      "materials differ.");
  page.plot(contraction_plot(study));
  Table table{
      "",
      {"material", "Poisson's ratio", "strain along", "strain across", "closed form", "off by, of strain"},
      {}};
  for (const SoftContraction& one : study.contractions)
    table.rows.push_back(
        {std::string(words_of(one.model)), fmt::format("{:.2f}", one.poisson),
         fmt::format("{:.5f}", one.strain), fmt::format("{:.5f}", one.contraction),
         fmt::format("{:.5f}", one.closed_form),
         fmt::format("{:.2f} %", 100 * std::abs(one.contraction - one.closed_form) / one.strain)});
  page.table(table);
}

void add_inversions(Page& page, const SoftStudy& study) {
  page.heading("Inverted tetrahedra");
  page.paragraph(
      "A beam whose middle third runs backwards, left alone for a second without the way back that "
      "bodies otherwise have (soft/untangle.h). Green strain cannot tell an element from its mirror "
      "image.");
  Table table{"", {"material", "solver", "inverted at first", "after a second"}, {}};
  for (const SoftInversion& one : study.inversions)
    table.rows.push_back({std::string(words_of(one.model)), one.solver, fmt::format("{}", one.before),
                          fmt::format("{}", one.after)});
  page.table(table);
}

}  // namespace

std::string soft_page(const SoftStudy& study) {
  Page page("Accelerated soft bodies: the published experiments, re-run");
  add_intro(page, study);
  page.heading("What was claimed, and what we measure");
  page.table(claims_table(study));
  page.table(speeds_table(study));
  page.heading("Ours beside theirs");
  page.table(ours_table(study));
  add_terms(page);
  add_convergence(page, study);
  add_stages(page, study);
  add_sags(page, study);
  add_contractions(page, study);
  add_inversions(page, study);
  return page.html();
}

std::vector<std::pair<std::string, std::string>> soft_plots(const SoftStudy& study) {
  std::vector<std::pair<std::string, std::string>> plots;
  for (const SoftConvergence& one : study.convergence) {
    const std::string name = fmt::format("soft-{}-{}-{}", one.shape, words_of(one.model), one.start);
    if (one.model == Model::stvk)
      plots.emplace_back(
          name + "-published-residual",
          svg(convergence_plot(one, SoftNorm::published_residual, Across::iterations, published_methods()),
              true));
    plots.emplace_back(
        name + "-energy-time",
        svg(convergence_plot(one, SoftNorm::energy_error, Across::milliseconds, compared_methods()), true));
    plots.emplace_back(
        name + "-residual-time",
        svg(convergence_plot(one, SoftNorm::residual, Across::milliseconds, compared_methods()), true));
  }
  if (!study.sags.empty()) plots.emplace_back("soft-sag", svg(sag_plot(study), true));
  if (!study.contractions.empty()) plots.emplace_back("soft-contraction", svg(contraction_plot(study), true));
  return plots;
}

}  // namespace palpate
