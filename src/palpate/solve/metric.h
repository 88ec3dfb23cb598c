// A sparse symmetric positive definite matrix over nodes, factored once and solved with many times.
//
// The same numbers stand for x, y and z, so a solve takes three right sides at once. Eigen orders and factors
// (AMD, simplicial LDL^T); the solve is our own: it allocates nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/solve/term.h>

namespace palpate {

class Metric {
 public:
  // Nodes that are held get a row and column of their own: their solution is the right side. Throws Error if
  // the matrix is not positive definite.
  void factor(std::size_t nodes, std::span<const MetricEntry> entries, std::span<const std::uint8_t> held);
  // In place: right side to solution.
  void solve(std::span<Vec3> x);
  std::size_t size() const { return order_.size(); }
  std::size_t entries() const { return rows_.size(); }  // of the factor

 private:
  std::vector<std::uint32_t> order_;         // [place]: node
  std::vector<std::uint32_t> begin_, rows_;  // columns of L below the diagonal
  std::vector<double> values_, inverse_;     // of L; of D
  std::vector<Vec3> work_;
};

}  // namespace palpate
