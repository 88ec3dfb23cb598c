// Elements without corners, and those without area or volume, by exact signs.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include <palpate/geometry/predicates.h>
#include <palpate/mesh/mesh.h>

namespace palpate {

// What was removed leaves a hole, so that the others keep their numbers: all its corners are no_index.
template <std::size_t n>
bool is_hole(const std::array<std::uint32_t, n>& corners) {
  return corners[0] == no_index;
}

// All three corners on a line: in each of the three coordinate planes.
inline bool is_degenerate(std::span<const Vec3> positions, const TriangleCorners& t) {
  const auto [a, b, c] = triangle_at(positions, t);
  for (const auto& [x, y] : {std::array{0, 1}, std::array{1, 2}, std::array{2, 0}})
    if (orient2d(Vec2(a[x], a[y]), Vec2(b[x], b[y]), Vec2(c[x], c[y])) != 0) return false;
  return true;
}
inline bool is_degenerate(std::span<const Vec3> positions, const TetCorners& t) {
  const auto [a, b, c, d] = tet_at(positions, t);
  return orient3d(a, b, c, d) == 0;
}

// Not a tetrahedron at all.
inline bool has_repeated_corner(TetCorners t) {
  std::sort(t.begin(), t.end());
  return std::adjacent_find(t.begin(), t.end()) != t.end();
}

// A power of two that brings the largest coordinate to between 1 and 2: products of scaled coordinates
// neither overflow nor vanish, and signs stay what they are.
inline double unit_scale(std::span<const Vec3> positions) {
  double size = 0;
  for (const Vec3& p : positions) size = std::max(size, p.cwiseAbs().maxCoeff());
  return size > 0 && std::isfinite(size) ? std::ldexp(1.0, -std::clamp(std::ilogb(size), -1000, 1000)) : 1.0;
}

}  // namespace palpate
