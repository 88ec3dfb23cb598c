// Where a surface passes through itself: pairs of triangles with more in common than they should have.
//
// Exact: decided by signs of orientation predicates. Triangles with no common corner may not even touch; with
// one common corner they may meet in it alone, with a common edge in that edge alone. Corners are common when
// their positions are equal, so that vertices that a file repeats along seams do not count as contacts. Of
// several equal triangles only the first is looked at, and triangles without area are not (check.h reports
// both). Triangles around one vertex are looked at in pairs: 10,000 of them take seconds.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <palpate/geometry/box.h>
#include <palpate/mesh/mesh.h>

namespace palpate {

struct SelfIntersections {
  std::vector<std::array<std::uint32_t, 2>> pairs;  // lower triangle first, ascending
  bool complete = true;                             // false: there are more than `most`
};

// The search ends when `most` pairs are found. Positions are finite and indices in range.
SelfIntersections self_intersections(const TriangleMesh& mesh, std::size_t most = 1'000'000,
                                     const std::function<void(double fraction)>& progress = {});

// Two triangles that have area, with their boxes: do they have more in common than they should? Corners at
// the same place have the same number.
struct BoxedTriangle {
  const TriangleCorners& corners;
  const Box& box;
};
bool cross(std::span<const Vec3> positions, const BoxedTriangle& a, const BoxedTriangle& b);

}  // namespace palpate
