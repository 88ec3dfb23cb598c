// The study of spring-cubes as tables, plots, a page and JSON.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <palpate/base/build_facts.h>
#include <palpate/study/study_springs.h>

namespace palpate {

namespace {

const SpringError& at_60(const SpringResult& result) {
  return *std::min_element(result.errors.begin(), result.errors.end(), [](const auto& a, const auto& b) {
    return std::abs(a.step - 1.0 / 60) < std::abs(b.step - 1.0 / 60);
  });
}

Plot error_plot(const SpringResult& result) {
  Plot plot;
  plot.title = fmt::format("System {}: error in 10 s against the step", result.system.number);
  plot.x = {"step [s]", true};
  plot.y = {"largest error of the distance [m]", true};
  PlotSeries ours{"ours", {}}, euler{"Euler, as published", {}};
  for (const SpringError& e : result.errors) {
    ours.points.emplace_back(e.step, e.ours);
    if (e.euler < 1e3) euler.points.emplace_back(e.step, e.euler);
  }
  plot.series = {ours, euler};
  return plot;
}

Plot motion_plot(const SpringResult& result) {
  const double step = 1.0 / 60;
  const std::size_t steps = 600;
  Plot plot;
  plot.title = fmt::format("System {}: distance of the centres, steps of 1/60 s", result.system.number);
  plot.x = {"time [s]"};
  plot.y = {"distance [m]"};
  const auto series = [&](const std::string& name, const std::vector<Vec3>& way) {
    PlotSeries one{name, {}};
    for (std::size_t i = 0; i < way.size(); i += 4)
      one.points.emplace_back(step * static_cast<double>(i), way[i].norm());
    return one;
  };
  plot.series = {series("exact", result.system.exact(step, steps)),
                 series("ours", result.system.ours(step, steps)),
                 series("Euler, as published", result.system.classic_euler(step, steps))};
  return plot;
}

}  // namespace

Table springs_table(const SpringStudy& study) {
  Table table{"Two cubes and a spring, 10 s in steps of 1/60 s",
              {"system", "stiffness [N/m]", "damping [N s/m]", "length [m]", "our error [m]",
               "Euler's error [m]", "our order", "Euler's order", "energy off by"},
              {}};
  for (const SpringResult& r : study.results) {
    const SpringError& e = at_60(r);
    table.rows.push_back({fmt::format("{}", r.system.number), fmt::format("{}", r.system.stiffness),
                          fmt::format("{}", r.system.damping), fmt::format("{}", r.system.length),
                          fmt::format("{:.2e}", e.ours), fmt::format("{:.2e}", e.euler),
                          fmt::format("{:.2f}", r.order), fmt::format("{:.2f}", r.euler_order),
                          r.system.damping > 0 ? "(damped)" : fmt::format("{:.2e}", e.drift)});
  }
  return table;
}

std::vector<std::pair<std::string, Plot>> springs_plots(const SpringStudy& study) {
  std::vector<std::pair<std::string, Plot>> plots;
  for (const SpringResult& r : study.results) {
    plots.emplace_back(fmt::format("springs-{}-error", r.system.number), error_plot(r));
    plots.emplace_back(fmt::format("springs-{}-motion", r.system.number), motion_plot(r));
  }
  return plots;
}

std::string springs_page(const SpringStudy& study) {
  Page page("Two cubes and a spring");
  page.paragraph(
      "A rigid-body simulator of about 2003 was shown with two unit cubes, joined by a damped spring that is "
      "attached off their centres, in four variants. Here they are again, against exact solutions: closed "
      "forms "
      "of the first three, and a computation in long double of the fourth, in which the cubes turn. Steps of "
      "Euler's, as published, gain energy and fall behind as the step; ours are of second order and keep the "
      "energy.");
  page.table(springs_table(study));
  for (const auto& [name, plot] : springs_plots(study)) page.plot(plot);
  page.paragraph(fmt::format("Made by `palpate study springs`, version {}.", build_facts().version));
  return page.html();
}

std::string springs_json(const SpringStudy& study) {
  nlohmann::json all = {
      {"study", "springs"}, {"version", build_facts().version}, {"interrupted", study.interrupted}};
  for (const SpringResult& r : study.results) {
    nlohmann::json errors = nlohmann::json::array();
    for (const SpringError& e : r.errors)
      errors.push_back({{"step", e.step}, {"ours", e.ours}, {"euler", e.euler}, {"energy_drift", e.drift}});
    all["systems"].push_back({{"number", r.system.number},
                              {"stiffness", r.system.stiffness},
                              {"damping", r.system.damping},
                              {"length", r.system.length},
                              {"order", r.order},
                              {"euler_order", r.euler_order},
                              {"errors", std::move(errors)}});
  }
  return all.dump(2) + "\n";
}

}  // namespace palpate
