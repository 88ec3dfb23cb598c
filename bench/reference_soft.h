// One sweep of projections in plain Eigen with matrices of fixed size: what the fast sweeps are compared
// with.
#pragma once

#include <span>
#include <vector>

#include <palpate/geometry/vec.h>
#include <palpate/mesh/mesh.h>
#include <palpate/soft/elasticity.h>

namespace palpate::bench {

class PlainSweep {
 public:
  // StVK by Green strain (six numbers for each element), or Neo-Hookean (two: those of tet_constraints.h).
  PlainSweep(const TetMesh& rest, const Material& material, std::span<const double> masses, double step);
  // Multipliers begin at 0.
  void run(std::vector<Vec3>& x);

 private:
  struct Element {
    TetCorners corners;
    Mat3 inverse;
    double root_volume;
  };
  template <int rows, class Values>
  void project(const Element& e, Eigen::Matrix<double, rows, 1>& multipliers,
               const Eigen::Matrix<double, rows, rows>& compliance, std::vector<Vec3>& x,
               const Values& values);
  void sweep_green(std::vector<Vec3>& x);
  void sweep_neo_hookean(std::vector<Vec3>& x);

  Material material_;
  std::vector<Element> elements_;  // along the same curve as the fast code's
  std::vector<double> inverse_masses_;
  std::vector<Eigen::Matrix<double, 6, 1>> six_;
  std::vector<Eigen::Matrix<double, 2, 1>> two_;
  double step_;
};

}  // namespace palpate::bench
