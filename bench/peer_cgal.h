// CGAL as a peer, where it is installed. Orientations by its exact predicates, distances by its plain kernel.
#pragma once

#include <span>

#include <palpate/geometry/vec.h>

namespace palpate::bench {

// Over consecutive groups of points: sums of the signs, and of results below a squared distance.
int cgal_orient2d_sum(std::span<const Vec2> points);
int cgal_orient3d_sum(std::span<const Vec3> points);
int cgal_point_triangle_below(std::span<const Vec3> points, double squared_distance);
int cgal_segment_segment_below(std::span<const Vec3> points, double squared_distance);
int cgal_triangles_meeting(std::span<const Vec3> points);

}  // namespace palpate::bench
