#include <palpate/cli/progress.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <palpate/cli/exit_codes.h>

namespace palpate::cli {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t width = 30;

}  // namespace

Progress::Progress(std::string what) : what_(std::move(what)), begun_(Clock::now()) {
  if (::isatty(STDERR_FILENO) != 1) return;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {  // no more threads: the work matters, the bar does not
  }
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

// Not before the first second, then ten times a second.
void Progress::run() {
  std::unique_lock lock(mutex_);
  if (ended_.wait_for(lock, std::chrono::seconds(1), [this] { return end_; })) return;
  do {
    say("\r\033[K{}", line());
    std::fflush(stderr);
  } while (!ended_.wait_for(lock, std::chrono::milliseconds(100), [this] { return end_; }));
  say("\r\033[K");
}

std::string Progress::line() const {
  const double fraction = std::min(fraction_.load(), 1.0);
  if (!(fraction >= 0))
    return fmt::format("{} ({:.0f} s)", what_, std::chrono::duration<double>(Clock::now() - begun_).count());
  const auto filled = static_cast<std::size_t>(fraction * width);
  return fmt::format("{} [{:#<{}}{:.<{}}] {:3.0f} %", what_, "", filled, "", width - filled, 100 * fraction);
}

}  // namespace palpate::cli
