// A recording, run again: does every step end as it did?
#pragma once

#include <cstdint>
#include <optional>

#include <palpate/base/function_ref.h>
#include <palpate/report/recording.h>
#include <palpate/world/world.h>

namespace palpate {

struct RunAgain {
  struct Difference {
    std::uint64_t step, recorded, now;  // hashes
  };
  std::uint64_t same = 0;  // steps, from the first on
  std::optional<Difference> difference = {};
};

// From its first state, with the same scene and what was done to it, until a step differs. `file`: its name,
// for messages and for meshes beside it. Calls after every step. Throws Error if it cannot be run.
RunAgain run_again(const Recording& recording, const std::string& file,
                   FunctionRef<void(const StepReport&, const World&)> after_step);

}  // namespace palpate
