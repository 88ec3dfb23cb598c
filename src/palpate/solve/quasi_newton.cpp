#include <palpate/solve/quasi_newton.h>

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include <palpate/base/parallel.h>
#include <palpate/base/timing.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 2048;
constexpr int most_sweeps = 10;  // where things are turned inside out

double dot(std::span<const Vec3> a, std::span<const Vec3> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].dot(b[i]);
  return sum;
}

template <std::size_t n>
std::array<double, n> added(std::array<double, n> a, const std::array<double, n>& b) {
  for (std::size_t k = 0; k < n; ++k) a[k] += b[k];
  return a;
}

}  // namespace

void QuasiNewton::prepare(const Equations& equations) {
  const std::vector<MetricEntry> entries = matrix_of(equations);
  metric_.factor(equations, entries);
  make_room(equations, entries);
}

void QuasiNewton::update(const Equations& equations) {
  std::vector<MetricEntry> entries = matrix_of(equations);
  make_room(equations, entries);
  metric_.refactor(equations, std::move(entries));
}

void QuasiNewton::load(const Equations& equations, bool same, ByteReader& from) {
  LaggingMetric::State state(from, equations.size());
  if (same && metric_.is(state)) return;
  const std::vector<MetricEntry> entries = matrix_of(equations);
  make_room(equations, entries);
  metric_.load(equations, entries, std::move(state));
}

void QuasiNewton::make_room(const Equations& equations, std::span<const MetricEntry> entries) {
  const std::size_t n = equations.size();
  pieces_.prepare(equations, entries);
  for (Step& step : steps_) {
    step.moved.resize(n);
    step.gradient.resize(n);
  }
  tangled_.resize(n);
  for (auto* vector : {&gradient_, &new_gradient_, &direction_, &trial_}) vector->resize(n);
}

// What every step remembered has in common with a vector.
QuasiNewton::Sums QuasiNewton::dots(std::vector<Vec3> Step::*which, std::span<const Vec3> with) {
  return parallel_reduce(
      with.size(), grain, Sums{}, partial_,
      [&](Chunk chunk) {
        Sums sums{};
        for (std::size_t k = 0; k < count_; ++k) {
          const std::vector<Vec3>& other = step(k).*which;
          for (std::size_t i = chunk.begin; i < chunk.end; ++i) sums[k] += other[i].dot(with[i]);
        }
        return sums;
      },
      added<window>);
}

// The two loops of L-BFGS (Nocedal 1980), with the metric between them. Returns the slope along the
// direction.
double QuasiNewton::find_direction(const Equations& equations) {
  const Sums along = dots(&Step::moved, gradient_);
  for (std::size_t k = 0; k < count_; ++k) {
    Step& one = step(k);
    if (just_remembered_ && k + 1 < count_) {
      one.with[place(count_ - 1)] = along[k] - one.along;
      step(count_ - 1).with[place(k)] = length_ * turned_[place(k)];
    }
    one.along = along[k];
  }
  just_remembered_ = false;

  Sums alpha{}, beta{};
  for (std::size_t k = count_; k-- > 0;) {
    double product = -along[k];
    for (std::size_t j = k + 1; j < count_; ++j) product -= alpha[j] * step(k).with[place(j)];
    alpha[k] = product / step(k).with[place(k)];
  }
  parallel_chunks(gradient_.size(), grain, [&](Chunk chunk) {
    for (std::size_t i = chunk.begin; i < chunk.end; ++i) direction_[i] = -gradient_[i];
    for (std::size_t k = 0; k < count_; ++k)
      for (std::size_t i = chunk.begin; i < chunk.end; ++i) direction_[i] -= alpha[k] * step(k).gradient[i];
  });
  metric_.solve(direction_);
  // A metric of other masses would move the centres.
  if (metric_.lags()) pieces_.keep_centres(equations, direction_);
  const Sums turned = dots(&Step::gradient, direction_);
  for (std::size_t k = 0; k < count_; ++k) {
    double product = turned[k];
    for (std::size_t j = 0; j < k; ++j) product += beta[j] * step(j).with[place(k)];
    beta[k] = alpha[k] - product / step(k).with[place(k)];
  }
  for (std::size_t k = 0; k < count_; ++k) {
    double product = turned[k];
    for (std::size_t j = 0; j < count_; ++j) product += beta[j] * step(j).with[place(k)];
    turned_[place(k)] = product;
  }
  return parallel_reduce(
      gradient_.size(), grain, Sums{}, partial_,
      [&](Chunk chunk) {
        for (std::size_t k = 0; k < count_; ++k)
          for (std::size_t i = chunk.begin; i < chunk.end; ++i) direction_[i] += beta[k] * step(k).moved[i];
        Sums sum{};
        for (std::size_t i = chunk.begin; i < chunk.end; ++i) sum[0] += gradient_[i].dot(direction_[i]);
        return sum;
      },
      added<window>)[0];
}

