// Descent by L-BFGS: the last few steps say how slopes change, a metric says the rest (Nocedal 1980).
//
// Knows a landscape alone: a value, its slopes, and a metric that turns slopes into directions. The value
// never rises from one iteration to the next, but for rounding. An iteration is one evaluation, one solve
// with the metric and four passes over the steps remembered: all products of a pass are found at once, and
// those between steps follow from those of earlier iterations.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <palpate/base/timing.h>
#include <palpate/solve/solver.h>

namespace palpate {

// What is descended on.
class Landscape {
 public:
  Landscape() = default;
  Landscape(const Landscape&) = delete;
  Landscape& operator=(const Landscape&) = delete;
  virtual ~Landscape() = default;

  // The value, and its gradient; zero where nothing may move.
  virtual double value(std::span<const Vec3> x, std::span<Vec3> gradient) = 0;
  // In place, at x: what is like a gradient to what is like a step. Symmetric, positive definite.
  virtual void to_step(std::span<const Vec3> x, std::span<Vec3> v) = 0;
  virtual double residual(std::span<const Vec3> gradient) const = 0;  // see equations.h [m]
  // Differences of the value that mean nothing [J].
  virtual double noise() const = 0;
  // Whether to_step() knows all about how slopes change: earlier steps have nothing to add (Newton's method).
  virtual bool is_exact() const { return false; }
};

class Descent {
 public:
  void make_room(std::size_t nodes);
  // From `x` downward, in place. Adds to `report`, whose iterations and evaluations it begins with; the
  // deadline is that of the caller.
  void run(Landscape& landscape, std::span<Vec3> x, const SolveOptions& options, const Deadline& deadline,
           SolveReport& report);

 private:
  static constexpr std::size_t window = 5;
  using Sums = std::array<double, window>;  // one of each step that is remembered
  struct Step {
    std::vector<Vec3> moved, gradient;  // from one iteration to the next
    double along = 0;                   // moved . the gradient that was looked at last
    Sums with = {};                     // moved . gradient of the step in each place
  };
  Step& step(std::size_t k) { return steps_[(first_ + k) % window]; }  // 0: the oldest
  std::size_t place(std::size_t k) const { return (first_ + k) % window; }
  double find_direction(Landscape& landscape, std::span<const Vec3> x);
  bool go_down(Landscape& landscape, std::span<Vec3> x, double slope, double noise, SolveReport& report);
  void advance(std::span<Vec3> x);
  void forget();
  Sums dots(std::vector<Vec3> Step::*which, std::span<const Vec3> with);

  std::array<Step, window> steps_;  // a ring
  std::size_t first_ = 0, count_ = 0;
  bool just_remembered_ = false;
  Sums turned_ = {};   // the last direction . gradient of the step in each place
  double length_ = 1;  // of the last direction, how much was gone
  std::vector<Vec3> gradient_, new_gradient_, direction_, trial_;
  std::vector<Sums> partial_;  // scratch of sums
};

}  // namespace palpate
