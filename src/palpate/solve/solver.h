// The solvers of a step, by name.
//
//   quasi_newton   L-BFGS in a metric that is factored once (quasi_newton.h): the default
//   xpbd           projection of constraints, one after the other: the reference
//   xpbd_coloured  the same, those that share no node together: in parallel and several at a time
//   xpbd_jacobi    all at once, corrections averaged at each node (Boukadida 2020)
//   vertex         Newton's step for one node after the other, coloured (Chen et al. 2024)
//
// All but the first are sweeps and can be accelerated (acceleration.h).
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include <palpate/base/bytes.h>
#include <palpate/solve/acceleration.h>
#include <palpate/solve/equations.h>
#include <palpate/solve/pieces.h>

namespace palpate {

struct SolveOptions {
  int iterations = 10;    // at most
  double tolerance = 0;   // stop when the residual is below this [m]
  double least_gain = 0;  // of descents: stop when no more of the potential than this is in reach [J]
  double budget = 0;     // stop when this much time is gone [s]; 0: never. Results then depend on the machine
  bool untangle = true;  // begin with sweeps over the nodes around what is turned inside out
  // Called after every iteration with the positions reached; false: enough.
  std::function<bool(int iteration, std::span<const Vec3> x)> watch = {};
};

struct SolveReport {
  int iterations = 0;
  int evaluations = 0;     // of the potential with its gradient
  int refused = 0;         // accelerated steps that were worse than plain ones
  bool failed = false;     // the solver blew up, and left things where they were
  bool untangled = false;  // the step was done with another energy: see soft/untangle.h
  double potential = 0;    // [J]
  double residual = 0;     // see equations.h [m]

  void add(const SolveReport& other) {  // of several solves: together, but for potentials
    iterations += other.iterations;
    evaluations += other.evaluations;
    refused += other.refused;
    failed = failed || other.failed;
    untangled = untangled || other.untangled;
    residual = std::max(residual, other.residual);
  }
};

class Solver {
 public:
  Solver() = default;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
  virtual ~Solver() = default;

  virtual std::string_view name() const = 0;
  // Anew after a change of the nodes, of what is held, of the terms or of the step.
  virtual void prepare(const Equations& equations) = 0;
  // The same, but for the step, which must be the one prepared for: what takes long goes on in the
  // background, and comes into use at a solve whose number depends on the equations alone.
  virtual void update(const Equations& equations) { prepare(equations); }
  // From `x` to better positions, in place. Sweeps of constraints begin at the targets instead.
  virtual SolveReport solve(Equations& equations, std::span<Vec3> x, const SolveOptions& options = {}) = 0;
  // What it carries over from solve to solve, to bytes and back. `changed`: since it was prepared or updated
  // the equations have. `equations` are those of then; `same`: it is prepared for just them.
  virtual void save(bool /*changed*/, ByteWriter& /*to*/) const {}
  virtual void load(const Equations& equations, bool same, ByteReader& /*from*/) {
    if (!same) prepare(equations);
  }
  // Turns what hangs together as a whole to where it belongs, as far as what is held lets it: better
  // positions to begin with where terms feel no turns. false: nothing can turn.
  bool turn(const Equations& equations, std::span<Vec3> x);

 protected:
  Pieces pieces_;  // of what was prepared
};

std::span<const std::string_view> solver_names();  // the default first
// Throws Error for a name that is not there, with the nearest one that is, and for an acceleration that the
// solver cannot have.
std::unique_ptr<Solver> make_solver(std::string_view name, const Acceleration& acceleration = {});

}  // namespace palpate
