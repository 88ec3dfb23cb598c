// Energies k/2 |C(x)|^2 over a few nodes: springs, hinges, strings that bend.
//
// A rule says what C is, how it changes with the nodes, and how stiff it is at rest; from that follow a term,
// for solvers that go down, and constraints, for those that project. To add one, write a rule:
//
//   struct Rule {
//     static constexpr std::size_t nodes = 2, rows = 1;  // at most Constraints::most_nodes and most_rows
//     CompliantValue<rows, nodes> at(const std::array<Vec3, nodes>& x) const;
//     std::array<double, nodes> weights() const;  // C at rest is about sum of weight * x, along some
//     direction double scale() const;                       // what C is made of has about this size
//   };
//
// The second derivative is k dC^T dC; a rule may add what that leaves out, where it is not negative:
//
//     void add_curvature(x, value, matrix) const;
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <palpate/base/parallel.h>
#include <palpate/solve/constraints.h>
#include <palpate/solve/term.h>

namespace palpate {

template <std::size_t rows, std::size_t nodes>
struct CompliantValue {
  Eigen::Matrix<double, int{rows}, 1> value;                  // C
  Eigen::Matrix<double, int{rows}, 3 * int{nodes}> gradient;  // dC
};

template <class Rule>
struct Compliant {
  std::array<std::uint32_t, Rule::nodes> nodes;
  double stiffness;  // k
  Rule rule;
};

template <class Rule>
class CompliantTerm : public Term {
 public:
  CompliantTerm(std::size_t nodes, std::vector<Compliant<Rule>> elements)
      : elements_(std::move(elements)), begin_(nodes + 1, 0), corners_(count * elements_.size()) {
    for (const auto& e : elements_) {
      rounding_ += 1e-15 * e.stiffness * e.rule.scale() * e.rule.scale();
      for (const std::uint32_t v : e.nodes) ++begin_[v + 1];
    }
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
    for (std::uint32_t i = 0; i < corners_.size(); ++i)
      corners_[at[elements_[i / count].nodes[i % count]]++] = i;
    pulls_.resize(corners_.size());
  }
  std::span<const Compliant<Rule>> elements() const { return elements_; }
  // Takes the present for rest, and becomes so many times as stiff as it was made: what then resists is the
  // change over a step. Of rules that have rest_at(x).
  void begin_step(std::span<const Vec3> x, double times) {
    rounding_ *= times / times_;
    for (auto& e : elements_) {
      e.rule.rest_at(points(e, x));
      e.stiffness *= times / times_;
    }
    times_ = times;
  }

