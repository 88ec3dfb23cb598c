#include <palpate/collide/queries_checks.h>

#include <cmath>

#include <fmt/format.h>

#include <palpate/base/error.h>

namespace palpate::detail {

namespace {

Place parameter(std::string_view name) { return Place::named("parameter", name); }

bool is_possible(const Vec3& p) { return (p.array().abs() < 1e75).all(); }
bool is_direction(const Vec3& d) { return d.allFinite() && d != Vec3::Zero(); }

void refuse_coordinates(const Place& where, std::string_view of, const Vec3& p) {
  for (int k = 0; k < 3; ++k)
    if (!(std::abs(p[k]) < 1e75))
      throw Error(where, fmt::format("{} {} is {}", of, "xyz"[k], p[k]),
                  "Give finite numbers of metres, below 1e75: find out which step made this one.");
}

void refuse_ray(const Place& where, const Ray& ray) {
  refuse_coordinates(where, "its origin's", ray.origin);
  const Vec3& d = ray.direction;
  throw Error(where, fmt::format("its direction is ({}, {}, {})", d.x(), d.y(), d.z()),
              "Give a finite direction of any length but zero.");
}

void check_most(double most) {
  if (!(most >= 0))
    throw Error(parameter("most"), fmt::format("{} is not a possible length", most),
                "Give in metres how far the ray goes; infinity: all the way.");
}

void check_room(std::string_view name, std::size_t given, std::size_t room) {
  if (given != room)
    throw Error(parameter(name), fmt::format("{} were given, and room for {} answers", given, room),
                "Give room for one answer to each.");
}

}  // namespace

// Places are made only where one is needed: what is right allocates nothing.
void check_point(const Vec3& point) {
  if (!is_possible(point)) refuse_coordinates(parameter("point"), "its", point);
}

void check_points(std::span<const Vec3> points, std::size_t room) {
  check_room("points", points.size(), room);
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!is_possible(points[i]))
      refuse_coordinates(parameter("points").element("point", i), "its", points[i]);
}

void check_radius(double radius) {
  if (!(radius >= 0 && radius < 1e75))
    throw Error(parameter("radius"), fmt::format("{} is not a possible length", radius),
                "Give it in metres; 0: what lies at the point itself.");
}

void check_ray(const Ray& ray, double most) {
  check_most(most);
  if (!is_possible(ray.origin) || !is_direction(ray.direction)) refuse_ray(parameter("ray"), ray);
}

void check_rays(std::span<const Ray> rays, double most, std::size_t room) {
  check_most(most);
  check_room("rays", rays.size(), room);
  for (std::size_t i = 0; i < rays.size(); ++i)
    if (!is_possible(rays[i].origin) || !is_direction(rays[i].direction))
      refuse_ray(parameter("rays").element("ray", i), rays[i]);
}

}  // namespace palpate::detail
