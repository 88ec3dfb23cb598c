// Trees of boxes, one triangle a leaf (Meseure, Hilde and Chaillou, about 1998).
//
// Rigid and fixed surfaces have oriented boxes along the principal axes of their triangles, halved across the
// longest; they are made once and carried along by the pose. Deformable surfaces have axis-aligned boxes: the
// structure is made once, from the rest shape, by cutting the longest axis and putting straddling triangles
// on the lighter side; the boxes are refitted from the leaves up at every step. Two oriented boxes, or one of
// each sort, are compared by the 15 axes, two axis-aligned ones by six comparisons; the larger is descended.
#include <algorithm>

#include <palpate/collide/classic_pairs.h>
#include <palpate/collide/finder_list.h>
#include <palpate/geometry/obb.h>

namespace palpate {

namespace {

constexpr std::uint32_t none = 0xffffffff;

struct Node {
  Box box;                        // deformable: as it lies, not grown
  Obb obb;                        // rigid: before the pose
  std::uint32_t second = none;    // the first child is the next node
  std::uint32_t triangle = none;  // of a leaf
  double size = 0;                // of the longest side, to choose which to descend
};

struct BoxesTree {
  std::vector<Node> nodes;
  std::uint64_t changes = 0, moves = 0;
  bool oriented = false;
};

class Builder {
 public:
  Builder(const Surface& surface, BoxesTree& tree) : surface_(surface), tree_(tree) {}

  void build_all() {
    for (std::uint32_t t = 0; t < surface_.triangles; ++t)
      if (!surface_.topology.is_hole(t)) triangles_.push_back(t);
    tree_.nodes.clear();
    tree_.nodes.reserve(2 * triangles_.size());
    if (!triangles_.empty()) build(triangles_);
  }

 private:
  Triangle corners(std::uint32_t t) const {
    return triangle_at(surface_.rest, surface_.topology.triangles()[t]);
  }

  void build(std::span<std::uint32_t> part) {
    const std::size_t here = tree_.nodes.size();
    tree_.nodes.emplace_back();
    points_.clear();
    for (const std::uint32_t t : part)
      for (const Vec3& p : corners(t)) points_.push_back(p);
    if (tree_.oriented) {
      tree_.nodes[here].obb = Obb::around(points_);
      tree_.nodes[here].size = 2 * tree_.nodes[here].obb.half.maxCoeff();
    }
    if (part.size() == 1) {
      tree_.nodes[here].triangle = part[0];
      return;
    }
    const std::size_t middle = tree_.oriented ? halve(part, tree_.nodes[here].obb) : cut(part);
    build(part.first(middle));
    tree_.nodes[here].second = static_cast<std::uint32_t>(tree_.nodes.size());
    build(part.subspan(middle));
  }

  // Across the longest axis, at balanced counts.
  std::size_t halve(std::span<std::uint32_t> part, const Obb& obb) const {
    Eigen::Index axis = 0;
    obb.half.maxCoeff(&axis);
    const Vec3 along = obb.axes.col(axis);
    const auto place = [&](std::uint32_t t) {
      const Triangle c = corners(t);
      return along.dot(c[0] + c[1] + c[2]);
    };
    const std::size_t middle = part.size() / 2;
    std::nth_element(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(middle), part.end(),
                     [&](std::uint32_t a, std::uint32_t b) {
                       const double x = place(a), y = place(b);
                       return x != y ? x < y : a < b;
                     });
    return middle;
  }

  // At the middle of the longest axis; what straddles it goes to the lighter side.
  std::size_t cut(std::span<std::uint32_t> part) const {
    const Box box = bounds(points_);
    Eigen::Index axis = 0;
    box.size().maxCoeff(&axis);
    const double middle = box.center()[axis];
    std::vector<std::uint32_t> low, high, across;
    for (const std::uint32_t t : part) {
      const Triangle c = corners(t);
      const auto [least, most] = std::minmax({c[0][axis], c[1][axis], c[2][axis]});
      (most <= middle ? low : least >= middle ? high : across).push_back(t);
    }
    for (const std::uint32_t t : across) (low.size() <= high.size() ? low : high).push_back(t);
    if (low.empty() || high.empty()) return part.size() / 2;  // all in one place: any half will do
    std::copy(high.begin(), high.end(), std::copy(low.begin(), low.end(), part.begin()));
    return low.size();
  }

  const Surface& surface_;
  BoxesTree& tree_;
  std::vector<std::uint32_t> triangles_;
  std::vector<Vec3> points_;
};

class FinderClassicTrees : public Finder {
 public:
  explicit FinderClassicTrees(const FinderOptions& options) : options_(options) {}

