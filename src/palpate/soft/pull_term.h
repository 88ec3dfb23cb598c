// Springs from points of a soft body to places in the world: where hands pull at it.
#pragma once

#include <cstdint>
#include <vector>

#include <palpate/solve/term.h>

namespace palpate {

class PullTerm final : public Term {
 public:
  struct Share {
    std::uint32_t node;
    double weight;
  };
  struct Pull {
    std::vector<Share> point = {};  // what it follows: each node once
    Vec3 target = Vec3::Zero();     // [m]
    double stiffness = 0;           // [N/m]

    Vec3 at(std::span<const Vec3> x) const;
  };
  // Targets may change at any time; what else does changes the metric, and the body has to know
  // (SoftBody::remove_term, add_term).
  std::vector<Pull> pulls = {};

  bool is_anchored() const override { return true; }
  double rounding() const override { return 0; }  // none near rest, where a spring has no length
  double value(std::span<const Vec3> x) override;
  double add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) override;
  void add_product(std::span<const Vec3> x, std::span<const Vec3> d, std::span<Vec3> out) override;
  void add_block(std::uint32_t node, std::span<const Vec3> x, Vec3& gradient, Mat3& stiffness) override;
  void add_metric(std::vector<MetricEntry>& entries) const override;
};

}  // namespace palpate
