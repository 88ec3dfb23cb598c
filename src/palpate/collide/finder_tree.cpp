// Ours: a tree of 8-wide boxes over leaves of 8 triangles.
//
// update():  boxes of groups of 8 leaves (64 triangles) from their vertices, and of the groups above.
// find():    pairs of groups that come near, level by level; boxes of the leaves in those groups alone; then
//            pairs of leaves, and in each the pairs of features whose own boxes come near and that the masks
//            of leaf_tree.h leave.
//
// Two bodies that touch in one place pay for that place: leaves elsewhere are never looked at. Inside a
// surface, the masks take away what the neighbour filter would drop later.
#include <algorithm>

#include <palpate/base/parallel.h>
#include <palpate/collide/finder_list.h>
#include <palpate/collide/leaf_search.h>
#include <palpate/collide/leaf_tree.h>
#include <palpate/collide/points.h>
#include <palpate/collide/step_tree.h>
#include <palpate/collide/tree_boxes.h>

namespace palpate {

namespace {

struct Tree {
  const LeafShapes::Shape* shape = nullptr;
  std::uint64_t built = 0;  // of the shape, when the rest was made
  std::vector<LeafBoxes> leaves;
  std::vector<LeafMotion> motions;  // with masks
  // levels[0][g]: the leaves of group g; levels[k + 1][h]: the groups 8h .. 8h + 7 of level k. The last has
  // one.
  std::vector<std::vector<Group>> levels;
  std::vector<std::uint32_t> vertices_begin, vertices;  // of each group of leaves, for its box
  std::vector<std::uint8_t> wanted;                     // groups whose leaves are looked at
  std::uint64_t moves = 0, frame = 0;                   // for which the groups' boxes are up to date
  FloatBox box;

  void build();
  void refit_groups(const Surface& surface, std::span<const Vec3> positions, const Frame& frame);
  void refit_leaves(const Surface& surface, std::span<const Vec3> positions, const Frame& frame, float reach,
                    std::uint32_t group);
  void show(std::size_t depth, const Frame& frame, std::vector<Box>& out) const;
  std::size_t memory() const {
    return leaves.capacity() * sizeof(LeafBoxes) + motions.capacity() * sizeof(LeafMotion) +
           vertices.capacity() * 4;
  }
};

void Tree::build() {
  built = shape->built;
  moves = frame = 0;
  const std::span<const Leaf> all = shape->tree.leaves();
  leaves.resize(all.size());
  motions.assign(shape->tree.rest().size(), {});
  for (LeafBoxes& boxes : leaves) clear(boxes);
  levels.clear();
  for (std::size_t n = all.size(); levels.empty() || n > 1;) {
    n = (n + 7) / 8;
    levels.emplace_back(n);
    for (Group& group : levels.back()) clear(group);
  }
  vertices_begin.assign(1, 0);
  vertices.clear();
  for (std::size_t g = 0; g < levels[0].size(); ++g) {
    const auto begin = static_cast<std::ptrdiff_t>(vertices.size());
    for (std::size_t i = 8 * g; i < std::min(8 * g + 8, all.size()); ++i)
      vertices.insert(vertices.end(), all[i].vertex.begin(), all[i].vertex.begin() + all[i].vertices);
    std::sort(vertices.begin() + begin, vertices.end());
    vertices.erase(std::unique(vertices.begin() + begin, vertices.end()), vertices.end());
    vertices_begin.push_back(static_cast<std::uint32_t>(vertices.size()));
  }
  wanted.assign(levels[0].size(), 0);
}

void put(Group& group, std::size_t i, const FloatBox& box) {
  for (std::size_t k = 0; k < 3; ++k) {
    group.lo[k][i] = box.lo[k];
    group.hi[k][i] = box.hi[k];
  }
}

FloatBox box_of(const Group& group) {
  FloatBox box = box_in(group, 0);
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t i = 1; i < 8; ++i) {
      box.lo[k] = std::min(box.lo[k], group.lo[k][i]);
      box.hi[k] = std::max(box.hi[k], group.hi[k][i]);
    }
  return box;
}

void Tree::refit_groups(const Surface& surface, std::span<const Vec3> positions, const Frame& f) {
  const Vec3* own = positions.data() + surface.first_vertex;
  const auto box_of_leaves = [&](std::size_t g) {
    const Box all = box_of_points(
        own, std::span(vertices).subspan(vertices_begin[g], vertices_begin[g + 1] - vertices_begin[g]));
    FloatBox result;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = static_cast<Eigen::Index>(k);
      result.lo[k] = f.in_float(all.lo[axis], k);
      result.hi[k] = f.in_float(all.hi[axis], k);
    }
    return result;
  };
  if (levels.size() == 1) {
    box = box_of_leaves(0);
    return;
  }
  parallel_for(levels[0].size(), 128, [&](std::size_t g) { put(levels[1][g / 8], g % 8, box_of_leaves(g)); });
  for (std::size_t level = 1; level + 1 < levels.size(); ++level)
    for (std::size_t g = 0; g < levels[level].size(); ++g)
      put(levels[level + 1][g / 8], g % 8, box_of(levels[level][g]));
  box = box_of(levels.back()[0]);
}

