// The door of the queries: points, radii and rays that anyone may give.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include <palpate/geometry/ray.h>
#include <palpate/geometry/vec.h>

namespace palpate::detail {

void check_point(const Vec3& point);
void check_points(std::span<const Vec3> points, std::size_t room_for_answers);
void check_radius(double radius);
void check_ray(const Ray& ray, double most);
void check_rays(std::span<const Ray> rays, double most, std::size_t room_for_answers);

}  // namespace palpate::detail
