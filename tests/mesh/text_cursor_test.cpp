// The text cursor: words, numbers, lines, and the places of messages; the byte cursor beside it.
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <palpate/mesh/formats/byte_cursor.h>
#include <palpate/mesh/formats/number_text.h>
#include <palpate/mesh/formats/skipped.h>
#include <palpate/mesh/formats/text_cursor.h>
#include <support/cases.h>

namespace palpate::detail {
namespace {

using namespace palpate::testing;

// Where and why something is refused; "" if it is not.
template <class Body>
std::string refusal_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.where() + ": " + error.problem();
  }
  return "";
}

TEST(TextCursor, WordsAndLines) {
  TextCursor text(" one\ttwo \r\n\n three", "f");
  EXPECT_EQ(text.word(), "one");
  EXPECT_EQ(text.word(), "two");
  EXPECT_EQ(text.word(), "");
  EXPECT_TRUE(text.at_line_end());
  EXPECT_FALSE(text.at_end());
  EXPECT_EQ(text.word_anywhere(), "three");
  EXPECT_TRUE(text.at_end());
  EXPECT_EQ(text.word_anywhere(), "");
  EXPECT_EQ(text.peek(), '\0');
  text.skip_line();
  EXPECT_TRUE(text.at_end());
  EXPECT_EQ(text.line(), 3u);
}

TEST(TextCursor, NothingAtAll) {
  TextCursor text({}, "f");
  EXPECT_TRUE(text.at_end() && text.at_line_end());
  EXPECT_EQ(text.word(), "");
  EXPECT_EQ(text.rest_of_line(), "");
  text.skip_space_and_comments();
  text.skip_line();
  EXPECT_EQ(refusal_of([&] { text.number("weight"); }), "f:1:1: a weight is missing");
  EXPECT_EQ(refusal_of([&] { text.integer("count", 0, 9); }), "f:1:1: a count is missing");
}

TEST(TextCursor, RestsOfLinesAndComments) {
  TextCursor text("a b \r\n# c\n  # d\nlast", "f");
  text.word();
  EXPECT_EQ(text.rest_of_line(), " b ");
  text.skip_space_and_comments();
  EXPECT_EQ(text.rest_of_line(), "last");
  EXPECT_EQ(text.rest_of_line(), "");
}

TEST(TextCursor, Numbers) {
  const auto number = [](std::string_view s) { return TextCursor(s, "f").number("number"); };
  EXPECT_EQ(number(" 1.5"), 1.5);
  EXPECT_EQ(number("+2"), 2);
  EXPECT_EQ(number("-.5e1\t"), -5);
  EXPECT_EQ(number("7.\n"), 7);
  EXPECT_TRUE(std::signbit(number("-0")));
  EXPECT_EQ(number("1e-999"), 0);
  EXPECT_EQ(number("0.1000000000000000055511151231257827021181583404541015625"), 0.1);
  for (const char* bad :
       {"nan", "inf", "-infinity", "1e999", "1.5abc", "1,5", "+-1", "--1", "+", "-", ".", "e5", "0x10", "1e"})
    EXPECT_EQ(refusal_of([&] { number(bad); }),
              "f:1:1: '" + std::string(bad) + "' is not a finite number, which a number has to be");
}

