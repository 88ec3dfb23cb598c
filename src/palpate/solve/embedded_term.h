// A term on points that are not unknowns themselves, but follow them: contacts on a fine surface inside a
// coarse mesh, a spring that pulls at the middle of a face.
//
// The term knows the points alone. What pulls at them is handed to the nodes by the transpose of the
// embedding, so that no force or torque is lost on the way. Nothing is assembled.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/mesh/embedding.h>
#include <palpate/solve/term.h>

namespace palpate {

class EmbeddedTerm : public Term {
 public:
  // `term` is about the points of the embedding, and must outlive this. There may be more nodes than the
  // embedding knows. Throws Error if the term has points that are not embedded.
  EmbeddedTerm(Term& term, Embedding embedding);

  const Embedding& embedding() const { return embedding_; }

  bool is_anchored() const override { return term_.is_anchored(); }
  double rounding() const override { return term_.rounding(); }
  double value(std::span<const Vec3> x) override;
  double add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) override;
  void add_product(std::span<const Vec3> x, std::span<const Vec3> d, std::span<Vec3> out) override;
  void add_block(std::uint32_t node, std::span<const Vec3> x, Vec3& gradient, Mat3& stiffness) override;
  void add_metric(std::vector<MetricEntry>& entries) const override;
  bool mark_tangled(std::span<const Vec3> x, std::span<std::uint8_t> nodes) override;

 private:
  Vec3 at(std::uint32_t point, std::span<const Vec3> x) const;
  void place(std::span<const Vec3> x, std::span<Vec3> points) const;
  void list_near_points(std::span<const MetricEntry> entries);

  Term& term_;
  Embedding embedding_;
  std::vector<Vec3> at_, moved_, pulls_;
  std::vector<std::uint8_t> marked_;       // points
  std::vector<std::uint32_t> near_begin_;  // of each node, in near_
  std::vector<std::uint32_t> near_;        // points that the term looks at for those that follow the node
};

}  // namespace palpate
