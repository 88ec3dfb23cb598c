// Compaction: keep the marked elements, in order.
//
// Count the marks of each chunk, scan the counts, write each chunk where it belongs. The index kernel
// compresses a vector of indices at a time and is chosen for the machine at run time; the output is the same
// on all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <palpate/base/bounded_chunks.h>
#include <palpate/base/parallel.h>
#include <palpate/base/scan.h>

namespace palpate {

// Writes every i with keep[i] != 0 to indices, ascending; returns how many. `indices` has room for all that
// are kept (keep.size() is always enough); nothing is written beyond them. keep.size() is below 2^32.
std::size_t compact_indices(std::span<const std::uint8_t> keep, std::span<std::uint32_t> indices);

// How many marks are not zero.
std::size_t count_kept(std::span<const std::uint8_t> keep);

namespace detail {
// Marks of each chunk as offsets of the chunks' outputs (one more entry than chunks); returns the grain.
std::size_t chunk_offsets(std::span<const std::uint8_t> keep,
                          std::span<std::uint64_t, max_bounded_chunks + 1> offsets);
void check_room(std::size_t values, std::size_t marks, std::size_t kept, std::size_t room);
}  // namespace detail

// Copies the marked values to `kept`, in order; returns how many. The two spans may not overlap.
template <class T>
std::size_t compact(std::span<const T> values, std::span<const std::uint8_t> keep, std::span<T> kept) {
  std::array<std::uint64_t, max_bounded_chunks + 1> offsets;
  const std::size_t grain = detail::chunk_offsets(keep, offsets);
  const std::size_t total = offsets[chunk_count(keep.size(), grain)];
  detail::check_room(values.size(), keep.size(), total, kept.size());
  parallel_chunks(keep.size(), grain, [&](Chunk chunk) {
    std::uint64_t out = offsets[chunk.index];
    const std::uint64_t end = offsets[chunk.index + 1];
    // Branch-free: writes every value and steps forward only over the kept ones.
    for (std::size_t i = chunk.begin; out < end; ++i) {
      kept[out] = values[i];
      out += keep[i] != 0;
    }
  });
  return total;
}

}  // namespace palpate
