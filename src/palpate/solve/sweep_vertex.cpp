// One node after the other goes where its own energy would be least if all others stayed (vertex block
// descent: Chen et al. 2024). Nodes that no term connects have the same colour and are done in parallel.
#include <palpate/solve/sweeps.h>

#include <algorithm>
#include <array>

#include <Eigen/Cholesky>

#include <palpate/base/parallel.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 16;

class SweepVertex : public SolveSweep {
 public:
  void prepare(const Equations& equations) override {
    std::vector<MetricEntry> entries;
    for (const Term* term : equations.terms) term->add_metric(entries);
    std::vector<std::array<std::uint32_t, 2>> edges;
    for (const MetricEntry& e : entries)
      if (e.i != e.j) edges.push_back({e.j, e.i});
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    // The first colour that no lower neighbour has.
    std::vector<std::vector<std::uint32_t>> lower(equations.size());
    for (const auto& [a, b] : edges) lower[b].push_back(a);
    std::vector<std::uint32_t> colour(equations.size(), 0);
    colours_.clear();
    std::vector<std::uint8_t> taken;
    for (std::uint32_t v = 0; v < equations.size(); ++v) {
      taken.assign(colours_.size() + 1, 0);
      for (const std::uint32_t other : lower[v]) taken[colour[other]] = 1;
      colour[v] = static_cast<std::uint32_t>(std::find(taken.begin(), taken.end(), 0) - taken.begin());
      if (colour[v] == colours_.size()) colours_.emplace_back();
      if (equations.held[v] == 0) colours_[colour[v]].push_back(v);
    }
    x_.resize(equations.size());
  }

  void begin(const Equations& /*equations*/, std::span<PaddedPoint> /*x*/) const override {}

  void sweep(Equations& equations, std::span<PaddedPoint> x, std::span<double> /*multipliers*/) override {
    for (std::size_t i = 0; i < x.size(); ++i) x_[i] = x[i].point();
    const double scale = 1 / (equations.step * equations.step);
    for (const std::vector<std::uint32_t>& nodes : colours_)
      parallel_for(nodes.size(), grain, [&](std::size_t k) {
        const std::uint32_t v = nodes[k];
        Vec3 gradient = scale * equations.masses[v] * (x_[v] - equations.targets[v]);
        Mat3 stiffness = scale * equations.masses[v] * Mat3::Identity();
        for (Term* term : equations.terms) term->add_block(v, x_, gradient, stiffness);
        x_[v] -= stiffness.ldlt().solve(gradient);
      });
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = PaddedPoint(x_[i]);
  }

 private:
  std::vector<std::vector<std::uint32_t>> colours_;
  std::vector<Vec3> x_;
};

}  // namespace

std::unique_ptr<SolveSweep> make_sweep_vertex() { return std::make_unique<SweepVertex>(); }

}  // namespace palpate