TEST(TextCursor, Integers) {
  const auto integer = [](std::string_view s, std::int64_t low, std::int64_t high) {
    return TextCursor(s, "f").integer("count", low, high);
  };
  EXPECT_EQ(integer("0", 0, 9), 0);
  EXPECT_EQ(integer(" +7 ", 0, 9), 7);
  EXPECT_EQ(integer("0000000000000000000000007", 0, 9), 7);
  EXPECT_EQ(integer("-3\n", -5, 5), -3);
  EXPECT_EQ(integer("9223372036854775807", 0, INT64_MAX), INT64_MAX);
  EXPECT_EQ(integer("-9223372036854775808", INT64_MIN, 0), INT64_MIN);
  EXPECT_EQ(integer("999999999999999999\t", 0, INT64_MAX), 999'999'999'999'999'999);
  for (const char* bad : {"9223372036854775808", "1.0", "1e3", "x", "+-1", "-", "+", "1/2", "0x1"})
    EXPECT_EQ(refusal_of([&] { integer(bad, INT64_MIN, INT64_MAX); }),
              "f:1:1: '" + std::string(bad) + "' is not a whole number, which a count has to be");
  EXPECT_EQ(refusal_of([&] { integer("10", 0, 9); }),
            "f:1:1: count 10 is out of range: it has to be from 0 to 9");
  EXPECT_EQ(refusal_of([&] { integer("-1", 0, 9); }),
            "f:1:1: count -1 is out of range: it has to be from 0 to 9");
  EXPECT_EQ(refusal_of([&] { integer("0", 0, -1); }), "f:1:1: count 0 cannot be: there are none");
  EXPECT_EQ(refusal_of([&] { integer("\n5", 0, 9); }), "f:1:1: a count is missing");
}

TEST(TextCursor, PlacesAreLinesAndColumns) {
  TextCursor text("one\r\n two\nx", "f");
  const auto place = [&](std::size_t offset) { return refusal_of([&] { text.refuse_at(offset, "so"); }); };
  EXPECT_EQ(place(0), "f:1:1: so");
  EXPECT_EQ(place(4), "f:1:5: so");
  EXPECT_EQ(place(5), "f:2:1: so");
  EXPECT_EQ(place(6), "f:2:2: so");
  EXPECT_EQ(place(11), "f:3:2: so");
  text.count_lines_in("\n\n\n\n\n\n\n\n\n\n\n");
  EXPECT_EQ(place(11), "f:12:1: so");
}

TEST(TextCursor, OddBytesAreMaskedAndLongWordsCut) {
  const std::string odd = std::string("a\x01\xff", 3) + std::string(100, 'b');
  EXPECT_EQ(TextCursor(odd, "f").shown_word(), "a??" + std::string(37, 'b'));
}

TEST(TextCursor, ExpectsLineEnds) {
  TextCursor text("1 \r\n2 3\n", "f");
  text.word();
  text.expect_line_end("a number");
  EXPECT_EQ(text.word(), "2");
  EXPECT_EQ(refusal_of([&] { text.expect_line_end("a number"); }), "f:2:3: '3' is unexpected after a number");
}

TEST(TextCursorProperty, NumbersAreReadAsTheyWereWritten) {
  each_case(20'000, [](Random& random) {
    double x = 0;
    do x = std::bit_cast<double>(random.bits());
    while (!std::isfinite(x));
    std::string text;
    append_number(text, x);
    const std::int64_t i = static_cast<std::int64_t>(random.bits()) >> random.below(63);
    text += ' ';
    append_number(text, i);
    TextCursor cursor(text, "f");
    EXPECT_EQ(std::bit_cast<std::uint64_t>(cursor.number("x")), std::bit_cast<std::uint64_t>(x)) << text;
    EXPECT_EQ(cursor.integer("i", INT64_MIN, INT64_MAX), i) << text;
    EXPECT_TRUE(cursor.at_end());
  });
}

TEST(ByteCursor, TakesBothByteOrders) {
  const std::string bytes = {'\x01', '\x02', '\x03', '\x04', '\x05', '\x06', '\x07', '\x08'};
  ByteCursor little(bytes, "f"), big(bytes, "f", 0, true);
  EXPECT_EQ(little.take<std::uint8_t>("x"), 1);
  EXPECT_EQ(little.take<std::uint16_t>("x"), 0x0302);
  EXPECT_EQ(little.take<std::uint32_t>("x"), 0x07060504u);
  EXPECT_EQ(big.take<std::uint64_t>("x"), 0x0102030405060708u);
  EXPECT_EQ(big.left(), 0u);
  for (const bool swap : {false, true}) {
    std::string out;
    append_bytes(out, -2.5, swap);
    append_bytes(out, 1.5f, swap);
    append_bytes(out, std::int16_t{-7}, swap);
    EXPECT_EQ(from_bytes<double>(out.data(), swap), -2.5);
    EXPECT_EQ(from_bytes<float>(out.data() + 8, swap), 1.5f);
    EXPECT_EQ(from_bytes<std::int16_t>(out.data() + 12, swap), -7);
  }
}

TEST(ByteCursor, RefusesWhatIsNotThere) {
  const std::string seven(7, 'x');
  ByteCursor bytes(seven, "f", 3);
  bytes.need(4, 1, "x");
  bytes.need(UINT64_MAX, 0, "x");
  EXPECT_EQ(
      refusal_of([&] { bytes.need(UINT64_MAX, 8, "points"); }),
      "f, byte 3: the file ends too early: 18446744073709551615 points of 8 bytes each do not fit in the 4 "
      "bytes that are left");
  EXPECT_NE(refusal_of([&] { bytes.take<double>("x"); }), "");
  EXPECT_EQ(bytes.offset(), 3u);
  bytes.skip(4, "x");
  EXPECT_EQ(bytes.left(), 0u);
}

TEST(Skipped, CountsByName) {
  Skipped skipped;
  for (int i = 0; i < 200; ++i) skipped.add("thing " + std::to_string(i), 2);
  std::vector<std::string> warnings;
  skipped.append_to(warnings);
  ASSERT_EQ(warnings.size(), 13u);
  EXPECT_EQ(warnings[0], "skipped 272 other things");
  EXPECT_EQ(warnings[1], "skipped 2 thing 0");
  EXPECT_EQ(warnings[12], "skipped 53 more kinds of content");
}

}  // namespace
}  // namespace palpate::detail
