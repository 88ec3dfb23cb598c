#include <palpate/geometry/box.h>

#include <cmath>
#include <limits>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/geometry/rounding.h>

namespace palpate {

Box bounds(std::span<const Vec3> points) {
  constexpr std::size_t grain = 1 << 16;
  const auto of_chunk = [&](Chunk chunk) {
    Box box;
    for (std::size_t i = chunk.begin; i < chunk.end; ++i) box.add(points[i]);
    return box;
  };
  Box box = points.size() <= grain
                ? of_chunk({0, points.size(), 0})
                : parallel_reduce(points.size(), grain, Box{}, of_chunk, [](Box a, const Box& b) {
                    a.add(b);
                    return a;
                  });
  // min(0.0, -0.0) depends on the order of its arguments; adding +0.0 makes both of them +0.0.
  box.lo.array() += 0.0;
  box.hi.array() += 0.0;
  return box;
}

Box grown(const Box& box, double margin) {
  if (std::isnan(margin)) throw Error({}, "a box cannot be grown by NaN", "Pass a margin in metres.");
  if (box.empty()) return box;
  Box result;
  for (int k = 0; k < 3; ++k) {
    result.lo[k] = add_below(box.lo[k], -margin);
    result.hi[k] = add_above(box.hi[k], margin);
  }
  return result.empty() ? Box{} : result;
}

namespace {

// The largest float not above a - b.
float difference_below(double a, double b) {
  const double difference = a - b;
  if (!(std::abs(difference) <= std::numeric_limits<double>::max()))  // overflowed, if a and b are finite
    return difference > 0 ? std::numeric_limits<float>::max() : -std::numeric_limits<float>::infinity();
  const float f = float_below(difference);
  // Where the float is the rounded difference itself, the rounding may have gone up.
  return static_cast<double>(f) == difference && sum_error(a, -b, difference) < 0 ? next_below(f) : f;
}

}  // namespace

Boxf round_outward(const Box& box, const Vec3& origin) {
  Boxf result;
  if (box.empty()) return result;
  for (int k = 0; k < 3; ++k) {
    result.lo[k] = difference_below(box.lo[k], origin[k]);
    result.hi[k] = -difference_below(-box.hi[k], -origin[k]);
  }
  return result;
}

double squared_distance(const Box& a, const Box& b) {
  if (a.empty() || b.empty()) return std::numeric_limits<double>::infinity();
  const Vec3 gap = (a.lo - b.hi).cwiseMax(b.lo - a.hi).cwiseMax(0.0);
  return gap.squaredNorm();
}

}  // namespace palpate
