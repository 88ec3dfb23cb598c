// One step of implicit Euler, as a minimum: the positions x that make the incremental potential least,
//
//   P(x) = 1/(2 h^2) sum_i m_i |x_i - y_i|^2 + sum of the terms' energies,
//
// where y is where the nodes would go if no term pulled at them. Where its gradient is zero, Newton's law
// holds with the forces at the end of the step. Knows nodes and terms, no bodies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/solve/constraints.h>
#include <palpate/solve/term.h>

namespace palpate {

struct Equations {
  double step = 1.0 / 60;          // h [s]
  std::vector<double> masses;      // of the nodes [kg]
  std::vector<std::uint8_t> held;  // nodes that stay where they are when the solver begins
  std::vector<Vec3> targets;       // y [m]
  std::vector<Term*> terms;
  std::vector<Constraints*> constraints = {};  // the same energies, for solvers that project
  std::vector<double> partial = {};            // scratch of sums

  std::size_t size() const { return masses.size(); }
};

double potential(Equations& equations, std::span<const Vec3> x);
// The potential and its gradient [N]; zero at nodes that are held.
double potential(Equations& equations, std::span<const Vec3> x, std::span<Vec3> gradient);
// H d, of the positive semi-definite second derivative; zero at nodes that are held, which d leaves alone.
void product(const Equations& equations, std::span<const Vec3> x, std::span<const Vec3> d,
             std::span<Vec3> out);

// How far the forces that are left would carry the nodes in a step, as a mean weighted by mass [m]: the norm
// in which all solvers report.
double residual(const Equations& equations, std::span<const Vec3> gradient);

}  // namespace palpate
