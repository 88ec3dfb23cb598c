// The joints of an island as one linear system: multipliers y whose pushes P^T y change what joints measure,
//
//   (G M^-1 P^T + compliance) y = right.
//
// P are the gradients along which joints push, at the start of a step, and G those where they are to hold, at
// its end. With both at their own place rounds of solving are Newton's method, and long chains that whip are
// held, too. The factor is that of bodies and joints side by side (solve/block_factor.h): linear in the
// length of a chain.
//
// More joints than are needed make the system singular. So all give way, by 1e-10 of what bodies do: what
// joints agree on is not changed by that, once refined, and where they contradict each other multipliers stay
// finite.
#pragma once

#include <palpate/geometry/pose.h>
#include <palpate/solve/block_factor.h>

namespace palpate {

// Of each body: the numbers of a joint by its move, then by its turn.
using JointGradients = std::array<Block, 2>;

class JointEquations {
 public:
  // The bodies that each joint pushes.
  void prepare(std::size_t bodies, std::span<const BlockLink> links);
  void set_body(std::size_t i, double inverse_mass, const Vec3& inverse_moments, const Quat& turn);

  // Compliances [m/N / s^2] as they stand above; a joint with one below 0 is left out.
  void factor(std::span<const JointGradients> g, std::span<const JointGradients> p,
              std::span<const double> compliances);
  // But for how little all give way.
  void solve(std::span<const BlockVector> right, std::span<BlockVector> y);
  // To rounding, where G and P are the same.
  void solve_well(std::span<const JointGradients> p, std::span<const double> compliances,
                  std::span<const BlockVector> right, std::span<BlockVector> y);
  // Push [N s], then twist [N m s], of each body.
  std::span<const BlockVector> pushes(std::span<const JointGradients> p, std::span<const BlockVector> y);

 private:
  struct Weight {
    double inverse_mass;
    Mat3 inverse_inertia;
    double most_inverse_moment;
    Block mass;
  };
  BlockVector give(const JointGradients& p, const BlockLink& link) const;
  void find_residual(std::span<const JointGradients> p, std::span<const double> compliances,
                     std::span<const BlockVector> right, std::span<const BlockVector> y);
  double size_of_residual() const;

  BlockFactor factor_;
  std::vector<BlockLink> links_;
  std::vector<Weight> weights_;
  std::vector<BlockVector> pushes_, speeds_, residual_, change_, gives_;
};

}  // namespace palpate
