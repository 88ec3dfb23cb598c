// How solvers of a soft step come nearer to its end, iteration by iteration: figures 3.5 to 3.9 of Boukadida
// 2020, with more solvers, two more norms, and time.
//
// Three measures, because none alone tells all:
//   energy error         potential above the least one known, of what there was to lose; what matters
//   residual             how far the forces that are left would carry the nodes (solve/equations.h) [m]
//   published residual   |C + a/h^2 multipliers|: whether multipliers fit positions [m^1.5]. It says nothing
//                        of whether positions fit multipliers, and is zero at states that solve nothing
#pragma once

#include <limits>
#include <string>
#include <vector>

#include <palpate/solve/acceleration.h>
#include <palpate/study/soft_start.h>

namespace palpate {

struct SoftMethod {
  std::string name;    // as shown
  std::string solver;  // of solve/solver.h, or "classic_anderson"
  Acceleration acceleration = {};
};
// Solvers first, then accelerations as published, then ours. `quick`: the most telling ones.
std::vector<SoftMethod> soft_methods(bool quick);
// The names that claims are about.
namespace soft_method {
inline constexpr const char* plain = "xpbd";
inline constexpr const char* jacobi = "xpbd_jacobi";
inline constexpr const char* best = "quasi_newton";
inline constexpr const char* sor_positions = "SOR(1.5) on positions";
inline constexpr const char* sor_multipliers = "SOR(1.5) on multipliers";
inline constexpr const char* sor_multipliers_10 = "SOR(10) on multipliers";
inline constexpr const char* chebyshev = "Chebyshev(0.95)";
inline constexpr const char* anderson = "Anderson, published";
inline constexpr const char* anderson_sor = "Anderson SOR(10), published";
inline constexpr const char* anderson_positions = "Anderson on positions, unguarded";
inline constexpr const char* coloured_both = "xpbd_coloured, Anderson on both";
inline constexpr const char* jacobi_both = "xpbd_jacobi, Anderson on both";
}  // namespace soft_method

inline constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

struct SoftIteration {
  double ms = 0;  // since the start, without what measuring took
  double potential = no_number, energy_error = no_number, residual = no_number;
  double published_residual = no_number;  // where there are multipliers
};

struct SoftCurve {
  std::string method;
  bool failed = false;                // it blew up
  int refused = 0;                    // accelerated steps that were worse than plain ones
  std::size_t inverted = 0;           // elements, at the end
  std::vector<SoftIteration> points;  // [0]: the start
};

struct SoftConvergence {
  std::string shape, start;  // "violent", ...
  SoftDeformation deformation = {};
  Model model = Model::stvk;
  std::size_t nodes = 0, tets = 0;
  std::size_t inverted = 0;     // elements, at the start
  double first = 0, least = 0;  // potentials [J]
  std::vector<SoftCurve> curves;

  const SoftCurve* curve(std::string_view method) const;  // null: not there
};

SoftCurve run_soft_method(SoftStep& step, const SoftMethod& method, int iterations);
// Energy errors come of the least potential that was met.
void find_energy_errors(SoftConvergence& convergence);

std::string_view words_of(Model model);
std::size_t inverted_tets(const TetMesh& mesh, std::span<const Vec3> x);

}  // namespace palpate
