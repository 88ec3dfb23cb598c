#include <palpate/collide/edges_through.h>

#include <algorithm>
#include <array>
#include <span>

#include <palpate/collide/triangle_pairs.h>
#include <palpate/geometry/intersect.h>

namespace palpate {

namespace {

void tidy(std::vector<EdgeThroughTriangle>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// The edges of one triangle that meet another; `same`: their vertices have the same numbers.
void look(const TriangleMesh& edges, std::uint32_t one, const TriangleMesh& triangles, std::uint32_t other,
          bool same, std::vector<EdgeThroughTriangle>& out) {
  const TriangleCorners &a = edges.triangles[one], &b = triangles.triangles[other];
  const auto in_other = [&](std::uint32_t v) { return same && std::find(b.begin(), b.end(), v) != b.end(); };
  const Triangle through = triangle_at(triangles.positions, b);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto [begin, end] = std::minmax(a[k], a[(k + 1) % 3]);
    if (in_other(begin) || in_other(end)) continue;
    if (intersects(Segment{edges.positions[begin], edges.positions[end]}, through))
      out.push_back({begin, end, other});
  }
}

}  // namespace

std::vector<EdgeThroughTriangle> edges_through_triangles(const TriangleMesh& mesh) {
  std::vector<EdgeThroughTriangle> result;
  for (const auto& [first, second] : near_triangle_pairs(mesh.positions, mesh.triangles, 0)) {
    look(mesh, first, mesh, second, true, result);
    look(mesh, second, mesh, first, true, result);
  }
  tidy(result);
  return result;
}

std::vector<EdgeThroughTriangle> edges_through_triangles(const TriangleMesh& edges,
                                                         const TriangleMesh& triangles) {
  TriangleMesh both = edges;
  const auto vertices = static_cast<std::uint32_t>(edges.positions.size()),
             count = static_cast<std::uint32_t>(edges.triangles.size());
  both.positions.insert(both.positions.end(), triangles.positions.begin(), triangles.positions.end());
  for (TriangleCorners corners : triangles.triangles) {
    for (std::uint32_t& c : corners) c += vertices;
    both.triangles.push_back(corners);
  }
  const std::array<std::uint32_t, 2> begins = {0, count};
  TrianglePairs pairs;
  pairs.build(both.positions, both.triangles, begins);
  std::vector<EdgeThroughTriangle> result;
  for (const auto& [first, second] : pairs.find(both.positions, 0, Among::different_surfaces))
    look(edges, first, triangles, second - count, false, result);
  tidy(result);
  return result;
}

}  // namespace palpate
