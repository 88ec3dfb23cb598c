// Pairs of features of two groups of leaves that come near and count.
//
// Leaves are told apart by their boxes, features by theirs; what is left is judged by distance, in float,
// eight pairs at once, and each judgement is a proof:
//
//   - the two nearest points that float finds span a direction; if along it the features are farther apart
//     than the reach, then so they are in space. Any direction would be a proof; this one is the best.
//   - if those two points, which lie on the features, are nearer than the distance asked for, with what
//     rounding may have done taken off, then so are the features.
//
// The few in between are left to the exact kernel. Inside a surface, neighbours along it are left out by
// masks (leaf_tree.h), and neighbouring leaves that have hardly changed shape since they were at rest are not
// looked at: each leaf has a rigid motion that carries it from rest to where it is, but for `strain`: no
// point of it is farther from where the motion takes it. If two leaves' motions agree to within some
// distance, then no two points of them came nearer to each other than by that and the two strains.
#pragma once

#include <cstdint>

#include <palpate/collide/collector.h>
#include <palpate/collide/leaf_tree.h>
#include <palpate/collide/tree_boxes.h>

namespace palpate {

// A surface as the search sees it.
struct LeafView {
  const LeafTree* shape;
  const LeafBoxes* leaves;
  const LeafMotion* motions;  // of a surface searched with itself
  const Group* groups;        // of leaves
  std::uint32_t first_vertex, first_triangle;
  float scale;  // of the frame
};

// How near features have to come, in the frame's unit.
struct Range {
  float reach;        // whatever counts is nearer, axis by axis, wherever in the frame it is
  float distance;     // as asked for
  bool same_for_all;  // whatever is nearer than `distance` counts
};

// Brings the pairs of features of two groups. `self`: of one surface, the first group not the higher.
void search_groups(const LeafView& low, const LeafView& high, std::uint32_t low_group,
                   std::uint32_t high_group, bool self, const Range& range, Batch& batch);

}  // namespace palpate
