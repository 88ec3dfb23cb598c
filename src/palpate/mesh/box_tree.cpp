#include <palpate/mesh/box_tree.h>

#include <numeric>

namespace palpate {

namespace {

constexpr std::uint32_t leaf_size = 4;

}  // namespace

BoxTree::BoxTree(std::span<const Box> boxes) : order_(boxes.size()) {
  if (boxes.empty()) return;
  std::iota(order_.begin(), order_.end(), 0u);
  nodes_.reserve(boxes.size());
  build(boxes, 0, static_cast<std::uint32_t>(boxes.size()));
  boxes_.reserve(boxes.size());
  for (const std::uint32_t i : order_) boxes_.push_back(boxes[i]);
}

void BoxTree::build(std::span<const Box> boxes, std::uint32_t begin, std::uint32_t end) {
  const std::size_t here = nodes_.size();
  nodes_.emplace_back();
  Box box, centres;
  for (std::uint32_t i = begin; i < end; ++i) {
    const Box& one = boxes[order_[i]];
    if (one.empty()) continue;
    box.add(one);
    centres.add(one.center());
  }
  nodes_[here].box = box;
  if (end - begin <= leaf_size) {
    nodes_[here].second = begin;
    nodes_[here].count = end - begin;
    return;
  }
  Eigen::Index axis = 0;
  centres.size().maxCoeff(&axis);
  // Empty boxes have no centre: they come last.
  const auto key = [&](std::uint32_t i) {
    return boxes[i].empty() ? std::numeric_limits<double>::infinity() : boxes[i].center()[axis];
  };
  const std::uint32_t middle = begin + (end - begin) / 2;
  const auto at = [&](std::uint32_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(begin), at(middle), at(end), [&](std::uint32_t a, std::uint32_t b) {
    const double x = key(a), y = key(b);
    return x != y ? x < y : a < b;
  });
  build(boxes, begin, middle);
  nodes_[here].second = static_cast<std::uint32_t>(nodes_.size());
  build(boxes, middle, end);
}

}  // namespace palpate
