// A data race in a parallel loop, on purpose: see tests/CMakeLists.txt.
//
// However busy the machine is, two threads have to take part: until a second one has come, chunks take their
// time. What they tell each other is relaxed, so that it orders nothing.
#include <atomic>
#include <chrono>
#include <thread>

#include <palpate/base/parallel.h>

int main() {
  int counter = 0;
  std::atomic<std::thread::id> first{std::thread::id()};
  std::atomic<bool> two{false};
  palpate::Threads(4).run([&] {
    for (int round = 0; round < 1000 && !two.load(std::memory_order_relaxed); ++round)
      palpate::parallel_for(64, 1, [&](std::size_t) {
        std::thread::id seen;
        if (!first.compare_exchange_strong(seen, std::this_thread::get_id(), std::memory_order_relaxed) &&
            seen != std::this_thread::get_id())
          two.store(true, std::memory_order_relaxed);
        ++counter;
        if (!two.load(std::memory_order_relaxed)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
  });
  return counter == 0;
}
