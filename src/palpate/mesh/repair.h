// Mending meshes, on request, one kind of fault at a time. Every function says what it did.
//
// Vertices and elements that stay keep their order, and no position changes, with two exceptions: merging
// with a tolerance moves corners to the vertex that stays, and improving slivers moves inner nodes and
// replaces elements. Applied twice, nothing changes the second time (but slivers
// may be improved further).
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <palpate/mesh/mesh.h>

namespace palpate {

// How many, and in one sentence what was done; an empty sentence if there was nothing to do.
struct Repair {
  std::size_t count = 0;
  std::string message;
};

// Vertices within `tolerance` [m] of an earlier one become that one; 0 merges equal positions only. The
// vertices that nobody uses any more are dropped.
Repair merge_duplicate_vertices(TriangleMesh& mesh, double tolerance = 0);
Repair merge_duplicate_vertices(TetMesh& mesh, double tolerance = 0);
// Triangles without area and tetrahedra without volume, by exact signs.
Repair drop_degenerate(TriangleMesh& mesh);
Repair drop_degenerate(TetMesh& mesh);
// Elements with the same corners as an earlier one.
Repair drop_duplicates(TriangleMesh& mesh);
Repair drop_duplicates(TetMesh& mesh);
Repair drop_unused_vertices(TriangleMesh& mesh);
Repair drop_unused_vertices(TetMesh& mesh);
// Triangles that face the other way than their neighbours (the fewer of a part), then closed parts whose
// outside is in. Parts that cannot be turned consistently (a Moebius strip) are left as they are, and named.
Repair orient(TriangleMesh& mesh);
// Inverted tetrahedra get two corners swapped.
Repair orient(TetMesh& mesh);

struct SliverOptions {
  double wanted_quality = 0.05;  // tetrahedra with a smaller radius ratio are worked on
  std::size_t most_rounds = 20;
  // How far the surface may move, as a part of the longest edge nearby: a flat tetrahedron that lies on it
  // with two or three faces is peeled off if it is thinner, and two of its vertices are merged if they are
  // nearer. 0 leaves the surface exactly as it is.
  double surface_tolerance = 0.05;
};
// Raises the quality of the worst tetrahedra: swaps edges and faces, moves, merges and adds inner nodes.
// Nodes of the boundary stay where they are, or go. No step is taken that makes the worst of the tetrahedra
// it changes worse.
Repair improve_slivers(TetMesh& mesh, const SliverOptions& options = {});

struct RepairOptions {
  bool merge = true, degenerate = true, duplicates = true, unused = true, orient = true;
  double merge_tolerance = 0;  // [m]
  bool slivers = false;        // tetrahedra only
  SliverOptions sliver_options;
};
// All that is asked for, in the order above; the messages of those that found something to do.
std::vector<std::string> repair(TriangleMesh& mesh, const RepairOptions& options = {});
std::vector<std::string> repair(TetMesh& mesh, const RepairOptions& options = {});

}  // namespace palpate
