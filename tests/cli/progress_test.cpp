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
  ::fcntl(master, F_SETFL, O_NONBLOCK);
  std::string text(1 << 16, '\0');
  const ssize_t got = ::read(master, text.data(), text.size());
  ::dup2(before, STDERR_FILENO);
  for (const int file : {before, terminal, master}) ::close(file);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
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
