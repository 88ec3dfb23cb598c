#include <palpate/cli/run_progress.h>

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include <fmt/format.h>

#include <palpate/cli/exit_codes.h>

namespace palpate::cli {

namespace {

constexpr std::size_t width = 24;

std::string left_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

RunProgress::RunProgress(std::uint64_t steps)
    : steps_(steps), terminal_(::isatty(STDERR_FILENO) == 1), begun_(Clock::now()), next_(begun_) {
  next_ += terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(5000);
}

RunProgress::~RunProgress() {
  if (terminal_ && shown_) say("\r\033[K");
}

void RunProgress::show(std::uint64_t gone, double milliseconds, std::size_t contacts) {
  recent_ = gone <= 1 ? milliseconds : 0.9 * recent_ + 0.1 * milliseconds;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + (terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10000));
  line(gone, contacts);
  shown_ = true;
}

void RunProgress::line(std::uint64_t gone, std::size_t contacts) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  const double part = steps_ > 0 ? static_cast<double>(gone) / static_cast<double>(steps_) : 1;
  const double left = part > 0 ? seconds * (1 - part) / part : 0;
  const std::string facts = fmt::format("step {} of {}, {:.2f} ms a step, {} contacts, {} left", gone, steps_,
                                        recent_, contacts, left_text(left));
  if (!terminal_) {
    say("palpate: {}\n", facts);
    return;
  }
  const auto filled = static_cast<std::size_t>(part * static_cast<double>(width));
  say("\r\033[K[{:#<{}}{:.<{}}] {}", std::string(), filled, std::string(), width - filled, facts);
  std::fflush(stderr);
}

}  // namespace palpate::cli
