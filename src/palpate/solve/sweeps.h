// Sweeps: passes over all constraints or all nodes, each of which takes the positions nearer to where they
// belong. One file a kind; sweep_solver.h repeats and accelerates them.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include <palpate/solve/equations.h>

namespace palpate {

class SolveSweep {
 public:
  SolveSweep() = default;
  SolveSweep(const SolveSweep&) = delete;
  SolveSweep& operator=(const SolveSweep&) = delete;
  virtual ~SolveSweep() = default;

  virtual void prepare(const Equations& equations) = 0;
  virtual std::size_t multipliers() const { return 0; }  // none, if nodes are swept
  // Positions to start from, in place.
  virtual void begin(const Equations& equations, std::span<PaddedPoint> x) const = 0;
  virtual void sweep(Equations& equations, std::span<PaddedPoint> x, std::span<double> multipliers) = 0;

  // Only of sweeps that have multipliers. Adds what changes of them do, with gradients at `x`.
  virtual void apply(std::span<const PaddedPoint> /*x*/, std::span<const double> /*changes*/,
                     std::span<PaddedPoint> /*to*/) {}
  virtual void weigh(std::span<double> /*out*/) const {}  // see Constraints::multiplier_weights
};

// "xpbd", "xpbd_coloured" or "xpbd_jacobi".
std::unique_ptr<SolveSweep> make_sweep_xpbd(std::string_view name);
std::unique_ptr<SolveSweep> make_sweep_vertex();

}  // namespace palpate
