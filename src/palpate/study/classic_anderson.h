// Projections with Anderson's acceleration of the multipliers, as published (Boukadida 2020, algorithm 2.4),
// kept as a reference. It differs from `xpbd` with `anderson_multipliers` (solve/acceleration.h) in three
// things: the mix is a jump of its own before each sweep, not in its place; it is taken where the sum of
// squares of C + a/h^2 multipliers becomes less, not the potential; and nothing is mixed before the window is
// full.
#pragma once

#include <vector>

#include <palpate/solve/solver.h>

namespace palpate {

class ClassicAnderson : public Solver {
 public:
  // `omega`: what the mixed change is taken times; 10 in the published figures.
  explicit ClassicAnderson(double omega, std::size_t window = 5, double condition_limit = 1e3);

  std::string_view name() const override { return "classic_anderson"; }
  // Of equations with one kind of constraints; throws Error for others.
  void prepare(const Equations& equations) override;
  SolveReport solve(Equations& equations, std::span<Vec3> x, const SolveOptions& options = {}) override;

 private:
  bool jump();

  double omega_, limit_;
  std::size_t window_;
  Constraints* constraints_ = nullptr;
  Anderson anderson_;
  std::vector<PaddedPoint> x_, tried_x_;
  std::vector<double> multipliers_, tried_, before_, last_change_, change_, mixed_, ones_, share_;
  std::vector<Vec3> points_, gradient_;
};

}  // namespace palpate
