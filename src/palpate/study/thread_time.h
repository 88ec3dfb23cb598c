// What a thread itself has taken: on a machine that others use, too, what they do is not in it.
#pragma once

#include <ctime>

namespace palpate {

// Of the calling thread, since some moment [ms].
inline double thread_milliseconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

}  // namespace palpate
