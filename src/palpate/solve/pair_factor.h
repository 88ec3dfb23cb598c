// A sparse symmetric positive definite matrix in blocks of six by six, factored: what links nodes that come
// in pairs, as those of rigid bodies do (coupled.h).
//
// Which pairs are linked changes from step to step, so both the order (minimum degree, the lowest first) and
// the places of what fills in are found anew; memory is kept. Then L D L^T, block by block.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include <palpate/geometry/vec.h>

namespace palpate {

class PairFactor {
 public:
  using Block = Eigen::Matrix<double, 6, 6>;
  using Six = Eigen::Matrix<double, 6, 1>;

  // Of so many pairs; then all links between two of them, in any order, also twice; then order().
  void begin(std::size_t pairs);
  void link(std::uint32_t a, std::uint32_t b);
  void order();
  std::size_t size() const { return place_.size(); }

  // All zero; then what is added; then factor().
  void clear();
  // To the block of rows of `a` and columns of `b`, and to its mirror image.
  void add(std::uint32_t a, std::uint32_t b, const Block& block);
  void factor();
  // In place: right side to solution, of all pairs.
  void solve(std::span<Six> x);

 private:
  std::size_t entry(std::uint32_t row, std::uint32_t column) const;

  std::vector<std::uint32_t> place_;                // of each pair, in the order
  std::vector<std::vector<std::uint32_t>> linked_;  // of each pair: others, ascending
  std::vector<std::uint32_t> merged_;               // scratch
  std::vector<std::uint8_t> gone_;
  std::vector<std::uint32_t> begin_, row_;  // of each column, in the order: rows below, ascending
  std::vector<std::uint32_t> sequence_;     // pairs, the first to go first
  std::vector<Block> diagonal_, below_;     // the first inverted, once factored
  std::vector<Six> solution_;
};

}  // namespace palpate
