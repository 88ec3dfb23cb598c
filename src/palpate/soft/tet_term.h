// The elastic energy of tetrahedra, as a term of a step.
//
// Elements are independent and are done in parallel; each node then sums what its elements pull with, always
// in the same order, so the number of threads changes nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/mesh/mesh.h>
#include <palpate/soft/elasticity.h>
#include <palpate/solve/term.h>

namespace palpate {

class TetTerm : public Term {
 public:
  // `materials`: one for all elements, or one for each. Throws Error for elements without volume and
  // materials that are not right.
  TetTerm(const TetMesh& rest, std::span<const Material> materials);

  double rounding() const override { return rounding_; }
  double value(std::span<const Vec3> x) override;
  double add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) override;
  void add_product(std::span<const Vec3> x, std::span<const Vec3> d, std::span<Vec3> out) override;
  void add_metric(std::vector<MetricEntry>& entries) const override;

  std::size_t size() const { return elements_.size(); }

 private:
  struct Element {
    TetCorners corners;
    TetShape shape;
    Elasticity elasticity;
  };
  void gather(std::span<Vec3> out) const;

  std::vector<Element> elements_;
  std::vector<std::uint32_t> begin_, places_;  // of each node: 4 * element + corner, ascending
  std::vector<Vec3> pulls_;                    // of each corner of each element
  std::vector<double> partial_;                // scratch of sums
  double rounding_ = 0;
};

// The mass that each node has of the elements around it [kg]. `materials` as above.
std::vector<double> node_masses(const TetMesh& rest, std::span<const Material> materials);

}  // namespace palpate
