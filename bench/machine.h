// What the benchmark ran on, and whether it can be believed.
#pragma once

#include <string>
#include <vector>

namespace palpate::bench {

// A fixed piece of work, about a millisecond; returns the milliseconds that it took.
double calibrate();

// How much longer the calibration loop takes when all cores run it at once than when one does: about 1 when
// the other cores are free, 2 when somebody else uses as much of them as we do.
double parallel_slowdown();
inline constexpr double free_cores_slowdown = 1.2;  // up to here the other cores count as free

struct Machine {
  std::string cpu;
  int cores;
  std::string version, build_type, compiler, built_for, kernels;
  double slowdown_before, slowdown_after;

  bool other_cores_free() const {
    return slowdown_before <= free_cores_slowdown && slowdown_after <= free_cores_slowdown;
  }
};

// Facts, and the slowdown before; the caller measures slowdown_after when done.
Machine look_at_machine();

}  // namespace palpate::bench
