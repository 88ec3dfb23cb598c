// Solvers on the same step of the same body, each with as many sweeps and substeps as a target asks for.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <palpate/soft/tet_constraints.h>
#include <palpate/solve/solver.h>
#include <palpate/study/soft_start.h>

namespace palpate::bench {

class Contestant {
 public:
  static constexpr int most_sweeps = 2000;

  Contestant(std::shared_ptr<SoftStep> step, std::string_view solver, const Acceleration& acceleration);

  const std::string& name() const { return name_; }
  // The fewest sweeps that reach each of the errors (the largest first), as far as they take no longer than
  // this [s]. Projections may take substeps.
  void find(std::span<const double> targets, std::span<const double> limits);
  struct Effort {
    int substeps, iterations;
    double seconds;  // about
  };
  std::optional<Effort> effort(double target) const;

  void run(const Effort& effort);
  double least_error() const { return least_error_; }  // that was met
  double error() { return step_->error(x_); }          // after the last run

 private:
  void prepare(int substeps);
  void watch(std::span<const double> targets, double limit);
  void search(double target, double limit);

  std::shared_ptr<SoftStep> step_;
  TetConstraints constraints_;
  Equations equations_;
  std::unique_ptr<Solver> solver_;
  std::string name_;
  int prepared_ = 0;  // substeps
  double least_error_ = 1;
  double seconds_ = 0;  // of a sweep, about
  std::map<double, Effort> efforts_;
  std::vector<Vec3> x_, before_, velocities_;
};

// All solvers on one step. Those that are slower than the best of the others by a factor are given up: who
// wins is not in doubt then.
struct Contest {
  std::shared_ptr<SoftStep> step;
  std::vector<std::shared_ptr<Contestant>> contestants;  // the default first

  Contest(std::shared_ptr<SoftStep> on, std::span<const double> targets);
};

}  // namespace palpate::bench
