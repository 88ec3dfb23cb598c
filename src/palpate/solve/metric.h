// A sparse symmetric positive definite matrix over nodes, factored once and solved with many times.
//
// The same numbers stand for x, y and z, so a solve takes three right sides at once. Eigen orders (AMD),
// metric_factor.h factors. The factor is then kept in panels: up to eight neighbouring columns that have the
// same rows below them, so that a row's number is read once for all of them and the right sides of the
// columns stay in registers. A solve allocates nothing.
//
// Parts of the factor that do not depend on each other are solved in parallel: branches of the elimination
// tree. What they add to the columns above them, the top, each keeps apart until all are done, so that the
// sum is the same for any number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/geometry/padded.h>
#include <palpate/solve/term.h>

namespace palpate {

struct Supernode;

class Metric {
 public:
  static constexpr std::size_t panel_width = 8;
  struct Panel {
    std::uint32_t first, width;         // columns
    std::uint32_t first_row, last_row;  // in rows(): those below the columns
    std::size_t first_value;            // width^2 of the columns themselves, then a line for every row
  };

  // Nodes that are held get a row and column of their own: their solution is the right side. Throws Error if
  // the matrix is not positive definite.
  void factor(std::size_t nodes, std::span<const MetricEntry> entries, std::span<const std::uint8_t> held);
  // In place: right side to solution.
  void solve(std::span<Vec3> x);
  std::size_t size() const { return order_.size(); }
  std::size_t entries() const { return values_.size(); }  // of the factor, with zeros that fill up panels

 private:
  void add_panels(const Supernode& node);
  void find_branches();

  std::vector<std::uint32_t> order_;  // [place]: node
  std::vector<Panel> panels_;
  std::vector<std::uint32_t> rows_;
  std::vector<double> values_, inverse_;  // of L; of D
  // Panels of the branches, one after the other; those of the top are last.
  std::vector<std::uint32_t> branch_begin_ = {0};
  std::vector<std::uint32_t> top_;  // columns
  std::vector<PaddedPoint> work_;   // of all columns, then of the top for each branch
};

// The two halves of a solve, on points in the order of the factor; D goes with the second.
void solve_lower(std::span<const Metric::Panel> panels, const std::uint32_t* rows, const double* values,
                 PaddedPoint* x);
void solve_upper(std::span<const Metric::Panel> panels, const std::uint32_t* rows, const double* values,
                 const double* inverse, PaddedPoint* x);

}  // namespace palpate
