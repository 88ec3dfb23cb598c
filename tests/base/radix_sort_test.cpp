#include <palpate/base/radix_sort.h>

#include <algorithm>
#include <numeric>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>

#include "support/allocation_counter.h"
#include "support/cases.h"

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

template <class Key>
void compare_with_std(const std::vector<Key>& keys, RadixSort& radix) {
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  auto expected_order = order;
  std::stable_sort(expected_order.begin(), expected_order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
  auto expected = keys, alone = keys, with_values = keys;
  std::sort(expected.begin(), expected.end());
  radix.sort(std::span(alone));
  radix.sort(std::span(with_values), std::span(order));
  ASSERT_EQ(alone, expected);
  ASSERT_EQ(with_values, expected);
  ASSERT_EQ(order, expected_order);  // stable: equal keys keep their order
}

// Keys as callers have them: all bits, few bits, bits far apart, many equal, (nearly) sorted, descending.
template <class Key>
std::vector<Key> random_keys(Random& random) {
  std::vector<Key> keys(random.chance(0.4) ? random.below(130) : random.below(100'000));
  // Sometimes with few different leading bits, so that large groups remain to be finished.
  const Key low = static_cast<Key>(~Key{0} >> random.below(sizeof(Key) * 8)),
            high = static_cast<Key>(Key{3} << (sizeof(Key) * 8 - 2));
  const Key mask = static_cast<Key>(random.chance(0.3)   ? ~Key{0}
                                    : random.chance(0.5) ? low | high
                                                         : random.bits() & random.bits());
  const Key common = static_cast<Key>(random.bits());
  for (Key& key : keys) key = static_cast<Key>((random.bits() & mask) | (common & ~mask));
  switch (random.below(5)) {
    case 0:
      std::sort(keys.begin(), keys.end());
      break;
    case 1:
      std::sort(keys.rbegin(), keys.rend());
      break;
    case 2:
      std::sort(keys.begin(), keys.end());
      for (std::size_t swaps = random.below(1 + keys.size() / (1 + random.below(300))); swaps > 0; --swaps)
        std::swap(keys[random.below(keys.size())], keys[random.below(keys.size())]);
      break;
    default:
      break;
  }
  return keys;
}

TEST(RadixSort, TinyArrays) {
  RadixSort radix;
  compare_with_std<std::uint32_t>({}, radix);
  compare_with_std<std::uint32_t>({3}, radix);
  compare_with_std<std::uint64_t>({3, 1}, radix);
  compare_with_std<std::uint64_t>(std::vector<std::uint64_t>(1000, 7), radix);
}

TEST(RadixSort, ExtremeKeys) {
  RadixSort radix;
  std::vector<std::uint64_t> keys;
  for (int i = 0; i < 200; ++i)
    keys.push_back(i % 3 == 0 ? ~std::uint64_t{0} : (i % 3 == 1 ? 0 : std::uint64_t{1} << 63));
  compare_with_std(keys, radix);
}

TEST(RadixSort, RefusesSpansOfDifferentLength) {
  std::vector<std::uint32_t> keys(3), values(2);
  EXPECT_THROW(radix_sort(std::span(keys), std::span(values)), Error);
}

TEST(RadixSort, WarmSortsDoNotAllocate) {
  if (!testing::counts_allocations())
    GTEST_SKIP() << "the sanitizers bring their own malloc, which is not counted";
  Random random(1);
  std::vector<std::uint64_t> input(100'000), keys;
  for (auto& key : input) key = random.bits();
  std::vector<std::uint32_t> values(input.size());
  RadixSort radix;
  keys = input;
  Threads(1).run([&] {
    radix.sort(std::span(keys), std::span(values));
    keys = input;
    EXPECT_EQ(testing::allocations_in([&] { radix.sort(std::span(keys), std::span(values)); }), 0u);
  });
}

TEST(RadixSortProperty, EqualsTheStandardLibrary) {
  RadixSort radix;  // one for all: buffers of other lengths must not matter
  each_case(60, [&](Random& random) {
    const auto narrow = random_keys<std::uint32_t>(random);
    const auto wide = random_keys<std::uint64_t>(random);
    for (const int threads : {1, 2, 4})
      Threads(threads).run([&] {
        compare_with_std(narrow, radix);
        compare_with_std(wide, radix);
      });
  });
}

}  // namespace
}  // namespace palpate
