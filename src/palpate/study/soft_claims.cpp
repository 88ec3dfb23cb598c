#include <palpate/study/soft_claims.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

namespace palpate {

namespace {

// Where the curve begins to be known; without multipliers of the start, the first sweep.
double first_of(const SoftCurve& curve, SoftNorm norm) {
  for (const SoftIteration& point : curve.points)
    if (std::isfinite(value_of(point, norm))) return value_of(point, norm);
  return no_number;
}

double best_of(const SoftCurve& curve, SoftNorm norm) {
  double best = std::numeric_limits<double>::infinity();
  for (const SoftIteration& point : curve.points)
    if (const double value = value_of(point, norm); value < best) best = value;
  return best;
}

std::optional<double> common_level(const SoftCurve& one, const SoftCurve& other, SoftNorm norm) {
  const double first = std::min(first_of(one, norm), first_of(other, norm)),
               // An energy error of zero is where the least potential was met: no level for others.
      best = std::max({best_of(one, norm), best_of(other, norm), 1e-14 * first});
  if (!(best <= 0.9 * first)) return {};
  return std::pow(best, 0.9) * std::pow(first, 0.1);
}

double median(std::vector<double> values) {
  if (values.empty()) return no_number;
  std::sort(values.begin(), values.end());
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

// A claim about cases: what is measured in each, and whether that is what was claimed.
SoftClaim judged(SoftClaim claim, std::span<const SoftConvergence* const> cases,
                 const std::function<std::optional<double>(const SoftConvergence&)>& measure,
                 const std::function<bool(double)>& is_so) {
  for (const SoftConvergence* one : cases)
    if (const auto value = measure(*one)) {
      claim.measured.push_back(*value);
      claim.held += is_so(*value);
    }
  claim.verdict = verdict_of(claim.measured.size(), claim.held);
  return claim;
}

constexpr std::string_view fewer_rule = "at least 3 times fewer iterations than plain XPBD to the same level";
constexpr std::string_view little_rule = "less than 1.25 times fewer iterations than plain XPBD, or none";
constexpr std::string_view diverging_rule = "ends above ten times its first value";

}  // namespace

std::string_view name_of(SoftNorm norm) {
  switch (norm) {
    case SoftNorm::published_residual:
      return "published residual";
    case SoftNorm::residual:
      return "residual";
    case SoftNorm::energy_error:
      return "energy error";
  }
  return "";
}

double value_of(const SoftIteration& point, SoftNorm norm) {
  switch (norm) {
    case SoftNorm::published_residual:
      return point.published_residual;
    case SoftNorm::residual:
      return point.residual;
    case SoftNorm::energy_error:
      return point.energy_error;
  }
  return no_number;
}

std::optional<int> iterations_to(const SoftCurve& curve, SoftNorm norm, double level) {
  for (std::size_t i = 0; i < curve.points.size(); ++i)
    if (value_of(curve.points[i], norm) <= level) return static_cast<int>(i);
  return {};
}

std::optional<double> times_fewer(const SoftCurve& one, const SoftCurve& other, SoftNorm norm) {
  const auto level = common_level(one, other, norm);
  if (!level) return {};
  const auto mine = iterations_to(one, norm, *level), theirs = iterations_to(other, norm, *level);
  if (!mine || !theirs || *mine == 0) return {};
  return static_cast<double>(*theirs) / *mine;
}

std::optional<double> times_faster(const SoftCurve& one, const SoftCurve& other, SoftNorm norm) {
  const auto level = common_level(one, other, norm);
  if (!level) return {};
  const auto mine = iterations_to(one, norm, *level), theirs = iterations_to(other, norm, *level);
  if (!mine || !theirs) return {};
  const double my_ms = one.points[static_cast<std::size_t>(*mine)].ms,
               their_ms = other.points[static_cast<std::size_t>(*theirs)].ms;
  if (!(my_ms > 0)) return {};
  return their_ms / my_ms;
}

bool diverges(const SoftCurve& curve, SoftNorm norm) {
  if (curve.failed || curve.points.empty()) return true;
  return !(value_of(curve.points.back(), norm) <= 10 * first_of(curve, norm));
}

double milliseconds_per_iteration(const SoftCurve& curve) {
  std::vector<double> each;
  for (std::size_t i = 1; i < curve.points.size(); ++i)
    each.push_back(curve.points[i].ms - curve.points[i - 1].ms);
  return median(std::move(each));
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::partly:
      return "partly";
    case Verdict::does_not_hold:
      return "does not hold";
    case Verdict::not_judged:
      return "cannot be judged";
  }
  return "";
}

Verdict verdict_of(std::size_t cases, std::size_t cases_that_hold) {
  if (cases == 0) return Verdict::not_judged;
  if (cases_that_hold == cases) return Verdict::holds;
  return cases_that_hold == 0 ? Verdict::does_not_hold : Verdict::partly;
}

std::string SoftClaim::measured_text() const {
  if (measured.empty()) return "-";
  const auto [low, high] = std::minmax_element(measured.begin(), measured.end());
  std::string text = fmt::format("{} of {} cases", held, measured.size());
  if (!unit.empty())
    text += fmt::format("; median {:.3g}{} ({:.3g} to {:.3g})", median(measured), unit, *low, *high);
  return text;
}

std::vector<SoftClaim> judge_soft_claims(std::span<const SoftConvergence> all,
                                         std::span<const SoftInversion> inversions) {
  using namespace soft_method;
  std::vector<const SoftConvergence*> stvk, works;
  for (const SoftConvergence& one : all) {
    if (one.model != Model::stvk) continue;
    stvk.push_back(&one);
    const SoftCurve* curve = one.curve(plain);
    if (curve != nullptr &&
        best_of(*curve, SoftNorm::published_residual) <=
            0.5 * first_of(*curve, SoftNorm::published_residual) &&
        !diverges(*curve, SoftNorm::published_residual))
      works.push_back(&one);
  }
  const auto fewer = [](const char* method, const char* than, SoftNorm norm) {
    return [=](const SoftConvergence& one) -> std::optional<double> {
      const SoftCurve *a = one.curve(method), *b = one.curve(than);
      if (a == nullptr || b == nullptr) return {};
      if (const auto times = times_fewer(*a, *b, norm)) return times;
      return diverges(*a, norm) ? std::optional(0.0) : std::nullopt;  // never there
    };
  };
  const auto diverging = [](const char* method) {
    return [=](const SoftConvergence& one) -> std::optional<double> {
      const SoftCurve* curve = one.curve(method);
      if (curve == nullptr) return {};
      return diverges(*curve, SoftNorm::published_residual) ? 1 : 0;
    };
  };
  const auto is_one = [](double value) { return value == 1; };

  std::vector<SoftClaim> claims;
  for (const SoftNorm norm : {SoftNorm::published_residual, SoftNorm::energy_error})
    claims.push_back(judged({"Anderson + SOR(10) on multipliers converges 3 to 5 times faster",
                             std::string(fewer_rule),
                             std::string(name_of(norm)),
                             {},
                             " x"},
                            works, fewer(anderson_sor, plain, norm), [](double x) { return x >= 3; }));
  claims.push_back(judged(
      {"... at twice the cost of an iteration", "1.5 to 2.5 times the milliseconds", "time", {}, " x"}, works,
      [](const SoftConvergence& one) -> std::optional<double> {
        const SoftCurve *a = one.curve(anderson_sor), *b = one.curve(plain);
        if (a == nullptr || b == nullptr) return {};
        return milliseconds_per_iteration(*a) / milliseconds_per_iteration(*b);
      },
      [](double x) { return x >= 1.5 && x <= 2.5; }));
  for (const char* method : {sor_positions, chebyshev})
    for (const SoftNorm norm : {SoftNorm::published_residual, SoftNorm::energy_error})
      claims.push_back(judged({fmt::format("{} gains almost nothing", method),
                               std::string(little_rule),
                               std::string(name_of(norm)),
                               {},
                               " x"},
                              works, fewer(method, plain, norm), [](double x) { return x < 1.25; }));
  for (const char* method : {sor_multipliers, sor_multipliers_10})
    claims.push_back(judged({fmt::format("{} alone diverges", method),
                             std::string(diverging_rule),
                             std::string(name_of(SoftNorm::published_residual)),
                             {},
                             ""},
                            works, diverging(method), is_one));
  claims.push_back(judged({"Anderson on positions is unstable",
                           "without a safeguard, " + std::string(diverging_rule),
                           std::string(name_of(SoftNorm::published_residual)),
                           {},
                           ""},
                          works, diverging(anderson_positions), is_one));
  for (const SoftNorm norm : {SoftNorm::published_residual, SoftNorm::energy_error})
    claims.push_back(judged({"Jacobi converges slowly",
                             "plain XPBD needs at most half the iterations",
                             std::string(name_of(norm)),
                             {},
                             " x"},
                            works, fewer(plain, jacobi, norm), [](double x) { return x >= 2; }));
  SoftClaim inverted{
      "Inverted tetrahedra stay inverted", "StVK: some are left after a second", "count", {}, ""};
  for (const SoftInversion& one : inversions)
    if (one.model == Model::stvk) {
      inverted.measured.push_back(static_cast<double>(one.after));
      inverted.held += one.after > 0;
    }
  inverted.unit = " left";
  inverted.verdict = verdict_of(inverted.measured.size(), inverted.held);
  claims.push_back(std::move(inverted));
  claims.push_back(judged(
      {"Plain XPBD with Green strain works from deformed starts",
       "its published residual halves, and ends below ten times its first value",
       std::string(name_of(SoftNorm::published_residual)),
       {},
       ""},
      stvk,
      [&](const SoftConvergence& one) -> std::optional<double> {
        return std::find(works.begin(), works.end(), &one) != works.end() ? 1 : 0;
      },
      is_one));
  return claims;
}

}  // namespace palpate
