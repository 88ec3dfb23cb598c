// Whether a patch of triangles is too flat to come near itself: a test of normals that loses nothing.
//
// The patch is looked at along an axis. If
//   1. every side is shared by two triangles of the patch at most, which run along it in opposite directions,
//      and the sides that are not shared form one closed loop, its *outline*;
//   2. every triangle shows its front: its normal is within 90 degrees of the axis;
//   3. in the picture, sides of the outline do not cross, and no vertex of it is nearer than r to a side of
//   it
//      that it is not on;
//   4. in the picture, no triangle is lower than r over any of its sides;
// then no two features of the patch without a common vertex are nearer than r to each other. docs/contacts.md
// has the proof. The normals alone (2) say much less, as do normals of a connected patch: an outline that
// touches itself is what a slit is.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <palpate/collide/surfaces.h>

namespace palpate {

class PatchCone {
 public:
  // True only if no two features of these triangles that have no common vertex are nearer than `reach`. The
  // triangles are of one surface, each once.
  bool keeps_apart(const Surfaces& all, std::span<const std::uint32_t> triangles, double reach);

 private:
  using Point = std::array<double, 2>;
  bool find_outline(const Surfaces& all, std::span<const std::uint32_t> triangles);
  bool project(const Surfaces& all, std::span<const std::uint32_t> triangles);
  std::uint32_t place_of(std::uint32_t vertex) const;

  std::vector<std::pair<std::uint32_t, std::uint32_t>> sides_, outline_;  // from, to; ascending
  std::vector<std::uint32_t> vertices_;                                   // ascending
  std::vector<Point> picture_;                                            // of the vertices
  double size_ = 0;                                                       // no coordinate is larger
};

}  // namespace palpate
