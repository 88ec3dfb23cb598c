#include <palpate/solve/sweep_solver.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <palpate/base/error.h>
#include <palpate/base/timing.h>

namespace palpate {

namespace {

using Kind = Acceleration::Kind;

bool needs_multipliers(Kind kind) {
  return kind == Kind::sor_multipliers || kind == Kind::anderson_multipliers || kind == Kind::anderson_both;
}

// So that potentials are finite too.
bool is_finite(std::span<const PaddedPoint> x) {
  return std::all_of(x.begin(), x.end(), [](const PaddedPoint& p) {
    return std::abs(p.at[0]) < 1e50 && std::abs(p.at[1]) < 1e50 && std::abs(p.at[2]) < 1e50;
  });
}

}  // namespace

SweepSolver::SweepSolver(std::string_view name, std::unique_ptr<SolveSweep> sweep,
                         const Acceleration& acceleration)
    : name_(name), sweep_(std::move(sweep)), acceleration_(acceleration) {
  require(acceleration);
}

void SweepSolver::prepare(const Equations& equations) {
  sweep_->prepare(equations);
  std::vector<MetricEntry> entries;
  for (const Term* term : equations.terms) term->add_metric(entries);
  pieces_.prepare(equations, entries);
  const std::size_t n = equations.size(), m = sweep_->multipliers();
  for (State* state : {&before_, &last_, &plain_, &other_}) {
    state->x.resize(n);
    state->multipliers.resize(m);
  }
  points_.resize(n);
  start_.resize(n);
  gradient_.resize(n);

  const Kind kind = acceleration_.kind;
  const bool positions = kind == Kind::anderson_positions || kind == Kind::anderson_both;
  const std::size_t numbers = (positions ? 3 * n : 0) + (needs_multipliers(kind) ? m : 0);
  for (auto* list : {&weights_, &from_, &to_, &mixed_}) list->assign(numbers, 0);
  if (numbers == 0) return;
  if (positions)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < 3; ++c)
        weights_[3 * i + c] = std::sqrt(equations.masses[i]) / equations.step;
  if (kind == Kind::anderson_both) sweep_->weigh(std::span(weights_).subspan(3 * n));
  // As published, all multipliers' changes count the same.
  if (kind == Kind::anderson_multipliers) std::fill(weights_.begin(), weights_.end(), 1.0);
}

double SweepSolver::potential_of(Equations& equations, const State& state) {
  for (std::size_t i = 0; i < points_.size(); ++i) points_[i] = state.x[i].point();
  return potential(equations, points_);
}

// The changes of the multipliers are what is mixed: the map takes those of one sweep to those of the next.
bool SweepSolver::mix_multipliers() {
  for (std::size_t i = 0; i < to_.size(); ++i) to_[i] = plain_.multipliers[i] - before_.multipliers[i];
  const bool mixed = has_change_ && anderson_.mix(from_, to_, weights_, mixed_);
  if (mixed) {
    for (std::size_t i = 0; i < to_.size(); ++i) {
      mixed_[i] *= acceleration_.omega;
      other_.multipliers[i] = before_.multipliers[i] + mixed_[i];
    }
    std::copy(before_.x.begin(), before_.x.end(), other_.x.begin());
    sweep_->apply(before_.x, mixed_, other_.x);
  }
  std::copy(to_.begin(), to_.end(), from_.begin());
  has_change_ = true;
  return mixed;
}

bool SweepSolver::mix_positions(const Equations& equations, bool with_multipliers) {
  const std::size_t n = equations.size();
  const auto pack = [&](const State& state, std::vector<double>& to) {
    for (std::size_t i = 0; i < n; ++i)
      std::copy_n(state.x[i].at, 3, to.begin() + static_cast<std::ptrdiff_t>(3 * i));
    if (with_multipliers)
      std::copy(state.multipliers.begin(), state.multipliers.end(),
                to.begin() + static_cast<std::ptrdiff_t>(3 * n));
  };
  pack(before_, from_);
  pack(plain_, to_);
  if (acceleration_.omega != 1)
    for (std::size_t i = 0; i < to_.size(); ++i)
      to_[i] = from_[i] + acceleration_.omega * (to_[i] - from_[i]);
  if (!anderson_.mix(from_, to_, weights_, mixed_)) return false;
  for (std::size_t i = 0; i < n; ++i)
    other_.x[i] = PaddedPoint(Vec3(mixed_[3 * i], mixed_[3 * i + 1], mixed_[3 * i + 2]));
  if (with_multipliers) {
    std::copy(mixed_.begin() + static_cast<std::ptrdiff_t>(3 * n), mixed_.end(), other_.multipliers.begin());
  } else {
    std::copy(plain_.multipliers.begin(), plain_.multipliers.end(), other_.multipliers.begin());
  }
  return true;
}

