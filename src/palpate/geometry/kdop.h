// k-DOPs: intersections of k/2 slabs with fixed directions; boxes with bevelled corners and edges.
//
// Directions are small integers and not normalised, so a projection is two additions. Values are rounded
// outward: a k-DOP encloses its points exactly, and "apart" is true.
//   6: x y z    14: + the 4 diagonals of the cube    18: + the 6 diagonals of its faces    26: all 13
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include <palpate/geometry/rounding.h>
#include <palpate/geometry/vec.h>

namespace palpate {

namespace detail {

struct KdopDirection {
  int x, y, z;
};
inline constexpr KdopDirection kdop_axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
inline constexpr KdopDirection kdop_corners[] = {{1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {1, -1, -1}};
inline constexpr KdopDirection kdop_edges[] = {{1, 1, 0},  {1, -1, 0}, {1, 0, 1},
                                               {1, 0, -1}, {0, 1, 1},  {0, 1, -1}};

template <int k>
constexpr std::array<KdopDirection, k / 2> kdop_directions() {
  std::array<KdopDirection, k / 2> all{};
  std::size_t n = 0;
  for (const auto& d : kdop_axes) all[n++] = d;
  if (k == 14 || k == 26)
    for (const auto& d : kdop_corners) all[n++] = d;
  if (k == 18 || k == 26)
    for (const auto& d : kdop_edges) all[n++] = d;
  return all;
}

}  // namespace detail

template <int k>
struct Kdop {
  static_assert(k == 6 || k == 14 || k == 18 || k == 26, "k is 6, 14, 18 or 26");
  static constexpr auto directions = detail::kdop_directions<k>();
  static constexpr std::size_t slabs = k / 2;
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  std::array<double, slabs> lo, hi;

  Kdop() {
    lo.fill(infinity);
    hi.fill(-infinity);
  }
  static Kdop around(std::span<const Vec3> points) {
    Kdop result;
    for (const Vec3& point : points) result.add(point);
    return result;
  }

  bool empty() const { return !(lo[0] <= hi[0]); }
  void add(const Vec3& p) {
    // Two additions of at most three terms: each errs by at most half a unit of the sum of magnitudes.
    const double slack = p.lpNorm<1>() * 0x1p-51;
    for (std::size_t i = 0; i < slabs; ++i) {
      const auto& d = directions[i];
      const double value = d.x * p.x() + d.y * p.y() + d.z * p.z();
      const bool exact = i < 3;
      lo[i] = std::min(lo[i], exact ? p[static_cast<int>(i)] : below(value, slack));
      hi[i] = std::max(hi[i], exact ? p[static_cast<int>(i)] : -below(-value, slack));
    }
  }
  void add(const Kdop& other) {
    for (std::size_t i = 0; i < slabs; ++i) {
      lo[i] = std::min(lo[i], other.lo[i]);
      hi[i] = std::max(hi[i], other.hi[i]);
    }
  }
  bool overlaps(const Kdop& other) const {
    bool all = true;
    for (std::size_t i = 0; i < slabs; ++i) all &= (lo[i] <= other.hi[i]) & (other.lo[i] <= hi[i]);
    return all;
  }

 private:
  // A sum that overflowed (infinity minus infinity) bounds nothing.
  static double below(double value, double slack) {
    const double result = value - slack;
    return result == result && value < infinity ? next_below(result) : -infinity;
  }
};

}  // namespace palpate
