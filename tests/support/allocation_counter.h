// Counts allocations, to test that a warm step makes none.
//
// The executable's own malloc family stands before the C library's (the linker sees to that), so operator
// new, Eigen and TBB are all counted. Under the sanitizers, which bring their own malloc, nothing is counted:
// ask counts_allocations().
#pragma once

#include <cstdint>

namespace palpate::testing {

// Does this build count?
bool counts_allocations();
// Allocations so far, by all threads.
std::uint64_t allocations();

// How many allocations `work` makes.
template <class Work>
std::uint64_t allocations_in(Work&& work) {
  const std::uint64_t before = allocations();
  work();
  return allocations() - before;
}

}  // namespace palpate::testing