// Leaves are up to date only where something came near: the groups above them are the deepest.
void Tree::show(std::size_t depth, const Frame& f, std::vector<Box>& out) const {
  const auto add = [&](const FloatBox& one) {
    Box all;
    for (const auto& corner : {one.lo, one.hi})
      all.add(Vec3(corner[0], corner[1], corner[2]) / f.scale + f.origin);
    out.push_back(all);
  };
  if (depth == 0 || levels.size() == 1) return add(box);
  const std::size_t level = levels.size() - std::min(depth, levels.size() - 1);
  const std::size_t children = levels[level - 1].size();
  for (std::size_t i = 0; i < children; ++i) add(box_in(levels[level][i / 8], i % 8));
}

void Tree::refit_leaves(const Surface& surface, std::span<const Vec3> positions, const Frame& f, float reach,
                        std::uint32_t group) {
  const std::span<const Leaf> all = shape->tree.leaves();
  for (std::size_t i = 8 * std::size_t{group};
       i < std::min<std::size_t>(8 * std::size_t{group} + 8, all.size()); ++i)
    put(levels[0][group], i % 8,
        refit(all[i], motions.empty() ? nullptr : &shape->tree.rest()[i],
              positions.data() + surface.first_vertex, f, reach, leaves[i],
              motions.empty() ? nullptr : &motions[i]));
}

struct GroupPair {
  std::uint32_t pair, low, high;  // pair of surfaces; groups of the first and of the second
};

class FinderTree : public Finder {
 public:
  void update(const Search& search) override {
    const Surfaces& all = search.surfaces;
    if (all.moving()) {
      step_.update(search, shapes_);
      return;
    }
    if (trees_.size() < all.slots().size()) trees_.resize(all.slots().size());
    choose_frame(search);
    for (const SurfacePair& pair : search.pairs)
      for (const std::uint32_t slot : {pair.first, pair.second}) {
        Tree& tree = trees_[slot];
        const Surface& surface = all[slot];
        // Masks need neighbours that are up to date: only those of surfaces searched with themselves are.
        const bool self = search.find(slot, slot) != nullptr;
        tree.shape = self ? &shapes_.make(surface, slot, surface.paths ? -1 : surface.near.reach())
                          : &shapes_.make(surface, slot);
        if (tree.built != tree.shape->built) tree.build();
        if (tree.leaves.empty()) continue;
        if (tree.moves != surface.moves || tree.frame != frame_number_) {
          tree.refit_groups(surface, all.positions(), frame_);
          tree.moves = surface.moves;
          tree.frame = frame_number_;
        }
      }
  }

  void find(const Search& search, Collector& out) override {
    if (search.surfaces.moving()) {
      step_.find(search, out);
      return;
    }
    work_.clear();
    {
      Batch batch(out);
      for (std::uint32_t i = 0; i < search.pairs.size(); ++i) find_groups(search, i, batch.counters);
    }
    refit_wanted(search);
    // Whoever has no lists of neighbours has no masks; then what is brought has to be filtered.
    const bool filtered = std::all_of(search.pairs.begin(), search.pairs.end(), [&](const SurfacePair& pair) {
      return pair.first != pair.second || trees_[pair.first].shape->masked >= 0;
    });
    parallel_chunks(work_.size(), 32, [&](Chunk chunk) {
      Batch batch(out, filtered);
      for (std::size_t i = chunk.begin; i < chunk.end; ++i) find_leaves(search, work_[i], batch);
    });
  }

  void show(std::size_t depth, std::vector<Box>& out) const override {
    for (const Tree& tree : trees_)
      if (tree.frame == frame_number_ && !tree.leaves.empty()) tree.show(depth, frame_, out);
  }

  std::size_t memory() const override {
    std::size_t sum = work_.capacity() * sizeof(GroupPair) + step_.memory() + shapes_.memory();
    for (const Tree& tree : trees_) sum += tree.memory();
    return sum;
  }

 private:
  // The frame stays while the scene lies within twice its radius: boxes of what does not move stay valid.
  void choose_frame(const Search& search) {
    Box box;
    for (const SurfacePair& pair : search.pairs)
      for (const std::uint32_t slot : {pair.first, pair.second}) box.add(search.surfaces[slot].box);
    if (box.empty()) return;
    const Vec3 far = (box.lo - frame_.origin).cwiseAbs().cwiseMax((box.hi - frame_.origin).cwiseAbs());
    const double needed = box.size().maxCoeff() / 2;
    if (frame_number_ > 0 && far.maxCoeff() <= frame_.radius && 4 * needed >= frame_.radius) return;
    frame_ = Frame::around(grown(box, needed));
    ++frame_number_;
  }

