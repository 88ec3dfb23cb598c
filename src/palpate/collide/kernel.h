// How near two features are, and where: the one place where "nearer than d" is decided.
//
// Every finder ends here, the brute one with the functions for one pair, the others with the functions for
// many. Both give the same bits: the second do the operations of the first, in the same order, on several
// pairs at once (Highway), and hand pairs that are ill-conditioned to the first. The results do not depend on
// the order of corners and ends or on which feature comes first, but for the sign of the normal.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <palpate/collide/contact.h>
#include <palpate/geometry/vec.h>
#include <palpate/mesh/mesh.h>

namespace palpate {

struct Proximity {
  double squared_distance;   // [m^2]
  std::array<double, 2> at;  // weights of the second and third corner; or positions along the two edges
  Vec3 normal;               // of unit length, from the first to the second; at no distance across both
};

Proximity vertex_triangle(const Vec3& p, const Triangle& t);
Proximity edge_edge(const Segment& a, const Segment& b);

struct FeaturePair {
  std::uint32_t first, second;  // vertex and triangle, or two sides (3t + k, from corner k to the next)
};

// Of many pairs at once. `positions` has one more element than there are vertices: vectors are loaded four
// numbers at a time. First the squared distances alone, for what may be far ...
void squared_distances(ContactKind kind, std::span<const Vec3> positions,
                       std::span<const TriangleCorners> triangles, std::span<const FeaturePair> pairs,
                       double* out);
// ... then all there is to know, for what is near: contacts, but for their surfaces; and the squared
// distances.
void make_contacts(ContactKind kind, std::span<const Vec3> positions,
                   std::span<const TriangleCorners> triangles, std::span<const FeaturePair> pairs,
                   Contact* out, double* squared_distances);

}  // namespace palpate
