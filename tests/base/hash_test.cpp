#include <palpate/base/hash.h>

#include <bit>
#include <cstring>
#include <set>
#include <vector>

#include "support/cases.h"

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

template <class... Parts>
std::uint64_t hash(const Parts&... parts) {
  StateHash state;
  (state.add(parts), ...);
  return state.value();
}

TEST(StateHash, SeesBitsNotValues) {
  EXPECT_EQ(hash(1.5), hash(1.5));
  EXPECT_NE(hash(0.0), hash(-0.0));
  EXPECT_NE(hash(1.0), hash(std::nextafter(1.0, 2.0)));
  EXPECT_NE(hash(1u), hash(1.0f));
}

TEST(StateHash, SeesWhereArraysEnd) {
  const std::vector<int> zeros(8, 0), one{1}, two{2}, both{1, 2};
  using Ints = std::span<const int>;
  EXPECT_NE(hash(Ints(one), Ints(two)), hash(Ints(both)));
  EXPECT_NE(hash(Ints(one), Ints()), hash(Ints(), Ints(one)));
  EXPECT_NE(hash(Ints(one), Ints(two)), hash(Ints(two), Ints(one)));
  std::set<std::uint64_t> seen;
  for (std::size_t n = 0; n <= zeros.size(); ++n) seen.insert(hash(Ints(zeros).first(n)));
  EXPECT_EQ(seen.size(), zeros.size() + 1);  // zeros at the end count
  EXPECT_NE(hash(), hash(Ints()));
}

TEST(StateHash, ReadsTextAndEnums) {
  enum class Kind : char { a, b };
  EXPECT_EQ(hash(std::string_view("liver")), hash(std::string_view("liver")));
  EXPECT_NE(hash(std::string_view("liver")), hash(std::string_view("livre")));
  EXPECT_NE(hash(Kind::a), hash(Kind::b));
}

TEST(StateHashProperty, OneBitChangesHalfOfTheResult) {
  double flipped = 0;
  std::size_t count = 0;
  each_case(3000, [&](Random& random) {
    std::vector<std::uint8_t> bytes(1 + random.below(100));
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random.bits());
    const std::uint64_t before = hash(std::span<const std::uint8_t>(bytes));
    bytes[random.below(bytes.size())] ^= static_cast<std::uint8_t>(1u << random.below(8));
    const int bits = std::popcount(before ^ hash(std::span<const std::uint8_t>(bytes)));
    ASSERT_GT(bits, 5);
    ASSERT_LT(bits, 59);
    flipped += bits;
    ++count;
  });
  if (count > 100) {
    EXPECT_NEAR(flipped / static_cast<double>(count), 32, 0.5);
  }
}

TEST(StateHashProperty, CountersDoNotCollide) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 100'000; ++i) seen.insert(hash(i, i / 2));
  EXPECT_EQ(seen.size(), 100'000u);
}

}  // namespace
}  // namespace palpate
