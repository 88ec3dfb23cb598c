// The energy of a deformation and its derivatives, for one material and one element.
//
// F is the gradient of the deformation: what becomes of a small step in the body at rest. Plain and in
// double: what faster code is compared with, and what is used where speed does not matter.
#pragma once

#include <array>

#include <Eigen/Core>

#include <palpate/geometry/vec.h>
#include <palpate/soft/material.h>

namespace palpate {

using Mat9 = Eigen::Matrix<double, 9, 9>;
using Vec12 = Eigen::Matrix<double, 12, 1>;

struct Elasticity {
  Model model;
  double lambda, mu;  // Lame's, of small strains [Pa]

  explicit Elasticity(const Material& material);
  Elasticity(Model of, const Lame& constants) : model(of), lambda(constants.lambda), mu(constants.mu) {}
};

// The constants of stable Neo-Hookean that make it Hooke's law for small strains, and its rest stable.
struct NeoHookean {
  double lambda, mu, alpha;
  explicit NeoHookean(const Elasticity& e)
      : lambda(e.lambda + 5.0 / 6 * e.mu), mu(4.0 / 3 * e.mu), alpha(1 + 0.75 * mu / lambda) {}
};

// For a cubic metre of the body at rest [J/m^3]; 0 at rest, never negative but for stable Neo-Hookean, where
// rest is still the least.
double energy_density(const Elasticity& e, const Mat3& f);
// Its gradient by F: the first Piola-Kirchhoff stress [Pa].
Mat3 stress(const Elasticity& e, const Mat3& f);
// How the stress changes along df: the second derivative.
Mat3 stress_change(const Elasticity& e, const Mat3& f, const Mat3& df);
// The second derivative as a matrix of the nine numbers of F (columns one after the other), its negative
// eigenvalues set to zero.
Mat9 definite_stiffness(const Elasticity& e, const Mat3& f);

// The same for the position of one corner, of which `slope` is the gradient of its linear function: 3x3, for
// a cubic metre. Where the exact one is not definite, the part that is not is left out.
Mat3 corner_stiffness(const Elasticity& e, const Mat3& f, const Vec3& slope);

// The matrix of cofactors: the gradient of the determinant.
Mat3 cofactors(const Mat3& f);

// A tetrahedron at rest.
struct TetShape {
  Mat3 inverse;   // of its edges from the first corner [1/m]
  double volume;  // [m^3]; negative: inverted

  TetShape() : inverse(Mat3::Zero()), volume(0) {}  // of no element
  // Throws nothing; a flat one has no inverse, and `volume` says so.
  explicit TetShape(const std::array<Vec3, 4>& rest);
  Mat3 gradient(const std::array<Vec3, 4>& corners) const;  // F
  // The gradient of the linear function that is 1 at this corner and 0 at the others [1/m].
  Vec3 slope(std::size_t corner) const {
    return corner == 0 ? Vec3(-inverse.colwise().sum().transpose())
                       : Vec3(inverse.row(static_cast<int>(corner) - 1).transpose());
  }
  // What a stress pulls at the four corners with: the gradient of the energy by the corners [N].
  std::array<Vec3, 4> pull(const Mat3& stress) const;
};

}  // namespace palpate
