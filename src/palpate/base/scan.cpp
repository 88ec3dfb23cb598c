#include <palpate/base/scan.h>

#include <string>

#include <palpate/base/bounded_chunks.h>
#include <palpate/base/error.h>
#include <palpate/base/parallel.h>

namespace palpate {

namespace {

template <class T>
std::uint64_t scan_chunk(const T* counts, T* sums, std::size_t n, std::uint64_t sum) {
  for (std::size_t i = 0; i < n; ++i) {
    const T count = counts[i];  // before the store: both may be the same memory
    sums[i] = static_cast<T>(sum);
    sum += count;
  }
  return sum;
}

template <class T>
std::uint64_t scan(std::span<const T> counts, std::span<T> sums) {
  if (counts.size() != sums.size())
    throw Error(
        {}, "prefix sums of " + std::to_string(counts.size()) + " counts into " + std::to_string(sums.size()),
        "Pass spans of one length.");
  const std::size_t n = counts.size(), grain = bounded_grain(n);
  if (n <= grain || available_threads() == 1) return scan_chunk(counts.data(), sums.data(), n, 0);
  ChunkTotals totals;
  parallel_chunks(n, grain, [&](Chunk chunk) {
    std::uint64_t sum = 0;
    for (std::size_t i = chunk.begin; i < chunk.end; ++i) sum += counts[i];
    totals[chunk.index] = sum;
  });
  const std::size_t chunks = chunk_count(n, grain);
  const std::uint64_t total = scan_chunk(totals.data(), totals.data(), chunks, 0);
  parallel_chunks(n, grain, [&](Chunk chunk) {
    scan_chunk(counts.data() + chunk.begin, sums.data() + chunk.begin, chunk.end - chunk.begin,
               totals[chunk.index]);
  });
  return total;
}

}  // namespace

std::uint64_t prefix_sums(std::span<const std::uint32_t> counts, std::span<std::uint32_t> sums) {
  return scan(counts, sums);
}

std::uint64_t prefix_sums(std::span<const std::uint64_t> counts, std::span<std::uint64_t> sums) {
  return scan(counts, sums);
}

}  // namespace palpate
