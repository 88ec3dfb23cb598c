#include <palpate/soft/tet_packs.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <palpate/soft/elements.h>

namespace palpate {

namespace {

constexpr std::size_t block_packs = block_size / pack_size;

}  // namespace

TetLaw law_of(const Elasticity& e) {
  if (e.model == Model::neo_hookean) {
    const NeoHookean n(e);
    return {TetRule::neo_hookean, {n.lambda, n.mu, n.alpha}};
  }
  return {e.model == Model::stvk ? TetRule::stvk : TetRule::corotated, {e.lambda, e.mu, 0}};
}

TetPacks::TetPacks(std::span<const Vec3> rest, std::span<const TetCorners> tets,
                   std::span<const TetShape> shapes, TetLaws laws)
    : place_(tets.size(), no_index) {
  std::vector<std::uint32_t> order = near_each_other(rest, tets);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return laws(a).rule < laws(b).rule; });
  for (const std::uint32_t e : order) {
    const TetLaw law = laws(e);
    if (blocks.empty() || blocks.back().rule != law.rule || used_.back() == block_size) new_block(law.rule);
    put(e, (blocks.size() - 1) * block_size + used_.back(), shapes[e], law);
  }
  connect(rest.size(), tets);
}

void TetPacks::update(std::size_t nodes, std::span<const TetCorners> tets, std::span<const TetShape> shapes,
                      TetLaws laws, std::span<const std::uint32_t> changed) {
  place_.resize(tets.size(), no_index);
  begin.resize(nodes + 1, begin.back());  // new nodes have no slots yet
  for (const std::uint32_t e : changed)
    if (place_[e] != no_index) take_out(e);
  for (const std::uint32_t e : changed)
    if (!is_hole(tets[e])) {
      const TetLaw law = laws(e);
      put(e, place_for(tets[e], law.rule), shapes[e], law);
    }
  connect(nodes, tets);
}

std::size_t TetPacks::new_block(TetRule rule) {
  blocks.push_back(
      {static_cast<std::uint32_t>(packs.size()), 0, static_cast<std::uint32_t>(slots.size()), 0, rule});
  packs.resize(packs.size() + block_packs, TetPack{});
  if (rule == TetRule::damping) strains.resize(packs.size(), TetStrains{});
  element_.resize(element_.size() + block_size, no_index);
  used_.push_back(0);
  touched_.push_back(1);
  return blocks.size() - 1;
}

void TetPacks::put(std::uint32_t element, std::size_t place, const TetShape& shape, const TetLaw& law) {
  const std::size_t lane = place % pack_size;
  TetPack& pack = packs[place / pack_size];
  for (std::size_t k = 0; k < 9; ++k) pack.inverse[k][lane] = shape.inverse.data()[k];
  pack.volume[lane] = shape.volume;
  for (std::size_t k = 0; k < 3; ++k) pack.constants[k][lane] = law.constants[k];
  element_[place] = element;
  place_[element] = static_cast<std::uint32_t>(place);
  ++used_[place / block_size];
  touched_[place / block_size] = 1;
}

void TetPacks::take_out(std::uint32_t element) {
  const std::size_t place = std::exchange(place_[element], no_index), lane = place % pack_size;
  TetPack& pack = packs[place / pack_size];
  for (auto& row : pack.inverse) row[lane] = 0;
  pack.volume[lane] = 0;
  for (auto& row : pack.constants) row[lane] = 0;
  for (auto& row : pack.corner) row[lane] = 0;
  if (!strains.empty())
    for (auto& row : strains[place / pack_size].of) row[lane] = 0;
  element_[place] = no_index;
  --used_[place / block_size];
  touched_[place / block_size] = 1;
}

// An empty place in the block that has most of its nodes; or else in the last block, or in a new one.
std::size_t TetPacks::place_for(const TetCorners& corners, TetRule rule) {
  const auto fits = [&](std::size_t b) { return blocks[b].rule == rule && used_[b] < block_size; };
  std::vector<std::size_t> near;  // blocks, once for each node they have
  for (const std::uint32_t v : corners)
    for (std::uint32_t i = begin[v]; i < begin[v + 1]; ++i) {
      const auto after =
          std::upper_bound(blocks.begin(), blocks.end(), slots_of_node[i],
                           [](std::uint32_t slot, const TetBlock& b) { return slot < b.first_slot; });
      const auto b = static_cast<std::size_t>(after - blocks.begin()) - 1;
      if (fits(b)) near.push_back(b);
    }
  std::sort(near.begin(), near.end());
  std::size_t block = blocks.size(), most = 0;
  for (const std::size_t b : near)
    if (const auto count = static_cast<std::size_t>(std::count(near.begin(), near.end(), b)); count > most) {
      most = count;
      block = b;
    }
  for (std::size_t b = blocks.size(); b-- > 0 && block == blocks.size();)
    if (fits(b)) block = b;
  if (block == blocks.size()) block = new_block(rule);
  const auto from = element_.begin() + static_cast<std::ptrdiff_t>(block * block_size);
  return static_cast<std::size_t>(std::find(from, from + block_size, no_index) - element_.begin());
}

// The nodes of blocks that were touched, and the slots of all.
void TetPacks::connect(std::size_t nodes, std::span<const TetCorners> tets) {
  const std::vector<std::uint32_t> before = std::exchange(slots, {});
  slots.reserve(before.size());
  std::vector<std::uint32_t> slot(nodes, no_index);  // in the block that is being made
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    TetBlock& block = blocks[b];
    const std::uint32_t first = std::exchange(block.first_slot, static_cast<std::uint32_t>(slots.size()));
    if (std::exchange(touched_[b], std::uint8_t{0}) == 0) {
      slots.insert(slots.end(), before.begin() + first, before.begin() + first + block.nodes);
      continue;
    }
    block.packs = 0;
    for (std::size_t place = b * block_size; place < (b + 1) * block_size; ++place) {
      if (element_[place] == no_index) continue;
      block.packs = static_cast<std::uint32_t>(place / pack_size - block.first_pack) + 1;
      for (std::size_t c = 0; c < 4; ++c) {
        const std::uint32_t v = tets[element_[place]][c];
        if (slot[v] == no_index) {
          slot[v] = static_cast<std::uint32_t>(slots.size()) - block.first_slot;
          slots.push_back(v);
        }
        packs[place / pack_size].corner[c][place % pack_size] = static_cast<std::uint16_t>(slot[v]);
      }
    }
    block.nodes = static_cast<std::uint32_t>(slots.size()) - block.first_slot;
    for (std::size_t s = block.first_slot; s < slots.size(); ++s) slot[slots[s]] = no_index;
  }
  begin.assign(nodes + 1, 0);
  for (const std::uint32_t v : slots) ++begin[v + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  slots_of_node.resize(slots.size());
  std::vector<std::uint32_t> at(begin.begin(), begin.end() - 1);
  for (std::uint32_t s = 0; s < slots.size(); ++s) slots_of_node[at[slots[s]]++] = s;
}

}  // namespace palpate
