#include <palpate/solve/pair_factor.h>

#include <algorithm>
#include <iterator>

#include <Eigen/Cholesky>

namespace palpate {

void PairFactor::begin(std::size_t pairs) {
  place_.assign(pairs, 0);
  if (linked_.size() < pairs) linked_.resize(pairs);
  for (auto& list : linked_) list.clear();
}

void PairFactor::link(std::uint32_t a, std::uint32_t b) {
  if (a == b) return;
  linked_[a].push_back(b);
  linked_[b].push_back(a);
}

void PairFactor::order() {
  const std::size_t n = size();
  for (auto& list : linked_) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  gone_.assign(n, 0);
  sequence_.clear();
  begin_.clear();
  row_.clear();
  for (std::uint32_t k = 0; k < n; ++k) {
    std::uint32_t best = 0;
    std::size_t fewest = n + 1;
    for (std::uint32_t i = 0; i < n; ++i)
      if (gone_[i] == 0 && linked_[i].size() < fewest) {
        best = i;
        fewest = linked_[i].size();
      }
    gone_[best] = 1;
    place_[best] = k;
    sequence_.push_back(best);
    begin_.push_back(static_cast<std::uint32_t>(row_.size()));
    row_.insert(row_.end(), linked_[best].begin(), linked_[best].end());
    // What it was linked to is linked with each other now.
    for (const std::uint32_t i : linked_[best]) {
      merged_.clear();
      std::set_union(linked_[i].begin(), linked_[i].end(), linked_[best].begin(), linked_[best].end(),
                     std::back_inserter(merged_));
      std::erase_if(merged_, [&](std::uint32_t j) { return j == i || j == best; });
      linked_[i].assign(merged_.begin(), merged_.end());
    }
  }
  begin_.push_back(static_cast<std::uint32_t>(row_.size()));
  for (std::uint32_t& row : row_) row = place_[row];
  for (std::size_t k = 0; k < n; ++k) std::sort(row_.begin() + begin_[k], row_.begin() + begin_[k + 1]);
  diagonal_.resize(n);
  below_.resize(row_.size());
  solution_.resize(n);
}

std::size_t PairFactor::entry(std::uint32_t row, std::uint32_t column) const {
  const auto from = row_.begin() + begin_[column], to = row_.begin() + begin_[column + 1];
  return static_cast<std::size_t>(std::lower_bound(from, to, row) - row_.begin());
}

void PairFactor::clear() {
  std::fill(diagonal_.begin(), diagonal_.end(), Block::Zero());
  std::fill(below_.begin(), below_.end(), Block::Zero());
}

void PairFactor::add(std::uint32_t a, std::uint32_t b, const Block& block) {
  const std::uint32_t row = place_[a], column = place_[b];
  if (row == column)
    diagonal_[row] += block;
  else if (row > column)
    below_[entry(row, column)] += block;
  else
    below_[entry(column, row)] += block.transpose();
}

void PairFactor::factor() {
  for (std::uint32_t k = 0; k < size(); ++k) {
    const Block whole = diagonal_[k];
    diagonal_[k] = whole.ldlt().solve(Block::Identity());
    for (std::uint32_t a = begin_[k]; a < begin_[k + 1]; ++a) {
      const Block scaled = below_[a] * diagonal_[k];
      for (std::uint32_t b = begin_[k]; b < a; ++b)
        below_[entry(row_[a], row_[b])] -= scaled * below_[b].transpose();
      diagonal_[row_[a]] -= scaled * below_[a].transpose();
    }
    for (std::uint32_t a = begin_[k]; a < begin_[k + 1]; ++a) below_[a] = (below_[a] * diagonal_[k]).eval();
  }
}

void PairFactor::solve(std::span<Six> x) {
  for (std::size_t i = 0; i < size(); ++i) solution_[place_[i]] = x[i];
  for (std::size_t k = 0; k < size(); ++k)
    for (std::uint32_t e = begin_[k]; e < begin_[k + 1]; ++e) solution_[row_[e]] -= below_[e] * solution_[k];
  for (std::size_t k = size(); k-- > 0;) {
    Six sum = diagonal_[k] * solution_[k];
    for (std::uint32_t e = begin_[k]; e < begin_[k + 1]; ++e)
      sum -= below_[e].transpose() * solution_[row_[e]];
    solution_[k] = sum;
  }
  for (std::size_t i = 0; i < size(); ++i) x[i] = solution_[place_[i]];
}

}  // namespace palpate
