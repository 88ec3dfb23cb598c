// Nearest points of simple shapes, with their barycentric coordinates and squared distance.
//
// The squared distance is the same to the last bit when arguments are swapped and corners permuted: inputs
// are put into an order of their own (by coordinates) first. That makes "closer than d" a property of the
// features alone, whatever their numbering, which is what every finder is compared by.
//
// Accuracy: the distance (not its square) is within 16 units of rounding of the largest distance L between
// any two of the input points, |d - exact| <= 16 * 2^-53 * L, however thin the triangles and however parallel
// the segments. To that end a result is always the best of several candidates, each of which is a pair of
// points *of* the shapes; an ill-conditioned candidate can be poor, never wrong.
//
// Defined for every finite input with coordinates up to 1e75: a zero-length segment is a point, a zero-area
// triangle a segment or a point. Where several pairs of points are nearest (parallel, coincident), one is
// returned that depends on the coordinates alone. Weights are in [0, 1] and sum to 1 up to rounding.
#pragma once

#include <palpate/geometry/vec.h>

namespace palpate {

struct NearestOnSegment {
  Vec3 point;
  Vec2 weights;  // point = weights[0] * a + weights[1] * b
  double squared_distance;
};
struct NearestOnTriangle {
  Vec3 point;
  Vec3 weights;
  double squared_distance;
};
struct NearestOnSegments {
  Vec3 point_a, point_b;
  Vec2 weights_a, weights_b;
  double squared_distance;
};
struct NearestOnTriangles {
  Vec3 point_a, point_b;
  Vec3 weights_a, weights_b;
  double squared_distance;  // exactly 0 if and only if the triangles intersect (exact test)
};

NearestOnSegment nearest_point_segment(const Vec3& p, const Segment& s);
NearestOnTriangle nearest_point_triangle(const Vec3& p, const Triangle& t);
NearestOnSegments nearest_segment_segment(const Segment& a, const Segment& b);
NearestOnTriangles nearest_triangle_triangle(const Triangle& a, const Triangle& b);

}  // namespace palpate
