// How well elements are shaped.
//
// All measures are total: finite corners give numbers, never NaN, also for flat elements, for corners that
// coincide and for coordinates near the ends of the range of double (sizes may then be infinite). Corners are
// put in order by their coordinates before anything is computed, so that numbering does not change a bit of
// volumes, areas and ratios. The sign of a volume is exact: 0 means flat.
//
// Radius ratio: 3 r / R of a tetrahedron, 2 r / R of a triangle, with r and R the radii of the inscribed and
// of the circumscribed sphere or circle. 1 if regular, 0 if flat, negative if inverted.
// Volume-length ratio: 6 sqrt(2) V / l^3 with l the root mean square of the edges. The same ends, but smooth,
// and stricter on needles; the usual number for "this mesh has slivers".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <palpate/mesh/mesh.h>

namespace palpate {

using Tetrahedron = std::array<Vec3, 4>;

// The corners of each edge, in the order of edge_lengths() and dihedral_angles().
inline constexpr std::array<std::array<std::uint8_t, 2>, 6> tet_edges = {
    {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

double signed_volume(const Tetrahedron& t);                // [m^3]
std::array<double, 6> edge_lengths(const Tetrahedron& t);  // [m]
std::array<double, 6> dihedral_angles(
    const Tetrahedron& t);                         // inside, 0 to pi [rad]; 0 where a face has none
double radius_ratio(const Tetrahedron& t);         // -1 to 1
double volume_length_ratio(const Tetrahedron& t);  // -1 to 1

double area(const Triangle& t);                         // [m^2]
std::array<double, 3> edge_lengths(const Triangle& t);  // of ab, bc, ca [m]
std::array<double, 3> angles(const Triangle& t);  // at a, b, c, 0 to pi [rad]; 0 beside an edge of no length
double radius_ratio(const Triangle& t);           // 0 to 1

// One measure over a mesh; zeros for a mesh without elements.
struct Spread {
  double least = 0, mean = 0, largest = 0;
  std::uint32_t least_at = no_index, largest_at = no_index;  // the first element that has it
};

struct TriangleQuality {
  std::size_t triangles = 0, degenerate = 0;  // degenerate: no area
  Spread area;                                // [m^2]
  Spread edge_length;                         // [m]
  Spread angle;                               // [rad]
  Spread radius_ratio;                        // its least_at is the worst triangle
  std::array<std::size_t, 10> histogram{};    // of radius ratios: 0 to 0.1, ..., 0.9 to 1
};

struct TetQuality {
  std::size_t tets = 0, inverted = 0, flat = 0;
  Spread volume;          // [m^3]
  Spread edge_length;     // [m]
  Spread dihedral_angle;  // [rad]
  Spread radius_ratio;    // its least_at is the worst tetrahedron
  Spread volume_length_ratio;
  std::array<std::size_t, 10> histogram{};  // of radius ratios: inverted and 0 to 0.1, ..., 0.9 to 1
};

// Refuses indices that do not exist and coordinates that are not finite.
TriangleQuality quality_of(const TriangleMesh& mesh);
TetQuality quality_of(const TetMesh& mesh);

}  // namespace palpate
