// What the rows of the benchmark of soft bodies say together.
#pragma once

#include <string>
#include <vector>

#include "harness.h"

namespace palpate::bench {

inline const std::string iteration_prefix = "iteration-", sweep_prefix = "sweep-",
                         standing_prefix = "standing-", damped_prefix = "damped-";

// Of what the rows allow: how many times faster the default solver is than the reference, at worst; a
// coloured sweep beside plain Eigen; the power of n that an iteration's cost grows with; steps a second;
// what damping costs.
std::vector<Conclusion> soft_conclusions(const std::vector<Row>& rows);

}  // namespace palpate::bench
