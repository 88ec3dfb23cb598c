#include <palpate/report/stream_file.h>

#include "run_samples.h"

namespace palpate::testing {
namespace {

using StreamFiles = RunFiles;

TEST_F(StreamFiles, HaveAllLinesWhenClosed) {
  std::string expected;
  {
    StreamFile file(path("a"));
    for (int i = 0; i < 20'000; ++i) {
      const std::string line = "line " + std::to_string(i) + "\n";
      expected += line;
      file.buffer() += line;
      file.line_done();
    }
    EXPECT_GT(text_of(path("a")).size(), 65536u) << "nothing was written on the way";
  }
  EXPECT_EQ(text_of(path("a")), expected);
}

TEST_F(StreamFiles, EndInTheirTailAfterEveryFlush) {
  StreamFile file(path("a"), "</end>\n");
  std::string lines;
  for (const char* line : {"one\n", "two, longer than the tail\n", "3\n"}) {
    file.buffer() += line;
    lines += line;
    file.flush();
    EXPECT_EQ(text_of(path("a")), lines + "</end>\n");
    file.flush();
    EXPECT_EQ(text_of(path("a")), lines + "</end>\n");
  }
}

TEST_F(StreamFiles, RefuseAPlaceThatCannotBeWritten) {
  expect_in(message_of([&] { StreamFile file(path("no folder/a")); }), "no folder/a: cannot write it");
}

TEST_F(StreamFiles, TellOnceThatTheDiskIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  StreamFile file("/dev/full");
  file.buffer() += "line\n";
  EXPECT_FALSE(file.failure());
  file.flush();
  ASSERT_TRUE(file.failure());
  const std::string message = file.failure()->what();
  expect_in(message, "No space left");
  file.buffer() += "line\n";
  file.line_done();
  file.close();
  EXPECT_EQ(file.failure()->what(), message);
}

using StreamFilesDeathTest = RunFiles;

TEST_F(StreamFilesDeathTest, KeepWholeLinesOnADiskThatFillsUp) {
  const auto fill = [&] {
    let_files_end_at(10'005);  // in the middle of a line
    StreamFile file(path("a"));
    for (int i = 0; i < 100'000; ++i) {
      file.buffer() += "123456789\n";
      file.line_done();
    }
    file.close();
    std::_Exit(file.failure() ? 0 : 1);
  };
  EXPECT_EXIT(fill(), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(text_of(path("a")).size(), 10'000u);
}

TEST_F(StreamFilesDeathTest, KeepTheirTailOnADiskThatFillsUp) {
  const auto fill = [&] {
    let_files_end_at(1'000);
    StreamFile file(path("a"), "</end>\n");
    for (int i = 0; i < 200; ++i) {
      file.buffer() += "123456789\n";
      file.flush();
    }
    std::_Exit(file.failure() ? 0 : 1);
  };
  EXPECT_EXIT(fill(), ::testing::ExitedWithCode(0), "");
  const std::string text = text_of(path("a"));
  EXPECT_EQ(text.size(), 997u);
  EXPECT_TRUE(text.ends_with("123456789\n</end>\n"));
}

}  // namespace
}  // namespace palpate::testing
