// The judge of everything that moves: which edges of a surface meet which triangles, exactly.
//
// Two surfaces that do not cross have no edge of the one that meets a triangle of the other; a surface does
// not cross itself if no edge meets a triangle with which it shares no vertex. Decided by signs of exact
// predicates (geometry/intersect.h): touching counts, and nothing is left out. With what looks for contacts
// in motion it shares the boxes of triangles as they lie, and these predicates, which there decide what
// touches at the very start or end of a step and is within rounding; tests hold it to exact rationals.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include <palpate/mesh/mesh.h>

namespace palpate {

struct EdgeThroughTriangle {
  std::uint32_t begin, end;  // vertices of the edge, the lower one first
  std::uint32_t triangle;
  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm
  friend auto operator<=>(const EdgeThroughTriangle&, const EdgeThroughTriangle&) = default;
};

// Ascending, each pair once.
std::vector<EdgeThroughTriangle> edges_through_triangles(const TriangleMesh& mesh);  // of itself
std::vector<EdgeThroughTriangle> edges_through_triangles(const TriangleMesh& edges,
                                                         const TriangleMesh& triangles);

}  // namespace palpate
