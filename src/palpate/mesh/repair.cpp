#include <palpate/mesh/repair.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include <palpate/base/error.h>
#include <palpate/geometry/predicates.h>
#include <palpate/mesh/box_tree.h>
#include <palpate/mesh/degenerate.h>
#include <palpate/mesh/same_place.h>
#include <palpate/mesh/topology.h>

namespace palpate {

namespace {

template <std::size_t n>
using Elements = std::vector<std::array<std::uint32_t, n>>;

constexpr const char* element_names(std::size_t corners) { return corners == 3 ? "triangles" : "tetrahedra"; }

template <std::size_t n>
void check_indices(const std::vector<Vec3>& positions, const Elements<n>& elements) {
  for (std::size_t e = 0; e < elements.size(); ++e)
    for (const std::uint32_t v : elements[e])
      if (v >= positions.size())
        throw Error(Place().element(n == 3 ? "triangle" : "tetrahedron", e),
                    fmt::format("there is no vertex {}", v), "This cannot be mended: make the mesh again.");
}

// Removes the vertices marked 0 and renumbers the rest; returns how many went.
template <std::size_t n>
std::size_t keep_vertices(std::vector<Vec3>& positions, Elements<n>& elements,
                          const std::vector<char>& keep) {
  std::vector<std::uint32_t> number(positions.size());
  std::uint32_t count = 0;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    number[v] = count;
    if (keep[v]) positions[count++] = positions[v];
  }
  const std::size_t gone = positions.size() - count;
  positions.resize(count);
  for (auto& element : elements)
    for (std::uint32_t& v : element) v = number[v];
  return gone;
}

template <std::size_t n>
Repair merge(std::vector<Vec3>& positions, Elements<n>& elements, double tolerance) {
  if (!(tolerance >= 0) || !std::isfinite(tolerance))
    throw Error(Place::named("parameter", "tolerance"), fmt::format("{} is not a distance", tolerance),
                "Give 0 or a small length in metres.");
  check_indices(positions, elements);
  const std::vector<std::uint32_t> first = first_within(positions, tolerance);
  std::vector<char> keep(positions.size());
  for (std::size_t v = 0; v < positions.size(); ++v) keep[v] = first[v] == v;
  for (auto& element : elements)
    for (std::uint32_t& v : element) v = first[v];
  const std::size_t gone = keep_vertices(positions, elements, keep);
  return {gone, gone ? fmt::format("merged {} vertices into others {}", gone,
                                   tolerance > 0 ? "nearby" : "at the same place")
                     : ""};
}

template <std::size_t n, class Drop>
std::size_t drop_if(Elements<n>& elements, Drop&& drop) {
  std::size_t kept = 0;
  for (std::size_t e = 0; e < elements.size(); ++e)
    if (!drop(e)) elements[kept++] = elements[e];
  const std::size_t gone = elements.size() - kept;
  elements.resize(kept);
  return gone;
}

template <std::size_t n>
Repair drop_flat(const std::vector<Vec3>& positions, Elements<n>& elements) {
  check_indices(positions, elements);
  const std::size_t gone =
      drop_if<n>(elements, [&](std::size_t e) { return is_degenerate(positions, elements[e]); });
  return {gone,
          gone ? fmt::format("dropped {} {} without {}", gone, element_names(n), n == 3 ? "area" : "volume")
               : ""};
}

template <std::size_t n>
Repair drop_doubled(Elements<n>& elements) {
  const std::vector<std::uint32_t> first = first_with_same_corners<n>(elements);
  const std::size_t gone = drop_if<n>(elements, [&](std::size_t e) { return first[e] != e; });
  return {gone, gone ? fmt::format("dropped {} {} that were there twice", gone, element_names(n)) : ""};
}

template <std::size_t n>
Repair drop_unused(std::vector<Vec3>& positions, Elements<n>& elements) {
  check_indices(positions, elements);
  std::vector<char> used(positions.size(), 0);
  for (const auto& element : elements)
    for (const std::uint32_t v : element) used[v] = 1;
  const std::size_t gone = keep_vertices(positions, elements, used);
  return {gone, gone ? fmt::format("dropped {} vertices that no element uses", gone) : ""};
}

// A part of a surface that hangs together by edges of two triangles, and which of its triangles are turned.
struct Patch {
  std::vector<std::uint32_t> triangles;
  std::size_t turned = 0;
  bool consistent = true, closed = true;
};

Patch walk_patch(const Topology& topology, std::uint32_t start, std::vector<char>& turned) {
  constexpr char unknown = 2;
  Patch patch;
  patch.triangles.push_back(start);
  turned[start] = 0;
  for (std::size_t i = 0; i < patch.triangles.size(); ++i) {
    const std::uint32_t t = patch.triangles[i];
    for (std::uint32_t side = 3 * t; side < 3 * t + 3; ++side) {
      const std::uint32_t other = topology.next_side(side);
      if (topology.edge_of(side) == no_index || other == side || topology.next_side(other) != side) {
        patch.closed = false;
        continue;
      }
      const auto wanted = static_cast<char>(runs_same_way(topology, side, other) ? 1 - turned[t] : turned[t]);
      char& there = turned[other / 3];
      if (there == unknown) {
        there = wanted;
        patch.turned += static_cast<std::size_t>(wanted);
        patch.triangles.push_back(other / 3);
      } else if (there != wanted) {
        patch.consistent = false;
      }
    }
  }
  return patch;
}

void turn(TriangleCorners& t) { std::swap(t[1], t[2]); }

double volume_of(const TriangleMesh& mesh, const std::vector<std::uint32_t>& triangles, double scale) {
  const Vec3 origin = scale * mesh.positions[mesh.triangles[triangles[0]][0]];
  double volume = 0;
  for (const std::uint32_t t : triangles) {
    const auto [a, b, c] = triangle_at(mesh.positions, mesh.triangles[t]);
    volume += (scale * a - origin).cross(scale * b - origin).dot(scale * c - origin);
  }
  return volume;
}

// Closed patches whose box is not inside the box of another (they may be cavities) are turned outward;
// returns how many triangles that took.
std::size_t turn_outward(TriangleMesh& mesh, const std::vector<Patch>& patches) {
  std::vector<Box> boxes(patches.size());
  for (std::size_t i = 0; i < patches.size(); ++i)
    if (patches[i].closed && patches[i].consistent)
      for (const std::uint32_t t : patches[i].triangles)
        for (const std::uint32_t v : mesh.triangles[t]) boxes[i].add(mesh.positions[v]);
  const BoxTree tree(boxes);
  const double scale = unit_scale(mesh.positions);
  std::size_t turned = 0;
  for (std::size_t i = 0; i < patches.size(); ++i) {
    if (boxes[i].empty()) continue;
    bool inside = false;
    tree.overlapping(boxes[i], [&](std::uint32_t other) {
      inside |= other != i && boxes[other].contains(boxes[i]) && !boxes[i].contains(boxes[other]);
    });
    if (inside || !(volume_of(mesh, patches[i].triangles, scale) < 0)) continue;
    for (const std::uint32_t t : patches[i].triangles) turn(mesh.triangles[t]);
    turned += patches[i].triangles.size();
  }
  return turned;
}

template <class Mesh>
std::vector<std::string> repair_any(Mesh& mesh, const RepairOptions& options) {
  std::vector<std::string> messages;
  const auto note = [&](const Repair& repair) {
    if (!repair.message.empty()) messages.push_back(repair.message);
  };
  if (options.merge) note(merge_duplicate_vertices(mesh, options.merge_tolerance));
  if (options.degenerate) note(drop_degenerate(mesh));
  if (options.duplicates) note(drop_duplicates(mesh));
  if (options.unused) note(drop_unused_vertices(mesh));
  if (options.orient) note(orient(mesh));
  return messages;
}

}  // namespace

