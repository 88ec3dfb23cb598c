#include "contact_conclusions.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "growth.h"

namespace palpate::bench {

namespace {

void add_pairs(const std::vector<Row>& rows, std::vector<Conclusion>& all) {
  const Row* worst = nullptr;
  for (const Row& row : rows)
    if (row.case_name.starts_with(pair_prefix) && row.role == Role::ours && row.threads == 1 &&
        row.ratio_peer && (worst == nullptr || *row.ratio_peer < *worst->ratio_peer))
      worst = &row;
  if (worst == nullptr) return;
  all.push_back(
      {"triangle_pairs_over_best_peer", *worst->ratio_peer, 3,
       fmt::format("pairs of triangles: {:.1f} times as fast as the best peer at worst, on {} (must: at "
                   "least 3)",
                   *worst->ratio_peer, worst->case_name.substr(pair_prefix.size()))});
}

void add_grid(const std::vector<Row>& rows, std::vector<Conclusion>& all) {
  for (const Row& row : rows)
    if (row.case_name.starts_with(grid_prefix) && row.role == Role::ours && row.ratio_peer)
      all.push_back(
          {"classic_grid_over_cgal", 1 / *row.ratio_peer, 3,
           fmt::format("classic_grid takes {:.2f} times as long as CGAL's boxes on {} (must: at most 3)",
                       1 / *row.ratio_peer, row.case_name.substr(grid_prefix.size()))});
}

void add_growth(const std::vector<Row>& rows, std::vector<Conclusion>& all) {
  std::vector<std::pair<double, double>> costs;
  double least = HUGE_VAL, highest = 0;
  for (const Row& row : rows) {
    if (row.case_name != growth_name || row.threads != 1) continue;
    costs.emplace_back(fact(row, "triangles"), row.median_ms);
    const double contacts = fact(row, "contacts") / costs.back().first;
    least = std::min(least, contacts), highest = std::max(highest, contacts);
  }
  if (costs.size() < 3) return;
  const auto [few, many] = std::minmax_element(costs.begin(), costs.end());
  const double power = growth(costs), fewest = few->first, most = many->first;
  all.push_back(
      {"growth_exponent", power, 1.15,
       fmt::format("tree: cost grows as n^{:.2f} (must: at most 1.15), from {} to {} triangles at {:.2f} "
                   "to {:.2f} contacts a triangle",
                   power, fewest, most, least, highest)});
}

}  // namespace

std::vector<Conclusion> conclusions(const std::vector<Row>& rows) {
  std::vector<Conclusion> all;
  add_pairs(rows, all);
  add_grid(rows, all);
  add_growth(rows, all);
  return all;
}

}  // namespace palpate::bench
