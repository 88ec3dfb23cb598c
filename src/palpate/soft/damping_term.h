// Viscous damping inside tetrahedra: a stress of eta times the rate of the elastic one.
//
// Over a step of length h the Green strain changes from E0 to E; the energy
//
//   V eta/h (mu |E - E0|^2 + lambda/2 trace(E - E0)^2)
//
// has that stress as its gradient. A body that moves or turns as a whole changes no strain and feels nothing;
// forces and torques inside cancel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/mesh/mesh.h>
#include <palpate/soft/elements.h>
#include <palpate/solve/term.h>

namespace palpate {

class DampingTerm : public Term {
 public:
  // Of those elements whose material has damping. `materials`: one for all elements, or one for each.
  DampingTerm(const TetMesh& rest, std::span<const Material> materials);

  // See TetTerm.
  void update(const TetMesh& rest, std::span<const Material> materials,
              std::span<const std::uint32_t> changed);
  bool empty() const { return elements_.empty(); }  // no element has damping
  // Where the step begins, and how long it is.
  void begin_step(std::span<const Vec3> x, double step);

  double rounding() const override { return rounding_; }
  double value(std::span<const Vec3> x) override;
  double add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) override;
  void add_product(std::span<const Vec3> x, std::span<const Vec3> d, std::span<Vec3> out) override;
  void add_block(std::uint32_t node, std::span<const Vec3> x, Vec3& gradient, Mat3& stiffness) override;
  void add_metric(std::vector<MetricEntry>& entries) const override;

 private:
  struct Element {
    TetCorners corners;
    TetShape shape;
    double lambda, mu;  // times eta [Pa s]
    Mat3 strain;        // where the step begins
  };
  Mat3 change(const Element& e, const Mat3& f) const;  // of the strain
  // The second Piola-Kirchhoff stress of a change of strain.
  Mat3 stress(const Element& e, const Mat3& change) const;

  void set(const TetMesh& rest, std::span<const Material> materials, std::size_t element);
  template <class Do>
  void each(Do&& work);

  std::vector<Element> elements_;  // of all, if any has damping
  NodeCorners node_corners_;
  double step_ = 1;
  double rounding_ = 0;
};

}  // namespace palpate
