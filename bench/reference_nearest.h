// Nearest points the way textbooks have them (Ericson 2005, chapter 5): by regions, one path per query.
// Plain, fast and good in general position; not symmetric, and inaccurate on thin triangles. The reference
// for bench geometry: frozen.
#pragma once

#include <palpate/geometry/nearest.h>

namespace palpate::bench {

NearestOnTriangle reference_point_triangle(const Vec3& p, const Triangle& t);
NearestOnSegments reference_segment_segment(const Segment& a, const Segment& b);

}  // namespace palpate::bench
