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

// On one core, as published. `rounds`: iterations that are looked at.
std::vector<SoftStage> time_soft_stages(const SoftShape& shape, int rounds);

}  // namespace palpate
