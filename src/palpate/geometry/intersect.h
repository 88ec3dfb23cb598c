// Intersection of segments and triangles: exact yes or no, and where.
//
// The answer is decided by signs of orientation predicates alone, so it is right for every finite input:
// shapes are closed (touching counts), triangles may be coplanar, collinear or a single point. The points
// returned are computed in floating point, to about 1e-15 of the size of the shapes, and lie on both, for
// coordinates up to 1e75.
#pragma once

#include <optional>

#include <palpate/geometry/vec.h>

namespace palpate {

bool intersects(const Segment& s, const Triangle& t);
bool intersects(const Triangle& a, const Triangle& b);

struct SegmentTriangleIntersection {
  Vec3 point;            // a common point: the crossing, or one of many where the segment lies in the plane
  Vec2 segment_weights;  // barycentric coordinates of the point
  Vec3 triangle_weights;
  bool coplanar;  // the segment lies in the triangle's plane, or the triangle has none
};
std::optional<SegmentTriangleIntersection> intersection(const Segment& s, const Triangle& t);

struct TriangleIntersection {
  struct End {
    Vec3 point;
    Vec3 weights_a, weights_b;
  };
  // The ends of the common segment (the same point twice for a touch). Coplanar triangles share an area: the
  // two ends are then the farthest apart of the points where a border of one meets the other.
  End from, to;
  bool coplanar;
};
std::optional<TriangleIntersection> intersection(const Triangle& a, const Triangle& b);

}  // namespace palpate
