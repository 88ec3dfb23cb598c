#include <palpate/report/run_record.h>

#include <algorithm>
#include <cmath>

#include <support/allocation_counter.h>
#include <support/cases.h>

#include "run_samples.h"

namespace palpate::testing {
namespace {

TEST(DurationRecordProperty, PercentilesAreThoseOfTheSortedList) {
  each_case(300, [](Random& random) {
    DurationRecord record;
    std::vector<double> all(1 + random.below(400));
    for (double& ms : all) {
      // Numbers that floats hold exactly, with many equal ones.
      ms = 0.25 * static_cast<double>(random.below(200));
      record.add(ms);
    }
    std::sort(all.begin(), all.end());
    for (const double fraction : {0.0, 0.01, 0.5, 0.9, 0.99, 1.0}) {
      std::size_t rank = 1;  // the smallest number of values that is no less than this fraction
      while (static_cast<double>(rank) < fraction * static_cast<double>(all.size())) ++rank;
      EXPECT_EQ(record.percentile(fraction), all[rank - 1]) << fraction << " of " << all.size();
    }
    EXPECT_EQ(record.values().high, all.back());
    double sum = 0;
    for (const double ms : all) sum += ms;
    EXPECT_EQ(record.values().mean(), sum / static_cast<double>(all.size()));
  });
}

TEST(DurationRecord, PercentilesOfNothingAndOfOne) {
  DurationRecord record;
  EXPECT_TRUE(std::isnan(record.percentile(0.5)));
  EXPECT_TRUE(std::isnan(record.values().mean()));
  record.add(0.1);
  EXPECT_FLOAT_EQ(static_cast<float>(record.percentile(0.99)), 0.1f);
  EXPECT_LE(record.percentile(0.99), record.values().high);  // also where the float is above
}

TEST(BucketSeries, KeepsSumsAndExtremesHoweverManySteps) {
  for (const std::size_t steps : {1u, 1023u, 1024u, 1025u, 2049u, 100'000u}) {
    BucketSeries series;
    double sum = 0;
    for (std::size_t i = 0; i < steps; ++i) {
      const double value = static_cast<double>(i * 7919 % 1000);
      series.add(value);
      sum += value;
    }
    EXPECT_LE(series.buckets().size(), 1024u);
    EXPECT_GE(series.buckets().size(), std::min<std::size_t>(steps, 512));
    double found = 0;
    std::uint64_t count = 0;
    for (std::size_t b = 0; b < series.buckets().size(); ++b) {
      const BucketSeries::Bucket& bucket = series.buckets()[b];
      double low = 1e9, high = -1e9;
      for (std::size_t i = b * series.stride(); i < std::min(steps, (b + 1) * series.stride()); ++i) {
        low = std::min(low, static_cast<double>(i * 7919 % 1000));
        high = std::max(high, static_cast<double>(i * 7919 % 1000));
      }
      EXPECT_EQ(bucket.low, low);
      EXPECT_EQ(bucket.high, high);
      found += bucket.sum;
      count += bucket.count;
    }
    EXPECT_EQ(found, sum);
    EXPECT_EQ(count, steps);
  }
}

TEST(ValueRecord, LeavesOutWhatIsNotFinite) {
  ValueRecord value;
  for (const double x : {not_known, 3.0, 1.0, not_known, std::numeric_limits<double>::infinity(), 2.0})
    value.add(x);
  EXPECT_EQ(value.first, 3);
  EXPECT_EQ(value.last, 2);
  EXPECT_EQ(value.low, 1);
  EXPECT_EQ(value.high, 3);
  EXPECT_EQ(value.mean(), 2);
  EXPECT_EQ(value.series.buckets().size(), 6u);
  EXPECT_TRUE(std::isnan(value.series.buckets()[0].mean()));
}

TEST(RunRecord, CountsTimesAndStages) {
  const RunRecord record = sample_run(200);
  EXPECT_EQ(record.steps(), 200u);
  EXPECT_DOUBLE_EQ(record.simulated_seconds(), 2);
  double seconds = 0;
  for (std::uint64_t i = 1; i <= 200; ++i)
    seconds += 1e-9 * static_cast<double>(SampleStep(i).record.nanoseconds);
  EXPECT_NEAR(record.step_seconds(), seconds, 1e-12);
  EXPECT_NEAR(record.real_time_factor(), 2 / seconds, 1e-9);
  ASSERT_EQ(record.stages().size(), 2u);
  EXPECT_EQ(record.stages()[0].name, "detect");
  EXPECT_DOUBLE_EQ(record.stages()[0].durations.values().high, 1.6);
  EXPECT_EQ(record.values().contacts.high, 6);
  EXPECT_EQ(record.values().failures, 4u);
  EXPECT_TRUE(std::isnan(RunRecord().real_time_factor()));
  EXPECT_EQ(RunRecord({}, 0, 5.0).simulated_seconds(), 0);
}

TEST(RunRecord, StagesMayComeLateChangePlacesAndStayAway) {
  RunRecord record;
  const std::array<Stage, 1> first{{{"a", 1'000'000, 1}}};
  const std::array<Stage, 2> second{{{"b", 3'000'000, 1}, {"a", 5'000'000, 1}}};
  StepRecord step;
  step.stages = first;
  record.add(step);
  step.stages = second;
  record.add(step);
  step.stages = {};
  record.add(step);
  ASSERT_EQ(record.stages().size(), 2u);
  EXPECT_EQ(record.stages()[0].durations.values().mean(), 2);
  EXPECT_EQ(record.stages()[1].durations.values().mean(), 1);
  EXPECT_EQ(record.stages()[1].durations.percentile(0.5), 0);
  EXPECT_EQ(record.stages()[1].durations.values().series.buckets().size(), 3u);
}

TEST(RunRecord, AStepAllocatesNothing) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizers have a malloc of their own";
  constexpr std::size_t steps = 5000;
  const std::array<std::string_view, 2> stages = {"detect", "solve"};
  RunRecord record(stages, steps);
  EXPECT_EQ(allocations_in([&] {
              for (std::uint64_t i = 1; i <= steps; ++i) record.add(SampleStep(i).record);
            }),
            0u);
}

TEST(RunRecord, AMillionStepsFitInAFewMegabytes) {
  const std::array<std::string_view, 2> stages = {"detect", "solve"};
  RunRecord record(stages, 1'000'000);
  const std::size_t steps = fewer_cases() ? 100'000 : 1'000'000;
  for (std::uint64_t i = 1; i <= steps; ++i) record.add(SampleStep(i).record);
  EXPECT_EQ(record.steps(), steps);
  EXPECT_NEAR(record.stages()[1].durations.percentile(0.5), 2.5, 1e-6);  // 101 equally frequent values
  EXPECT_LE(record.values().time.series.buckets().size(), 1024u);
}

}  // namespace
}  // namespace palpate::testing
