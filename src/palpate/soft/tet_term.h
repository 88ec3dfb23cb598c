// The elastic energy of tetrahedra, as a term of a step.
//
// Energies and pulls are found by blocks of elements, see tet_blocks.h; what solvers ask for rarely is plain.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/mesh/mesh.h>
#include <palpate/soft/elements.h>
#include <palpate/soft/tet_blocks.h>
#include <palpate/solve/term.h>

namespace palpate {

class TetTerm : public Term {
 public:
  // `materials`: one for all elements, or one for each. Throws Error for elements without volume and
  // materials that are not right.
  TetTerm(const TetMesh& rest, std::span<const Material> materials);

  // Elements that are new, or are not what they were: others are not looked at. There may be holes.
  void update(const TetMesh& rest, std::span<const Material> materials,
              std::span<const std::uint32_t> changed);

  double rounding() const override { return rounding_; }
  double value(std::span<const Vec3> x) override { return blocks_.value(x); }
  double add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) override {
    return blocks_.add_gradient(x, gradient);
  }
  void add_product(std::span<const Vec3> x, std::span<const Vec3> d, std::span<Vec3> out) override;
  void add_block(std::uint32_t node, std::span<const Vec3> x, Vec3& gradient, Mat3& stiffness) override;
  void add_metric(std::vector<MetricEntry>& entries) const override;
  bool mark_tangled(std::span<const Vec3> x, std::span<std::uint8_t> nodes) override;

  // Adds to each node a quarter of the energy [J] and of the volume at rest [m^3] of the elements around it.
  void add_energies(std::span<const Vec3> x, std::span<double> energy, std::span<double> volume) const;

  std::size_t size() const { return tets_.size(); }
  std::span<const TetShape> shapes() const { return shapes_; }
  const NodeCorners& node_corners() const { return node_corners_; }

 private:
  void make_room(std::size_t nodes);

  std::vector<TetCorners> tets_;
  std::vector<TetShape> shapes_;
  std::vector<Elasticity> elasticities_;
  TetBlocks blocks_;
  NodeCorners node_corners_;
  std::vector<std::uint8_t> any_inverted_;  // scratch, of chunks
  double rounding_ = 0;
};

}  // namespace palpate