void QuasiNewton::forget() {
  first_ = count_ = 0;
  just_remembered_ = false;
}

// Goes to the trial. Only steps along which the potential is convex say something about its curvature: others
// are not remembered.
void QuasiNewton::advance(std::span<Vec3> x) {
  Step& next = steps_[(first_ + count_) % window];  // with a full window, the oldest
  const Sums sums = parallel_reduce(
      x.size(), grain, Sums{}, partial_,
      [&](Chunk chunk) {
        Sums part{};
        for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
          const Vec3 moved = trial_[i] - x[i], change = new_gradient_[i] - gradient_[i];
          part[0] += moved.dot(change);
          part[1] += moved.squaredNorm();
          part[2] += change.squaredNorm();
          next.moved[i] = moved;
          next.gradient[i] = change;
          x[i] = trial_[i];
        }
        return part;
      },
      added<window>);
  gradient_.swap(new_gradient_);
  const bool full = count_ == window;
  const double curvature = sums[0];
  just_remembered_ = curvature > 1e-10 * std::sqrt(sums[1] * sums[2]);
  if (just_remembered_) {
    next.with = {};
    next.with[(first_ + count_) % window] = curvature;
    if (full) {
      first_ = (first_ + 1) % window;
    } else {
      ++count_;
    }
  } else if (full) {  // the oldest was written over
    first_ = (first_ + 1) % window;
    --count_;
  }
}

void QuasiNewton::untangle(Equations& equations, std::span<Vec3> x, const Deadline& deadline) {
  const auto mark = [&] {
    std::fill(tangled_.begin(), tangled_.end(), std::uint8_t{0});
    bool any = false;
    for (Term* term : equations.terms) any = term->mark_tangled(x, tangled_) || any;
    return any;
  };
  if (!mark()) return;
  std::copy(x.begin(), x.end(), trial_.begin());
  const double before = potential(equations, x), scale = 1 / (equations.step * equations.step);
  int sweeps = 0;
  do {
    for (std::uint32_t v = 0; v < x.size(); ++v) {
      if (tangled_[v] == 0 || equations.held[v] != 0) continue;
      Vec3 gradient = scale * equations.masses[v] * (x[v] - equations.targets[v]);
      Mat3 stiffness = scale * equations.masses[v] * Mat3::Identity();
      for (Term* term : equations.terms) term->add_block(v, x, gradient, stiffness);
      x[v] -= stiffness.ldlt().solve(gradient);
    }
  } while (++sweeps < most_sweeps && !deadline.passed() && mark());
  // Whole steps may lead anywhere.
  if (!(potential(equations, x) <= before)) std::copy(trial_.begin(), trial_.end(), x.begin());
}

SolveReport QuasiNewton::solve(Equations& equations, std::span<Vec3> x, const SolveOptions& options) {
  SolveReport report;
  metric_.begin_solve(equations);
  const Deadline deadline(options.budget);
  if (options.untangle) untangle(equations, x, deadline);
  pieces_.shift(equations, x);
  double noise = 0;
  for (const Term* term : equations.terms) noise += term->rounding();
  forget();
  report.potential = potential(equations, x, gradient_);
  report.evaluations = 1;
  report.residual = residual(equations, gradient_);
  while (report.iterations < options.iterations && report.residual > options.tolerance &&
         !deadline.passed()) {
    const double slope = find_direction(equations);
    if (!(slope < 0)) {
      if (count_ == 0) break;  // nothing goes down from here
      forget();
      continue;
    }
    // Shorter until it goes down by some of what the slope promises; by where a parabola has its least.
    double length = 1, value = 0;
    bool descends = false;
    for (int tries = 0; tries < 30 && !descends; ++tries) {
      parallel_for(x.size(), grain, [&](std::size_t i) { trial_[i] = x[i] + length * direction_[i]; });
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
      forget();
      continue;
    }
    length_ = length;
    advance(x);
    report.potential = value;
    report.residual = residual(equations, gradient_);
    ++report.iterations;
    if (options.watch && !options.watch(report.iterations, x)) break;
  }
  return report;
}

}  // namespace palpate
