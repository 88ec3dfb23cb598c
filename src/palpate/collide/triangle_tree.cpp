#include <palpate/collide/triangle_tree.h>

#include <algorithm>
#include <bit>

#include <palpate/base/parallel.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 256;  // blocks

}  // namespace

// By the median along the widest axis. The first part has 8, 16, 32 ... triangles, so that leaves and blocks
// begin at multiples of their size.
void TriangleTree::halve(std::span<Centre> part) {
  while (part.size() > width) {
    Box box;
    for (const Centre& c : part) box.add(c.at);
    Eigen::Index axis = 0;
    box.size().maxCoeff(&axis);
    const std::size_t first = std::bit_floor((part.size() - 1) / width) * width;
    std::nth_element(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(first), part.end(),
                     [axis](const Centre& a, const Centre& b) {
                       return a.at[axis] != b.at[axis] ? a.at[axis] < b.at[axis] : a.triangle < b.triangle;
                     });
    halve(part.first(first));
    part = part.subspan(first);
  }
}

void TriangleTree::build(const TriangleView& view) {
  centres_.clear();
  for (std::uint32_t t = 0; t < view.triangles.size(); ++t) {
    if (view.triangles[t][0] == no_index) continue;
    const auto [a, b, c] = view[t];
    centres_.push_back({(a + b + c) / 3, t});
  }
  halve(centres_);
  order_.clear();
  for (const Centre& c : centres_) order_.push_back(c.triangle);
  levels_ = 0;
  std::size_t sum = 0;
  for (std::size_t count = order_.size(); levels_ == 0 || count > 1; ++levels_) {
    count = (count + width - 1) / width;
    first_[levels_] = static_cast<std::uint32_t>(sum);
    sum += count;
  }
  first_[levels_] = static_cast<std::uint32_t>(sum);
  blocks_.resize(sum);
  refit(view);
}

void TriangleTree::refit(const TriangleView& view) {
  box_ = {};
  if (empty()) return;
  parallel_for(first_[1], grain, [&](std::size_t leaf) { fill_leaf(view, leaf); });
  for (std::uint32_t level = 1; level < levels_; ++level)
    parallel_for(first_[level + 1] - first_[level], grain,
                 [&](std::size_t block) { fill_block(level, block); });
  box_ = box_of(blocks_.back());
}

void TriangleTree::fill_leaf(const TriangleView& view, std::size_t leaf) {
  for (std::size_t lane = 0; lane < width; ++lane) {
    const std::size_t place = leaf * width + lane;
    Box box;
    if (place < order_.size())
      for (const Vec3& p : view[order_[place]]) box.add(p);
    for (int k = 0; k < 3; ++k) {
      blocks_[leaf].lo[k][lane] = box.lo[k];
      blocks_[leaf].hi[k][lane] = box.hi[k];
    }
  }
}

void TriangleTree::fill_block(std::uint32_t level, std::size_t block) {
  Block& filled = blocks_[first_[level] + block];
  for (std::size_t lane = 0; lane < width; ++lane) {
    const std::size_t child = first_[level - 1] + block * width + lane;
    const Box box = child < first_[level] ? box_of(blocks_[child]) : Box{};
    for (int k = 0; k < 3; ++k) {
      filled.lo[k][lane] = box.lo[k];
      filled.hi[k][lane] = box.hi[k];
    }
  }
}

Box TriangleTree::box_of(const Block& block, std::uint32_t lane) {
  return {{block.lo[0][lane], block.lo[1][lane], block.lo[2][lane]},
          {block.hi[0][lane], block.hi[1][lane], block.hi[2][lane]}};
}
Box TriangleTree::box_of(const Block& block) {
  Box box;
  for (int k = 0; k < 3; ++k) {
    box.lo[k] = *std::min_element(block.lo[k], block.lo[k] + width);
    box.hi[k] = *std::max_element(block.hi[k], block.hi[k] + width);
  }
  return box;
}

}  // namespace palpate
