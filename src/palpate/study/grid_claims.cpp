// What was claimed of the grid (Leonard 2021), and whether our cases show it.
#include <algorithm>

#include <fmt/format.h>

#include <palpate/study/study_grid.h>

namespace palpate {

namespace {

constexpr int six = 6;
constexpr std::size_t tens_of_thousands = 20'000;  // triangles
constexpr double limit_ms = 50;

// Of each case, how one variant compares with another; those that were not measured are left out.
std::vector<double> ratios(std::span<const GridCase> cases, const char* one, const char* other,
                           bool one_all = false, bool other_all = false) {
  std::vector<double> all;
  for (const GridCase& c : cases) {
    const GridRun *a = c.run(one, one_all), *b = c.run(other, other_all);
    if (a != nullptr && b != nullptr && b->ms > 0) all.push_back(a->ms / b->ms);
  }
  return all;
}

// The variant that table 4.7 has: the knot with cones.
const char* timed_in_threads(const GridCase& c) {
  return c.self ? grid_method::published_cones : grid_method::boxes;
}

Claim parallel_claim(std::span<const GridCase> cases) {
  Claim claim{"H1: six cores at least halve the time of detection",
              "2.05, 2.41, 2.92, 2.03 x (4.7)",
              "on six threads or more, at least twice as fast as on one, in each scene; with fewer threads "
              "there is no verdict. By the clock",
              {},
              " x"};
  int threads = 0;
  std::vector<double> forecast;
  for (const GridCase& c : cases) {
    const GridRun *one = c.run(timed_in_threads(c)), *all = c.run(timed_in_threads(c), true);
    if (one == nullptr || all == nullptr || !(all->wall_ms > 0)) continue;
    claim.measured.push_back(one->wall_ms / all->wall_ms);
    forecast.push_back(speedup_of_six(claim.measured.back(), c.threads));
    threads = c.threads;
  }
  if (threads >= six) {
    claim.judge([](double times) { return times >= 2; });
    return claim;
  }
  if (forecast.empty()) return claim;
  const auto [low, high] = std::minmax_element(forecast.begin(), forecast.end());
  claim.remark = threads < 2 ? "on one thread alone"
                             : fmt::format("on {} threads; by Amdahl's law {:.2g} to {:.2g} x on six",
                                           threads, *low, *high);
  return claim;
}

Claim budget_claim(std::span<const GridCase> cases) {
  Claim claim{"H2: at most 50 ms a step, all included, with tens of thousands of triangles",
              "51,200 triangles: 42.08 ms on one core, 27.85 ms on six (4.7)",
              "mean step of our simulation, on one thread or on all, whichever is faster, in scenes of "
              "20,000 triangles "
              "or more",
              {},
              " ms"};
  for (const GridCase& c : cases) {
    if (c.triangles < tens_of_thousands) continue;
    claim.measured.push_back(std::min(c.step_one.mean_ms, c.step_all.mean_ms));
    claim.remark +=
        fmt::format("{}{:.1f} ms on one thread, {:.1f} ms on {}, the slowest step {:.0f} ms on one",
                    claim.remark.empty() ? "" : "; ", c.step_one.mean_ms, c.step_all.mean_ms, c.threads,
                    c.step_one.slowest_ms);
  }
  if (claim.measured.empty()) claim.remark = "no scene of that size was run";
  claim.judge([](double ms) { return ms <= limit_ms; });
  return claim;
}

Claim fewer_pairs_claim(std::span<const GridCase> cases) {
  Claim claim{"Boxes leave fewer pairs of triangles than spheres",
              "61, 45, 7, 48 % fewer (4.2)",
              "fewer in each scene",
              {},
              " %"};
  for (const GridCase& c : cases) {
    const GridRun *box = c.run(grid_method::boxes), *ball = c.run(grid_method::spheres);
    if (box == nullptr || ball == nullptr || ball->counts.triangle_pairs == 0) continue;
    claim.measured.push_back(100 - 100 * static_cast<double>(box->counts.triangle_pairs) /
                                       static_cast<double>(ball->counts.triangle_pairs));
  }
  claim.judge([](double percent) { return percent > 0; });
  return claim;
}

// Nothing is told of losses, but all contacts is what detection is for.
Claim lossless_claim(std::span<const GridCase> cases, const std::string& what, const char* method) {
  Claim claim{what + " (taken for granted)",
              "not looked at",
              "none of the contacts of a scene is missing",
              {},
              " % lost"};
  for (const GridCase& c : cases)
    if (const GridRun* run = c.run(method); run != nullptr && c.contacts > 0)
      claim.measured.push_back(100 * static_cast<double>(run->lost) / static_cast<double>(c.contacts));
  claim.judge([](double percent) { return percent == 0; });
  return claim;
}

}  // namespace

double speedup_of_six(double speedup, int threads) {
  if (threads < 2 || !(speedup > 0)) return speedup;
  const double parallel = std::clamp((1 - 1 / speedup) / (1 - 1.0 / threads), 0.0, 1.0);
  return 1 / (1 - parallel + parallel / six);
}

std::vector<Claim> judge_grid_claims(std::span<const GridCase> all) {
  using namespace grid_method;
  // What was published is of scenes that were simulated; what is lost, is lost in any.
  std::vector<GridCase> cases;
  for (const GridCase& c : all)
    if (c.steps > 0) cases.push_back(c);
  std::vector<Claim> claims = {parallel_claim(cases), budget_claim(cases)};
  Claim faster{"Boxes are faster than spheres", "1.57, 1.29, 1.10, 1.72 x (4.1)", "faster in each scene",
               ratios(cases, spheres, boxes), " x"};
  faster.judge([](double times) { return times > 1; });
  claims.push_back(std::move(faster));
  claims.push_back(fewer_pairs_claim(cases));
  Claim features{"Boxes of single features cost more than they save",
                 "the time with them: 1.06, 1.07, 1.07, 0.99 x (4.1)", "slower with them in each scene",
                 ratios(cases, boxes_features, boxes), " x"};
  features.judge([](double times) { return times > 1; });
  claims.push_back(std::move(features));
  Claim cone{"Cones of normals save time inside one surface", "1.22 x (4.4)", "faster with them",
             ratios(cases, boxes, grid_method::published_cones), " x"};
  cone.judge([](double times) { return times > 1; });
  claims.push_back(std::move(cone));
  claims.push_back(lossless_claim(all, "... and lose no contact", grid_method::published_cones));
  claims.push_back(lossless_claim(all, "The rules for pairs of triangles lose no contact", published_rules));
  return claims;
}

}  // namespace palpate