// Proposes `other`; false: nothing to propose.
bool SweepSolver::accelerate(const Equations& equations, int iteration) {
  const double omega = acceleration_.omega;
  const auto beyond = [&](const State& start, double times) {
    for (std::size_t i = 0; i < other_.x.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c)
        other_.x[i].at[c] = start.x[i].at[c] + times * (plain_.x[i].at[c] - start.x[i].at[c]);
    std::copy(plain_.multipliers.begin(), plain_.multipliers.end(), other_.multipliers.begin());
  };
  switch (acceleration_.kind) {
    case Kind::none:
      return false;
    case Kind::sor_positions:
      beyond(before_, omega);
      return true;
    case Kind::sor_multipliers:
      for (std::size_t i = 0; i < to_.size(); ++i) {
        to_[i] = omega * (plain_.multipliers[i] - before_.multipliers[i]);
        other_.multipliers[i] = before_.multipliers[i] + to_[i];
      }
      std::copy(before_.x.begin(), before_.x.end(), other_.x.begin());
      sweep_->apply(before_.x, to_, other_.x);
      return true;
    case Kind::chebyshev: {
      const double square = acceleration_.radius * acceleration_.radius;
      if (iteration == 0) return false;
      chebyshev_ = iteration == 1 ? 2 / (2 - square) : 4 / (4 - square * chebyshev_);
      beyond(last_, chebyshev_);
      return true;
    }
    case Kind::anderson_multipliers:
      return mix_multipliers();
    case Kind::anderson_positions:
      return mix_positions(equations, false);
    case Kind::anderson_both:
      return mix_positions(equations, true);
  }
  return false;
}

// Whether a potential is far above both where the step began and where sweeps began. To look there costs
// evaluations: only done where nodes are away from their targets by more than a little of the whole's size.
bool SweepSolver::blew_up(Equations& equations, double now) {
  Vec3 low = Vec3::Constant(HUGE_VAL), high = -low;
  double mass = 0;
  for (std::size_t i = 0; i < equations.size(); ++i) {
    low = low.cwiseMin(start_[i]);
    high = high.cwiseMax(start_[i]);
    mass += equations.masses[i];
  }
  const double speed = 0.03 * (high - low).norm() / equations.step;
  return !(now <= mass * speed * speed) &&
         !(now <= 4 * std::max(potential(equations, start_), potential_of(equations, begin_)));
}

SolveReport SweepSolver::solve(Equations& equations, std::span<Vec3> x, const SolveOptions& options) {
  SolveReport report;
  for (std::size_t i = 0; i < x.size(); ++i) plain_.x[i] = PaddedPoint(x[i]);
  sweep_->begin(equations, plain_.x);
  begin_.x = plain_.x;
  std::fill(plain_.multipliers.begin(), plain_.multipliers.end(), 0.0);
  if (!to_.empty()) anderson_.begin(to_.size(), acceleration_.window, acceleration_.condition_limit);
  has_change_ = false;
  std::copy(x.begin(), x.end(), start_.begin());
  const auto look = [&] {
    report.potential = potential(equations, x, gradient_);
    ++report.evaluations;
    report.residual = residual(equations, gradient_);
  };
  const auto finish = [&] {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = plain_.x[i].point();
    pieces_.shift(equations, x);
    look();
  };
  const Deadline deadline(options.budget);
  while (report.iterations < options.iterations && !deadline.passed()) {
    std::swap(last_, before_);
    before_.x = plain_.x;
    if (acceleration_.kind != Kind::none) before_.multipliers = plain_.multipliers;
    sweep_->sweep(equations, plain_.x, plain_.multipliers);
    if (!is_finite(plain_.x)) {  // it blew up
      std::swap(plain_, before_);
      report.failed = true;
      break;
    }
    if (accelerate(equations, report.iterations)) {
      if (is_finite(other_.x) &&
          (!acceleration_.safeguard || potential_of(equations, other_) <= potential_of(equations, plain_))) {
        std::swap(plain_, other_);
      } else {
        ++report.refused;
      }
    }
    ++report.iterations;
    if (options.watch) {
      for (std::size_t i = 0; i < x.size(); ++i) points_[i] = plain_.x[i].point();
      if (!options.watch(report.iterations, points_)) break;
    }
    if (options.tolerance > 0) {
      finish();
      if (report.residual <= options.tolerance) return report;
    }
  }
  finish();
  if (blew_up(equations, report.potential)) {
    report.failed = true;
    std::copy(start_.begin(), start_.end(), x.begin());
    pieces_.shift(equations, x);
    look();
  }
  return report;
}

}  // namespace palpate
