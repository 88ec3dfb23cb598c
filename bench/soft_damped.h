// A step of a body with damping beside one without.
#pragma once

#include <vector>

#include <palpate/study/soft_start.h>

#include "harness.h"

namespace palpate::bench {

// Both on the same feet, in the same fall, with as many iterations.
std::vector<Method> damped(const SoftShape& shape);

}  // namespace palpate::bench
