#include "soft_conclusions.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "growth.h"

namespace palpate::bench {

namespace {

bool has_flag(const Row& row, const std::string& flag) {
  return std::find(row.flags.begin(), row.flags.end(), flag) != row.flags.end();
}

void add_to_error(const std::vector<Row>& rows, double target, double bound, std::vector<Conclusion>& all) {
  const Row* worst = nullptr;
  for (const Row& row : rows)
    if (has_flag(row, "default") && row.threads == 1 && fact(row, "target") == target &&
        row.ratio_reference && (row.case_name.ends_with("E1e6") || row.case_name.ends_with("E1e8")) &&
        (worst == nullptr || *row.ratio_reference < *worst->ratio_reference))
      worst = &row;
  if (worst == nullptr) return;
  all.push_back(
      {fmt::format("default_over_reference_at_{:.0e}", target), *worst->ratio_reference, bound,
       fmt::format("the default reaches an error of {:.0e} {:.1f} times as fast as {} at worst, on {} "
                   "({}: at least {})",
                   target, *worst->ratio_reference,
                   has_flag(*worst, "reference_failed") ? "the best other" : "xpbd", worst->case_name,
                   target == 1e-2 ? "must" : "aim", bound)});
}

// How many of the cases the default gets to the target in.
void add_reached(const std::vector<Row>& rows, double target, std::vector<Conclusion>& all) {
  int cases = 0, reached = 0;
  for (const Row& row : rows) {
    if (!has_flag(row, "default") || row.threads != 1 || fact(row, "target") != target) continue;
    ++cases;
    reached += fact(row, "error") <= target ? 1 : 0;
  }
  if (cases == 0) return;
  all.push_back({fmt::format("default_reached_at_{:.0e}", target), static_cast<double>(reached),
                 static_cast<double>(cases),
                 fmt::format("the default reaches an error of {:.0e} in {} of {} cases ({}: all)", target,
                             reached, cases, target == 1e-2 ? "must" : "aim")});
}

// What the reference costs: it has to be a fair one.
void add_reference(const std::vector<Row>& rows, std::vector<Conclusion>& all) {
  for (const Row& row : rows)
    if (row.case_name.starts_with(sweep_prefix) && row.method == "xpbd" && row.threads == 1) {
      const double each = 1e6 * row.median_ms / fact(row, "tetrahedra");
      all.push_back({"reference_ns_" + row.case_name.substr(sweep_prefix.size()), each, 120,
                     fmt::format("xpbd, the reference, projects a tetrahedron of {} in {:.0f} ns (must: at "
                                 "most 120 on a free core)",
                                 row.case_name.substr(sweep_prefix.size()), each)});
    }
}

void add_sweeps(const std::vector<Row>& rows, std::vector<Conclusion>& all) {
  for (const Row& row : rows)
    if (row.case_name.starts_with(sweep_prefix) && row.method == "xpbd_coloured" && row.threads == 1 &&
        row.ratio_reference)
      all.push_back({"coloured_over_plain_" + row.case_name.substr(sweep_prefix.size()), *row.ratio_reference,
                     8,
                     fmt::format("a coloured sweep is {:.1f} times as fast as plain Eigen on {} (must for "
                                 "stvk: at least 8; aim: 15)",
                                 *row.ratio_reference, row.case_name.substr(sweep_prefix.size()))});
}

void add_growth(const std::vector<Row>& rows, std::vector<Conclusion>& all) {
  std::vector<std::pair<double, double>> costs;
  for (const Row& row : rows)
    if (row.case_name.starts_with(iteration_prefix) && row.threads == 1)
      costs.emplace_back(fact(row, "tetrahedra"), row.median_ms);
  if (costs.size() < 3) return;
  const auto [least, most] = std::minmax_element(costs.begin(), costs.end());
  all.push_back({"iteration_growth_exponent", growth(costs), 1.15,
                 fmt::format("an iteration's cost grows as n^{:.2f} from {} to {} tetrahedra", growth(costs),
                             least->first, most->first)});
}

// What was timed in a row is one step in the middle of the fall; whether it runs in real time, all steps
// tell, which were done with all cores.
void add_standing(const std::vector<Row>& rows, std::vector<Conclusion>& all) {
  for (const Row& row : rows)
    if (row.case_name.starts_with(standing_prefix)) {
      const double median = fact(row, "all_steps_median_ms"), threads = fact(row, "all_steps_threads");
      if (median > 0 && row.threads == 1)
        all.push_back(
            {fmt::format("{}_hz_{:.0f}_threads", row.case_name, threads), 1e3 / median, 30,
             fmt::format("{}: {:.0f} steps a second with {:.0f} threads, by the median of all "
                         "steps; one in a hundred takes {:.0f} ms or more (must for E1e6: 30 on two "
                         "free cores; aim: 60)",
                         row.case_name, 1e3 / median, threads, fact(row, "all_steps_p99_ms"))});
      if (row.threads == 1)
        all.push_back({row.case_name + "_shape_error", fact(row, "shape_error"), 0.02,
                       fmt::format("{}: rests {:.2f} % of its size from where converged steps do (must for "
                                   "E1e6: at most 2 %)",
                                   row.case_name, 100 * fact(row, "shape_error"))});
    }
}

void add_damped(const std::vector<Row>& rows, std::vector<Conclusion>& all) {
  for (const Row& row : rows)
    if (row.case_name.starts_with(damped_prefix) && row.role == Role::ours && row.ratio_reference)
      all.push_back({fmt::format("{}_over_undamped_{}_threads", row.case_name, row.threads),
                     1 / *row.ratio_reference, 2,
                     fmt::format("{}: a step takes {:.2f} times as long as without damping, with {} threads "
                                 "(aim: below 2)",
                                 row.case_name, 1 / *row.ratio_reference, row.threads)});
}

}  // namespace

std::vector<Conclusion> soft_conclusions(const std::vector<Row>& rows) {
  std::vector<Conclusion> all;
  for (const double target : {1e-2, 1e-4}) add_reached(rows, target, all);
  add_reference(rows, all);
  add_to_error(rows, 1e-2, 5, all);
  add_to_error(rows, 1e-4, 20, all);
  add_sweeps(rows, all);
  add_growth(rows, all);
  add_standing(rows, all);
  add_damped(rows, all);
  return all;
}

}  // namespace palpate::bench
