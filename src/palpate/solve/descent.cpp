#include <palpate/solve/descent.h>

#include <algorithm>
#include <cmath>

#include <palpate/base/parallel.h>
#include <palpate/solve/vectors.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 2048;

template <class Vector>
auto part(Vector&& of, Chunk chunk) {
  return std::span(of).subspan(chunk.begin, chunk.end - chunk.begin);
}

template <std::size_t n>
std::array<double, n> added(std::array<double, n> a, const std::array<double, n>& b) {
  for (std::size_t k = 0; k < n; ++k) a[k] += b[k];
  return a;
}

}  // namespace

void Descent::make_room(std::size_t nodes) {
  for (Step& step : steps_) {
    step.moved.resize(nodes);
    step.gradient.resize(nodes);
  }
  for (auto* vector : {&gradient_, &new_gradient_, &direction_, &trial_}) vector->resize(nodes);
}

// What every step remembered has in common with a vector.
Descent::Sums Descent::dots(std::vector<Vec3> Step::*which, std::span<const Vec3> with) {
  return parallel_reduce(
      with.size(), grain, Sums{}, partial_,
      [&](Chunk chunk) {
        Sums sums{};
        for (std::size_t k = 0; k < count_; ++k)
          sums[k] = dot(part(step(k).*which, chunk), part(with, chunk));
        return sums;
      },
      added<window>);
}

// The two loops of L-BFGS (Nocedal 1980), with the metric between them. Returns the slope along the
// direction.
double Descent::find_direction(Landscape& landscape, std::span<const Vec3> x) {
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
    std::array<Share, window> shares;
    for (std::size_t k = 0; k < count_; ++k) shares[k] = {&step(k).gradient[chunk.begin], -alpha[k]};
    add_up(-1, part(gradient_, chunk), {shares.data(), count_}, part(direction_, chunk));
  });
  landscape.to_step(x, direction_);
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
        std::array<Share, window> shares;
        for (std::size_t k = 0; k < count_; ++k) shares[k] = {&step(k).moved[chunk.begin], beta[k]};
        const std::span<Vec3> direction = part(direction_, chunk);
        add_up(1, direction, {shares.data(), count_}, direction);
        return Sums{dot(part(gradient_, chunk), direction)};
      },
      added<window>)[0];
}

void Descent::forget() {
  first_ = count_ = 0;
  just_remembered_ = false;
}

// Goes to the trial. Only steps along which the potential is convex say something about its curvature: others
// are not remembered.
void Descent::advance(std::span<Vec3> x) {
  Step& next = steps_[(first_ + count_) % window];  // with a full window, the oldest
  const Sums sums = parallel_reduce(
      x.size(), grain, Sums{}, partial_,
      [&](Chunk chunk) {
        const std::span<Vec3> at = part(x, chunk), moved = part(next.moved, chunk),
                              change = part(next.gradient, chunk), trial = part(trial_, chunk);
        const Share there = {at.data(), -1}, then = {&gradient_[chunk.begin], -1};
        add_up(1, trial, {&there, 1}, moved);
        add_up(1, part(new_gradient_, chunk), {&then, 1}, change);
        std::copy(trial.begin(), trial.end(), at.begin());
        return Sums{dot(moved, change), dot(moved, moved), dot(change, change)};
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

// Shorter until it goes down by some of what the slope promises; by where a parabola has its least.
bool Descent::go_down(Landscape& landscape, std::span<Vec3> x, double slope, double noise,
                      SolveReport& report) {
  double length = 1;
  for (int tries = 0; tries < 30; ++tries) {
    parallel_chunks(x.size(), grain, [&](Chunk chunk) {
      const Share share = {&direction_[chunk.begin], length};
      add_up(1, part(std::span<const Vec3>(x), chunk), {&share, 1}, part(trial_, chunk));
    });
    const double value = landscape.value(trial_, new_gradient_);
    ++report.evaluations;
    if (value <= report.potential + 1e-4 * length * slope ||
        // Near the least, differences of the potential are rounding: there the slopes decide (Hager & Zhang
        // 2005).
        (value <= report.potential + noise + 1e-14 * std::abs(report.potential) &&
         dot(new_gradient_, direction_) <= -0.8 * slope)) {
      length_ = length;
      report.potential = value;
      return true;
    }
    const double least = -0.5 * slope * length * length / (value - report.potential - slope * length);
    length = std::isfinite(least) ? std::clamp(least, 0.1 * length, 0.5 * length) : 0.1 * length;
  }
  return false;
}

void Descent::run(Landscape& landscape, std::span<Vec3> x, const SolveOptions& options,
                  const Deadline& deadline, SolveReport& report) {
  const double noise = landscape.noise();
  forget();
  report.potential = landscape.value(x, gradient_);
  ++report.evaluations;
  report.residual = landscape.residual(gradient_);
  int iterations = 0;
  while (iterations < options.iterations && report.residual > options.tolerance && !deadline.passed()) {
    const double slope = find_direction(landscape, x);
    if (!(slope < 0) || !go_down(landscape, x, slope, noise, report)) {
      if (count_ == 0) break;  // nothing goes down from here
      forget();
      continue;
    }
    advance(x);
    if (landscape.is_exact()) forget();
    report.residual = landscape.residual(gradient_);
    ++report.iterations;
    ++iterations;
    if (options.watch && !options.watch(iterations, x)) break;
    if (-0.5 * slope < options.least_gain) break;
  }
}

}  // namespace palpate
