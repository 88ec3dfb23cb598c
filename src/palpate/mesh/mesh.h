// Triangle and tetrahedral meshes: positions and elements, nothing else.
//
// Plain data that anyone may fill. Nothing is assumed of it: triangles may be degenerate, doubled or
// non-manifold, vertices unused. check.h says what is unusual, repair.h mends it, topology.h connects it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <palpate/geometry/vec.h>

namespace palpate {

using TriangleCorners = std::array<std::uint32_t, 3>;  // counter-clockwise seen from outside
using TetCorners =
    std::array<std::uint32_t, 4>;  // orient3d of the four is positive: d lies where abc's normal points

// Stands for "no element" in arrays of indices.
inline constexpr std::uint32_t no_index = 0xffffffff;

struct TriangleMesh {
  std::vector<Vec3> positions;  // [m]
  std::vector<TriangleCorners> triangles;

  friend bool operator==(const TriangleMesh&, const TriangleMesh&) = default;
};

struct TetMesh {
  std::vector<Vec3> positions;  // [m]
  std::vector<TetCorners> tets;

  friend bool operator==(const TetMesh&, const TetMesh&) = default;
};

// The positions of an element's corners.
inline Triangle triangle_at(std::span<const Vec3> positions, const TriangleCorners& t) {
  return {positions[t[0]], positions[t[1]], positions[t[2]]};
}
inline std::array<Vec3, 4> tet_at(std::span<const Vec3> positions, const TetCorners& t) {
  return {positions[t[0]], positions[t[1]], positions[t[2]], positions[t[3]]};
}

// The four faces of a tetrahedron, each seen from outside; face i is the one opposite corner i.
inline constexpr std::array<std::array<std::uint8_t, 3>, 4> tet_faces = {
    {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

}  // namespace palpate