  void update(const Search& search) override {
    const Surfaces& all = search.surfaces;
    if (trees_.size() < all.slots().size()) trees_.resize(all.slots().size());
    for (const SurfacePair& pair : search.pairs)
      for (const std::uint32_t slot : {pair.first, pair.second}) {
        BoxesTree& tree = trees_[slot];
        const Surface& surface = all[slot];
        if (tree.changes != surface.changes) {
          tree.oriented = surface.motion != Motion::deformable;
          Builder(surface, tree).build_all();
          tree.changes = surface.changes;
          tree.moves = 0;
        }
        // In a step, all boxes are those of what is gone through.
        if (all.moving() || (!tree.oriented && tree.moves != surface.moves)) refit(all, surface, tree);
        tree.moves = all.moving() ? 0 : surface.moves;
      }
  }

  void find(const Search& search, Collector& out) override {
    Batch batch(out);
    for (const SurfacePair& pair : search.pairs) {
      const Side one{trees_[pair.first], search.surfaces[pair.first]},
          two{trees_[pair.second], search.surfaces[pair.second]};
      if (one.tree.nodes.empty() || two.tree.nodes.empty()) continue;
      descend(search, pair, one, two, batch);
    }
  }

  std::size_t memory() const override {
    std::size_t sum = 0;
    for (const BoxesTree& tree : trees_) sum += tree.nodes.capacity() * sizeof(Node);
    return sum;
  }

 private:
  struct Side {
    const BoxesTree& tree;
    const Surface& surface;
  };
  struct Open {
    std::uint32_t one, two;
  };

  static void refit(const Surfaces& all, const Surface& surface, BoxesTree& tree) {
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
      Node& node = tree.nodes[i];
      node.box = {};
      if (node.triangle != none) {
        node.box = all.triangle_box(surface.first_triangle + node.triangle);
      } else {
        node.box.add(tree.nodes[i + 1].box);
        node.box.add(tree.nodes[node.second].box);
      }
      node.size = node.box.size().maxCoeff();
    }
  }

  // The oriented box as it lies, grown by half the reach and by what the pose may have rounded.
  static Obb placed(const Side& side, const Node& node, double half) {
    if (!side.tree.oriented) return Obb::of(grown(node.box, half));
    const Pose& pose = side.surface.pose;
    Obb obb = node.obb;
    const Mat3 turn = pose.rotation.toRotationMatrix();
    const double far = obb.center.norm() + obb.half.norm() + pose.position.norm();
    obb.center = turn * obb.center + pose.position;
    obb.axes = turn * obb.axes;
    // A quaternion that is not quite of unit length stretches what it turns.
    const double stretch = std::abs(pose.rotation.squaredNorm() - 1) * 4;
    obb.half.array() += half + far * (1e-13 + stretch);
    return obb;
  }

  static bool near(const Side& one, const Node& a, const Side& two, const Node& b, double half, bool moving) {
    if (moving || (!one.tree.oriented && !two.tree.oriented)) return grown(a.box, 2 * half).overlaps(b.box);
    return overlap(placed(one, a, half), placed(two, b, half));
  }

  void descend(const Search& search, const SurfacePair& pair, const Side& one, const Side& two,
               Batch& batch) {
    const double reach = pair.distance + search.margin, half = classic_half(reach);
    const bool self = pair.first == pair.second;
    stack_.assign(1, {0, 0});
    while (!stack_.empty()) {
      const auto [i, j] = stack_.back();
      stack_.pop_back();
      const Node &a = one.tree.nodes[i], &b = two.tree.nodes[j];
      ++batch.counters.cells;
      if (self && i == j) {
        if (a.triangle != none) continue;  // with itself a triangle has only neighbours
        stack_.insert(stack_.end(), {{i + 1, i + 1}, {a.second, a.second}, {i + 1, a.second}});
        continue;
      }
      if (!near(one, a, two, b, half, search.surfaces.moving())) continue;
      if (a.triangle != none && b.triangle != none) {
        ++batch.counters.candidates;
        test_triangles(search.surfaces,
                       classic_triangle(search.surfaces, one.surface.first_triangle + a.triangle, half),
                       classic_triangle(search.surfaces, two.surface.first_triangle + b.triangle, half),
                       reach, options_.feature_boxes, batch);
      } else if (b.triangle != none || (a.triangle == none && a.size >= b.size)) {
        stack_.insert(stack_.end(), {{i + 1, j}, {a.second, j}});
      } else {
        stack_.insert(stack_.end(), {{i, j + 1}, {i, b.second}});
      }
    }
  }

  FinderOptions options_;
  std::vector<BoxesTree> trees_;  // by slot
  std::vector<Open> stack_;
};

}  // namespace

std::unique_ptr<Finder> make_finder_classic_trees(const FinderOptions& options) {
  return std::make_unique<FinderClassicTrees>(options);
}

}  // namespace palpate