  double rounding() const override { return rounding_; }
  double value(std::span<const Vec3> x) override {
    return sum([&](std::size_t i) {
      const auto& e = elements_[i];
      return 0.5 * e.stiffness * e.rule.at(points(e, x)).value.squaredNorm();
    });
  }
  // Each node has an equal part of what its elements have.
  void add_energies(std::span<const Vec3> x, std::span<double> nodes) const {
    for (const auto& e : elements_) {
      const double energy = 0.5 * e.stiffness * e.rule.at(points(e, x)).value.squaredNorm();
      for (const std::uint32_t v : e.nodes) nodes[v] += energy / static_cast<double>(count);
    }
  }
  double add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) override {
    const double total = sum([&](std::size_t i) {
      const auto& e = elements_[i];
      const auto c = e.rule.at(points(e, x));
      const Column pull = e.stiffness * c.gradient.transpose() * c.value;
      for (std::size_t k = 0; k < count; ++k) pulls_[count * i + k] = pull.template segment<3>(3 * int(k));
      return 0.5 * e.stiffness * c.value.squaredNorm();
    });
    parallel_for(begin_.size() - 1, grain, [&](std::size_t v) {
      for (std::uint32_t i = begin_[v]; i < begin_[v + 1]; ++i) gradient[v] += pulls_[corners_[i]];
    });
    return total;
  }
  void add_product(std::span<const Vec3> x, std::span<const Vec3> d, std::span<Vec3> out) override {
    for (const auto& e : elements_) {
      Column along;
      for (std::size_t k = 0; k < count; ++k) along.template segment<3>(3 * int(k)) = d[e.nodes[k]];
      const auto at = points(e, x);
      const Column turned = stiffness(e, at, e.rule.at(at)) * along;
      for (std::size_t k = 0; k < count; ++k) out[e.nodes[k]] += turned.template segment<3>(3 * int(k));
    }
  }
  void add_block(std::uint32_t node, std::span<const Vec3> x, Vec3& gradient, Mat3& block) override {
    if (node + 1 >= begin_.size()) return;  // of a body that has grown since
    for (std::uint32_t i = begin_[node]; i < begin_[node + 1]; ++i) {
      const auto& e = elements_[corners_[i] / count];
      const int first = 3 * int(corners_[i] % count);
      const auto at = points(e, x);
      const auto c = e.rule.at(at);
      gradient += e.stiffness * c.gradient.template middleCols<3>(first).transpose() * c.value;
      block += stiffness(e, at, c).template block<3, 3>(first, first);
    }
  }
  void add_metric(std::vector<MetricEntry>& entries) const override {
    for (const auto& e : elements_) {
      const auto weights = e.rule.weights();
      for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = 0; b < count; ++b)
          if (e.nodes[a] >= e.nodes[b])
            entries.push_back({e.nodes[a], e.nodes[b], e.stiffness * weights[a] * weights[b]});
    }
  }

 private:
  static constexpr std::size_t count = Rule::nodes, grain = 512;
  using Column = Eigen::Matrix<double, 3 * int{Rule::nodes}, 1>;
  using Matrix = Eigen::Matrix<double, 3 * int{Rule::nodes}, 3 * int{Rule::nodes}>;

  static std::array<Vec3, count> points(const Compliant<Rule>& e, std::span<const Vec3> x) {
    std::array<Vec3, count> at;
    for (std::size_t k = 0; k < count; ++k) at[k] = x[e.nodes[k]];
    return at;
  }
  static Matrix stiffness(const Compliant<Rule>& e, const std::array<Vec3, count>& at,
                          const CompliantValue<Rule::rows, count>& c) {
    Matrix matrix = c.gradient.transpose() * c.gradient;
    if constexpr (requires { e.rule.add_curvature(at, c, matrix); }) e.rule.add_curvature(at, c, matrix);
    return e.stiffness * matrix;
  }
  template <class Of>
  double sum(Of&& of) {
    return parallel_reduce(
        elements_.size(), grain, 0.0, partial_,
        [&](Chunk chunk) {
          double part = 0;
          for (std::size_t i = chunk.begin; i < chunk.end; ++i) part += of(i);
          return part;
        },
        [](double a, double b) { return a + b; });
  }

  std::vector<Compliant<Rule>> elements_;
  std::vector<std::uint32_t> begin_, corners_;  // of each node: count * element + corner, ascending
  std::vector<Vec3> pulls_;                     // of each corner
  std::vector<double> partial_;                 // scratch of sums
  double rounding_ = 0, times_ = 1;
};

template <class Rule>
class CompliantConstraints : public Constraints {
 public:
  explicit CompliantConstraints(std::vector<Compliant<Rule>> elements) : elements_(std::move(elements)) {}

  std::size_t size() const override { return elements_.size(); }
  std::size_t rows() const override { return Rule::rows; }
  std::span<const std::uint32_t> nodes(std::size_t i) const override { return elements_[i].nodes; }
  Local at(std::size_t i, std::span<const PaddedPoint> x) const override {
    const auto& e = elements_[i];
    std::array<Vec3, Rule::nodes> points;
    for (std::size_t k = 0; k < points.size(); ++k) points[k] = x[e.nodes[k]].point();
    const auto c = e.rule.at(points);
    constexpr auto rows = static_cast<Eigen::Index>(Rule::rows);
    return {c.value, c.gradient, Eigen::Matrix<double, rows, rows>::Identity() / e.stiffness};
  }

 private:
  std::vector<Compliant<Rule>> elements_;
};

}  // namespace palpate
