#include <palpate/base/bytes.h>

#include <cstdint>

#include <gtest/gtest.h>

namespace palpate {
namespace {

std::vector<std::byte> sample() {
  std::vector<std::byte> bytes;
  ByteWriter to(bytes);
  to.put(std::uint32_t{7});
  to.put(2.5);
  to.put(std::string_view("liver"));
  const std::vector<double> list = {1, 2, 3};
  to.put(std::span<const double>(list));
  to.put(std::span<const double>());
  return bytes;
}

void read(ByteReader& from) {
  EXPECT_EQ(from.get<std::uint32_t>(), 7u);
  EXPECT_EQ(from.get<double>(), 2.5);
  EXPECT_EQ(from.get_text(), "liver");
  std::vector<double> list;
  from.get(list);
  EXPECT_EQ(list, (std::vector<double>{1, 2, 3}));
  from.get(list);
  EXPECT_TRUE(list.empty());
}

TEST(Bytes, ComeBack) {
  const std::vector<std::byte> bytes = sample();
  ByteReader from(bytes, "test");
  read(from);
  EXPECT_EQ(from.left(), 0u);
}

TEST(Bytes, CutOffIsAnError) {
  const std::vector<std::byte> bytes = sample();
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    ByteReader from({bytes.data(), cut}, "test");
    EXPECT_THROW(read(from), Error) << cut;
  }
}

TEST(Bytes, AnEnormousLengthIsAnErrorBeforeMemoryIsAskedFor) {
  std::vector<std::byte> bytes;
  ByteWriter(bytes).put(std::uint64_t{0xffffffffffffffff});
  std::vector<double> list;
  ByteReader from(bytes, "test");
  EXPECT_THROW(from.get(list), Error);
  std::array<double, 2> two{};
  ByteReader again(bytes, "test");
  EXPECT_THROW(again.get(std::span<double>(two)), Error);
}

}  // namespace
}  // namespace palpate
