#include <palpate/study/classic_anderson.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/timing.h>

namespace palpate {

ClassicAnderson::ClassicAnderson(double omega, std::size_t window, double condition_limit)
    : omega_(omega), limit_(condition_limit), window_(window) {
  require(Acceleration{.kind = Acceleration::Kind::anderson_multipliers,
                       .omega = omega,
                       .window = window,
                       .condition_limit = condition_limit});
}

void ClassicAnderson::prepare(const Equations& equations) {
  if (equations.constraints.size() != 1)
    throw Error(Place::named("solver", "classic_anderson"),
                fmt::format("there are {} kinds of constraints", equations.constraints.size()),
                "Give it one.");
  constraints_ = equations.constraints[0];
  std::vector<double> inverse(equations.size());
  for (std::size_t i = 0; i < inverse.size(); ++i)
    inverse[i] = equations.held[i] != 0 ? 0 : 1 / equations.masses[i];
  constraints_->prepare(inverse, equations.step);
  x_.resize(equations.size());
  tried_x_.resize(equations.size());
  points_.resize(equations.size());
  gradient_.resize(equations.size());
  share_.assign(equations.size(), 1);
  const std::size_t numbers = constraints_->multipliers();
  for (auto* list : {&multipliers_, &tried_, &before_, &last_change_, &change_, &mixed_})
    list->resize(numbers);
  ones_.assign(numbers, 1);
}

// What the mixed change makes of positions and multipliers; false: no less of a residual.
bool ClassicAnderson::jump() {
  for (std::size_t i = 0; i < mixed_.size(); ++i) {
    mixed_[i] *= omega_;
    tried_[i] = multipliers_[i] + mixed_[i];
  }
  std::copy(x_.begin(), x_.end(), tried_x_.begin());
  constraints_->apply(x_, mixed_, share_, tried_x_);
  const double now = constraints_->squared_residual(x_, multipliers_),
               then = constraints_->squared_residual(tried_x_, tried_);
  return then < now;  // not so either where it is not a number
}

SolveReport ClassicAnderson::solve(Equations& equations, std::span<Vec3> x, const SolveOptions& options) {
  SolveReport report;
  for (std::size_t i = 0; i < x.size(); ++i)
    x_[i] = PaddedPoint(equations.held[i] != 0 ? x[i] : equations.targets[i]);
  std::fill(multipliers_.begin(), multipliers_.end(), 0.0);
  anderson_.begin(multipliers_.size(), window_, limit_);
  bool has_mix = false;
  const Deadline deadline(options.budget);
  while (report.iterations < options.iterations && !deadline.passed()) {
    if (has_mix && report.iterations >= static_cast<int>(window_)) {
      if (jump()) {
        std::swap(x_, tried_x_);
        std::swap(multipliers_, tried_);
      } else {
        ++report.refused;
      }
    }
    std::copy(multipliers_.begin(), multipliers_.end(), before_.begin());
    constraints_->project(x_, multipliers_);
    for (std::size_t i = 0; i < change_.size(); ++i) change_[i] = multipliers_[i] - before_[i];
    has_mix = report.iterations > 0 && anderson_.mix(last_change_, change_, ones_, mixed_);
    std::swap(last_change_, change_);
    for (std::size_t i = 0; i < x.size(); ++i) points_[i] = x_[i].point();
    report.failed = !std::all_of(points_.begin(), points_.end(),
                                 [](const Vec3& p) { return p.cwiseAbs().maxCoeff() < 1e50; });
    if (report.failed) break;
    std::copy(points_.begin(), points_.end(), x.begin());
    ++report.iterations;
    if (options.watch && !options.watch(report.iterations, points_)) break;
  }
  report.potential = potential(equations, x, gradient_);
  report.residual = residual(equations, gradient_);
  report.evaluations = 1;
  return report;
}

}  // namespace palpate
