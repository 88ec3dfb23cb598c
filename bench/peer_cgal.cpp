#include "peer_cgal.h"

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Simple_cartesian.h>
#include <CGAL/squared_distance_3.h>

namespace palpate::bench {

namespace {

using Exact = CGAL::Exact_predicates_inexact_constructions_kernel;
using Plain = CGAL::Simple_cartesian<double>;

template <class Kernel>
typename Kernel::Point_3 point(const Vec3& p) {
  return {p.x(), p.y(), p.z()};
}

}  // namespace

int cgal_orient2d_sum(std::span<const Vec2> points) {
  int sum = 0;
  const auto point2 = [](const Vec2& p) { return Exact::Point_2(p.x(), p.y()); };
  for (std::size_t i = 0; i + 3 <= points.size(); i += 3)
    sum += CGAL::orientation(point2(points[i]), point2(points[i + 1]), point2(points[i + 2]));
  return sum;
}

int cgal_orient3d_sum(std::span<const Vec3> points) {
  int sum = 0;
  for (std::size_t i = 0; i + 4 <= points.size(); i += 4)
    sum += CGAL::orientation(point<Exact>(points[i]), point<Exact>(points[i + 1]),
                             point<Exact>(points[i + 2]), point<Exact>(points[i + 3]));
  return sum;
}

int cgal_point_triangle_below(std::span<const Vec3> points, double squared_distance) {
  int sum = 0;
  for (std::size_t i = 0; i + 4 <= points.size(); i += 4) {
    const Plain::Triangle_3 triangle(point<Plain>(points[i + 1]), point<Plain>(points[i + 2]),
                                     point<Plain>(points[i + 3]));
    sum += CGAL::squared_distance(point<Plain>(points[i]), triangle) < squared_distance;
  }
  return sum;
}

int cgal_segment_segment_below(std::span<const Vec3> points, double squared_distance) {
  int sum = 0;
  for (std::size_t i = 0; i + 4 <= points.size(); i += 4) {
    const Plain::Segment_3 a(point<Plain>(points[i]), point<Plain>(points[i + 1]));
    const Plain::Segment_3 b(point<Plain>(points[i + 2]), point<Plain>(points[i + 3]));
    sum += CGAL::squared_distance(a, b) < squared_distance;
  }
  return sum;
}

int cgal_triangles_meeting(std::span<const Vec3> points) {
  int sum = 0;
  for (std::size_t i = 0; i + 6 <= points.size(); i += 6) {
    const Exact::Triangle_3 a(point<Exact>(points[i]), point<Exact>(points[i + 1]),
                              point<Exact>(points[i + 2]));
    const Exact::Triangle_3 b(point<Exact>(points[i + 3]), point<Exact>(points[i + 4]),
                              point<Exact>(points[i + 5]));
    sum += CGAL::do_intersect(a, b);
  }
  return sum;
}

}  // namespace palpate::bench
