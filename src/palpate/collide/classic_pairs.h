// Pairs of triangles, as the classic finders come upon them.
#pragma once

#include <palpate/collide/collector.h>

namespace palpate {

struct ClassicTriangle {
  Box box;  // grown by half the reach, and a little: the sum of two roundings must not lose a pair
  std::uint32_t triangle;
  bool thin;
};
// `half` of the reach [m], with its little more; with `spheres`, the box around the triangle's sphere.
ClassicTriangle classic_triangle(const Surfaces& all, std::uint32_t triangle, double half,
                                 bool spheres = false);
inline double classic_half(double reach) { return reach * (0.5 + 1e-9); }

// Tests the vertices and edges that the two own, one after the other; with `feature_boxes`, by boxes of their
// own first. Features with a common vertex are left out.
void test_triangles(const Surfaces& all, const ClassicTriangle& a, const ClassicTriangle& b, double reach,
                    bool feature_boxes, Batch& batch);

}  // namespace palpate
