// Chunks for three-step algorithms (count, scan the counts, write): few enough that the counts of all chunks
// live on the stack, and the same for any number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace palpate {

inline constexpr std::size_t max_bounded_chunks = 64;
using ChunkTotals = std::array<std::uint64_t, max_bounded_chunks>;

// A grain that cuts n into at most 64 chunks, none shorter than 16,384 but the last.
inline std::size_t bounded_grain(std::size_t n) {
  return std::max<std::size_t>(16384, (n + max_bounded_chunks - 1) / max_bounded_chunks);
}

}  // namespace palpate
