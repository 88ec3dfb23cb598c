// Meshes and nodes that a scene speaks of: where its names of files and shapes become points.
//
// What goes wrong is told with both places: the line of the scene and the mesh file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/mesh/mesh.h>
#include <palpate/scene/scene.h>

namespace palpate {

// In metres, scaled; not yet placed. Of tetrahedra the boundary.
TriangleMesh triangle_mesh(const MeshSource& source);
// A mesh that has only triangles is refused.
TetMesh tet_mesh(const MeshSource& source);

// The points of a string, evenly spaced if it says in how many parts; not yet placed. Of a ring the first is
// not repeated at the end.
std::vector<Vec3> string_points(const SceneBody& body);

// Where the nodes of a soft body begin, in the mesh's own coordinates.
std::vector<Vec3> deformed_positions(const SceneDeform& deform, const TetMesh& rest, std::uint64_t seed);

// The nodes that are held, ascending. Positions are those of the mesh, not yet placed. Refuses vertices that
// are not there, and to hold nothing.
std::vector<std::uint32_t> fixed_nodes(const SceneFix& fix, std::span<const Vec3> positions);

}  // namespace palpate
