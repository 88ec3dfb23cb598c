// L-BFGS in a fixed metric: the metric's factor turns a gradient into a direction as if the terms were at
// rest, the last few steps correct it for where they are (Liu, Bouaziz & Kavan 2017).
//
// The potential never rises from one iteration to the next, but for rounding. The sum of the momenta of what
// is not held is right after every iteration, converged or not: the start is shifted as a whole to where it
// belongs, and no direction changes it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/solve/equations.h>
#include <palpate/solve/metric.h>

namespace palpate {

struct SolveOptions {
  int iterations = 20;   // at most
  double tolerance = 0;  // stop when the residual is below this [m]
};

struct SolveReport {
  int iterations = 0, evaluations = 0;  // of the potential with its gradient
  double potential = 0;                 // [J]
  double residual = 0;                  // see equations.h [m]
};

class QuasiNewton {
 public:
  // Makes the metric; anew after a change of the nodes, of what is held, of the terms or of the step.
  void prepare(const Equations& equations);
  // From `x` to better positions, in place.
  SolveReport solve(Equations& equations, std::span<Vec3> x, const SolveOptions& options = {});

 private:
  static constexpr std::size_t window = 5;
  struct Step {
    std::vector<Vec3> moved, gradient;  // from one iteration to the next
    double inverse = 0;                 // 1 / (moved . gradient)
  };
  void shift_as_a_whole(const Equations& equations, std::span<Vec3> x) const;
  void find_direction(const Equations& equations);
  void remember(std::span<const Vec3> from, std::span<const Vec3> to);

  Metric metric_;
  std::vector<std::uint32_t> body_;  // of each node: what hangs together; only of those with nothing held
  std::uint32_t bodies_ = 0;
  std::vector<Step> steps_;  // a ring
  std::size_t first_ = 0, count_ = 0;
  std::vector<Vec3> gradient_, new_gradient_, direction_, trial_;
  mutable std::vector<Vec3> shift_;
  mutable std::vector<double> mass_;
};

}  // namespace palpate
