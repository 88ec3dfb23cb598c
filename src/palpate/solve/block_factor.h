// Things with up to six unknowns each, and rules with up to six numbers each that link them: the equations
//
//   [ M  P^T ] [x]   [f]
//   [ G  -D  ] [y] = [g]        M of each thing, P and G of each rule and what it links, D of each number
//
// in blocks of six by six: factors L U, in an order (block_order.h) in which trees and stars take linear time
// and memory. G and P differ where rules are to hold at one place, and push along their gradients at another;
// where they are the same, the matrix is quasi-definite, which needs no exchange of rows from block to block.
// Fewer unknowns are filled up: with 1 in D, and 0 in P and G.
//
//   BlockFactor factor;
//   factor.prepare(things, rules);                           // keeps memory and order; what follows
//   allocates nothing factor.clear();  factor.set_thing(i, mass);  factor.set_rule(j, ...);    // all of them
//   factor.factor();  factor.solve(x, y);                    // in place of f and g
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include <palpate/solve/block_order.h>

namespace palpate {

using Block = Eigen::Matrix<double, 6, 6>;
using BlockVector = Eigen::Matrix<double, 6, 1>;

class BlockFactor {
 public:
  void prepare(std::size_t things, std::span<const BlockLink> rules);
  std::size_t things() const { return things_; }
  std::size_t rules() const { return rules_.size(); }
  std::size_t blocks() const { return row_.size(); }  // of L, beside the diagonal

  // To zero, before things and rules are set.
  void clear();
  // Symmetric and positive.
  void set_thing(std::size_t i, const Block& m) { diagonal_[place_[i]] = m; }
  // Of each thing that it links: G, P.
  void set_rule(std::size_t j, const std::array<Block, 2>& g, const std::array<Block, 2>& p,
                const BlockVector& d);
  void factor();
  void solve(std::span<BlockVector> x, std::span<BlockVector> y);

 private:
  struct Column {
    std::uint32_t begin, end;    // in row_
    std::uint32_t first_target;  // in target_
  };
  std::uint32_t entry(std::uint32_t row, std::uint32_t column) const;

  std::size_t things_ = 0;
  std::vector<BlockLink> rules_;
  std::vector<std::uint32_t> place_;  // of each node, in the order
  std::vector<Column> columns_;
  std::vector<std::uint32_t> row_;     // places below the diagonal, ascending in each column
  std::vector<std::uint32_t> target_;  // where products of two blocks of a column go, pair by pair
  std::vector<std::array<std::uint32_t, 2>> rule_entries_;
  std::vector<Block> diagonal_;       // its inverse, once factored
  std::vector<Block> lower_, upper_;  // upper_[e] is the mirror image of lower_[e]
  std::vector<BlockVector> solution_;
};

}  // namespace palpate
