// A tree over the triangles of one surface that moves: for questions about points, rays and boxes.
//
// Triangles are halved by their centres until eight are left; eight such leaves make a block, eight blocks
// the next, and so on: no pointers. Boxes of eight children lie side by side, so that one loop looks at all.
// They are doubles, not rounded at all. That costs memory, but a bound of a box is then never above the bound
// of what lies in it, in floating point too, and a search that passes over boxes gives the same bits as one
// that looks at every triangle. When vertices move, boxes follow; the order stays until triangles change.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <palpate/geometry/box.h>
#include <palpate/mesh/mesh.h>

namespace palpate {

// A surface as the tree sees it: in numbers of its own, holes included.
struct TriangleView {
  std::span<const Vec3> positions;
  std::span<const TriangleCorners> triangles;
  Triangle operator[](std::uint32_t t) const { return triangle_at(positions, triangles[t]); }
};

class TriangleTree {
 public:
  static constexpr std::uint32_t width = 8;
  // Boxes of eight; those of no triangle are empty.
  struct alignas(64) Block {
    double lo[3][width], hi[3][width];
  };

  void build(const TriangleView& view);
  // After moves of vertices alone.
  void refit(const TriangleView& view);

  bool empty() const { return order_.empty(); }
  const Box& box() const { return box_; }  // of all
  // Triangles in the order of the tree; the last leaf may have fewer than eight.
  std::span<const std::uint32_t> order() const { return order_; }
  Box box_at(std::uint32_t place) const { return box_of(blocks_[place / width], place % width); }
  std::size_t memory() const {
    return order_.capacity() * sizeof(std::uint32_t) + blocks_.capacity() * sizeof(Block) +
           centres_.capacity() * sizeof(Centre);
  }

  // bound(block, low) gives a bound to each of eight boxes, infinity where nothing is wanted; a triangle
  // whose bound is not above limit() is visited with its place and its bound, the lowest of a block first.
  // limit() may fall meanwhile.
  template <class Bound, class Limit, class Visit>
  void search(const Bound& bound, const Limit& limit, const Visit& visit) const {
    if (empty()) return;
    struct Open {
      double low;
      std::uint32_t block, level;
    };
    std::array<Open, most_open> stack;
    std::size_t top = 0;
    stack[top++] = {-std::numeric_limits<double>::infinity(), 0, levels_ - 1};
    while (top > 0) {
      const Open open = stack[--top];
      if (open.low > limit()) continue;
      double low[width];
      bound(blocks_[first_[open.level] + open.block], low);
      Sorted near;
      near.take(low, limit());
      if (open.level == 0) {
        for (std::uint32_t i = 0; i < near.count; ++i)
          if (low[near.lane[i]] <= limit()) visit(open.block * width + near.lane[i], low[near.lane[i]]);
      } else {
        for (std::uint32_t i = near.count; i-- > 0;)
          stack[top++] = {low[near.lane[i]], open.block * width + near.lane[i], open.level - 1};
      }
    }
  }

 private:
  static constexpr std::size_t most_levels = 11;  // 8^11 > 2^32
  static constexpr std::size_t most_open = (width - 1) * most_levels + 1;

  // Lanes within the limit, the lowest bound first.
  struct Sorted {
    std::array<std::uint32_t, width> lane;
    std::uint32_t count = 0;
    void take(const double* low, double limit) {
      for (std::uint32_t k = 0; k < width; ++k) {
        if (!(low[k] <= limit && low[k] < std::numeric_limits<double>::infinity())) continue;
        std::uint32_t i = count++;
        for (; i > 0 && low[lane[i - 1]] > low[k]; --i) lane[i] = lane[i - 1];
        lane[i] = k;
      }
    }
  };
  struct Centre {
    Vec3 at;
    std::uint32_t triangle;
  };

  static void halve(std::span<Centre> part);
  static Box box_of(const Block& block, std::uint32_t lane);
  static Box box_of(const Block& block);
  void fill_leaf(const TriangleView& view, std::size_t leaf);
  void fill_block(std::uint32_t level, std::size_t block);

  std::vector<std::uint32_t> order_;
  std::vector<Block> blocks_;  // level by level, the boxes of triangles first
  std::array<std::uint32_t, most_levels + 1> first_{};
  std::uint32_t levels_ = 0;
  Box box_;
  std::vector<Centre> centres_;  // kept for the next build
};

}  // namespace palpate
