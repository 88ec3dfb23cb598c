// Viscous damping inside tetrahedra: a stress of eta times the rate of the elastic one.
//
// Over a step of length h the Green strain changes from E0 to E; the energy
//
//   V eta/h (mu |E - E0|^2 + lambda/2 trace(E - E0)^2)
//
// has that stress as its gradient. A body that moves or turns as a whole changes no strain and feels nothing;
// forces and torques inside cancel.
//
// Energies and pulls are found by blocks of elements as those of TetTerm are, see tet_blocks.h: they are
// asked for as often. Elements without damping are in no block, and cost nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/mesh/mesh.h>
#include <palpate/soft/elements.h>
#include <palpate/soft/tet_blocks.h>
#include <palpate/solve/term.h>

namespace palpate {

class DampingTerm : public Term {
 public:
  // Of those elements whose material has damping. `materials`: one for all elements, or one for each.
  DampingTerm(const TetMesh& rest, std::span<const Material> materials);

  // See TetTerm.
  void update(const TetMesh& rest, std::span<const Material> materials,
              std::span<const std::uint32_t> changed);
  bool empty() const { return empty_; }  // no element has damping
  // Where the step begins, and how long it is.
  void begin_step(std::span<const Vec3> x, double step);

  double rounding() const override { return stiffness_ * 1e-16 / step_; }
  double value(std::span<const Vec3> x) override { return blocks_.value(x); }
  double add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) override;
  void add_product(std::span<const Vec3> x, std::span<const Vec3> d, std::span<Vec3> out) override;
  void add_block(std::uint32_t node, std::span<const Vec3> x, Vec3& gradient, Mat3& stiffness) override;
  void add_metric(std::vector<MetricEntry>& entries) const override;

 private:
  void set(const TetMesh& rest, std::span<const Material> materials, std::size_t element);
  void connect(std::size_t nodes);
  TetLaw law(std::uint32_t e) const { return {TetRule::damping, {viscous_[e].lambda, viscous_[e].mu, 0}}; }
  // The second Piola-Kirchhoff stress of a change of strain.
  Mat3 stress(std::size_t element, const Mat3& change) const;

  bool empty_ = true;
  std::vector<TetCorners> tets_;  // holes where there is no damping
  std::vector<TetShape> shapes_;
  std::vector<Lame> viscous_;  // the elastic ones times eta [Pa s]
  TetBlocks blocks_;
  NodeCorners node_corners_;
  double stiffness_ = 0;  // of all together [J s]
  double step_ = 1;
};

}  // namespace palpate
