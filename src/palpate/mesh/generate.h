// Meshes made from a few numbers: for scenes, tests, benchmarks, and for people who have no mesh yet.
//
// A shape is a plain struct of sizes and subdivisions with sensible defaults; make() turns it into a mesh,
// counts_of() tells the number of vertices and elements before anything is made, with_triangles() and
// with_tets() choose the subdivisions from a wanted number of elements. generators() lists all of them by
// name with their parameters, so that a command line or a page needs no code of its own for a shape.
//
// What make() promises: no vertex twice, none unused, no degenerate element; neighbours match; closed
// surfaces are turned outward; every tetrahedron is positive by the exact orient3d. Shapes are centred on the
// origin, with z as the axis where there is one. Numbers that cannot give such a mesh are refused with an
// Error: sizes outside 1 nm to 10^9 m, subdivisions too small, more than 2^32 - 2 vertices or elements,
// tubes that would cross themselves.
//
// How a number of elements is met: exactly if the shape can have it, else by the nearest number it can have;
// among equal ones, the subdivision whose cells are nearest to as long as wide, then the one with fewer
// elements. Sizes never change, with the exception of the beam's length.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <palpate/mesh/mesh.h>

namespace palpate {

struct MeshCounts {
  std::size_t vertices = 0, elements = 0;
  friend bool operator==(const MeshCounts&, const MeshCounts&) = default;
};

// --- surfaces ---------------------------------------------------------------------------------------

// around * across vertices, 2 * around * across triangles; both at least 3, minor < major.
struct TorusShape {
  double major = 0.1, minor = 0.04;      // radius of the centre circle and of the tube [m]
  std::size_t around = 80, across = 32;  // along the centre circle and along the tube's circumference
};

// A tube along the torus knot that winds p times around the z axis and q times around a torus of radii size
// and size / 2. Frames do not twist more than closing up needs.
// along * across vertices, 2 * along * across triangles; along at least 12 * max(p, q), across at least 3.
struct KnotShape {
  std::size_t p = 2, q = 3;              // from 1 to 32, without a common divisor
  double size = 0.1, tube = 0.025;       // radius of the torus wound around and of the tube [m]
  std::size_t along = 132, across = 15;  // along the knot and along the tube's circumference
};
// The largest tube radius [m] with which the smooth tube does not touch itself (to a percent).
double largest_knot_tube(std::size_t p, std::size_t q, double size);

// The icosahedron, each face cut into frequency^2 triangles, projected to the sphere.
// 10 * frequency^2 + 2 vertices, 20 * frequency^2 triangles.
struct IcosphereShape {
  double radius = 0.1;         // [m]
  std::size_t frequency = 10;  // at least 1
};

// Meridians and parallels. around * (bands - 1) + 2 vertices, 2 * around * (bands - 1) triangles.
struct SphereShape {
  double radius = 0.1;                  // [m]
  std::size_t around = 48, bands = 24;  // meridians, at least 3; bands from pole to pole, at least 2
};

// Each face a grid of quads cut in two. With s = xy + yz + zx cells: 2 * s + 2 vertices, 4 * s triangles.
struct BoxShape {
  double size_x = 0.1, size_y = 0.1, size_z = 0.1;       // [m]
  std::size_t cells_x = 10, cells_y = 10, cells_z = 10;  // at least 1
};

// A grid in the xy plane seen from +z, all diagonals in one direction.
// (cells_x + 1) * (cells_y + 1) vertices, 2 * cells_x * cells_y triangles.
struct PlaneShape {
  double size_x = 1, size_y = 1;           // [m]
  std::size_t cells_x = 10, cells_y = 10;  // at least 1
};

// The same grid with diagonals that alternate like the squares of a chessboard ("union jack"): every second
// vertex has eight neighbours, the others four, so that no diagonal direction is stiffer than the other.
struct ClothShape {
  double size_x = 0.3, size_y = 0.3;       // [m]
  std::size_t cells_x = 40, cells_y = 40;  // at least 1
};

// A closed cylinder. With s = around * (along + 2 * rings - 1): s + 2 vertices, 2 * s triangles.
struct CylinderShape {
  double radius = 0.05, length = 0.2;              // [m]
  std::size_t around = 32, along = 20, rings = 5;  // rings of each cap; at least 3, 1 and 1
};

// A cylinder with half spheres at its ends; counts as the cylinder.
struct CapsuleShape {
  double radius = 0.05, length = 0.1;              // length of the straight part [m]
  std::size_t around = 32, along = 10, rings = 8;  // rings of each half sphere; at least 3, 1 and 1
};

// Half a ball, hollow, open to the top; closed as a surface. Its rim lies in the xy plane.
// 2 * around * rings + 2 vertices, 4 * around * rings triangles.
struct BowlShape {
  double radius = 0.1, thickness = 0.01;  // outside; of the wall, less than the radius [m]
  std::size_t around = 32, rings = 12;    // rings of each side; at least 3 and 1
};

// --- solids -----------------------------------------------------------------------------------------

// Cubes of five tetrahedra, mirrored from cube to cube so that faces match.
// (cells_x + 1) * (cells_y + 1) * (cells_z + 1) vertices, 5 * cells_x * cells_y * cells_z tetrahedra.
struct SolidBoxShape {
  double size_x = 0.1, size_y = 0.1, size_z = 0.1;    // [m]
  std::size_t cells_x = 8, cells_y = 8, cells_z = 8;  // at least 1
};

// A solid box of cubes with a square section, long in x: across * cell thick, along * cell long.
// with_tets() keeps the thickness, makes the cells cubes that divide it, and takes a length between 2/3 and
// 3/2 of the one given.
struct BeamShape {
  double cell = 0.005;                 // edge of a cube [m]
  std::size_t along = 23, across = 2;  // cubes; at least 1
};

// Discs of `rings` rings (6 j vertices in ring j) swept around; prisms are cut into three by lowest index.
// around * (1 + 3 * rings * (rings + 1)) vertices, 18 * around * rings^2 tetrahedra.
struct SolidTorusShape {
  double major = 0.1, minor = 0.04;    // [m]
  std::size_t around = 48, rings = 3;  // at least 3 and 1
};

// The same along a knot; counts as the solid torus with along for around.
struct SolidKnotShape {
  std::size_t p = 2, q = 3;
  double size = 0.1, tube = 0.025;     // [m]
  std::size_t along = 120, rings = 2;  // at least 12 * max(p, q) and 1
};

// A ball of layers that are icospheres: its boundary is the icosphere of frequency `layers`.
// 1 + sum over k = 1..layers of (10 k^2 + 2) vertices, 20 * layers^3 tetrahedra.
struct SolidSphereShape {
  double radius = 0.1;     // [m]
  std::size_t layers = 8;  // at least 1
};

// An organ, somewhat like a liver: the ball made flat, thicker at one end, with a lobe and a notch.
// Counts as the solid sphere.
struct BlobShape {
  double width = 0.15;         // along x, about [m]
  double lobe = 1, notch = 1;  // how marked they are, 0 to 1
  std::size_t layers = 8;      // at least 1
};

// --- making, counting, choosing ---------------------------------------------------------------------

TriangleMesh make(const TorusShape& shape);
TriangleMesh make(const KnotShape& shape);
TriangleMesh make(const IcosphereShape& shape);
TriangleMesh make(const SphereShape& shape);
TriangleMesh make(const BoxShape& shape);
TriangleMesh make(const PlaneShape& shape);
TriangleMesh make(const ClothShape& shape);
TriangleMesh make(const CylinderShape& shape);
TriangleMesh make(const CapsuleShape& shape);
TriangleMesh make(const BowlShape& shape);
TetMesh make(const SolidBoxShape& shape);
TetMesh make(const BeamShape& shape);
TetMesh make(const SolidTorusShape& shape);
TetMesh make(const SolidKnotShape& shape);
TetMesh make(const SolidSphereShape& shape);
TetMesh make(const BlobShape& shape);

// Of the mesh that make() would give; refuses what make() refuses because of its subdivisions.
MeshCounts counts_of(const TorusShape& shape);
MeshCounts counts_of(const KnotShape& shape);
MeshCounts counts_of(const IcosphereShape& shape);
MeshCounts counts_of(const SphereShape& shape);
MeshCounts counts_of(const BoxShape& shape);
MeshCounts counts_of(const PlaneShape& shape);
MeshCounts counts_of(const ClothShape& shape);
MeshCounts counts_of(const CylinderShape& shape);
MeshCounts counts_of(const CapsuleShape& shape);
MeshCounts counts_of(const BowlShape& shape);
MeshCounts counts_of(const SolidBoxShape& shape);
MeshCounts counts_of(const BeamShape& shape);
MeshCounts counts_of(const SolidTorusShape& shape);
MeshCounts counts_of(const SolidKnotShape& shape);
MeshCounts counts_of(const SolidSphereShape& shape);
MeshCounts counts_of(const BlobShape& shape);

// The shape with subdivisions for this many elements (see above); its own subdivisions are not looked at,
// but for the beam's.
TorusShape with_triangles(TorusShape shape, std::size_t target);
KnotShape with_triangles(KnotShape shape, std::size_t target);
IcosphereShape with_triangles(IcosphereShape shape, std::size_t target);
SphereShape with_triangles(SphereShape shape, std::size_t target);
BoxShape with_triangles(BoxShape shape, std::size_t target);
PlaneShape with_triangles(PlaneShape shape, std::size_t target);
ClothShape with_triangles(ClothShape shape, std::size_t target);
CylinderShape with_triangles(CylinderShape shape, std::size_t target);
CapsuleShape with_triangles(CapsuleShape shape, std::size_t target);
BowlShape with_triangles(BowlShape shape, std::size_t target);
SolidBoxShape with_tets(SolidBoxShape shape, std::size_t target);
BeamShape with_tets(BeamShape shape, std::size_t target);
SolidTorusShape with_tets(SolidTorusShape shape, std::size_t target);
SolidKnotShape with_tets(SolidKnotShape shape, std::size_t target);
SolidSphereShape with_tets(SolidSphereShape shape, std::size_t target);
BlobShape with_tets(BlobShape shape, std::size_t target);

// --- all of them by name ----------------------------------------------------------------------------

struct GeneratorParameter {
  std::string_view name;  // as on a command line: "cells-x"
  std::string_view unit;  // "m"; empty for numbers without
  std::string_view summary;
  double standard = 0;  // the value when none is given
  bool integer = false;
};

enum class GeneratedKind { surface, solid };

struct Generator {
  std::string_view name, summary;
  GeneratedKind kind = GeneratedKind::surface;
  std::vector<GeneratorParameter> parameters;

  // A value for each parameter, in their order. With a target, subdivisions are chosen from it.
  std::function<std::variant<TriangleMesh, TetMesh>(std::span<const double> values,
                                                    std::optional<std::size_t> target_elements)>
      make;
  // The values with the subdivisions that a target gives, to show what was chosen.
  std::function<std::vector<double>(std::span<const double> values, std::size_t target_elements)> choose;

  std::vector<double> standard_values() const;
};

std::span<const Generator> generators();
// By its name; an unknown one is refused with the nearest names.
const Generator& generator(std::string_view name);

}  // namespace palpate
