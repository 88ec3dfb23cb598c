// L-BFGS in a fixed metric: the metric's factor turns a gradient into a direction as if the terms were at
// rest, the last few steps correct it for where they are (Liu, Bouaziz & Kavan 2017).
//
// The potential never rises from one iteration to the next, but for rounding. The sum of the momenta of what
// is not held is right after every iteration, converged or not: the start is shifted as a whole to where it
// belongs, and no direction changes it.
//
// Where elements are turned inside out, slopes lead nowhere: the nodes around them first take some steps of
// Newton's, each alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/base/timing.h>
#include <palpate/solve/descent.h>
#include <palpate/solve/lagging_metric.h>
#include <palpate/solve/metric_columns.h>
#include <palpate/solve/solver.h>

namespace palpate {

class QuasiNewton : public Solver {
 public:
  std::string_view name() const override { return "quasi_newton"; }
  void prepare(const Equations& equations) override;
  void update(const Equations& equations) override;
  SolveReport solve(Equations& equations, std::span<Vec3> x, const SolveOptions& options = {}) override;
  void save(bool changed, ByteWriter& to) const override { metric_.save(to, changed); }
  void load(const Equations& equations, bool same, ByteReader& from) override;

  // For those who solve several systems together (coupled.h): what comes before the descent, and the metric.
  void begin(Equations& equations, std::span<Vec3> x, bool untangles, const Deadline& deadline);
  void solve_metric(std::span<Vec3> v) { metric_.solve(v); }
  std::size_t metric_entries() const { return metric_.entries(); }  // what a solve goes through
  // Of the inverse of the metric: a row for each of these nodes, a number for each. See metric_columns.h.
  void gather_columns(std::size_t size, std::span<const std::uint32_t> nodes, std::span<double> out) {
    columns_.bring(metric_, size, nodes);
    columns_.gather(nodes, out);
  }
  std::uint64_t columns_found() const { return columns_.found(); }

 private:
  class Own;
  void make_room(const Equations& equations, std::span<const MetricEntry> entries);
  void untangle(Equations& equations, std::span<Vec3> x, const Deadline& deadline);

  LaggingMetric metric_;
  MetricColumns columns_;
  Descent descent_;
  std::vector<Vec3> trial_;
  std::vector<std::uint8_t> tangled_;  // nodes
};

}  // namespace palpate
