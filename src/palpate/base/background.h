// Work that goes on beside what its owner does, until it is waited for.
//
// It has a thread of its own, the only kind that Palpate starts: the workers of TBB stay with the loops that
// keep them busy, and would come to it when it is too late. For results that do not depend on how fast it is,
// wait at a fixed point.
#pragma once

#include <exception>
#include <functional>
#include <thread>

namespace palpate {

class Background {
 public:
  Background() = default;
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  // Waits.
  ~Background();

  // One piece of work at a time: what was begun before is waited for first. What `work` uses must stay.
  void start(std::function<void()> work);
  bool busy() const { return begun_; }  // begun, and not waited for yet
  // Until it is done; passes on what it threw. Returns at once if nothing was begun.
  void wait();

 private:
  std::thread thread_;
  std::function<void()> work_;
  std::exception_ptr failure_;
  bool begun_ = false;
};

}  // namespace palpate
