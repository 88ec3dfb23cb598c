// L-BFGS in a fixed metric: the metric's factor turns a gradient into a direction as if the terms were at
// rest, the last few steps correct it for where they are (Liu, Bouaziz & Kavan 2017).
//
// The potential never rises from one iteration to the next, but for rounding. The sum of the momenta of what
// is not held is right after every iteration, converged or not: the start is shifted as a whole to where it
// belongs, and no direction changes it.
//
// Where elements are turned inside out, slopes lead nowhere: the nodes around them first take some steps of
// Newton's, each alone.
//
// An iteration is one evaluation, one solve with the metric and four passes over the steps remembered: all
// products of a pass are found at once, and those between steps follow from those of earlier iterations.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <palpate/base/timing.h>
#include <palpate/solve/lagging_metric.h>
#include <palpate/solve/solver.h>

namespace palpate {

class QuasiNewton : public Solver {
 public:
  std::string_view name() const override { return "quasi_newton"; }
  void prepare(const Equations& equations) override;
  void update(const Equations& equations) override;
  SolveReport solve(Equations& equations, std::span<Vec3> x, const SolveOptions& options = {}) override;
  void save(bool changed, ByteWriter& to) const override { metric_.save(to, changed); }
  void load(const Equations& equations, bool same, ByteReader& from) override;

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
  void make_room(const Equations& equations, std::span<const MetricEntry> entries);
  void untangle(Equations& equations, std::span<Vec3> x, const Deadline& deadline);
  double find_direction(const Equations& equations);
  void advance(std::span<Vec3> x);
  void forget();
  Sums dots(std::vector<Vec3> Step::*which, std::span<const Vec3> with);

  LaggingMetric metric_;
  std::array<Step, window> steps_;  // a ring
  std::size_t first_ = 0, count_ = 0;
  bool just_remembered_ = false;
  Sums turned_ = {};   // the last direction . gradient of the step in each place
  double length_ = 1;  // of the last direction, how much was gone
  std::vector<Vec3> gradient_, new_gradient_, direction_, trial_;
  std::vector<Sums> partial_;          // scratch of sums
  std::vector<std::uint8_t> tangled_;  // nodes
};

}  // namespace palpate
