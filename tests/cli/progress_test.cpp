#include <palpate/cli/progress.h>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace palpate::cli {
namespace {

// What `work` writes to stderr while that is a terminal; nothing if there is no terminal to be had.
std::string on_a_terminal(const std::function<void()>& work) {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0) return {};
  const int terminal = ::open(::ptsname(master), O_RDWR | O_NOCTTY), before = ::dup(STDERR_FILENO);
  ::dup2(terminal, STDERR_FILENO);
  work();
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  ::close(terminal);
  // What was written last may take a moment to come through; then, as nobody has the terminal open, it ends.
  std::string text;
  char part[4096];
  for (ssize_t got = 0; (got = ::read(master, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(got));
  ::close(master);
  return text;
}

constexpr auto long_enough = std::chrono::milliseconds(1300);

TEST(Progress, CountsSecondsWhereNothingIsKnownAndGoes) {
  const std::string text = on_a_terminal([] {
    const Progress progress("repairing a\nb");
    std::this_thread::sleep_for(long_enough);
  });
  if (text.empty()) GTEST_SKIP() << "there are no pseudoterminals here";
  EXPECT_NE(text.find("repairing a\\nb (1 s)"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\r\033[K"));
}

TEST(Progress, ShowsHowFarItIs) {
  const std::string text = on_a_terminal([] {
    Progress progress("reading");
    progress.callback()(0.5);
    std::this_thread::sleep_for(long_enough);
  });
  if (text.empty()) GTEST_SKIP() << "there are no pseudoterminals here";
  EXPECT_NE(text.find("reading [###############...............]  50 %"), std::string::npos) << text;
}

TEST(Progress, SaysNothingWithoutATerminalOrWhenItIsQuick) {
  EXPECT_EQ(on_a_terminal([] { const Progress progress("reading"); }), "");
  testing::internal::CaptureStderr();
  {
    const Progress progress("reading");
    std::this_thread::sleep_for(long_enough);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace palpate::cli
