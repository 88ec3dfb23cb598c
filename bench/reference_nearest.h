// Nearest points the way textbooks have them (Ericson 2005, chapter 5): by regions, one path per query.
// Plain, fast and good in general position; not symmetric, and inaccurate on thin triangles. The reference
// for bench geometry: frozen.
#pragma once

#include <palpate/geometry/nearest.h>

namespace palpate::bench {

NearestOnTriangle reference_point_triangle(const Vec3& p, const Triangle& t);
NearestOnSegments reference_segment_segment(const Segment& a, const Segment& b);

// The squared distance of triangles that do not intersect: the least of 6 corners with a triangle and 9 pairs
// of edges.
double reference_triangle_triangle(const Triangle& a, const Triangle& b);

}  // namespace palpate::bench
