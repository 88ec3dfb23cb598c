// A term on points that are not unknowns themselves, but follow them: contacts on a fine surface inside a
// coarse mesh, a spring that pulls at the middle of a face.
//
// Every point is a sum of up to four nodes with weights, p = W x. The term knows the points alone; what pulls
// at them is handed to the nodes by the transpose of W, so that no force or torque is lost on the way.
// Nothing is assembled: W is applied, one pass over the points each way.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <palpate/solve/term.h>

namespace palpate {

struct EmbeddedPoint {
  std::array<std::uint32_t, 4> nodes = {};
  std::array<double, 4> weights = {};  // 0 where fewer are needed; they sum up to 1
};

class EmbeddedTerm : public Term {
 public:
  // `term` is about these points and must outlive this; there are so many `nodes`, or more later. Throws
  // Error for nodes that are not there, and for weights that do not sum up to 1.
  EmbeddedTerm(Term& term, std::vector<EmbeddedPoint> points, std::size_t nodes);

  std::span<const EmbeddedPoint> points() const { return points_; }

  bool is_anchored() const override { return term_.is_anchored(); }
  double rounding() const override { return term_.rounding(); }
  double value(std::span<const Vec3> x) override;
  double add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) override;
  void add_product(std::span<const Vec3> x, std::span<const Vec3> d, std::span<Vec3> out) override;
  void add_block(std::uint32_t node, std::span<const Vec3> x, Vec3& gradient, Mat3& stiffness) override;
  void add_metric(std::vector<MetricEntry>& entries) const override;
  bool mark_tangled(std::span<const Vec3> x, std::span<std::uint8_t> nodes) override;

 private:
  struct Part {
    std::uint32_t point;
    double weight;
  };
  Vec3 at(std::uint32_t point, std::span<const Vec3> x) const;
  void place(std::span<const Vec3> x, std::span<Vec3> points) const;
  void add_back(std::span<const Vec3> forces, std::span<Vec3> nodes) const;
  void list_points_of_nodes(std::span<const MetricEntry> entries, std::size_t nodes);

  Term& term_;
  std::vector<EmbeddedPoint> points_;
  std::vector<Vec3> at_, moved_, pulls_;
  std::vector<std::uint8_t> marked_;  // points
  // Of each node: the points that follow it, and all that the term looks at for their sake.
  std::vector<std::uint32_t> parts_begin_, near_begin_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> near_;
};

}  // namespace palpate
