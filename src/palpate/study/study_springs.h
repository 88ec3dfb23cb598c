// Two cubes and a spring, four times: the systems that a published rigid-body simulator was shown with (a
// Montreal thesis, about 2003, annex I), against exact solutions.
//
// In the first three the spring pulls along the line of the centres: an oscillator, damped in the third, with
// a closed form. In the fourth it is attached beside that line, and the cubes turn; its solution is computed
// in long double with steps so short that they do not matter. Beside ours stands what the thesis did: a step
// of Euler's with the forces at its start.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <palpate/geometry/vec.h>
#include <palpate/report/page.h>

namespace palpate {

struct SpringSystem {
  int number = 0;                                     // 1 to 4
  double stiffness = 0, damping = 0, length = 0;      // [N/m], [N s/m], [m]
  Vec3 at_one = Vec3::Zero(), at_two = Vec3::Zero();  // in the coordinates of the cubes [m]

  static std::array<SpringSystem, 4> all();
  // Vectors from the centre of the first cube to that of the second, at times 0, h, 2 h, ... [m]
  std::vector<Vec3> exact(double step, std::size_t steps) const;
  std::vector<Vec3> ours(double step, std::size_t steps, double* energy_drift = nullptr) const;
  std::vector<Vec3> classic_euler(double step, std::size_t steps) const;
};

struct SpringError {
  double step = 0;             // [s]
  double ours = 0, euler = 0;  // the largest distance from the exact solution in 10 s [m]
  double drift = 0;            // of our energy: the most it ever is off, of what there is
};

struct SpringResult {
  SpringSystem system;
  std::vector<SpringError> errors;    // from long steps to short ones
  double order = 0, euler_order = 0;  // by which errors fall with the step, at the short end
};

struct SpringStudy {
  std::vector<SpringResult> results;
  bool interrupted = false;
};

// `progress`: how far it is, 0 to 1; false: end with what there is.
SpringStudy study_springs(bool quick = false, const std::function<bool(double)>& progress = {});

Table springs_table(const SpringStudy& study);
// Names of files and plots: errors against steps, and a motion.
std::vector<std::pair<std::string, Plot>> springs_plots(const SpringStudy& study);
std::string springs_page(const SpringStudy& study);
std::string springs_json(const SpringStudy& study);

}  // namespace palpate
