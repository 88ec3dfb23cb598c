#include <palpate/base/parallel.h>

#include <atomic>
#include <cmath>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "support/allocation_counter.h"
#include "support/cases.h"

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

TEST(Parallel, ChunksCoverTheRangeOnceWhateverTheThreads) {
  for (const int threads : {1, 2, 4})
    for (const std::size_t n : {0u, 1u, 7u, 64u, 65u, 1000u})
      for (const std::size_t grain : {0u, 1u, 7u, 64u, 5000u}) {
        std::mutex mutex;
        std::set<std::size_t> indices;
        std::vector<int> seen(n, 0);
        Threads(threads).run([&] {
          parallel_chunks(n, grain, [&](Chunk chunk) {
            EXPECT_EQ(chunk.begin, chunk.index * std::max<std::size_t>(grain, 1));
            for (std::size_t i = chunk.begin; i < chunk.end; ++i) ++seen[i];
            const std::scoped_lock lock(mutex);
            EXPECT_TRUE(indices.insert(chunk.index).second);
          });
        });
        EXPECT_EQ(indices.size(), chunk_count(n, grain));
        for (const int times : seen) EXPECT_EQ(times, 1);
      }
}

TEST(Parallel, ThreadsLimitsAndNests) {
  EXPECT_EQ(Threads(3).count(), 3);
  EXPECT_GE(Threads().count(), 1);
  Threads(1).run([] { EXPECT_EQ(available_threads(), 1); });
  Threads(4).run([] {
    EXPECT_EQ(available_threads(), 4);
    std::atomic<int> total = 0;
    parallel_for(10, 1, [&](std::size_t) { parallel_for(10, 1, [&](std::size_t) { ++total; }); });
    EXPECT_EQ(total, 100);
  });
}

TEST(Parallel, MoreThreadsThanCoresReallyRun) {
  // Four bodies that each wait for the others can only finish if four threads run them.
  std::atomic<int> arrived = 0;
  Threads(4).run([&] {
    parallel_for(4, 1, [&](std::size_t) {
      ++arrived;
      const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (arrived < 4 && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
    });
  });
  EXPECT_EQ(arrived, 4);
}

TEST(Parallel, PassesOnTheErrorOfTheLowestChunkAfterAllRan) {
  for (const int threads : {1, 4}) {
    std::atomic<int> ran = 0;
    try {
      Threads(threads).run([&] {
        parallel_for(100, 1, [&](std::size_t i) {
          ++ran;
          if (i % 10 == 7) throw std::runtime_error(std::to_string(i));
        });
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "7");
    }
    EXPECT_EQ(ran, 100);
  }
}

TEST(Parallel, WarmLoopsDoNotAllocateOnOneThread) {
  if (!testing::counts_allocations())
    GTEST_SKIP() << "the sanitizers bring their own malloc, which is not counted";
  std::vector<double> values(10'000, 1), partial;
  Threads(1).run([&] {
    const auto loop = [&] {
      parallel_for(values.size(), 100, [&](std::size_t i) { values[i] *= 2; });
      parallel_reduce(
          values.size(), 100, 0.0, partial, [&](Chunk c) { return values[c.begin]; }, std::plus<>());
    };
    loop();
    EXPECT_EQ(testing::allocations_in(loop), 0u);
  });
}

TEST(ParallelProperty, SumsAreTheSameBitsForAnyThreadCount) {
  each_case(50, [](Random& random) {
    std::vector<double> values(1 + random.below(5000));
    for (double& value : values) value = random.magnitude(1e-8, 1e8);
    const std::size_t grain = 1 + random.below(300);
    const auto sum = [&](int threads) {
      double result = 0;
      Threads(threads).run([&] {
        result = parallel_reduce(
            values.size(), grain, 0.0,
            [&](Chunk chunk) {
              double part = 0;
              for (std::size_t i = chunk.begin; i < chunk.end; ++i) part += values[i];
              return part;
            },
            std::plus<>());
      });
      return result;
    };
    const double one = sum(1);
    ASSERT_EQ(one, sum(2));
    ASSERT_EQ(one, sum(4));
  });
}

}  // namespace
}  // namespace palpate
