// From one boundary surface to the next, with as little change as can be: what a cut leaves alone keeps its
// numbers, so that contacts keep their keys, and what is new is known to be new.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/mesh/boundary.h>

namespace palpate {

struct SurfaceChange {
  std::vector<std::uint32_t> removed;  // triangles, ascending
  std::vector<std::uint32_t> nodes;    // which become vertices, numbered on from the last; ascending
  std::vector<TriangleCorners> added;  // vertices, the new ones among them; in the order of the new boundary
};

// From triangles whose vertices are these nodes, holes among them, to a boundary. A triangle stays if one of
// the same nodes faces the same way.
SurfaceChange surface_change(std::span<const TriangleCorners> triangles, std::span<const std::uint32_t> nodes,
                             const BoundarySurface& boundary);

// Removed ones leave holes, which added ones fill, lowest first: as in Topology.
void apply(const SurfaceChange& change, std::vector<TriangleCorners>& triangles);

}  // namespace palpate
