#include "soft_contest.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/timing.h>

namespace palpate::bench {

namespace {

using Kind = Acceleration::Kind;

constexpr double frame = SoftStep::length, slower = 3;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

Contestant::Contestant(std::shared_ptr<SoftStep> step, std::string_view solver,
                       const Acceleration& acceleration)
    : step_(std::move(step)),
      constraints_(step_->mesh, step_->material, step_->material[0].model),
      solver_(make_solver(solver, acceleration)),
      name_(acceleration.kind == Kind::none ? std::string(solver)
                                            : fmt::format("{} + {}", solver, name_of(acceleration.kind))) {
  equations_.masses = step_->equations.masses;
  equations_.held = step_->equations.held;
  equations_.terms = step_->equations.terms;
  equations_.constraints = {&constraints_};
}

void Contestant::prepare(int substeps) {
  if (substeps == prepared_) return;
  prepared_ = substeps;
  equations_.step = frame / substeps;
  equations_.targets = step_->equations.targets;
  solver_->prepare(equations_);
}

void Contestant::find(std::span<const double> targets, std::span<const double> limits) {
  watch(targets, *std::max_element(limits.begin(), limits.end()));
  if (!name_.starts_with("xpbd")) return;
  for (std::size_t i = 0; i < targets.size(); ++i) search(targets[i], limits[i]);
}

// With one substep, all numbers of iterations are seen on the way.
void Contestant::watch(std::span<const double> targets, double limit) {
  prepare(1);
  std::vector<Vec3> x = step_->start;
  std::size_t next = 0;
  double looking = 0;  // at errors, which the others are not timed with either
  int sweeps = 0;
  const auto start = Clock::now();
  solver_->solve(equations_, x, {.iterations = most_sweeps, .watch = [&](int n, std::span<const Vec3> now) {
                                   const auto here = Clock::now();
                                   sweeps = n;
                                   const double error = step_->error(now);
                                   least_error_ = std::min(least_error_, error);
                                   const double gone = seconds_since(start) - looking - seconds_since(here);
                                   for (; next < targets.size() && error <= targets[next]; ++next)
                                     efforts_[targets[next]] = {1, n, gone};
                                   looking += seconds_since(here);
                                   return next < targets.size() && gone < limit;
                                 }});
  seconds_ = (seconds_since(start) - looking) / std::max(1, sweeps);
}

// With more substeps: the fewest iterations of each that do, if that is fewer sweeps altogether. What misses
// the target with many iterations will not reach it with fewer.
void Contestant::search(double target, double limit) {
  for (const int substeps : {2, 5, 10, 20}) {
    const auto best = effort(target);
    const int most = best ? best->substeps * best->iterations - 1 : most_sweeps;
    int low = 0, high = std::min(most, static_cast<int>(std::min(1e6, limit / seconds_))) / substeps;
    const auto reaches = [&](int iterations) {
      run({substeps, iterations, 0});
      return error() <= target;
    };
    if (high == 0 || !reaches(high)) continue;
    while (high - low > std::max(1, high / 10)) {
      const int middle = (low + high) / 2;
      (reaches(middle) ? high : low) = middle;
    }
    efforts_[target] = {substeps, high, substeps * high * seconds_};
  }
}

std::optional<Contestant::Effort> Contestant::effort(double target) const {
  const auto at = efforts_.find(target);
  return at == efforts_.end() ? std::nullopt : std::optional(at->second);
}

void Contestant::run(const Effort& effort) {
  prepare(effort.substeps);
  x_ = step_->start;
  const double h = frame / effort.substeps;
  velocities_.assign(x_.size(), Vec3::Zero());
  for (int s = 0; s < effort.substeps; ++s) {
    before_ = x_;
    equations_.targets = SoftStep::targets(x_, velocities_, h);
    solver_->solve(equations_, x_, {.iterations = effort.iterations});
    for (std::size_t i = 0; i < x_.size(); ++i) velocities_[i] = (x_[i] - before_[i]) / h;
  }
}

Contest::Contest(std::shared_ptr<SoftStep> on, std::span<const double> targets) : step(std::move(on)) {
  const std::vector<std::pair<std::string_view, Acceleration>> all = {
      {solver_names().front(), {}},
      {"xpbd", {}},
      {"xpbd_coloured", {}},
      {"xpbd_coloured", {.kind = Kind::anderson_both}},
      {"xpbd_coloured", {.kind = Kind::chebyshev}},
      {"vertex", {.kind = Kind::anderson_positions}},
      {"vertex", {}},
      {"vertex", {.kind = Kind::chebyshev}},
      {"xpbd_coloured", {.kind = Kind::anderson_positions}},
      {"xpbd_jacobi", {.kind = Kind::anderson_both}},
      {"xpbd_jacobi", {}}};
  std::vector<double> limits(targets.size(), std::numeric_limits<double>::infinity());
  for (const auto& [solver, acceleration] : all) {
    contestants.push_back(std::make_shared<Contestant>(step, solver, acceleration));
    Contestant& one = *contestants.back();
    one.find(targets, limits);
    if (one.least_error() < -1e-6)
      throw Error(Place::named("solver", one.name()), "it gets lower than what was taken for converged",
                  "Errors would mean nothing: look at the start of the step (study/soft_start.h).");
    if (contestants.size() > 1)
      for (std::size_t i = 0; i < targets.size(); ++i)
        if (const auto effort = one.effort(targets[i]))
          limits[i] = std::min(limits[i], slower * effort->seconds);
  }
}

}  // namespace palpate::bench
