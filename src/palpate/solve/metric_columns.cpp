#include <palpate/solve/metric_columns.h>

namespace palpate {

void MetricColumns::forget(std::size_t size) {
  if (size_ != size) {
    values_ = std::make_unique_for_overwrite<double[]>(size * room(size));
    work_.resize(size);
    missing_.reserve(most(size));
  }
  size_ = size;
  next_ = 0;
  place_.assign(size, none);
  node_.assign(room(size), none);
  used_.assign(room(size), 0);
}

// The next that this call does not need: as twice as many are kept as a call may bring, there is one.
std::size_t MetricColumns::place_for(std::uint32_t node) {
  while (used_[next_] == call_) next_ = (next_ + 1) % used_.size();
  const std::size_t place = next_;
  next_ = (next_ + 1) % used_.size();
  if (node_[place] != none) place_[node_[place]] = none;
  node_[place] = node;
  used_[place] = call_;
  place_[node] = static_cast<std::uint32_t>(place);
  return place;
}

void MetricColumns::bring(LaggingMetric& metric, std::size_t size, std::span<const std::uint32_t> nodes) {
  if (nodes.empty()) return;
  if (version_ != metric.version() || size_ != size) forget(size);
  version_ = metric.version();
  ++call_;
  missing_.clear();
  for (const std::uint32_t node : nodes) {
    if (place_[node] == none)
      missing_.push_back(node);
    else
      used_[place_[node]] = call_;
  }
  found_ += missing_.size();
  for (std::size_t i = 0; i < missing_.size(); i += 3) {
    const std::size_t together = std::min<std::size_t>(3, missing_.size() - i);
    std::fill(work_.begin(), work_.end(), Vec3::Zero());
    for (std::size_t k = 0; k < together; ++k) work_[missing_[i + k]][static_cast<Eigen::Index>(k)] = 1;
    metric.solve(work_);
    for (std::size_t k = 0; k < together; ++k) {
      double* const to = column(place_for(missing_[i + k]));
      for (std::size_t n = 0; n < size; ++n) to[n] = work_[n][static_cast<Eigen::Index>(k)];
    }
  }
}

void MetricColumns::gather(std::span<const std::uint32_t> nodes, std::span<double> out) {
  std::size_t at = 0;
  for (const std::uint32_t node : nodes) {
    const double* const from = column(place_[node]);
    for (const std::uint32_t other : nodes) out[at++] = from[other];
  }
}

}  // namespace palpate
