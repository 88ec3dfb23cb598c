// How often a closed surface winds around a point, by exact signs: the way to tell inside from outside.
//
// A ray goes up from the point, and every triangle over it counts +1 or -1, by the way it faces. Nothing is
// rounded: a triangle is over the point if the point's shadow is inside its shadow (orient2d) and the point
// below its plane (orient3d). Where the ray meets an edge or a vertex, the point is thought to be moved by
// (e, e^2, 0) for an e too small to cross anything: each such ray then passes through triangles alone, and of
// those that share the edge exactly the right ones count. No other ray has to be tried, and no normal has to
// be chosen for edges and vertices. That the nearest point is on an edge plays no part either, unlike with
// pseudonormals, which are also wrong where a surface crosses itself.
#pragma once

#include <cstdint>

#include <palpate/geometry/vec.h>
#include <palpate/mesh/topology.h>

namespace palpate {

// What one triangle adds: 1 if it is over the point and faces up, -1 if it faces down, else 0. The sum over a
// closed surface that faces outward is 1 inside and 0 outside; on the surface itself it has no meaning.
int winding_over(const Vec3& point, const Triangle& t);

// A side of the lowest edge that keeps a surface from being closed: one that does not run as often one way as
// the other. no_index: it is closed. More than two triangles may share an edge, as long as they cancel.
std::uint32_t open_edge(const Topology& topology);

}  // namespace palpate
