#include <palpate/collide/step_tree.h>

#include <algorithm>

#include <palpate/base/parallel.h>

namespace palpate {

namespace {

void put(StepGroup& group, std::size_t i, const StepBox& box) {
  for (std::size_t end = 0; end < 2; ++end)
    for (std::size_t k = 0; k < 3; ++k) {
      group.at[end].lo[k][i] = box.at[end].lo[k];
      group.at[end].hi[k][i] = box.at[end].hi[k];
    }
}

StepBox box_of(const StepGroup& group) {
  StepBox box = box_in(group, 0);
  for (std::size_t end = 0; end < 2; ++end)
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t i = 1; i < 8; ++i) {
        box.at[end].lo[k] = std::min(box.at[end].lo[k], group.at[end].lo[k][i]);
        box.at[end].hi[k] = std::max(box.at[end].hi[k], group.at[end].hi[k][i]);
      }
  return box;
}

// Whether something moves in a box and stays apart from another one that stands still.
bool apart(const StepBox& box, const FloatBox& region) {
  for (std::size_t k = 0; k < 3; ++k)
    if ((box.at[0].lo[k] > region.hi[k] && box.at[1].lo[k] > region.hi[k]) ||
        (box.at[0].hi[k] < region.lo[k] && box.at[1].hi[k] < region.lo[k]))
      return true;
  return false;
}

constexpr FloatBox no_box = {{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}};
constexpr StepBox nowhere = {{no_box, no_box}};

}  // namespace

void StepTree::Tree::build() {
  built = shape->built;
  leaves.resize(shape->tree.leaves().size());
  for (StepLeaf& boxes : leaves) clear(boxes);
  levels.clear();
  for (std::size_t n = leaves.size(); levels.empty() || n > 1;) {
    n = (n + 7) / 8;
    levels.emplace_back(n);
    for (StepGroup& group : levels.back())
      for (Group& one : group.at) clear(one);
  }
}

void StepTree::Tree::refit(const Surfaces& all, const Surface& surface, const Frame& frame, bool masks,
                           const FloatBox* region) {
  motions.resize(masks ? leaves.size() : 0);
  const Vec3* own[2] = {all.positions().data() + surface.first_vertex,
                        all.ends().data() + surface.first_vertex};
  parallel_for(levels[0].size(), 8, [&](std::size_t g) {
    for (std::size_t i = 8 * g; i < std::min(8 * g + 8, leaves.size()); ++i) {
      StepBox around;
      const Leaf& leaf = shape->tree.leaves()[i];
      for (std::size_t end = 0; end < 2; ++end)
        around.at[end] = refit_points(leaf, masks ? &shape->tree.rest()[i] : nullptr, own[end], frame,
                                      leaves[i], masks ? &motions[i] : nullptr, end);
      if (region != nullptr && apart(around, *region))
        around = nowhere;
      else
        refit_features(leaf, leaves[i]);
      put(levels[0][g], i % 8, around);
    }
  });
  for (std::size_t level = 0; level + 1 < levels.size(); ++level)
    for (std::size_t g = 0; g < levels[level].size(); ++g)
      put(levels[level + 1][g / 8], g % 8, box_of(levels[level][g]));
  box = box_of(levels.back()[0]);
}

void StepTree::update(const Search& search, LeafShapes& shapes) {
  const Surfaces& all = search.surfaces;
  if (trees_.size() < all.slots().size()) trees_.resize(all.slots().size());
  Box scene;
  for (const SurfacePair& pair : search.pairs)
    for (const std::uint32_t slot : {pair.first, pair.second}) scene.add(all.box(slot));
  if (scene.empty()) return;
  frame_ = Frame::around(scene);
  find_regions(search);
  const auto refit = [&](std::uint32_t slot) {
    Tree& tree = trees_[slot];
    // Masks are slow to make: those that contacts were searched with will do, or none.
    tree.shape = &shapes.make(all[slot], slot);
    if (tree.built != tree.shape->built) tree.build();
    const bool masks = search.crossing.skips_neighbours(slot) && search.find(slot, slot) != nullptr &&
                       tree.shape->masked >= 0 && tree.shape->masked == all[slot].near.reach();
    // Of a large surface, often only a little comes near another one.
    FloatBox region{};
    const Region& own = regions_[slot];
    for (Eigen::Index k = 0; k < 3 && !own.all; ++k) {
      const auto axis = static_cast<std::size_t>(k);
      const float reach = frame_.reach(search.crossing.separation + 2 * all[slot].bow);
      region.lo[axis] = frame_.in_float(own.others.lo[k], axis) - reach;
      region.hi[axis] = frame_.in_float(own.others.hi[k], axis) + reach;
    }
    if (!tree.leaves.empty()) tree.refit(all, all[slot], frame_, masks, own.all ? nullptr : &region);
  };
  fresh_.assign(trees_.size(), 0);
  for (const SurfacePair& pair : search.pairs)
    for (const std::uint32_t slot : {pair.first, pair.second}) {
      if (fresh_[slot] != 0) continue;
      fresh_[slot] = 1;
      refit(slot);
    }
}

