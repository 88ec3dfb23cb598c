// One node after the other goes where its own energy would be least if all others stayed (vertex block
// descent: Chen et al. 2024). Nodes that no term connects have the same colour and are done in parallel.
#include <palpate/solve/sweeps.h>

#include <algorithm>
#include <numeric>

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
    recolour(equations.size(), entries);
    colours_.clear();
    for (std::uint32_t v = 0; v < equations.size(); ++v) {
      if (colour_[v] >= colours_.size()) colours_.resize(colour_[v] + 1);
      if (equations.held[v] == 0) colours_[colour_[v]].push_back(v);
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
  static constexpr std::uint32_t no_colour = 0xffffffff;

  // Nodes keep the colour they had as long as no neighbour has the same; the others get the first one that is
  // free, in ascending order.
  void recolour(std::size_t nodes, std::span<const MetricEntry> entries) {
    colour_.resize(nodes, no_colour);
    for (const MetricEntry& e : entries)
      if (e.i != e.j && colour_[e.i] == colour_[e.j]) colour_[std::max(e.i, e.j)] = no_colour;
    std::vector<std::uint32_t> begin(nodes + 1, 0), neighbours;
    const auto each = [&](auto&& take) {
      for (const MetricEntry& e : entries) {
        if (e.i == e.j) continue;
        if (colour_[e.i] == no_colour) take(e.i, e.j);
        if (colour_[e.j] == no_colour) take(e.j, e.i);
      }
    };
    each([&](std::uint32_t of, std::uint32_t) { ++begin[of + 1]; });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    neighbours.resize(begin.back());
    std::vector<std::uint32_t> at(begin.begin(), begin.end() - 1);
    each([&](std::uint32_t of, std::uint32_t other) { neighbours[at[of]++] = other; });
    std::vector<std::uint8_t> taken;
    for (std::uint32_t v = 0; v < nodes; ++v) {
      if (colour_[v] != no_colour) continue;
      taken.assign(begin[v + 1] - begin[v] + 1, 0);
      for (std::uint32_t i = begin[v]; i < begin[v + 1]; ++i)
        if (colour_[neighbours[i]] < taken.size()) taken[colour_[neighbours[i]]] = 1;
      colour_[v] = static_cast<std::uint32_t>(std::find(taken.begin(), taken.end(), 0) - taken.begin());
    }
  }

  std::vector<std::uint32_t> colour_;  // of each node
  std::vector<std::vector<std::uint32_t>> colours_;
  std::vector<Vec3> x_;
};

}  // namespace

std::unique_ptr<SolveSweep> make_sweep_vertex() { return std::make_unique<SweepVertex>(); }

}  // namespace palpate
