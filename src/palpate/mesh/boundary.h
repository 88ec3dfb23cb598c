// The boundary surface of a tetrahedral mesh, and the way back to its nodes.
//
// A face that belongs to one tetrahedron alone is on the boundary. Its triangle is turned outward by the sign
// of that tetrahedron's volume, so inverted elements do not turn the surface inside out; flat ones, which
// have no sign, follow their neighbours; holes (degenerate.h) have no faces. Vertices come in the order of
// the nodes, triangles in the order of tetrahedra and faces.
#pragma once

#include <cstdint>
#include <vector>

#include <palpate/mesh/mesh.h>

namespace palpate {

struct BoundarySurface {
  TriangleMesh mesh;
  std::vector<std::uint32_t> nodes;  // node of each surface vertex
  std::vector<std::uint32_t> tets;   // tetrahedron of each triangle
  std::vector<std::uint32_t>
      crowded_tets;  // with a face that three or more share: no mesh of a solid has such
};

BoundarySurface boundary_surface(const TetMesh& mesh);

}  // namespace palpate
