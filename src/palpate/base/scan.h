// Prefix sums of counts: from "how many each" to "where each begins".
//
// Three steps when the array is long and threads are there: sum of each chunk, scan of the sums, scan inside
// each chunk. The number of chunks is bounded, so their sums fit on the stack and nothing is allocated.
#pragma once

#include <cstdint>
#include <span>

namespace palpate {

// sums[i] = counts[0] + ... + counts[i-1]; returns the total of all. Both spans have the same length and may
// be the same memory. With 32-bit sums the caller compares the total with 2^32: what is beyond wraps around.
std::uint64_t prefix_sums(std::span<const std::uint32_t> counts, std::span<std::uint32_t> sums);
std::uint64_t prefix_sums(std::span<const std::uint64_t> counts, std::span<std::uint64_t> sums);

}  // namespace palpate
