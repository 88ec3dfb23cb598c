// The energy of many tetrahedra and its gradient, block by block on all threads: what the terms of
// tetrahedra have in common. How blocks are made, and why sums do not depend on threads: tet_packs.h.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <palpate/soft/tet_packs.h>

namespace palpate {

class TetBlocks {
 public:
  TetBlocks() = default;
  // As of TetPacks.
  TetBlocks(std::span<const Vec3> rest, std::span<const TetCorners> tets, std::span<const TetShape> shapes,
            TetLaws laws);
  void update(std::size_t nodes, std::span<const TetCorners> tets, std::span<const TetShape> shapes,
              TetLaws laws, std::span<const std::uint32_t> changed);

  double value(std::span<const Vec3> x) { return energy(x, false); }
  double add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient);

  // Of damping: where the step begins, and how long it is [s].
  void begin_step(std::span<const Vec3> x, double step);
  // Green's of an element that is there: xx, yy, zz, xy, xz, yz.
  std::array<double, 6> strain_before(std::uint32_t element) const;

 private:
  double energy(std::span<const Vec3> x, bool pulling);

  TetPacks packs_;
  std::vector<double> pulls_;    // of the slots of all blocks, four numbers each
  std::vector<double> partial_;  // scratch of sums
};

}  // namespace palpate
