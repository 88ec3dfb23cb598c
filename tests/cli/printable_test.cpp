#include <palpate/cli/printable.h>

#include <gtest/gtest.h>

#include <palpate/cli/exit_codes.h>

namespace palpate::cli {
namespace {

TEST(Printable, LeavesWordsOfAnyLanguage) {
  for (const char* text : {"", "a b.ply", "größe ✓ 肝臓 🫀.obj", "C:\\meshes\\x"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesWhatATerminalObeys) {
  EXPECT_EQ(printable("a\x1b[31m\n\r\tb\x7f"), "a\\x1b[31m\\n\\r\\tb\\x7f");
  EXPECT_EQ(printable(std::string_view("\0x", 2)), "\\x00x");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\u009b2J");                                           // a control character as UTF-8
  EXPECT_EQ(printable("x\xe2\x80\xaeylp.obj"), "x\\u202eylp.obj");  // turns the direction
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("bad\xff"), "bad\\xff");
  EXPECT_EQ(printable("\xc3"), "\\xc3");           // cut off
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");  // longer than needed
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond the last
}

TEST(Printable, IsWhatSayingDoesToWhatIsPutIn) {
  testing::internal::CaptureStderr();
  say("\r{}: {} of {}\n", "a\nb", std::string("c\x1b"), 3);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "\ra\\nb: c\\x1b of 3\n");
}

}  // namespace
}  // namespace palpate::cli
