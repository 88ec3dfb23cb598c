// What an iteration of projections and of Anderson's acceleration is made of, and what each part costs:
// figure 3.10 of Boukadida 2020.
#pragma once

#include <string>
#include <vector>

#include <palpate/study/soft_start.h>

namespace palpate {

struct SoftStage {
  std::string shape, stage;
  double ms = 0;          // of one iteration, median
  double ns_per_tet = 0;  // the same for each element
};

// The names of the stages, in their order; those of the published iteration first.
namespace soft_stage {
inline constexpr const char* projection = "projection (one by one)";
inline constexpr const char* anderson = "Anderson";
inline constexpr const char* update = "position update";
inline constexpr const char* residuals = "published residual, twice";
inline constexpr const char* coloured = "projection (coloured, float)";
inline constexpr const char* potential = "potential";
inline constexpr const char* gradient = "potential with gradient";
}  // namespace soft_stage

// On one core, as published. `rounds`: iterations that are looked at.
std::vector<SoftStage> time_soft_stages(const SoftShape& shape, int rounds);

}  // namespace palpate
