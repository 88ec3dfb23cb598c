// Passes over many points, at the speed of memory.
#pragma once

#include <cstdint>
#include <span>

#include <palpate/geometry/box.h>

namespace palpate {

// The box of points; false in `finite` if a coordinate is NaN, infinite or beyond 1e75 (the box then means
// nothing).
Box checked_box(std::span<const Vec3> points, bool& finite);

// The box of some of the points; there is at least one. One double behind the last point is read as well.
Box box_of_points(const Vec3* points, std::span<const std::uint32_t> which);

}  // namespace palpate
