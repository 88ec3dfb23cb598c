#include <palpate/cli/progress.h>

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include <palpate/cli/exit_codes.h>

namespace palpate::cli {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t width = 30;

double seconds_since(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

}  // namespace

Progress::Progress(std::string what)
    : what_(std::move(what)), terminal_(::isatty(STDERR_FILENO) == 1), begun_(Clock::now()), last_(begun_) {}

Progress::~Progress() {
  if (shown_) say("\r\033[K");
}

// Not before the first second, then ten times a second.
bool Progress::due() {
  if (!terminal_ || seconds_since(begun_) < 1 || seconds_since(last_) < 0.1) return false;
  last_ = Clock::now();
  return true;
}

void Progress::print(const std::string& line) {
  say("\r\033[K{}", line);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::show(double fraction) {
  if (!due()) return;
  fraction = std::clamp(fraction, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(fraction * width);
  print(fmt::format("{} [{:#<{}}{:.<{}}] {:3.0f} %", what_, "", filled, "", width - filled, 100 * fraction));
}

void Progress::show_elapsed() {
  if (due()) print(fmt::format("{} ({:.0f} s)", what_, seconds_since(begun_)));
}

}  // namespace palpate::cli
