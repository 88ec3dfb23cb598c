// How far a run is: one line on a terminal, and a line now and then elsewhere.
#pragma once

#include <cstdint>

#include <palpate/base/timing.h>

namespace palpate::cli {

class RunProgress {
 public:
  explicit RunProgress(std::uint64_t steps);
  ~RunProgress();
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;

  // After each step: of this run, how many are done.
  void show(std::uint64_t gone, double milliseconds, std::size_t contacts);

 private:
  void line(std::uint64_t gone, std::size_t contacts) const;

  std::uint64_t steps_;
  bool terminal_, shown_ = false;
  Clock::time_point begun_, next_;
  double recent_ = 0;  // milliseconds a step, of the last few
};

}  // namespace palpate::cli
