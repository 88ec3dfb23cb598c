// Tetrahedra in packs of four, so that one instruction does four of them.
//
// Elements that lie near each other are put into blocks (in the order of a Morton curve), a few hundred each.
// A block copies the nodes it needs, works on them while they are in the nearest cache, and sums the pulls of
// its elements there; then each node adds up what the blocks have for it, always in the same order. So
// nothing is locked, the number of threads changes nothing, and far less memory is moved than with one pull
// for every corner. Double precision throughout; the formulas are those of elasticity.cpp, and of
// damping_term.h.
//
// When elements change, only their blocks are made anew: what is removed leaves its place empty, what is
// added takes an empty place beside its neighbours or one in a new block at the end.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <palpate/base/function_ref.h>
#include <palpate/mesh/mesh.h>
#include <palpate/soft/elasticity.h>

namespace palpate {

inline constexpr std::size_t pack_size = 4, block_size = 512;  // elements

// What an element answers to its deformation with, and the constants that this takes, see tet_kernel.cpp.
enum class TetRule : std::uint8_t { stvk, neo_hookean, corotated, damping };
struct TetLaw {
  TetRule rule;
  std::array<double, 3> constants;
};
using TetLaws = FunctionRef<TetLaw(std::uint32_t element)>;
TetLaw law_of(const Elasticity& elasticity);

// Rows of numbers, one of each element. Places that are not used have no volume.
struct TetPack {
  double inverse[9][pack_size];  // of TetShape, columns one after the other
  double volume[pack_size];
  double constants[3][pack_size];
  std::uint16_t corner[4][pack_size];
};

// Green's: xx, yy, zz, xy, xz, yz.
struct TetStrains {
  double of[6][pack_size];
};

// Block b has the places from b * block_size on.
struct TetBlock {
  std::uint32_t first_pack, packs, first_slot, nodes;  // packs: up to the last place in use
  TetRule rule;
};

class TetPacks {
 public:
  std::vector<TetPack> packs;
  std::vector<TetStrains> strains;  // of the packs, where the step begins; only if there is damping
  double rate = 1;                  // one over the length of the step [1/s]
  std::vector<TetBlock> blocks;
  std::vector<std::uint32_t> slots;                 // of all blocks: the nodes they need
  std::vector<std::uint32_t> begin, slots_of_node;  // of each node: its slots, ascending

  TetPacks() = default;
  // Holes have no corners (no_index).
  TetPacks(std::span<const Vec3> rest, std::span<const TetCorners> tets, std::span<const TetShape> shapes,
           TetLaws laws);
  // `changed`: elements that are new, or are not what they were.
  void update(std::size_t nodes, std::span<const TetCorners> tets, std::span<const TetShape> shapes,
              TetLaws laws, std::span<const std::uint32_t> changed);
  std::size_t place_of(std::uint32_t element) const { return place_[element]; }

 private:
  void put(std::uint32_t element, std::size_t place, const TetShape& shape, const TetLaw& law);
  void take_out(std::uint32_t element);
  std::size_t place_for(const TetCorners& corners, TetRule rule);
  std::size_t new_block(TetRule rule);
  void connect(std::size_t nodes, std::span<const TetCorners> tets);

  std::vector<std::uint32_t> element_;  // [place]: element, or no_index
  std::vector<std::uint32_t> place_;    // [element]: place, or no_index
  std::vector<std::uint32_t> used_;     // [block]: places
  std::vector<std::uint8_t> touched_;   // [block]
};

// The energy of a block's elements [J]. `x`: the positions of its nodes; what its elements pull at them with
// is added to `pulls`, if that is not null. Points take four numbers each, aligned to 32 bytes.
double block_energy(const TetPacks& packs, const TetBlock& block, const double* x, double* pulls);
// Sets the strains of a block's elements to those at these positions.
void find_strains(TetPacks& packs, const TetBlock& block, const double* x);

}  // namespace palpate
