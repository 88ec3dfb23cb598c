// Sweeps, repeated and accelerated.
//
// Every iteration begins with a plain sweep. An acceleration then proposes other positions (and multipliers);
// with the safeguard they are taken only where the potential is no higher than after the plain sweep.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <palpate/solve/solver.h>
#include <palpate/solve/sweeps.h>

namespace palpate {

class SweepSolver : public Solver {
 public:
  SweepSolver(std::string_view name, std::unique_ptr<SolveSweep> sweep, const Acceleration& acceleration);

  std::string_view name() const override { return name_; }
  void prepare(const Equations& equations) override;
  SolveReport solve(Equations& equations, std::span<Vec3> x, const SolveOptions& options = {}) override;

 private:
  struct State {
    std::vector<PaddedPoint> x;
    std::vector<double> multipliers;
  };
  bool accelerate(const Equations& equations, int iteration);
  bool mix_multipliers();
  bool mix_positions(const Equations& equations, bool with_multipliers);
  bool blew_up(Equations& equations, double now);
  double potential_of(Equations& equations, const State& state);

  std::string name_;
  std::unique_ptr<SolveSweep> sweep_;
  Acceleration acceleration_;
  State begin_;                          // positions alone
  State before_, last_, plain_, other_;  // a sweep goes from `before` to `plain`; `last` was before that
  double chebyshev_ = 1;
  Anderson anderson_;
  std::vector<double> weights_, from_, to_, mixed_;
  bool has_change_ = false;
  std::vector<Vec3> start_, points_, gradient_;
};

}  // namespace palpate
