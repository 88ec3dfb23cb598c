#include <palpate/soft/tet_packs.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <palpate/soft/elements.h>

namespace palpate {

namespace {

std::array<double, 3> constants_of(const Elasticity& e) {
  if (e.model != Model::neo_hookean) return {e.lambda, e.mu, 0};
  const NeoHookean n(e);
  return {n.lambda, n.mu, n.alpha};
}

}  // namespace

TetPacks::TetPacks(std::span<const Vec3> rest, std::span<const TetCorners> tets,
                   std::span<const TetShape> shapes, std::span<const Elasticity> elasticities)
    : order(near_each_other(rest, tets)) {
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return elasticities[a].model < elasticities[b].model;
  });
  std::vector<std::uint32_t> slot(rest.size(), no_index);  // in the block that is being made
  begin.assign(rest.size() + 1, 0);
  for (std::size_t from = 0; from < order.size();) {
    const Model model = elasticities[order[from]].model;
    const auto first_slot = static_cast<std::uint32_t>(slots.size());
    const auto first_pack = static_cast<std::uint32_t>(packs.size());
    std::size_t to = from;
    for (; to < order.size() && to < from + block_size && elasticities[order[to]].model == model; ++to) {
      const std::uint32_t e = order[to];
      const std::size_t lane = (to - from) % pack_size;
      if (lane == 0) packs.push_back({});
      TetPack& pack = packs.back();
      for (std::size_t k = 0; k < 9; ++k) pack.inverse[k][lane] = shapes[e].inverse.data()[k];
      pack.volume[lane] = shapes[e].volume;
      const std::array<double, 3> constants = constants_of(elasticities[e]);
      for (std::size_t k = 0; k < 3; ++k) pack.constants[k][lane] = constants[k];
      for (std::size_t c = 0; c < 4; ++c) {
        const std::uint32_t v = tets[e][c];
        if (slot[v] == no_index) {
          slot[v] = static_cast<std::uint32_t>(slots.size()) - first_slot;
          slots.push_back(v);
          ++begin[v + 1];
        }
        pack.corner[c][lane] = static_cast<std::uint16_t>(slot[v]);
      }
    }
    blocks.push_back({first_pack, static_cast<std::uint32_t>(packs.size()) - first_pack, first_slot,
                      static_cast<std::uint32_t>(slots.size()) - first_slot, model});
    for (std::size_t s = first_slot; s < slots.size(); ++s) slot[slots[s]] = no_index;
    from = to;
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  slots_of_node.resize(slots.size());
  std::vector<std::uint32_t> at(begin.begin(), begin.end() - 1);
  for (std::uint32_t s = 0; s < slots.size(); ++s) slots_of_node[at[slots[s]]++] = s;
}

}  // namespace palpate
