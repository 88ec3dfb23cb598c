#include <palpate/report/run_record.h>

#include <algorithm>
#include <cmath>

namespace palpate {

namespace {

constexpr std::size_t most_buckets = 1024;
constexpr std::size_t most_samples = std::size_t{1} << 22;

}  // namespace

BucketSeries::BucketSeries() { buckets_.reserve(most_buckets); }

void BucketSeries::add(double value) {
  if (buckets_.empty() || in_last_ == stride_) {
    if (buckets_.size() == most_buckets) {
      for (std::size_t i = 0; i < most_buckets / 2; ++i) {
        const Bucket &a = buckets_[2 * i], &b = buckets_[2 * i + 1];
        buckets_[i] = {a.sum + b.sum, std::min(a.low, b.low), std::max(a.high, b.high), a.count + b.count};
      }
      buckets_.resize(most_buckets / 2);
      stride_ *= 2;
    }
    buckets_.emplace_back();
    in_last_ = 0;
  }
  ++in_last_;
  if (!std::isfinite(value)) return;
  Bucket& last = buckets_.back();
  last.sum += value;
  last.low = std::min(last.low, value);
  last.high = std::max(last.high, value);
  ++last.count;
}

void ValueRecord::add(double value) {
  series.add(value);
  if (!std::isfinite(value)) return;
  if (count == 0) first = low = high = value;
  last = value;
  low = std::min(low, value);
  high = std::max(high, value);
  sum += value;
  ++count;
}

void DurationRecord::reserve(std::size_t steps) { samples_.reserve(std::min(steps, most_samples)); }

void DurationRecord::add(double milliseconds) {
  values_.add(milliseconds);
  if (seen_++ % stride_ != 0) return;
  if (samples_.size() == most_samples) {
    for (std::size_t i = 0; i < most_samples / 2; ++i) samples_[i] = samples_[2 * i];
    samples_.resize(most_samples / 2);
    stride_ *= 2;  // this one's number is a multiple of the new stride, too
  }
  samples_.push_back(static_cast<float>(milliseconds));
}

double DurationRecord::percentile(double fraction) const {
  if (samples_.empty()) return not_known;
  std::vector<float> sorted = samples_;
  const auto count = static_cast<double>(sorted.size());
  const double rank = std::clamp(std::ceil(fraction * count), 1.0, count);
  const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
  std::nth_element(sorted.begin(), at, sorted.end());
  return std::min(static_cast<double>(*at), values_.high);  // a float may be rounded up
}

RunRecord::RunRecord(std::span<const std::string_view> stages, std::size_t steps, double start_time)
    : expected_(steps), start_time_(start_time), last_time_(start_time) {
  values_.step.reserve(steps);
  for (const std::string_view name : stages) stage_index(name, stages_.size());
}

double RunRecord::real_time_factor() const {
  return step_seconds() > 0 ? simulated_seconds() / step_seconds() : not_known;
}

// A stage that is met for the first time took nothing until now.
std::size_t RunRecord::stage_index(std::string_view name, std::size_t hint) {
  if (hint < stages_.size() && stages_[hint].name == name) return hint;
  for (std::size_t i = 0; i < stages_.size(); ++i)
    if (stages_[i].name == name) return i;
  stages_.push_back({std::string(name), {}});
  stages_.back().durations.reserve(expected_);
  for (std::uint64_t i = 0; i < steps_; ++i) stages_.back().durations.add(0);
  now_.resize(stages_.size());
  return stages_.size() - 1;
}

void RunRecord::add(const StepRecord& one) {
  std::fill(now_.begin(), now_.end(), 0.0);
  for (std::size_t i = 0; i < one.stages.size(); ++i) {
    const std::size_t at = stage_index(one.stages[i].name, i);
    now_[at] += 1e-6 * static_cast<double>(one.stages[i].nanoseconds);
  }
  for (std::size_t i = 0; i < stages_.size(); ++i) stages_[i].durations.add(now_[i]);
  values_.step.add(1e-6 * static_cast<double>(one.nanoseconds));
  values_.time.add(one.time);
  values_.contacts.add(static_cast<double>(one.contacts()));
  values_.vertex_triangle.add(static_cast<double>(one.vertex_triangle));
  values_.edge_edge.add(static_cast<double>(one.edge_edge));
  values_.nearest.add(one.nearest);
  values_.pushing.add(static_cast<double>(one.pushing));
  values_.guarded += one.guarded;
  values_.cut += one.parts > 1 ? 1 : 0;
  values_.lost += one.lost;
  values_.kinetic.add(one.kinetic);
  values_.elastic.add(one.elastic);
  values_.potential.add(one.potential);
  values_.contact.add(one.contact);
  values_.total.add(one.total);
  values_.residual.add(one.residual);
  values_.iterations.add(static_cast<double>(one.iterations));
  values_.failures += one.failures;
  last_time_ = one.time;
  ++steps_;
}

}  // namespace palpate