void StepTree::find_regions(const Search& search) {
  regions_.assign(trees_.size(), {});
  for (const SurfacePair& pair : search.pairs) {
    if (pair.first == pair.second) {
      regions_[pair.first].all = true;
      continue;
    }
    regions_[pair.first].others.add(search.surfaces.box(pair.second));
    regions_[pair.second].others.add(search.surfaces.box(pair.first));
  }
}

float StepTree::reach_of(const Search& search, const SurfacePair& pair) const {
  return frame_.reach(search.crossing.separation + search.surfaces[pair.first].bow +
                      search.surfaces[pair.second].bow);
}

void StepTree::find(const Search& search, Collector& out) {
  work_.clear();
  {
    Batch batch(out);
    for (std::uint32_t i = 0; i < search.pairs.size(); ++i) find_groups(search, i, batch.counters);
  }
  parallel_chunks(work_.size(), 32, [&](Chunk chunk) {
    Batch batch(out, true);
    for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
      const SurfacePair& pair = search.pairs[work_[i].pair];
      const auto view = [&](std::uint32_t slot) {
        const Tree& tree = trees_[slot];
        const Surface& surface = search.surfaces[slot];
        return StepView{&tree.shape->tree,
                        tree.leaves.data(),
                        tree.motions.empty() ? nullptr : tree.motions.data(),
                        tree.levels[0].data(),
                        surface.first_vertex,
                        surface.first_triangle,
                        static_cast<float>(frame_.scale)};
      };
      const double distance =
          search.crossing.separation + search.surfaces[pair.first].bow + search.surfaces[pair.second].bow;
      search_step(view(pair.first), view(pair.second), work_[i].low, work_[i].high, pair.first == pair.second,
                  reach_of(search, pair), frame_.length(distance), batch);
    }
  });
}

// Pairs of groups of leaves that may meet, for one pair of surfaces.
void StepTree::find_groups(const Search& search, std::uint32_t pair_number, SearchCounters& counters) {
  const SurfacePair& pair = search.pairs[pair_number];
  const Tree &one = trees_[pair.first], &two = trees_[pair.second];
  if (one.leaves.empty() || two.leaves.empty()) return;
  const bool self = pair.first == pair.second;
  const float reach = reach_of(search, pair);
  now_.assign(1, {0, 0});
  std::size_t low_level = one.levels.size() - 1, high_level = two.levels.size() - 1;
  while (low_level > 0 || high_level > 0) {
    next_.clear();
    counters.cells += now_.size();
    // The taller tree alone, until both are equally high.
    const bool low_down = low_level >= high_level, high_down = high_level >= low_level;
    for (const NodePair& pair_of_nodes : now_) {
      const std::uint32_t low = pair_of_nodes.low, high = pair_of_nodes.high;
      const auto add = [&](std::uint32_t i, unsigned bits) {
        for (; bits != 0; bits &= bits - 1) {
          const auto k = static_cast<std::uint32_t>(__builtin_ctz(bits));
          next_.push_back(low_down && high_down ? NodePair{8 * low + i, 8 * high + k}
                          : low_down            ? NodePair{8 * low + k, high}
                                                : NodePair{low, 8 * high + k});
        }
      };
      if (low_down && high_down) {
        const StepGroup &a = one.levels[low_level][low], &b = two.levels[high_level][high];
        for (std::uint32_t i = 0; i < 8; ++i) {
          unsigned bits = may_meet(b, box_in(a, i), reach);
          if (self && low == high) bits &= ~0u << i;
          add(i, bits);
        }
      } else if (low_down) {
        add(0, may_meet(one.levels[low_level][low], two.box, reach));
      } else {
        add(0, may_meet(two.levels[high_level][high], one.box, reach));
      }
    }
    low_level -= low_down;
    high_level -= high_down;
    now_.swap(next_);
  }
  for (const auto& [low, high] : now_) work_.push_back({pair_number, low, high});
}

std::size_t StepTree::memory() const {
  std::size_t sum = work_.capacity() * sizeof(Work);
  for (const Tree& tree : trees_) sum += tree.leaves.capacity() * sizeof(StepLeaf);
  return sum;
}

}  // namespace palpate
