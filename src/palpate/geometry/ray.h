// Where a ray first meets a triangle: exact yes or no, and where.
//
// The ray is the given one, not a segment to a rounded far point: signs of d . (a - o) x (b - o), for every
// edge, are exact. Two triangles with a common edge see the same sign there, so that no ray slips between
// them, and closed triangles keep what passes through an edge or a vertex. A triangle is a set of points like
// any other: one without area is a segment or a point, and a ray in its plane meets it where it enters.
#pragma once

#include <optional>

#include <palpate/geometry/vec.h>

namespace palpate {

struct Ray {
  Vec3 origin;     // [m]
  Vec3 direction;  // of any length but zero
};

struct RayTriangle {
  double at;  // the point is origin + at * direction; never negative
  Vec3 weights;
  Vec3 point;  // of the triangle, by its weights
  int side;    // +1 hit from where the normal points to, -1 from behind, 0 along its plane
};

// The sign of d . (a - o) x (b - o): on which side the ray passes the segment from a to b.
int side_of_ray(const Ray& ray, const Vec3& a, const Vec3& b);

// Exact, but for `at` and the weights, which are within about 1e-14 of the distances involved (less near to
// underflow: where coordinates other than 0 are below 1e-90, the point found is near to the ray, but may be
// elsewhere along a ray that grazes the triangle). Coordinates are up to 1e75, the largest one of the
// direction is between 1e-75 and 1e75.
std::optional<RayTriangle> first_common_point(const Ray& ray, const Triangle& t);

}  // namespace palpate
