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

bool works(const SoftCurve& curve) {
  const SoftNorm norm = SoftNorm::published_residual;
  return best_of(curve, norm) <= 0.5 * first_of(curve, norm) && !diverges(curve, norm);
}

// Cases, and claims about them as they are judged.
class Judge {
 public:
  explicit Judge(std::span<const SoftConvergence> all) {
    for (const SoftConvergence& one : all) {
      const SoftCurve* curve = one.curve(soft_method::plain);
      if (one.model != Model::stvk || curve == nullptr) continue;
      all_.push_back(&one);
      if (works(*curve)) working_.push_back(&one);
    }
  }
  std::vector<SoftClaim> claims;

  // What was measured, and whether each is as claimed.
  void add(std::string claim, std::string rule, std::string norm, std::vector<double> measured,
           std::string unit, const std::function<bool(double)>& is_so) {
    SoftClaim one{std::move(claim), std::move(rule), std::move(norm), std::move(measured), std::move(unit)};
    for (const double value : one.measured) one.held += is_so(value);
    one.verdict = verdict_of(one.measured.size(), one.held);
    claims.push_back(std::move(one));
  }
  // How many times fewer iterations a method needs than another, under both norms.
  void add_speed(const std::string& claim, const std::string& rule, const char* method, const char* than,
                 const std::function<bool(double)>& is_so) {
    for (const SoftNorm norm : {SoftNorm::published_residual, SoftNorm::energy_error}) {
      std::vector<double> times;
      for (const SoftConvergence* one : working_) {
        const SoftCurve *a = one->curve(method), *b = one->curve(than);
        if (a == nullptr || b == nullptr) continue;
        if (diverges(*a, norm)) {
          times.push_back(0);  // never there, or not for long
        } else if (const auto fewer = times_fewer(*a, *b, norm)) {
          times.push_back(*fewer);
        }
      }
      add(claim, rule, std::string(name_of(norm)), std::move(times), " x", is_so);
    }
  }
  void add_divergence(const std::string& claim, const std::string& rule, const char* method) {
    std::vector<double> yes;
    for (const SoftConvergence* one : working_)
      if (const SoftCurve* curve = one->curve(method))
        yes.push_back(diverges(*curve, SoftNorm::published_residual) ? 1 : 0);
    add(claim, rule, std::string(name_of(SoftNorm::published_residual)), std::move(yes), "", is_one);
  }
  std::vector<double> cost_ratios(const char* method, const char* to) const {
    std::vector<double> ratios;
    for (const SoftConvergence* one : working_) {
      const SoftCurve *a = one->curve(method), *b = one->curve(to);
      if (a != nullptr && b != nullptr)
        ratios.push_back(milliseconds_per_iteration(*a) / milliseconds_per_iteration(*b));
    }
    return ratios;
  }
  std::vector<double> which_work() const {
    std::vector<double> yes;
    for (const SoftConvergence* one : all_) yes.push_back(works(*one->curve(soft_method::plain)) ? 1 : 0);
    return yes;
  }
  static bool is_one(double value) { return value == 1; }

 private:
  std::vector<const SoftConvergence*> all_, working_;
};

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
  if (each.empty()) return no_number;
  const auto quarter = each.begin() + static_cast<std::ptrdiff_t>(each.size() / 4);
  std::nth_element(each.begin(), quarter, each.end());
  return *quarter;
}

std::string SoftClaim::measured_text() const {
  if (measured.empty()) return "-";
  const auto [low, high] = std::minmax_element(measured.begin(), measured.end());
  std::string text = fmt::format("{} of {} cases", held, measured.size());
  if (!unit.empty())
    text += fmt::format("; median {:.3g}{} ({:.3g} to {:.3g})", median(measured), unit, *low, *high);
  return text;
}

std::vector<double> stage_ratios(std::span<const SoftStage> stages) {
  std::vector<double> ratios;
  double projection = 0, all = 0;
  std::string_view shape;
  const auto finish = [&] {
    if (projection > 0) ratios.push_back(all / projection);
    projection = all = 0;
  };
  for (const SoftStage& stage : stages) {
    if (stage.shape != shape) finish();
    shape = stage.shape;
    if (stage.stage == soft_stage::projection) projection = stage.ms;
    for (const char* part :
         {soft_stage::projection, soft_stage::anderson, soft_stage::update, soft_stage::residuals})
      if (stage.stage == part) all += stage.ms;
  }
  finish();
  return ratios;
}

std::vector<SoftClaim> judge_soft_claims(std::span<const SoftConvergence> all,
                                         std::span<const SoftStage> stages,
                                         std::span<const SoftInversion> inversions) {
  using namespace soft_method;
  Judge judge(all);
  const std::string published(name_of(SoftNorm::published_residual)),
      up = "ends above ten times its first value";
  judge.add_speed("Anderson + SOR(10) on multipliers converges 3 to 5 times faster",
                  "at least 3 times fewer iterations than plain XPBD to the same level", anderson_sor, plain,
                  [](double times) { return times >= 3; });
  const auto is_twice = [](double ratio) { return ratio >= 1.5 && ratio <= 2.5; };
  const std::string twice = "... at twice the cost of an iteration",
                    twice_rule = "1.5 to 2.5 times the milliseconds";
  judge.add(twice, twice_rule, "time, stages", stage_ratios(stages), " x", is_twice);
  judge.add(twice, twice_rule, "time, whole iterations", judge.cost_ratios(anderson_sor, plain), " x",
            is_twice);
  for (const char* method : {sor_positions, chebyshev})
    judge.add_speed(fmt::format("{} gains almost nothing", method),
                    "less than 1.25 times fewer iterations than plain XPBD, or none", method, plain,
                    [](double times) { return times < 1.25; });
  for (const char* method : {sor_multipliers, sor_multipliers_10})
    judge.add_divergence(fmt::format("{} alone diverges", method), up, method);
  judge.add_divergence("Anderson on positions is unstable", "without a safeguard, " + up, anderson_positions);
  judge.add_speed("Jacobi converges slowly", "plain XPBD needs at most half the iterations", plain, jacobi,
                  [](double times) { return times >= 2; });
  std::vector<double> left;
  for (const SoftInversion& one : inversions)
    if (one.model == Model::stvk) left.push_back(static_cast<double>(one.after));
  judge.add("Inverted tetrahedra stay inverted", "StVK: some are left after a second", "count",
            std::move(left), " left", [](double count) { return count > 0; });
  judge.add("Plain XPBD with Green strain works from deformed starts",
            "its published residual halves, and ends below ten times its first value", published,
            judge.which_work(), "", Judge::is_one);
  return std::move(judge.claims);
}

}  // namespace palpate
