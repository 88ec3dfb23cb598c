#include <palpate/solve/quasi_newton.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace palpate {

namespace {

constexpr std::uint32_t no_body = 0xffffffff;

double dot(std::span<const Vec3> a, std::span<const Vec3> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].dot(b[i]);
  return sum;
}

}  // namespace

void QuasiNewton::prepare(const Equations& equations) {
  const std::size_t n = equations.size();
  std::vector<MetricEntry> entries;
  for (std::uint32_t i = 0; i < n; ++i)
    entries.push_back({i, i, equations.masses[i] / (equations.step * equations.step)});
  for (const Term* term : equations.terms) term->add_metric(entries);
  metric_.factor(n, entries, equations.held);

  // What hangs together: each node points to a lower one of its body.
  std::vector<std::uint32_t> lower(n);
  std::iota(lower.begin(), lower.end(), 0u);
  const auto lowest = [&](std::uint32_t i) {
    while (lower[i] != i) i = lower[i] = lower[lower[i]];
    return i;
  };
  for (const MetricEntry& e : entries) {
    const std::uint32_t a = lowest(e.i), b = lowest(e.j);
    lower[std::max(a, b)] = std::min(a, b);
  }
  std::vector<std::uint8_t> has_held(n, 0);
  for (std::uint32_t i = 0; i < n; ++i)
    if (equations.held[i] != 0) has_held[lowest(i)] = 1;
  body_.assign(n, no_body);
  bodies_ = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t root = lowest(i);
    if (has_held[root] != 0) continue;
    body_[i] = root == i ? bodies_++ : body_[root];
  }
  shift_.resize(bodies_);
  mass_.resize(bodies_);
  steps_.resize(window);
  for (Step& step : steps_) {
    step.moved.resize(n);
    step.gradient.resize(n);
  }
  for (auto* vector : {&gradient_, &new_gradient_, &direction_, &trial_}) vector->resize(n);
}

// So that the centre of each free body is where it would be if no term pulled at it: terms inside a body do
// not move it.
void QuasiNewton::shift_as_a_whole(const Equations& equations, std::span<Vec3> x) const {
  std::fill(shift_.begin(), shift_.end(), Vec3::Zero());
  std::fill(mass_.begin(), mass_.end(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (body_[i] != no_body) {
      shift_[body_[i]] += equations.masses[i] * (equations.targets[i] - x[i]);
      mass_[body_[i]] += equations.masses[i];
    }
  for (std::size_t i = 0; i < x.size(); ++i)
    if (body_[i] != no_body) x[i] += shift_[body_[i]] / mass_[body_[i]];
}

// The two loops of L-BFGS (Nocedal 1980), with the metric between them.
void QuasiNewton::find_direction(const Equations& equations) {
  std::array<double, window> alpha{};
  for (std::size_t i = 0; i < gradient_.size(); ++i) direction_[i] = -gradient_[i];
  for (std::size_t k = count_; k-- > 0;) {
    const Step& step = steps_[(first_ + k) % window];
    alpha[k] = step.inverse * dot(step.moved, direction_);
    for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] -= alpha[k] * step.gradient[i];
  }
  metric_.solve(direction_);
  for (std::size_t k = 0; k < count_; ++k) {
    const Step& step = steps_[(first_ + k) % window];
    const double beta = step.inverse * dot(step.gradient, direction_);
    for (std::size_t i = 0; i < direction_.size(); ++i) direction_[i] += (alpha[k] - beta) * step.moved[i];
  }
  for (std::size_t i = 0; i < direction_.size(); ++i)
    if (equations.held[i] != 0) direction_[i].setZero();
}

void QuasiNewton::remember(std::span<const Vec3> from, std::span<const Vec3> to) {
  double curvature = 0, moves = 0, gradients = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Vec3 moved = to[i] - from[i], gradient = new_gradient_[i] - gradient_[i];
    curvature += moved.dot(gradient);
    moves += moved.squaredNorm();
    gradients += gradient.squaredNorm();
  }
  // Only steps along which the potential is convex say something about its curvature.
  if (!(curvature > 1e-10 * std::sqrt(moves * gradients))) return;
  if (count_ == window) {
    first_ = (first_ + 1) % window;
    --count_;
  }
  Step& step = steps_[(first_ + count_++) % window];
  for (std::size_t i = 0; i < from.size(); ++i) {
    step.moved[i] = to[i] - from[i];
    step.gradient[i] = new_gradient_[i] - gradient_[i];
  }
  step.inverse = 1 / curvature;
}

SolveReport QuasiNewton::solve(Equations& equations, std::span<Vec3> x, const SolveOptions& options) {
  SolveReport report;
  shift_as_a_whole(equations, x);
  double noise = 0;
  for (const Term* term : equations.terms) noise += term->rounding();
  first_ = count_ = 0;
  report.potential = potential(equations, x, gradient_);
  report.evaluations = 1;
  report.residual = residual(equations, gradient_);
  while (report.iterations < options.iterations && report.residual > options.tolerance) {
    find_direction(equations);
    const double slope = dot(gradient_, direction_);
    if (!(slope < 0)) {
      if (count_ == 0) break;  // nothing goes down from here
      count_ = 0;
      continue;
    }
    // Shorter until it goes down by some of what the slope promises; by where a parabola has its least.
    double length = 1, value = 0;
    bool descends = false;
    for (int tries = 0; tries < 30 && !descends; ++tries) {
      for (std::size_t i = 0; i < x.size(); ++i) trial_[i] = x[i] + length * direction_[i];
      value = potential(equations, trial_, new_gradient_);
      ++report.evaluations;
      descends = value <= report.potential + 1e-4 * length * slope ||
                 // Near the least, differences of the potential are rounding: there the slopes decide (Hager
                 // & Zhang 2005).
                 (value <= report.potential + noise + 1e-14 * std::abs(report.potential) &&
                  dot(new_gradient_, direction_) <= -0.8 * slope);
      if (!descends) {
        const double least = -0.5 * slope * length * length / (value - report.potential - slope * length);
        length = std::isfinite(least) ? std::clamp(least, 0.1 * length, 0.5 * length) : 0.1 * length;
      }
    }
    if (!descends) {
      if (count_ == 0) break;
      count_ = 0;
      continue;
    }
    remember(x, trial_);
    std::copy(trial_.begin(), trial_.end(), x.begin());
    gradient_.swap(new_gradient_);
    report.potential = value;
    report.residual = residual(equations, gradient_);
    ++report.iterations;
  }
  return report;
}

}  // namespace palpate
