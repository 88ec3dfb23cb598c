// Compliant constraints over nodes, for solvers that project (XPBD: Macklin, Mueller & Chentanez 2016).
//
// A constraint has a few numbers C(x) that want to be zero, and a compliance matrix a: its energy is
// 1/2 C^T a^-1 C. Each number has a multiplier. A projection solves, for one constraint alone,
//
//   (dC M^-1 dC^T + a/h^2) change = -C - a/h^2 multipliers,    x += M^-1 dC^T change.
//
// One class holds many constraints of one kind as plain arrays. Whoever adds a kind writes the plain
// functions; what follows from them is done here, slowly, and can be written again where speed matters. The
// tests compare the two.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include <palpate/geometry/padded.h>

namespace palpate {

// How the constraints of a kind are gone through.
enum class Arrangement : std::uint8_t {
  one_by_one,  // in an order that is good for the caches
  by_colour    // those that share no node together, in parallel and several at a time where that is written
};

class Constraints {
 public:
  static constexpr int most_rows = 6, most_nodes = 4;
  // One constraint at some positions.
  struct Local {
    Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most_rows, 1> value;                               // C
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_rows, 3 * most_nodes> gradient;  // dC
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_rows, most_rows> compliance;     // a
  };

  Constraints() = default;
  Constraints(const Constraints&) = delete;
  Constraints& operator=(const Constraints&) = delete;
  virtual ~Constraints() = default;

  // --- what a kind is ---
  virtual std::size_t size() const = 0;  // constraints
  virtual std::size_t rows() const = 0;  // numbers of each
  virtual std::span<const std::uint32_t> nodes(std::size_t constraint) const = 0;
  virtual Local at(std::size_t constraint, std::span<const PaddedPoint> x) const = 0;

  // --- what solvers ask for ---
  // Before the rest, and after masses or step changed. Inverse masses are 0 for nodes that are held.
  // Multipliers found before mean nothing any more if the arrangement changes.
  virtual void prepare(std::span<const double> inverse_masses, double step,
                       Arrangement arrangement = Arrangement::one_by_one);
  // Projects all, one after the other, as they are numbered.
  virtual void project(std::span<PaddedPoint> x, std::span<double> multipliers);
  // The changes of the multipliers if each were projected alone.
  virtual void changes(std::span<const PaddedPoint> x, std::span<const double> multipliers,
                       std::span<double> out) const;
  // Adds to `to` what these changes of multipliers do, with gradients at `x`; times a number for each node.
  virtual void apply(std::span<const PaddedPoint> x, std::span<const double> changes,
                     std::span<const double> share, std::span<PaddedPoint> to) const;
  // The sum of squares of C + a/h^2 multipliers.
  virtual double squared_residual(std::span<const PaddedPoint> x, std::span<const double> multipliers) const;
  // What the multipliers are worth: times this, the sum of their squares is twice an energy [J^0.5 each].
  virtual void multiplier_weights(std::span<double> out) const;
  // Where the multipliers of a constraint are: the first, and how far it is to the next.
  struct Multipliers {
    std::size_t first, stride;
  };
  virtual Multipliers multipliers_of(std::size_t constraint) const { return {constraint * rows(), 1}; }
  virtual std::size_t multipliers() const { return size() * rows(); }

 protected:
  std::vector<double> inverse_masses_;
  double step_ = 0;

 private:
  template <class Take>
  void solve_one(std::size_t constraint, std::span<const PaddedPoint> x, std::span<const double> multipliers,
                 Take&& take) const;
};

// Numbers 0, 1, ... for constraints such that no two of the same number share a node; as few as come of
// taking the first that is free, in the order given.
std::vector<std::uint32_t> colours_of(std::size_t nodes, std::size_t constraints,
                                      const std::function<std::span<const std::uint32_t>(std::size_t)>& of);

}  // namespace palpate
