#include <palpate/study/study_soft_tables.h>

#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace palpate {

namespace {

std::string times_text(const std::optional<double>& value) {
  if (!value) return "-";
  return *value < 10 ? fmt::format("{:.1f} x", *value) : fmt::format("{:.0f} x", *value);
}

}  // namespace

std::string number_text(double value) {
  if (!std::isfinite(value)) return "-";
  return value == 0 || (std::abs(value) >= 1e-2 && std::abs(value) < 1e5) ? fmt::format("{:.3g}", value)
                                                                          : fmt::format("{:.1e}", value);
}

std::string title_of(const SoftConvergence& one) {
  std::string start = one.start;
  if (one.start != "violent") start += fmt::format(" ({:.2g} % longer)", 100 * (one.deformation.stretch - 1));
  return fmt::format("{}, {}, {} start", one.shape, words_of(one.model), start);
}

Table claims_table(const SoftStudy& study) {
  Table table{"Judged on StVK, in the cases where plain XPBD works; \"holds\" means in all of them.",
              {"published claim", "norm", "verdict", "measured", "rule"},
              {}};
  for (const SoftClaim& claim : study.claims)
    table.rows.push_back(
        {claim.claim, claim.norm, std::string(name_of(claim.verdict)), claim.measured_text(), claim.rule});
  return table;
}

Table speeds_table(const SoftStudy& study) {
  using namespace soft_method;
  Table table{
      "How many times fewer iterations than plain XPBD, by the published residual / by the energy error. A "
      "dash: "
      "plain XPBD or the method does not come down; ms: how many times faster in time, by the energy error.",
      {"case", "Anderson SOR(10)", "ms", "Anderson", "SOR on positions", "Chebyshev", "Anderson on positions",
       "ms"},
      {}};
  for (const SoftConvergence& one : study.convergence) {
    const SoftCurve* than = one.curve(plain);
    if (one.model != Model::stvk || than == nullptr) continue;
    std::vector<std::string> row = {title_of(one)};
    for (const char* method : {anderson_sor, anderson, sor_positions, chebyshev, anderson_positions}) {
      const SoftCurve* curve = one.curve(method);
      if (curve == nullptr) continue;
      row.push_back(fmt::format("{} / {}",
                                times_text(times_fewer(*curve, *than, SoftNorm::published_residual)),
                                times_text(times_fewer(*curve, *than, SoftNorm::energy_error))));
      if (method == anderson_sor || method == anderson_positions)
        row.push_back(times_text(times_faster(*curve, *than, SoftNorm::energy_error)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table ours_table(const SoftStudy& study) {
  Table table{"Milliseconds to an energy error of 1e-2, and how many times faster the default is.",
              {"case", "quasi_newton [ms]", "xpbd [ms]", "Anderson SOR(10), published [ms]", "vs xpbd",
               "vs published"},
              {}};
  for (const SoftConvergence& one : study.convergence) {
    std::vector<std::string> row = {title_of(one)};
    std::vector<double> ms;
    for (const char* method : {soft_method::best, soft_method::plain, soft_method::anderson_sor}) {
      const SoftCurve* curve = one.curve(method);
      const auto at = curve == nullptr ? std::nullopt : iterations_to(*curve, SoftNorm::energy_error, 1e-2);
      ms.push_back(at ? curve->points[static_cast<std::size_t>(*at)].ms : no_number);
      row.push_back(at ? number_text(ms.back()) : "not reached");
    }
    for (const std::size_t other : {1, 2})
      row.push_back(times_text(std::isfinite(ms[0]) && std::isfinite(ms[other])
                                   ? std::optional(ms[other] / ms[0])
                                   : std::nullopt));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table convergence_table(const SoftConvergence& one) {
  Table table{"Iterations and milliseconds to an energy error, and the state at the end of the run.",
              {"method", "to 1e-2: iterations", "ms", "to 1e-4: iterations", "ms", "error at the end",
               "published residual", "ms an iteration", "refused", "inverted"},
              {}};
  for (const SoftCurve& curve : one.curves) {
    std::vector<std::string> row = {curve.method};
    for (const double level : {1e-2, 1e-4}) {
      const auto at = iterations_to(curve, SoftNorm::energy_error, level);
      row.push_back(at ? fmt::format("{}", *at) : "-");
      row.push_back(at ? number_text(curve.points[static_cast<std::size_t>(*at)].ms) : "-");
    }
    const SoftIteration& last = curve.points.back();
    row.push_back(curve.failed ? "blew up" : number_text(last.energy_error));
    row.push_back(number_text(last.published_residual));
    row.push_back(number_text(milliseconds_per_iteration(curve)));
    row.push_back(fmt::format("{}", curve.refused));
    row.push_back(fmt::format("{}", curve.inverted));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace palpate
