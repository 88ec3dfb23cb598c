// The boxes of triangles in float, eight at a time, and the search through them; for triangle_pairs.h.
//
// Floats are relative to the scene's middle, and rounded to nearest. So a gap between two boxes, taken in
// float, may be wrong by a little: at most `slack` in a frame of radius 2. What is nearer than the distance
// less the slack is near for sure, what is farther than the distance and the slack is not; the few between
// are decided in double.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <palpate/collide/tree_boxes.h>

namespace palpate {

struct TrianglePair {
  std::uint32_t first, second;  // first < second
  friend bool operator==(const TrianglePair&, const TrianglePair&) = default;
};

namespace pairs {

struct alignas(16) Point {
  float x[4];  // the last is 0
};

// A leaf: eight triangles. Where there are fewer, the first one is repeated with the number no_index.
struct LeafTriangles {
  std::array<std::array<std::uint32_t, 8>, 3> corner;
  std::array<std::uint32_t, 8> triangle;
};

// What the search sees of the tree and of the positions.
struct Scene {
  const Group* groups;         // boxes of children
  const std::uint32_t* child;  // of each group, its first: a leaf, if the group is of the lowest level
  const Group* leaves;         // boxes of triangles
  const LeafTriangles* triangles;
  const Vec3* positions;
  double distance;
  float sure, reach;  // the distance less the slack, and with it
};
void set_distance(Scene& scene, const Frame& frame, double distance);

// Pairs, as many as come: room is made before it is needed.
class Output {
 public:
  void clear() { count_ = 0; }
  // Room for so many more; written() tells how many it has become.
  TrianglePair* room(std::size_t more) {
    if (count_ + more > pairs_.size()) grow(more);
    return pairs_.data() + count_;
  }
  void written(const TrianglePair* end) { count_ = static_cast<std::size_t>(end - pairs_.data()); }
  std::span<const TrianglePair> pairs() const { return {pairs_.data(), count_}; }
  std::size_t memory() const { return pairs_.capacity() * sizeof(TrianglePair); }

 private:
  void grow(std::size_t more);
  std::vector<TrianglePair> pairs_;
  std::size_t count_ = 0;
};

// Positions in the frame.
void to_points(const Vec3* positions, std::size_t n, const Frame& frame, Point* points);
// Boxes of the triangles of `n` leaves; those of the leaves themselves go into `group`, and around all is the
// result.
FloatBox refit_leaves(const Point* points, const LeafTriangles* triangles, std::size_t n, Group* leaves,
                      Group& group);
FloatBox box_of(const Point* points, std::span<const std::uint32_t> which);
// Byte i: the children of b that child i of a comes near.
std::uint64_t near_children(const Group& a, const Group& b, float reach);
// The pairs of triangles of two groups of the lowest level, or of one with itself.
void search(const Scene& scene, std::uint32_t a, std::uint32_t b, Output& out);

}  // namespace pairs

}  // namespace palpate
