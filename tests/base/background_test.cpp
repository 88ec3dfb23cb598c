#include <palpate/base/background.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include <palpate/base/parallel.h>

namespace palpate {
namespace {

TEST(Background, WorkIsDoneOnceItWasWaitedFor) {
  for (int i = 0; i < 200; ++i) {
    int done = 0;
    Background background;
    EXPECT_FALSE(background.busy());
    background.start([&] { ++done; });
    EXPECT_TRUE(background.busy());
    if (i % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(i));
    background.wait();
    EXPECT_EQ(done, 1);
    EXPECT_FALSE(background.busy());
    background.wait();
    EXPECT_EQ(done, 1);
  }
}

TEST(Background, ItsEndAndTheNextStartWait) {
  std::atomic<int> done = 0;
  {
    Background background;
    background.start([&] { ++done; });
    background.start([&] { ++done; });
    EXPECT_GE(done, 1);
  }
  EXPECT_EQ(done, 2);
}

TEST(Background, PassesOnWhatWasThrown) {
  Background background;
  background.start([] { throw std::runtime_error("no"); });
  EXPECT_THROW(background.wait(), std::runtime_error);
  EXPECT_FALSE(background.busy());
  background.start([] { throw std::runtime_error("nobody asks"); });
}

// Loops that wait must not take up what goes on beside them: it may be long.
TEST(Background, IsNotDoneByLoops) {
  Threads(2).run([] {
    std::atomic<bool> stop = false;
    Background background;
    background.start([&] {
      while (!stop) std::this_thread::yield();
    });
    std::atomic<std::size_t> sum = 0;
    for (int i = 0; i < 50; ++i) parallel_for(1000, 10, [&](std::size_t k) { sum += k; });
    EXPECT_EQ(sum, 50u * 999u * 500u);
    stop = true;
    background.wait();
  });
}

}  // namespace
}  // namespace palpate
