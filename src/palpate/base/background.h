// Work that goes on beside what its owner does, until it is waited for.
//
// It runs on a thread of TBB's in an arena of its own: loops that wait elsewhere never take it up by
// accident. Where no thread has come to it by the time it is waited for, the one that waits does it. When a
// thread comes is a matter of luck: for results that do not depend on it, wait at a fixed point.
#pragma once

#include <functional>
#include <memory>

namespace palpate {

class Background {
 public:
  Background() = default;
  Background(Background&&) noexcept = default;
  Background& operator=(Background&& other) noexcept;
  // Waits.
  ~Background();

  // One piece of work at a time: what was begun before is waited for first. What `work` uses must stay.
  void start(std::function<void()> work);
  bool busy() const { return task_ != nullptr; }  // begun, and not waited for yet
  // Until it is done; passes on what it threw. Returns at once if nothing was begun.
  void wait();

 private:
  struct Task;
  std::shared_ptr<Task> task_;
};

}  // namespace palpate
