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

constexpr unsigned with_features = 1, with_motion = 4;  // of a leaf, at the start; twice that: at the end

}  // namespace

void StepTree::Tree::build() {
  built = shape->built;
  leaves.resize(shape->tree.leaves().size());
  for (StepLeaf& boxes : leaves) clear(boxes);
  motions.clear();
  around.assign(leaves.size(), nowhere);
  ready.assign(leaves.size(), 0);
  frame = 0;
  levels.clear();
  for (std::size_t n = leaves.size(); levels.empty() || n > 1;) {
    n = (n + 7) / 8;
    levels.emplace_back(n);
    for (StepGroup& group : levels.back())
      for (Group& one : group.at) clear(one);
  }
}

// Only what is not there yet: where a step ends, the next one begins, and one step is looked at several
// times.
void StepTree::Tree::refit(const Surfaces& all, const Surface& surface, const Frame& in, std::size_t at_start,
                           const FloatBox* region) {
  if (masks) motions.resize(leaves.size());
  const Vec3* own[2];
  bool stale[2];
  for (const bool at_end : {false, true}) {
    const std::size_t k = at_end ? 1 - at_start : at_start;
    own[k] = (at_end ? all.ends() : all.positions()).data() + surface.first_vertex;
    stale[k] = places[k] != surface.place_at(at_end);
    places[k] = surface.place_at(at_end);
  }
  parallel_for(levels[0].size(), 8, [&](std::size_t g) {
    for (std::size_t i = 8 * g; i < std::min(8 * g + 8, leaves.size()); ++i) {
      const Leaf& leaf = shape->tree.leaves()[i];
      unsigned made = ready[i];
      for (std::size_t k = 0; k < 2; ++k) {
        if (!stale[k]) continue;
        around[i].at[k] = refit_points(leaf, own[k], in, leaves[i], k);
        made &= ~((with_features | with_motion) << k);
      }
      const bool here = region == nullptr || !apart(around[i], *region);
      put(levels[0][g], i % 8, here ? around[i] : nowhere);
      for (std::size_t k = 0; k < 2 && here; ++k) {
        if (masks && (made & with_motion << k) == 0) {
          refit_motion(leaf, shape->tree.rest()[i], in, leaves[i], motions[i], k);
          made |= with_motion << k;
        }
        if ((made & with_features << k) == 0) {
          refit_features(leaf, leaves[i], k);
          made |= with_features << k;
        }
      }
      ready[i] = static_cast<std::uint8_t>(made);
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
  if (search.scene.empty()) return;
  const Frame frame = Frame::coarse(search.scene);
  frame_number_ += frame == frame_ ? 0 : 1;
  frame_ = frame;
  slots_.clear();
  fresh_.assign(trees_.size(), 0);
  for (const SurfacePair& pair : search.pairs)
    for (const std::uint32_t slot : {pair.first, pair.second}) {
      if (fresh_[slot] != 0) continue;
      fresh_[slot] = 1;
      slots_.push_back(slot);
    }
  for (const std::uint32_t slot : slots_) {
    Tree& tree = trees_[slot];
    // Masks are slow to make: those that contacts were searched with will do, or none.
    tree.shape = &shapes.make(all[slot], slot);
    if (tree.built != tree.shape->built) tree.build();
    tree.masks = search.crossing.skips_neighbours(slot) && search.find(slot, slot) != nullptr &&
                 tree.shape->masked >= 0 && tree.shape->masked == all[slot].near.reach();
    if (tree.frame != frame_number_) tree.places[0] = tree.places[1] = 0;
    tree.frame = frame_number_;
  }
  find_regions(search);
  const std::size_t at_start = choose_start(all);
  for (const std::uint32_t slot : slots_) {
    // Of a large surface, often only a little comes near another one.
    FloatBox region{};
    const Region& own = regions_[slot];
    for (Eigen::Index k = 0; k < 3 && !own.all; ++k) {
      const auto axis = static_cast<std::size_t>(k);
      const float reach = frame_.reach(search.crossing.separation + 2 * all[slot].bow);
      region.lo[axis] = frame_.in_float(own.others.lo[k], axis) - reach;
      region.hi[axis] = frame_.in_float(own.others.hi[k], axis) + reach;
    }
    Tree& tree = trees_[slot];
    if (!tree.leaves.empty()) tree.refit(all, all[slot], frame_, at_start, own.all ? nullptr : &region);
  }
}

// Which of the two boxes is at the start, of all trees alike: the one that leaves less to be made.
std::size_t StepTree::choose_start(const Surfaces& all) const {
  std::size_t made[2] = {0, 0};
  for (const std::uint32_t slot : slots_)
    for (std::size_t start = 0; start < 2; ++start)
      for (const bool at_end : {false, true}) {
        const Tree& tree = trees_[slot];
        if (tree.places[at_end ? 1 - start : start] == all[slot].place_at(at_end))
          made[start] += tree.leaves.size();
      }
  return made[1] > made[0] ? 1 : 0;
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
                        tree.masks ? tree.motions.data() : nullptr,
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
