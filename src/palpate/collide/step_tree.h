// The tree of finder_tree.cpp over a step: which pairs of features may touch on the way from start to end.
//
// Every box is there twice, at the start and at the end. Points go in straight lines, so two boxes that are
// apart along an axis at the start, and apart along the same axis on the same side at the end, hold nothing
// that meets in between. That tells neighbours that move together apart as well as if they stood still, where
// boxes around all of the way would not. What is left of features goes through a proof in float, eight pairs
// at once: along the direction between their nearest points in the middle of the step they are apart at both
// ends. The few that are left after that are judged by crossing.h.
#pragma once

#include <cstdint>
#include <vector>

#include <palpate/collide/collector.h>
#include <palpate/collide/leaf_tree.h>
#include <palpate/collide/tree_boxes.h>

namespace palpate {

// At the start, and at the end; or the other way round, as a step backwards meets the same.
struct StepBox {
  FloatBox at[2];
};
struct StepGroup {
  Group at[2];
};
struct alignas(32) StepLeaf {
  float point[2][3][leaf_corners];
  Boxes<leaf_triangles> triangle[2];
  float middle[2][3][leaf_features],
      along[2][3][leaf_features];  // of edges: twice the middle, and the whole edge
};

// Of a leaf, from rest: to the start, and to the end.
struct StepMotion {
  LeafMotion at[2];
};

class StepTree {
 public:
  void update(const Search& search, LeafShapes& shapes);
  void find(const Search& search, Collector& out);
  std::size_t memory() const;

 private:
  struct Tree {
    const LeafShapes::Shape* shape = nullptr;
    std::uint64_t built = 0;                      // of the shape, when the rest was made
    std::uint64_t frame = 0, places[2] = {0, 0};  // what leaves hold: of which frame and positions
    bool masks = false;                           // neighbours are left out
    std::vector<StepLeaf> leaves;
    std::vector<StepMotion> motions;
    std::vector<StepBox> around;      // of leaves
    std::vector<std::uint8_t> ready;  // of leaves: bits of what else is made, at each end
    // levels[0][g]: the leaves of group g; levels[k + 1][h]: the groups 8h .. 8h + 7 of level k. The last has
    // one.
    std::vector<std::vector<StepGroup>> levels;
    StepBox box;

    void build();
    // `region`: what is apart from it is left out; null: nothing is.
    void refit(const Surfaces& all, const Surface& surface, const Frame& in, std::size_t at_start,
               const FloatBox* region);
  };
  struct NodePair {
    std::uint32_t low, high;
  };
  struct Work {
    std::uint32_t pair, low, high;  // pair of surfaces; groups of the first and of the second
  };
  void find_groups(const Search& search, std::uint32_t pair_number, SearchCounters& counters);
  float reach_of(const Search& search, const SurfacePair& pair) const;
  void find_regions(const Search& search);
  std::size_t choose_start(const Surfaces& all) const;

  std::vector<Tree> trees_;  // by slot
  Frame frame_;
  std::uint64_t frame_number_ = 0;
  std::vector<std::uint8_t> fresh_;   // trees whose boxes are those of this step
  std::vector<std::uint32_t> slots_;  // of those
  struct Region {
    Box others;        // of all surfaces that this one is searched with
    bool all = false;  // it is searched with itself, too
  };
  std::vector<Region> regions_;  // by slot
  std::vector<NodePair> now_, next_;
  std::vector<Work> work_;
};

// --- step_search.cpp ------------------------------------------------------------------------------

// A surface as the search sees it.
struct StepView {
  const LeafTree* shape;
  const StepLeaf* leaves;
  const StepMotion* motions;  // where neighbours are left out; else null
  const StepGroup* groups;    // of leaves
  std::uint32_t first_vertex, first_triangle;
  float scale;  // of the frame
};

void clear(StepLeaf& boxes);
// Points of a leaf, at one end of the step; returns the box of all.
FloatBox refit_points(const Leaf& leaf, const Vec3* positions, const Frame& frame, StepLeaf& boxes,
                      std::size_t end);
// From the points: how it has moved from rest; boxes of its features.
void refit_motion(const Leaf& leaf, const LeafRest& rest, const Frame& frame, const StepLeaf& boxes,
                  StepMotion& motion, std::size_t end);
void refit_features(const Leaf& leaf, StepLeaf& boxes, std::size_t end);
// Bits of the children that something in this box may meet.
unsigned may_meet(const StepGroup& group, const StepBox& box, float reach);
// Brings the pairs of features of two groups that may meet. `self`: of one surface, the first group not the
// higher; without those that its masks leave out, if it has motions.
void search_step(const StepView& low, const StepView& high, std::uint32_t low_group, std::uint32_t high_group,
                 bool self, float reach, float distance, Batch& batch);

inline StepBox box_in(const StepGroup& group, std::size_t i) {
  return {{box_in(group.at[0], i), box_in(group.at[1], i)}};
}

}  // namespace palpate
