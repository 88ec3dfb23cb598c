// A tree over boxes that stand still: which of them overlap this one, which thing is nearest to this point?
//
// For the work that a mesh needs once, when it is loaded: self-intersections, embedding. (Contacts, step by
// step, have finders of their own.) Boxes are halved at the median centre along the longest side of their
// bounds, so the tree's shape follows from the boxes alone; items that are equally near are told apart by
// their number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <palpate/geometry/box.h>

namespace palpate {

class BoxTree {
 public:
  BoxTree() = default;
  // Empty boxes are legal and never found.
  explicit BoxTree(std::span<const Box> boxes);

  // Calls visit(index) for every box that overlaps `box`, in an order that follows from the tree.
  template <class Visit>
  void overlapping(const Box& box, Visit&& visit) const {
    if (nodes_.empty()) return;
    std::uint32_t stack[64];  // halving 2^32 boxes goes 32 deep
    std::size_t top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const Node& node = nodes_[stack[--top]];
      if (!node.box.overlaps(box)) continue;
      if (node.count == 0) {
        stack[top++] = node.second;
        stack[top++] = static_cast<std::uint32_t>(&node - nodes_.data()) + 1;
      } else {
        for (std::uint32_t i = node.second; i < node.second + node.count; ++i)
          if (boxes_[i].overlaps(box)) visit(order_[i]);
      }
    }
  }

  struct Nearest {
    std::uint32_t index = 0xffffffff;  // no item
    double squared_distance = std::numeric_limits<double>::infinity();
  };
  // The item with the least squared_distance(index), given that no item is nearer than its box; of several
  // the lowest.
  template <class SquaredDistance>
  Nearest nearest(const Vec3& point, SquaredDistance&& squared_distance) const {
    Nearest best;
    if (nodes_.empty()) return best;
    struct Open {
      double bound;
      std::uint32_t node;
    };
    const auto bound = [&](const Box& box) { return palpate::squared_distance(box, Box{point, point}); };
    // Bounds are rounded: what is farther by rounding alone must not be lost.
    const auto too_far = [&](double low) { return low * (1 - 1e-14) > best.squared_distance; };
    Open stack[64];
    std::size_t top = 0;
    stack[top++] = {bound(nodes_[0].box), 0};
    while (top > 0) {
      const Open open = stack[--top];
      if (too_far(open.bound)) continue;
      const Node& node = nodes_[open.node];
      if (node.count == 0) {
        const std::uint32_t first = open.node + 1, second = node.second;
        const Open a{bound(nodes_[first].box), first}, b{bound(nodes_[second].box), second};
        stack[top++] = a.bound < b.bound ? b : a;  // the nearer one is looked at first
        stack[top++] = a.bound < b.bound ? a : b;
        continue;
      }
      for (std::uint32_t i = node.second; i < node.second + node.count; ++i) {
        if (boxes_[i].empty() || too_far(bound(boxes_[i]))) continue;
        const double distance = squared_distance(order_[i]);
        if (distance < best.squared_distance || (distance == best.squared_distance && order_[i] < best.index))
          best = {order_[i], distance};
      }
    }
    return best;
  }

 private:
  struct Node {
    Box box;
    std::uint32_t second = 0;  // the second child (the first is the next node), or the first item of a leaf
    std::uint32_t count = 0;   // items of a leaf, 0 for an inner node
  };
  void build(std::span<const Box> boxes, std::uint32_t begin, std::uint32_t end);

  std::vector<Node> nodes_;
  std::vector<Box> boxes_;            // in the order of the leaves
  std::vector<std::uint32_t> order_;  // the index of each
};

}  // namespace palpate