  // Pairs of groups of leaves that come near, for one pair of surfaces.
  void find_groups(const Search& search, std::uint32_t pair_number, SearchCounters& counters) {
    const SurfacePair& pair = search.pairs[pair_number];
    Tree &one = trees_[pair.first], &two = trees_[pair.second];
    if (one.leaves.empty() || two.leaves.empty()) return;
    const bool self = pair.first == pair.second;
    const float reach = frame_.reach(pair.distance + search.margin);
    now_.assign(1, {0, 0});
    std::size_t low_level = one.levels.size() - 1, high_level = two.levels.size() - 1;
    while (low_level > 0 || high_level > 0) {
      next_.clear();
      counters.cells += now_.size();
      // The taller tree alone, until both are equally high.
      const bool low_down = low_level >= high_level, high_down = high_level >= low_level;
      for (const auto& [low, high] : now_) {
        if (low_down && high_down) {
          const Group &a = one.levels[low_level][low], &b = two.levels[high_level][high];
          for (std::uint32_t i = 0; i < 8; ++i) {
            unsigned bits = near_children(b, box_in(a, i), reach);
            if (self && low == high) bits &= ~0u << i;
            for (; bits != 0; bits &= bits - 1)
              next_.push_back({8 * low + i, 8 * high + static_cast<std::uint32_t>(__builtin_ctz(bits))});
          }
        } else if (low_down) {
          unsigned bits = near_children(one.levels[low_level][low], two.box, reach);
          for (; bits != 0; bits &= bits - 1)
            next_.push_back({8 * low + static_cast<std::uint32_t>(__builtin_ctz(bits)), high});
        } else {
          unsigned bits = near_children(two.levels[high_level][high], one.box, reach);
          for (; bits != 0; bits &= bits - 1)
            next_.push_back({low, 8 * high + static_cast<std::uint32_t>(__builtin_ctz(bits))});
        }
      }
      low_level -= low_down;
      high_level -= high_down;
      now_.swap(next_);
    }
    for (const auto& [low, high] : now_) {
      one.wanted[low] = two.wanted[high] = 1;
      work_.push_back({pair_number, low, high});
    }
  }

  void refit_wanted(const Search& search) {
    refits_.clear();
    for (std::uint32_t slot = 0; slot < trees_.size(); ++slot) {
      std::vector<std::uint8_t>& wanted = trees_[slot].wanted;
      for (std::uint32_t g = 0; g < wanted.size(); ++g)
        if (wanted[g] != 0) {
          refits_.push_back({slot, g});
          wanted[g] = 0;
        }
    }
    parallel_for(refits_.size(), 16, [&](std::size_t i) {
      const auto& [slot, group] = refits_[i];
      trees_[slot].refit_leaves(search.surfaces[slot], search.surfaces.positions(), frame_,
                                frame_.reach(search.reach), group);
    });
  }

  void find_leaves(const Search& search, const GroupPair& groups, Batch& batch) {
    const SurfacePair& surfaces = search.pairs[groups.pair];
    const auto view = [&](std::uint32_t slot) {
      const Tree& tree = trees_[slot];
      const Surface& surface = search.surfaces[slot];
      return LeafView{&tree.shape->tree,
                      tree.leaves.data(),
                      tree.motions.data(),
                      tree.levels[0].data(),
                      surface.first_vertex,
                      surface.first_triangle,
                      static_cast<float>(frame_.scale)};
    };
    const bool self = surfaces.first == surfaces.second;
    const double distance = surfaces.distance + search.margin;
    // Where a rest shape is declared, pairs have thresholds of their own.
    const bool some_do_not =
        self && (search.surfaces[surfaces.first].has_rest || trees_[surfaces.first].shape->masked < 0);
    const Range range{frame_.reach(distance), frame_.length(distance), !some_do_not};
    search_groups(view(surfaces.first), view(surfaces.second), groups.low, groups.high, self, range, batch);
  }

  struct NodePair {
    std::uint32_t low, high;
  };
  struct Refit {
    std::uint32_t slot, group;
  };
  LeafShapes shapes_;
  StepTree step_;
  std::vector<Tree> trees_;  // by slot
  Frame frame_;
  std::uint64_t frame_number_ = 0;
  std::vector<NodePair> now_, next_;
  std::vector<GroupPair> work_;
  std::vector<Refit> refits_;
};

}  // namespace

std::unique_ptr<Finder> make_finder_tree(const FinderOptions& /*unused*/) {
  return std::make_unique<FinderTree>();
}

}  // namespace palpate
