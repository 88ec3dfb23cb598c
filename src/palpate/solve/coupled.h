// Several systems that pull at each other, solved as one: bodies that touch.
//
// Each system has its equations and its own factored metric, as if it were alone; what is between them is a
// law on the vectors of some couplings. The whole is descended on by L-BFGS. The metrics know nothing of the
// law, which may be far stiffer than the systems: so a slope is turned into a step by a few conjugate
// gradients on (metrics + law), with the metrics before them. As the metrics' own product follows from the
// recurrence, each costs one solve and one pass over the couplings; where bodies touch at few of their nodes,
// a small part of that (reduced_gradients.h).
//
// Nodes may also come in pairs of one mass (a rigid body: its centre, and its turn), with targets and no
// terms of their own. Nothing but the law is between pairs, so its part there is factored as it is
// (pair_factor.h): a stack of boxes is solved at once, however high.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <palpate/solve/couplings.h>
#include <palpate/solve/descent.h>
#include <palpate/solve/equations.h>
#include <palpate/solve/pair_factor.h>
#include <palpate/solve/quasi_newton.h>
#include <palpate/solve/reduced_gradients.h>

namespace palpate {

// Energies of vectors.
class CouplingLaw {
 public:
  CouplingLaw() = default;
  CouplingLaw(const CouplingLaw&) = delete;
  CouplingLaw& operator=(const CouplingLaw&) = delete;
  virtual ~CouplingLaw() = default;

  // The energy at these vectors [J], and its gradient [N].
  virtual double value(std::span<const Vec3> vectors, std::span<Vec3> gradient) = 0;
  // Its second derivative for each vector, or a positive semi-definite stand-in [N/m].
  virtual void stiffness(std::span<const Vec3> vectors, std::span<Mat3> out) = 0;
};

struct CoupledOptions {
  int most_gradients = 4;         // conjugate gradients of a step, at most
  double gradients_until = 0.05;  // of the first residual: then they end
  bool reduces = true;            // to the nodes that the law pulls at, where that is faster
};

class Coupled {
 public:
  // Forgets all systems and nodes, not the memory.
  void clear(double step);
  // The number of the first of its nodes. `x`: where they are, and where the result goes. Both must stay.
  std::uint32_t add(Equations& equations, QuasiNewton& solver, std::span<Vec3> x);
  // The number of the first of two nodes. Both begin at their targets.
  std::uint32_t add_pair(double mass, const Vec3& first, const Vec3& second);
  std::size_t size() const { return size_; }
  // Where all nodes are.
  std::span<Vec3> positions() { return {x_.data(), size_}; }
  std::span<const Vec3> positions() const { return {x_.data(), size_}; }

  // From where the nodes are. The results are copied back to the systems.
  SolveReport solve(const Couplings& couplings, CouplingLaw& law, const SolveOptions& options,
                    const CoupledOptions& coupled = {});
  // The whole potential, where the nodes are.
  double potential(const Couplings& couplings, CouplingLaw& law);
  // Of the last solve: gradients that conjugate gradients took.
  int gradients() const { return gradients_; }
  // Whether the last solve went the short way.
  bool reduced() const { return reduces_; }
  void store();  // to the systems

 private:
  class All;
  struct Part {
    Equations* equations;
    QuasiNewton* solver;
    std::span<Vec3> x;
    std::size_t first;
  };
  struct Pair {
    std::uint32_t first;  // node
    double mass;
    std::array<Vec3, 2> targets;
  };
  static constexpr std::uint32_t no_pair = 0xffffffff;
  void make_room(const Couplings& couplings);
  bool reduce(const Couplings& couplings);

  double step_ = 1;
  std::size_t size_ = 0;
  std::vector<Part> parts_;
  std::vector<Pair> pairs_;
  std::vector<Vec3> x_;
  Descent descent_;
  PairFactor pair_factor_;
  std::vector<std::uint32_t> pair_of_;  // of each node, or no_pair
  int gradients_ = 0;
  ReducedGradients reduced_;
  bool reduces_ = false;
  std::vector<ReducedGradients::Part> reduced_parts_;
  std::vector<std::uint32_t> pair_nodes_;
  // Scratch.
  std::vector<double> values_;
  std::vector<Vec3> vectors_, pulls_, result_, residual_, scaled_, direction_, product_, own_product_;
  std::vector<Mat3> stiffness_;
  std::vector<PairFactor::Six> sixes_;
  std::vector<Vec3> gradient_;
};

}  // namespace palpate
