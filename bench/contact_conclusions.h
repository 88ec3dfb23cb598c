// What the rows of the benchmark of contacts say together.
#pragma once

#include <string>
#include <vector>

#include "harness.h"

namespace palpate::bench {

// Names of cases that conclusions are drawn from.
inline const std::string pair_prefix = "pairs:", grid_prefix = "grid:", growth_name = "sheets-d0.5";

// Of what the rows allow: how many times the best peer we find pairs of triangles, at worst; the published
// grid's time over CGAL's; the power of n that the cost of our finder grows with.
std::vector<Conclusion> conclusions(const std::vector<Row>& rows);

}  // namespace palpate::bench
