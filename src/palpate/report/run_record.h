// What is kept of a run's steps for its summary and its plots, however long it is.
//
// A million steps must not cost a gigabyte, and a step that is recorded must not allocate. So there are three
// sizes of memory: means and extremes take a few numbers; percentiles need every duration, as a float each;
// and a plot, which has no more than some hundred pixels, gets at most 1024 buckets of equally many steps.
// When they are full, neighbours are merged and a bucket counts twice as many. Nothing depends on chance or
// on the clock: the same steps give the same record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <palpate/base/timing.h>

namespace palpate {

inline constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

// One step as the world tells it. What is not known stays as it is here.
struct StepRecord {
  std::uint64_t step = 0;
  double time = 0;               // simulated, at the end of the step [s]
  std::int64_t nanoseconds = 0;  // that the whole step took; stages may nest, so that it is not their sum
  std::span<const Stage> stages = {};                        // as the world's timer has them
  std::size_t vertex_triangle = 0, edge_edge = 0;            // contacts by kind
  double nearest = std::numeric_limits<double>::infinity();  // of their distances [m]
  std::size_t pushing = 0;                                   // contacts that pushed
  std::size_t guarded = 0, parts = 1;                        // see TouchingReport
  double lost = 0;                                           // [s]
  double kinetic = not_known, elastic = not_known;           // energies [J]
  double potential = not_known, contact = not_known;         // of gravity and forces; of what is pressed [J]
  double total = not_known;                                  // of all four [J]
  double residual = not_known;                               // of the solver, when it ended [m]
  std::size_t iterations = 0, failures = 0;                  // of the solver

  std::size_t contacts() const { return vertex_triangle + edge_edge; }
};

// For plots: the steps in at most 1024 buckets of `stride` steps each, the last perhaps with fewer.
class BucketSeries {
 public:
  struct Bucket {
    double sum = 0;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    std::uint64_t count = 0;  // of finite values

    double mean() const { return count > 0 ? sum / static_cast<double>(count) : not_known; }
  };

  BucketSeries();
  void add(double value);
  std::span<const Bucket> buckets() const { return buckets_; }
  std::uint64_t stride() const { return stride_; }

 private:
  std::vector<Bucket> buckets_;
  std::uint64_t stride_ = 1, in_last_ = 1;
};

// One quantity through the run. What is not finite counts nowhere.
struct ValueRecord {
  double first = not_known, last = not_known, low = not_known, high = not_known, sum = 0;
  std::uint64_t count = 0;
  BucketSeries series;

  void add(double value);
  double mean() const { return count > 0 ? sum / static_cast<double>(count) : not_known; }
};

// Durations [ms]. Percentiles are exact up to four million steps, then those of every second, fourth, ...
class DurationRecord {
 public:
  void reserve(std::size_t steps);
  void add(double milliseconds);
  const ValueRecord& values() const { return values_; }
  // The smallest that no less than this fraction (0 to 1) of all reach at most. NaN where there are none.
  double percentile(double fraction) const;

 private:
  ValueRecord values_;
  std::vector<float> samples_;
  std::uint64_t stride_ = 1, seen_ = 0;
};

struct StageRecord {
  std::string name;
  DurationRecord durations;
};

// All but the stages, under the names that a step has for them.
struct RunValues {
  DurationRecord step;  // whole steps
  ValueRecord time, contacts, vertex_triangle, edge_edge, nearest, pushing;
  ValueRecord kinetic, elastic, potential, contact, total;
  ValueRecord residual, iterations;
  std::uint64_t failures = 0;
  // Of what lets nothing through: contacts that it added, steps that it cut short, and time that was dropped.
  std::uint64_t guarded = 0, cut = 0;
  double lost = 0;  // [s]
};

class RunRecord {
 public:
  // `stages` and `steps`: what is expected, so that nothing is allocated later; more of both may come.
  explicit RunRecord(std::span<const std::string_view> stages = {}, std::size_t steps = 0,
                     double start_time = 0);
  void add(const StepRecord& step);

  std::uint64_t steps() const { return steps_; }
  double simulated_seconds() const { return steps_ > 0 ? last_time_ - start_time_ : 0; }
  double step_seconds() const { return 1e-3 * values_.step.values().sum; }  // on the clock, steps alone
  double real_time_factor() const;  // simulated over clock; NaN without steps
  std::span<const StageRecord> stages() const { return stages_; }
  const RunValues& values() const { return values_; }

 private:
  std::size_t stage_index(std::string_view name, std::size_t hint);

  RunValues values_;
  std::vector<StageRecord> stages_;
  std::vector<double> now_;  // of this step, by stage [ms]
  std::size_t expected_;
  std::uint64_t steps_ = 0;
  double start_time_, last_time_;
};

}  // namespace palpate
