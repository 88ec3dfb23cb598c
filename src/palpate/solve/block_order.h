// In which order to eliminate the unknowns of things and of what links them, so that little fills in.
//
// Things (of rigid bodies: masses) are linked by rules (joints), each between two of them, or one and the
// ground. The matrix is [M G^T; G -D] with tiny D: a rule has no pivot of its own before something it links
// is gone. Minimum degree, but for this: among what has the fewest neighbours, the first. A tree is
// eliminated from its leaves, thing and rule in turn, and nothing fills in.
//
// What is gone hangs together in groups, in which things that are still there count as held. A rule of a
// group that is held by another rule already would have nothing that gives way, though the whole may: such a
// one waits until what holds its group is gone.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace palpate {

// The two things that a rule links.
using BlockLink = std::array<std::uint32_t, 2>;
constexpr std::uint32_t no_block = 0xffffffff;

// Nodes are the things, then the rules.
struct BlockOrder {
  std::vector<std::uint32_t> order;               // nodes, the first to go first
  std::vector<std::vector<std::uint32_t>> later;  // of each node: those it is linked to when it goes
};

BlockOrder find_block_order(std::size_t things, std::span<const BlockLink> rules);

}  // namespace palpate
