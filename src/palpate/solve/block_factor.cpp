#include <palpate/solve/block_factor.h>

#include <algorithm>
#include <cmath>

namespace palpate {

namespace {

// In place, by Gauss and Jordan, with exchanges of rows. What has no pivot is left out.
void invert(Block& a) {
  std::array<int, 6> from{};
  for (int k = 0; k < 6; ++k) {
    int best = k;
    for (int i = k + 1; i < 6; ++i)
      if (std::abs(a(i, k)) > std::abs(a(best, k))) best = i;
    from[static_cast<std::size_t>(k)] = best;
    if (best != k) a.row(k).swap(a.row(best));
    const double inverse = a(k, k) != 0 ? 1 / a(k, k) : 0;
    const BlockVector column = a.col(k);
    a.col(k).setZero();
    a(k, k) = 1;
    for (int c = 0; c < 6; ++c) {
      const double scaled = inverse * a(k, c);
      a.col(c) -= scaled * column;
      a(k, c) = scaled;
    }
  }
  for (int k = 5; k >= 0; --k) {
    const int best = from[static_cast<std::size_t>(k)];
    if (best != k) a.col(k).swap(a.col(best));
  }
}

}  // namespace

std::uint32_t BlockFactor::entry(std::uint32_t row, std::uint32_t column) const {
  const auto begin = row_.begin() + columns_[column].begin, end = row_.begin() + columns_[column].end;
  return static_cast<std::uint32_t>(std::lower_bound(begin, end, row) - row_.begin());
}

void BlockFactor::prepare(std::size_t things, std::span<const BlockLink> rules) {
  things_ = things;
  rules_.assign(rules.begin(), rules.end());
  const BlockOrder found = find_block_order(things, rules);
  const std::size_t nodes = found.order.size();
  place_.resize(nodes);
  for (std::uint32_t k = 0; k < nodes; ++k) place_[found.order[k]] = k;
  columns_.clear();
  row_.clear();
  target_.clear();
  for (const std::uint32_t node : found.order) {
    const auto begin = static_cast<std::uint32_t>(row_.size());
    for (const std::uint32_t other : found.later[node]) row_.push_back(place_[other]);
    std::sort(row_.begin() + begin, row_.end());
    columns_.push_back({begin, static_cast<std::uint32_t>(row_.size()), 0});
  }
  for (Column& column : columns_) {
    column.first_target = static_cast<std::uint32_t>(target_.size());
    for (std::uint32_t a = column.begin; a < column.end; ++a)
      for (std::uint32_t b = column.begin; b < a; ++b) target_.push_back(entry(row_[a], row_[b]));
  }
  rule_entries_.assign(rules.size(), {no_block, no_block});
  for (std::size_t j = 0; j < rules.size(); ++j)
    for (std::size_t k = 0; k < 2; ++k) {
      if (rules[j][k] == no_block) continue;
      const std::uint32_t one = place_[rules[j][k]], other = place_[things + j];
      rule_entries_[j][k] = entry(std::max(one, other), std::min(one, other));
    }
  diagonal_.assign(nodes, Block::Zero());
  lower_.assign(row_.size(), Block::Zero());
  upper_.assign(row_.size(), Block::Zero());
  solution_.assign(nodes, BlockVector::Zero());
}

void BlockFactor::clear() {
  for (auto* list : {&diagonal_, &lower_, &upper_}) std::fill(list->begin(), list->end(), Block::Zero());
}

void BlockFactor::set_rule(std::size_t j, const std::array<Block, 2>& g, const std::array<Block, 2>& p,
                           const BlockVector& d) {
  const std::uint32_t place = place_[things_ + j];
  diagonal_[place].diagonal() = -d;
  for (std::size_t k = 0; k < 2; ++k) {
    const std::uint32_t e = rule_entries_[j][k];
    if (e == no_block) continue;
    const bool below = place > place_[rules_[j][k]];
    (below ? lower_ : upper_)[e] += g[k];
    (below ? upper_ : lower_)[e] += p[k].transpose();
  }
}

void BlockFactor::factor() {
  for (std::uint32_t k = 0; k < columns_.size(); ++k) {
    const Column& column = columns_[k];
    invert(diagonal_[k]);
    const std::uint32_t* target = target_.data() + column.first_target;
    for (std::uint32_t a = column.begin; a < column.end; ++a) {
      const Block scaled = lower_[a].lazyProduct(diagonal_[k]);
      lower_[a] = scaled;
      diagonal_[row_[a]] -= scaled.lazyProduct(upper_[a]);
      for (std::uint32_t b = column.begin; b < a; ++b, ++target) {
        lower_[*target] -= scaled.lazyProduct(upper_[b]);
        upper_[*target] -= lower_[b].lazyProduct(upper_[a]);
      }
    }
  }
}

void BlockFactor::solve(std::span<BlockVector> x, std::span<BlockVector> y) {
  for (std::size_t i = 0; i < things_; ++i) solution_[place_[i]] = x[i];
  for (std::size_t j = 0; j < y.size(); ++j) solution_[place_[things_ + j]] = y[j];
  for (std::size_t k = 0; k < columns_.size(); ++k)
    for (std::uint32_t e = columns_[k].begin; e < columns_[k].end; ++e)
      solution_[row_[e]] -= lower_[e].lazyProduct(solution_[k]);
  for (std::size_t k = columns_.size(); k-- > 0;) {
    BlockVector sum = solution_[k];
    for (std::uint32_t e = columns_[k].begin; e < columns_[k].end; ++e)
      sum -= upper_[e].lazyProduct(solution_[row_[e]]);
    solution_[k] = diagonal_[k].lazyProduct(sum);
  }
  for (std::size_t i = 0; i < things_; ++i) x[i] = solution_[place_[i]];
  for (std::size_t j = 0; j < y.size(); ++j) y[j] = solution_[place_[things_ + j]];
}

}  // namespace palpate
