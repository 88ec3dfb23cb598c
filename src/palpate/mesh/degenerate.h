// Elements without area or volume, by exact signs.
#pragma once

#include <vector>

#include <palpate/geometry/predicates.h>
#include <palpate/mesh/mesh.h>

namespace palpate {

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

}  // namespace palpate
