#include <palpate/world/surface_change.h>

#include <algorithm>

#include <palpate/mesh/degenerate.h>

namespace palpate {

namespace {

// A triangle by its nodes, the lowest first.
struct Face {
  TriangleCorners nodes;
  std::uint32_t triangle;

  friend bool operator<(const Face& a, const Face& b) {
    return a.nodes != b.nodes ? a.nodes < b.nodes : a.triangle < b.triangle;
  }
};

std::vector<Face> faces_of(std::span<const TriangleCorners> triangles, std::span<const std::uint32_t> nodes) {
  std::vector<Face> faces;
  faces.reserve(triangles.size());
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    if (is_hole(triangles[t])) continue;
    TriangleCorners c = triangles[t];
    for (std::uint32_t& v : c) v = nodes[v];
    std::rotate(c.begin(), std::min_element(c.begin(), c.end()), c.end());
    faces.push_back({c, t});
  }
  std::sort(faces.begin(), faces.end());
  return faces;
}

}  // namespace

SurfaceChange surface_change(std::span<const TriangleCorners> triangles, std::span<const std::uint32_t> nodes,
                             const BoundarySurface& boundary) {
  SurfaceChange change;
  std::vector<std::uint32_t> fresh;  // triangles of the new boundary
  const std::vector<Face> before = faces_of(triangles, nodes),
                          after = faces_of(boundary.mesh.triangles, boundary.nodes);
  for (auto a = before.begin(), b = after.begin(); a != before.end() || b != after.end();) {
    if (b == after.end() || (a != before.end() && a->nodes < b->nodes)) {
      change.removed.push_back((a++)->triangle);
    } else if (a == before.end() || b->nodes < a->nodes) {
      fresh.push_back((b++)->triangle);
    } else {
      ++a, ++b;
    }
  }
  std::sort(change.removed.begin(), change.removed.end());
  std::sort(fresh.begin(), fresh.end());

  std::uint32_t end = 0;
  for (const std::uint32_t node : nodes) end = std::max(end, node + 1);
  for (const std::uint32_t node : boundary.nodes) end = std::max(end, node + 1);
  std::vector<std::uint32_t> vertex_of(end, no_index);
  for (std::uint32_t v = 0; v < nodes.size(); ++v) vertex_of[nodes[v]] = v;
  for (const std::uint32_t node : boundary.nodes) {
    if (vertex_of[node] != no_index) continue;
    vertex_of[node] = static_cast<std::uint32_t>(nodes.size() + change.nodes.size());
    change.nodes.push_back(node);
  }
  for (const std::uint32_t t : fresh) {
    TriangleCorners corners = boundary.mesh.triangles[t];
    for (std::uint32_t& v : corners) v = vertex_of[boundary.nodes[v]];
    change.added.push_back(corners);
  }
  return change;
}

void apply(const SurfaceChange& change, std::vector<TriangleCorners>& triangles) {
  for (const std::uint32_t t : change.removed) triangles[t].fill(no_index);
  std::size_t place = 0;
  for (const TriangleCorners& corners : change.added) {
    while (place < triangles.size() && !is_hole(triangles[place])) ++place;
    if (place == triangles.size()) triangles.emplace_back();
    triangles[place] = corners;
  }
}

}  // namespace palpate
