// Columns of the inverse of a metric: how all nodes give way where one is pulled at.
//
// The metric of a body stays as it is for many steps, and where it touches changes little from one to the
// next: so a column that was found is kept until there is another factor, or other nodes are held. The same
// numbers stand for x, y and z, so three columns take one solve. A column does not depend on what it was
// found with, to the last bit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <palpate/solve/lagging_metric.h>

namespace palpate {

class MetricColumns {
 public:
  // Of a body of so many nodes: so many columns may be brought at once. Twice as many are kept; some
  // that are not asked for now make room for others.
  static std::size_t most(std::size_t size) { return std::min<std::size_t>(144, most_numbers / (size + 1)); }

  // Finds those of these nodes that are not there yet.
  void bring(LaggingMetric& metric, std::size_t size, std::span<const std::uint32_t> nodes);
  std::uint64_t found() const { return found_; }  // so far: others were there already
  // What was brought last: a row for each node, a number for each.
  void gather(std::span<const std::uint32_t> nodes, std::span<double> out);

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  static constexpr std::size_t most_numbers = 2'000'000;
  static std::size_t room(std::size_t size) { return std::min(size, 2 * most(size)); }
  void forget(std::size_t size);
  std::size_t place_for(std::uint32_t node);
  double* column(std::size_t place) { return values_.get() + size_ * place; }

  std::uint64_t version_ = 0;  // of the metric; 0: there is nothing
  std::uint64_t call_ = 0, found_ = 0;
  std::size_t size_ = 0, next_ = 0;     // of a column; the place that is looked at next for room
  std::vector<std::uint32_t> place_;    // of the column of each node, or none
  std::vector<std::uint32_t> node_;     // of each place, or none
  std::vector<std::uint64_t> used_;     // each place, by which call last
  std::vector<std::uint32_t> missing_;  // scratch
  std::unique_ptr<double[]> values_;    // not touched before it is needed
  std::vector<Vec3> work_;
};

}  // namespace palpate
