#include <palpate/base/timing.h>

#include <thread>

#include <gtest/gtest.h>

#include "support/allocation_counter.h"

namespace palpate {
namespace {

TEST(StageTimer, KeepsStagesInTheOrderTheyWereMet) {
  StageTimer timer;
  { const auto scope = timer.measure("boxes"); }
  { const auto scope = timer.measure("pairs"); }
  { const auto scope = timer.measure("boxes"); }
  ASSERT_EQ(timer.stages().size(), 2u);
  EXPECT_EQ(timer.stages()[0].name, "boxes");
  EXPECT_EQ(timer.stages()[0].calls, 2);
  EXPECT_EQ(timer.stages()[1].name, "pairs");
  EXPECT_EQ(timer.stages()[1].calls, 1);
}

TEST(StageTimer, MeasuresAtLeastWhatASleepTakes) {
  StageTimer timer;
  {
    const auto whole = timer.measure("whole");
    const auto part = timer.measure("part");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_GE(timer.milliseconds("part"), 5);
  EXPECT_GE(timer.milliseconds("whole"), timer.milliseconds("part"));
  EXPECT_EQ(timer.milliseconds("never met"), 0);
}

TEST(StageTimer, TakesOverWhatAnotherMeasured) {
  StageTimer timer;
  { const auto scope = timer.measure("detect"); }
  timer.add({"pairs", 2'000'000, 1});
  timer.add({"pairs", 3'000'000, 2});
  ASSERT_EQ(timer.stages().size(), 2u);
  EXPECT_EQ(timer.stages()[1].name, "pairs");
  EXPECT_EQ(timer.stages()[1].calls, 3);
  EXPECT_EQ(timer.milliseconds("pairs"), 5);
}

TEST(StageTimer, RestartsWithItsNamesAndWithoutAllocating) {
  StageTimer timer;
  { const auto scope = timer.measure("boxes"); }
  const auto step = [&] {
    timer.restart();
    const auto scope = timer.measure("boxes");
  };
  if (testing::counts_allocations()) {
    EXPECT_EQ(testing::allocations_in(step), 0u);
  }
  timer.restart();
  EXPECT_EQ(timer.stages().size(), 1u);
  EXPECT_EQ(timer.stages()[0].nanoseconds, 0);
  EXPECT_EQ(timer.stages()[0].calls, 0);
}

}  // namespace
}  // namespace palpate
