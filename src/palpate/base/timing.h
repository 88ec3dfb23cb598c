// Stage timers: how long each named stage of a step took.
//
// The names appear unchanged in timings, reports and on the page. A timer allocates only when it meets a name
// for the first time; measuring costs two clock reads.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace palpate {

using Clock = std::chrono::steady_clock;

// For loops that have only so much time.
class Deadline {
 public:
  // `seconds` from now; 0 or less: never.
  explicit Deadline(double seconds) : never_(!(seconds > 0)), at_(Clock::now()) {
    if (!never_) at_ += std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  bool passed() const { return !never_ && Clock::now() >= at_; }

 private:
  bool never_;
  Clock::time_point at_;
};

struct Stage {
  std::string_view name;         // must outlive the timer: a string literal
  std::int64_t nanoseconds = 0;  // since the last restart()
  std::int64_t calls = 0;
};

class StageTimer {
 public:
  // Measures from its making to its end; stages may nest, each counts its own whole time.
  class Scope {
   public:
    Scope(StageTimer& timer, std::size_t stage) : timer_(timer), stage_(stage), start_(Clock::now()) {}
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    StageTimer& timer_;
    std::size_t stage_;
    Clock::time_point start_;
  };

  // auto scope = timer.measure("boxes");
  [[nodiscard]] Scope measure(std::string_view stage) { return {*this, index_of(stage)}; }

  // What another timer measured inside a stage of this one, as a stage of its own.
  void add(const Stage& measured);

  // Sets all times to zero and keeps the names: call it at the start of a step.
  void restart();
  // In the order in which the stages were first met.
  std::span<const Stage> stages() const { return stages_; }
  double milliseconds(std::string_view stage) const;  // 0 for a stage never met

 private:
  std::size_t index_of(std::string_view stage);
  std::vector<Stage> stages_;
};

}  // namespace palpate
