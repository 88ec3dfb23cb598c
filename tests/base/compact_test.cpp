#include <palpate/base/compact.h>

#include <vector>

#include <hwy/targets.h>

#include <palpate/base/error.h>

#include "support/cases.h"

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

void compare_with_loop(const std::vector<std::uint8_t>& keep) {
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < keep.size(); ++i)
    if (keep[i] != 0) expected.push_back(i);
  // Room for exactly what is kept, and one guard behind it that must stay.
  std::vector<std::uint32_t> indices(expected.size() + 1, 12345);
  ASSERT_EQ(compact_indices(keep, std::span(indices).first(expected.size())), expected.size());
  ASSERT_EQ(indices.back(), 12345u);
  indices.pop_back();
  ASSERT_EQ(indices, expected);
  ASSERT_EQ(count_kept(keep), expected.size());

  std::vector<double> values(keep.size()), kept(expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) / 2;
  ASSERT_EQ(compact(std::span<const double>(values), std::span<const std::uint8_t>(keep), std::span(kept)),
            expected.size());
  for (std::size_t i = 0; i < kept.size(); ++i) ASSERT_EQ(kept[i], expected[i] / 2.0);
}

TEST(Compact, NothingAllAndOne) {
  compare_with_loop({});
  compare_with_loop({0});
  compare_with_loop({1});
  compare_with_loop({255});
  compare_with_loop(std::vector<std::uint8_t>(100'000, 0));
  compare_with_loop(std::vector<std::uint8_t>(100'000, 1));
}

TEST(Compact, RefusesTooLittleRoom) {
  const std::vector<std::uint8_t> keep(10, 1);
  std::vector<std::uint32_t> indices(9), values(9);
  EXPECT_THROW(compact_indices(keep, indices), Error);
  EXPECT_THROW(compact(std::span<const std::uint32_t>(values), std::span<const std::uint8_t>(keep),
                       std::span(indices)),
               Error);
}

TEST(CompactProperty, EqualsALoopOnEveryInstructionSetAndThreadCount) {
  for (std::int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
    const std::int64_t target = targets & -targets;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    each_case(40, [](Random& random) {
      std::vector<std::uint8_t> keep(random.chance(0.5) ? random.below(300) : random.below(150'000));
      const double share = random.uniform(0, 1);
      for (auto& mark : keep)
        mark = random.chance(share) ? static_cast<std::uint8_t>(1 + random.below(255)) : 0;
      for (const int threads : {1, 4}) Threads(threads).run([&] { compare_with_loop(keep); });
    });
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace
}  // namespace palpate
