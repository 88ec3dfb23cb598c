// Tetrahedra as constraints, for solvers that project.
//
//   stvk         six numbers: the Green strain (engineering shears) times the root of the volume, as
//   published
//                (Boukadida 2020)
//   neo_hookean  two: the root of what is left of the energy without 1/2 lambda (det F - 1)^2, and det F - 1.
//                Both are 0 at rest: with |F| and det F - alpha (Macklin & Mueller 2021) large multipliers
//                would have to build up first that cancel there
//   corotated    two: |F - R|, and det F - 1
//
// each with the compliance that makes 1/2 C^T a^-1 C the energy of elasticity.h.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <palpate/mesh/mesh.h>
#include <palpate/soft/elements.h>
#include <palpate/solve/constraints.h>

namespace palpate {

// What a projection needs of one tetrahedron, in this order also in packs.
struct TetElement {
  double slope[9];     // of the functions that are 1 at corners 1, 2, 3 [1/m]
  double root_volume;  // [m^1.5]
  double mass[6];      // G = V sum of (slope slope^T) / mass: xx, yy, zz, yz, xz, xy
  // stvk: compliances over h^2 of normal strains with themselves and with others, of shears. Others: that of
  // the first number; h^2 times the stiffness of the second.
  double soft[3];
  double weight[4];  // inverse masses [1/kg]
};
inline constexpr std::size_t tet_numbers = sizeof(TetElement) / sizeof(double);

// Eight elements that share no node, in float: what is added to positions and multipliers is small, and it is
// added in double.
inline constexpr std::size_t tet_pack_size = 8;
struct TetFloatPack {
  float numbers[tet_numbers][tet_pack_size];
  std::uint32_t corner[4][tet_pack_size];  // no_index at the first: nothing in it is used
};

class TetConstraints : public Constraints {
 public:
  // Those elements that have this model. `materials`: one for all, or one for each. Throws Error as TetTerm.
  TetConstraints(const TetMesh& rest, std::span<const Material> materials, Model model);

  // Elements that are new, or are not what they were: others are not looked at. There may be holes. What is
  // added takes a place that is free, in a colour that has none of its nodes. To be followed by prepare().
  void update(const TetMesh& rest, std::span<const Material> materials,
              std::span<const std::uint32_t> changed);

  std::size_t size() const override { return corners_.size(); }
  std::size_t rows() const override { return model_ == Model::stvk ? 6 : 2; }
  std::span<const std::uint32_t> nodes(std::size_t i) const override {
    return unused(i) ? std::span<const std::uint32_t>() : std::span<const std::uint32_t>(corners_[i]);
  }
  Local at(std::size_t i, std::span<const PaddedPoint> x) const override;
  void prepare(std::span<const double> inverse_masses, double step,
               Arrangement arrangement = Arrangement::one_by_one) override;
  void project(std::span<PaddedPoint> x, std::span<double> multipliers) override;
  void changes(std::span<const PaddedPoint> x, std::span<const double> multipliers,
               std::span<double> out) const override;
  void apply(std::span<const PaddedPoint> x, std::span<const double> changes, std::span<const double> share,
             std::span<PaddedPoint> to) const override;
  double squared_residual(std::span<const PaddedPoint> x, std::span<const double> multipliers) const override;
  // By eights, a row of eight for every number.
  Multipliers multipliers_of(std::size_t i) const override {
    return {i / tet_pack_size * tet_pack_size * rows() + i % tet_pack_size, tet_pack_size};
  }
  std::size_t multipliers() const override {
    return (size() + tet_pack_size - 1) / tet_pack_size * tet_pack_size * rows();
  }

  std::size_t elements() const { return elements_used_; }  // without the places that fill up packs
  std::size_t colours() const { return colour_begin_.empty() ? 0 : colour_begin_.size() - 1; }
  // The places of one: those that follow each other from the first, in packs.
  std::pair<std::size_t, std::size_t> of_colour(std::size_t colour) const {
    return {colour_begin_[colour] * tet_pack_size, colour_begin_[colour + 1] * tet_pack_size};
  }

 private:
  struct Rest {
    TetShape shape;
    Elasticity elasticity;
  };
  void arrange(Arrangement arrangement, std::size_t nodes);
  void tidy_order();
  void add_place();
  void put(std::uint32_t element, std::size_t place, const TetCorners& corners, const Rest& rest);
  void take_out(std::uint32_t element);
  std::size_t free_place(const TetCorners& corners, const NodeCorners& around);
  std::size_t colour_at(std::size_t place) const;
  void find_numbers(std::size_t place);
  void make_pack(std::size_t pack);
  bool one_after_the_other() const { return arrangement_ == Arrangement::one_by_one; }
  bool unused(std::size_t i) const { return element_[i] == no_index; }

  Model model_;
  Arrangement arrangement_ = Arrangement::one_by_one;
  std::size_t elements_used_ = 0;
  std::vector<std::uint32_t> order_;  // elements, one after the other along a curve; holes only after changes
  std::vector<std::uint32_t> place_;  // [element]: place, or no_index
  // Of each place, used or not:
  std::vector<std::uint32_t> element_;  // or no_index
  std::vector<TetCorners> corners_;
  std::vector<Rest> rest_;
  std::vector<TetElement> numbers_;
  std::vector<std::uint8_t> dirty_;  // numbers are to be found anew
  std::vector<TetFloatPack> packs_;
  std::vector<std::uint32_t> colour_begin_;    // packs
  std::vector<std::set<std::uint32_t>> free_;  // places: of each colour, or of all if one is after the other
};

// --- the fast code, see tet_sweeps.cpp. Multipliers are laid out as above. --------------------------------
void project_elements(Model model, std::span<const TetElement> elements, const TetCorners* corners,
                      PaddedPoint* x, double* multipliers);
void project_packs(Model model, std::span<const TetFloatPack> packs, PaddedPoint* x, double* multipliers);
void changes_of_elements(Model model, std::span<const TetElement> elements, const TetCorners* corners,
                         const PaddedPoint* x, const double* multipliers, double* out);
void apply_to_elements(Model model, std::span<const TetElement> elements, const TetCorners* corners,
                       const PaddedPoint* x, const double* changes, const double* share, PaddedPoint* to);
double squared_residual_of_elements(Model model, std::span<const TetElement> elements,
                                    const TetCorners* corners, const PaddedPoint* x,
                                    const double* multipliers);

}  // namespace palpate
