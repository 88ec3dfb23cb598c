// The conjugate gradients of coupled.h, seen from the nodes that the law pulls at.
//
// Bodies touch at few of their nodes. Of a right side v, conjugate gradients that begin at zero, with the
// metrics A before them, never make anything else than
//
//   residuals   c v + E s           E: from the nodes that are pulled at to all
//   directions  c A^-1 v + A^-1 E s
//
// so a number and a point for each of those nodes are all there is to keep, and a small dense matrix,
// E^T A^-1 E, stands for the metrics in between (metric_columns.h). What each gradient takes is then a matter
// of where things touch; the metrics are solved with once before and once after. It is the same but for
// rounding. Nodes of pairs are few, and stay as they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/base/function_ref.h>
#include <palpate/geometry/padded.h>
#include <palpate/solve/couplings.h>
#include <palpate/solve/quasi_newton.h>

namespace palpate {

class ReducedGradients {
 public:
  struct Part {  // a system
    QuasiNewton* solver;
    std::span<const std::uint8_t> held;  // of all its nodes
    std::size_t first;                   // of them, among all
  };
  // What is done to nodes of pairs, in the order in which they were given.
  struct PairWork {
    FunctionRef<void(std::span<Vec3>)> solve;  // the metric of all
    FunctionRef<void(std::span<const Vec3>, std::span<Vec3>)>
        take;  // out -= what that knows of the law already
  };

  // For couplings between nodes of systems and of pairs, as many as all have. False: it would take longer
  // than to go through all nodes.
  bool prepare(std::span<const Part> parts, std::span<const std::uint32_t> pair_nodes,
               const Couplings& couplings, std::size_t nodes);
  // In place: right side to solution, of systems and pairs. Returns how many gradients it took.
  int solve(std::span<Vec3> v, std::span<const Mat3> stiffness, int most, double until,
            const PairWork& pairs);

 private:
  struct Entry {
    std::uint32_t node;  // among those that are kept
    std::uint32_t arm;   // none: the weight
    double weight;
  };
  struct Own {  // of a part
    QuasiNewton* solver;
    std::size_t first, size;   // nodes, among all
    std::size_t begin, count;  // those that are kept
    std::size_t matrix;        // where its own begins
  };
  static constexpr std::uint32_t none = 0xffffffff;
  bool find_nodes(std::span<const Part> parts, const Couplings& couplings, std::size_t nodes);
  void take_entries(const Couplings& couplings);
  void by_metrics(std::span<Vec3> v);
  void by_matrices();
  void add_law(std::span<const Mat3> stiffness);

  std::vector<Own> own_;
  std::size_t soft_ = 0;              // of the nodes that are kept: of systems; the others are of pairs
  std::vector<std::uint32_t> nodes_;  // that are kept
  std::vector<std::uint32_t> local_;  // the same, as numbers of their systems
  std::vector<std::uint32_t> place_;  // of each node, or none
  std::vector<double> matrices_;
  std::vector<std::uint32_t> begin_;  // of each vector's entries
  std::vector<Entry> entries_;
  std::vector<Mat3> arms_;
  std::vector<std::uint32_t> active_;  // vectors that anything pulls at
  // Of the nodes that are kept: for names, see reduced_gradients.cpp.
  std::vector<Vec3> z0_, s_, gs_, t_, gt_, u_, at_, law_;
  std::vector<PaddedPoint> padded_;
  std::vector<Vec3> whole_;
};

}  // namespace palpate