Repair merge_duplicate_vertices(TriangleMesh& mesh, double tolerance) {
  return merge(mesh.positions, mesh.triangles, tolerance);
}
Repair merge_duplicate_vertices(TetMesh& mesh, double tolerance) {
  return merge(mesh.positions, mesh.tets, tolerance);
}
Repair drop_degenerate(TriangleMesh& mesh) { return drop_flat(mesh.positions, mesh.triangles); }
Repair drop_degenerate(TetMesh& mesh) { return drop_flat(mesh.positions, mesh.tets); }
Repair drop_duplicates(TriangleMesh& mesh) { return drop_doubled(mesh.triangles); }
Repair drop_duplicates(TetMesh& mesh) { return drop_doubled(mesh.tets); }
Repair drop_unused_vertices(TriangleMesh& mesh) { return drop_unused(mesh.positions, mesh.triangles); }
Repair drop_unused_vertices(TetMesh& mesh) { return drop_unused(mesh.positions, mesh.tets); }

Repair orient(TriangleMesh& mesh) {
  check_indices(mesh.positions, mesh.triangles);
  const Topology topology(mesh.positions.size(), mesh.triangles);
  std::vector<char> turned(mesh.triangles.size(), 2);
  std::vector<Patch> patches;
  std::size_t count = 0, hopeless = 0;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    if (turned[t] != 2) continue;
    patches.push_back(walk_patch(topology, t, turned));
    Patch& patch = patches.back();
    if (!patch.consistent) {
      ++hopeless;
      continue;
    }
    // The fewer are turned: most of a mesh is right.
    const char wrong = 2 * patch.turned > patch.triangles.size() ? 0 : 1;
    for (const std::uint32_t one : patch.triangles)
      if (turned[one] == wrong) turn(mesh.triangles[one]), ++count;
  }
  count += turn_outward(mesh, patches);
  std::string message = count ? fmt::format("turned {} triangles around", count) : "";
  if (hopeless)
    message +=
        fmt::format("{}left {} parts that have only one side as they are", count ? "; " : "", hopeless);
  return {count, message};
}

Repair orient(TetMesh& mesh) {
  check_indices(mesh.positions, mesh.tets);
  std::size_t count = 0;
  for (TetCorners& t : mesh.tets) {
    const auto [a, b, c, d] = tet_at(mesh.positions, t);
    if (orient3d(a, b, c, d) < 0) std::swap(t[2], t[3]), ++count;
  }
  return {count, count ? fmt::format("swapped two corners of {} inverted tetrahedra", count) : ""};
}

std::vector<std::string> repair(TriangleMesh& mesh, const RepairOptions& options) {
  return repair_any(mesh, options);
}

std::vector<std::string> repair(TetMesh& mesh, const RepairOptions& options) {
  std::vector<std::string> messages = repair_any(mesh, options);
  if (options.slivers)
    if (const Repair slivers = improve_slivers(mesh, options.sliver_options); !slivers.message.empty())
      messages.push_back(slivers.message);
  return messages;
}

}  // namespace palpate
