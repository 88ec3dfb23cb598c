#include <palpate/base/compact.h>

#include <string>

#include <palpate/base/error.h>

#ifndef PALPATE_COMPACT_TABLE
#define PALPATE_COMPACT_TABLE
namespace palpate {
namespace {

// For each pattern of 8 marks, which lanes are kept. (Highway has CompressStore, but GCC 12 copies its table
// to the stack at every call.)
struct Kept {
  std::uint8_t lane[8];
  std::uint8_t count;
};
constexpr std::array<Kept, 256> make_kept_table() {
  std::array<Kept, 256> table{};
  for (unsigned marks = 0; marks < 256; ++marks)
    for (unsigned lane = 0; lane < 8; ++lane)
      if (marks >> lane & 1) table[marks].lane[table[marks].count++] = static_cast<std::uint8_t>(lane);
  return table;
}
constexpr std::array<Kept, 256> kept_table = make_kept_table();

}  // namespace
}  // namespace palpate
#endif

// Highway compiles the part between BEFORE and AFTER once for each instruction set, by including this file
// again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "palpate/base/compact.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace palpate {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

std::size_t count_nonzero(const std::uint8_t* keep, std::size_t n) {
  const hn::ScalableTag<std::uint8_t> d;
  const auto zero = hn::Zero(d);
  std::size_t zeros = 0, i = 0;
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d))
    zeros += hn::CountTrue(d, hn::Eq(hn::LoadU(d, keep + i), zero));
  for (; i < n; ++i) zeros += keep[i] == 0;
  return n - zeros;
}

// Writes exactly `count` indices: another chunk's output begins right behind.
void write_indices(const std::uint8_t* keep, std::uint32_t first, std::uint32_t* out, std::size_t count) {
  const hn::CappedTag<std::uint8_t, 16> sixteen;
  const hn::CappedTag<std::uint32_t, 8> d;
  const hn::Rebind<std::uint8_t, decltype(d)> bytes;
  std::size_t done = 0, i = 0;
  // While 16 places are left to write, 16 marks are left to read.
  for (; done + 16 <= count; i += 16) {
    std::uint8_t marks[8];
    hn::StoreMaskBits(sixteen, hn::Ne(hn::LoadU(sixteen, keep + i), hn::Zero(sixteen)), marks);
    for (std::size_t half = 0; half < 2; ++half) {
      const Kept& kept = kept_table[marks[half]];
      const auto base = hn::Set(d, first + static_cast<std::uint32_t>(i + 8 * half));
      for (std::size_t k = 0; k < 8; k += hn::Lanes(d))
        hn::StoreU(hn::Add(base, hn::PromoteTo(d, hn::LoadU(bytes, kept.lane + k))), d, out + done + k);
      done += kept.count;
    }
  }
  for (; done < count; ++i) {
    out[done] = first + static_cast<std::uint32_t>(i);
    done += keep[i] != 0;
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace palpate
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace palpate {

HWY_EXPORT(count_nonzero);
HWY_EXPORT(write_indices);

std::size_t detail::chunk_offsets(std::span<const std::uint8_t> keep,
                                  std::span<std::uint64_t, max_bounded_chunks + 1> offsets) {
  const std::size_t n = keep.size(), grain = bounded_grain(n);
  parallel_chunks(n, grain, [&](Chunk chunk) {
    offsets[chunk.index] =
        HWY_DYNAMIC_DISPATCH(count_nonzero)(keep.data() + chunk.begin, chunk.end - chunk.begin);
  });
  const auto totals = offsets.first(chunk_count(n, grain));
  offsets[totals.size()] = prefix_sums(totals, totals);
  return grain;
}

void detail::check_room(std::size_t values, std::size_t marks, std::size_t kept, std::size_t room) {
  if (values != marks)
    throw Error(
        {}, "compaction of " + std::to_string(values) + " values with " + std::to_string(marks) + " marks",
        "Pass one mark for each value.");
  if (marks > UINT32_MAX)
    throw Error({}, "compaction of " + std::to_string(marks) + " elements", "It takes up to 2^32 - 1.");
  if (kept > room)
    throw Error({},
                "compaction keeps " + std::to_string(kept) + " elements, the output has room for " +
                    std::to_string(room),
                "Give it as much room as there are marks.");
}

std::size_t count_kept(std::span<const std::uint8_t> keep) {
  std::array<std::uint64_t, max_bounded_chunks + 1> offsets;
  const std::size_t grain = detail::chunk_offsets(keep, offsets);
  return offsets[chunk_count(keep.size(), grain)];
}

std::size_t compact_indices(std::span<const std::uint8_t> keep, std::span<std::uint32_t> indices) {
  std::array<std::uint64_t, max_bounded_chunks + 1> offsets;
  const std::size_t grain = detail::chunk_offsets(keep, offsets);
  const std::size_t total = offsets[chunk_count(keep.size(), grain)];
  detail::check_room(keep.size(), keep.size(), total, indices.size());
  parallel_chunks(keep.size(), grain, [&](Chunk chunk) {
    HWY_DYNAMIC_DISPATCH(write_indices)
    (keep.data() + chunk.begin, static_cast<std::uint32_t>(chunk.begin),
     indices.data() + offsets[chunk.index], offsets[chunk.index + 1] - offsets[chunk.index]);
  });
  return total;
}

}  // namespace palpate
#endif
