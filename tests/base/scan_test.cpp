#include <palpate/base/scan.h>

#include <numeric>
#include <vector>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>

#include "support/allocation_counter.h"
#include "support/cases.h"

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

template <class T>
void compare_with_std(const std::vector<T>& counts, int threads) {
  std::vector<T> expected(counts.size()), sums(counts.size()), in_place = counts;
  std::exclusive_scan(counts.begin(), counts.end(), expected.begin(), T{0});
  const std::uint64_t total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  Threads(threads).run([&] {
    ASSERT_EQ(prefix_sums(std::span<const T>(counts), std::span<T>(sums)), total);
    ASSERT_EQ(prefix_sums(std::span<const T>(in_place), std::span<T>(in_place)), total);
  });
  ASSERT_EQ(sums, expected);
  ASSERT_EQ(in_place, expected);
}

TEST(Scan, EmptyAndTinyArrays) {
  compare_with_std<std::uint32_t>({}, 2);
  compare_with_std<std::uint32_t>({5}, 2);
  compare_with_std<std::uint64_t>({5, 0, 7}, 2);
}

TEST(Scan, TotalIsRightBeyond32Bits) {
  const std::vector<std::uint32_t> large(100'000, 0xffffffffu);
  compare_with_std(large, 1);
  compare_with_std(large, 4);
}

TEST(Scan, RefusesSpansOfDifferentLength) {
  std::vector<std::uint32_t> three(3), two(2);
  EXPECT_THROW(prefix_sums(std::span<const std::uint32_t>(three), std::span(two)), Error);
}

TEST(ScanProperty, EqualsTheStandardLibrary) {
  each_case(60, [](Random& random) {
    // Around the lengths where chunks begin and end, and anywhere else.
    std::vector<std::uint32_t> counts(random.chance(0.5) ? 16384 * random.below(5) + random.below(3)
                                                         : random.below(200'000));
    for (auto& count : counts) count = static_cast<std::uint32_t>(random.bits() >> (32 + random.below(32)));
    std::vector<std::uint64_t> wide(counts.begin(), counts.end());
    for (const int threads : {1, 2, 4}) {
      compare_with_std(counts, threads);
      compare_with_std(wide, threads);
    }
  });
}

}  // namespace
}  // namespace palpate
