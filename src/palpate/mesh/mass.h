// Mass, centre and inertia of solids and shells, and masses lumped to vertices.
//
// Integrals over tetrahedra and triangles in closed form, in two passes: volume and centre first, relative to
// the middle of the mesh; the inertia then relative to the centre itself. So nothing large cancels, and a
// mesh far from the origin has the same inertia as one that stands on it. Sums run in the order of elements.
#pragma once

#include <vector>

#include <palpate/mesh/mesh.h>

namespace palpate {

struct MassProperties {
  double mass = 0;              // [kg]
  Vec3 centre = Vec3::Zero();   // [m]
  Mat3 inertia = Mat3::Zero();  // about the centre, in the axes of the mesh [kg m^2]
  double measure = 0;           // volume of a solid [m^3], area of a shell [m^2]
};

// A solid of tetrahedra. Refuses inverted ones, and a solid without volume.
MassProperties solid_mass(const TetMesh& mesh, double density);  // density [kg/m^3]

// What a closed surface encloses. Whether it is closed is not looked at (topology.h can say): with holes the
// result means nothing. A volume that is not positive is refused: the surface is open or inside out.
MassProperties enclosed_mass(const TriangleMesh& surface, double density);  // density [kg/m^3]

// The surface itself, thin. Refuses a surface without area.
MassProperties shell_mass(const TriangleMesh& surface,
                          double surface_density);  // density * thickness [kg/m^2]

// A quarter of each tetrahedron's mass to each of its corners [kg]; vertices of none get 0. Refuses inverted
// tetrahedra.
std::vector<double> lumped_masses(const TetMesh& mesh, double density);  // density [kg/m^3]
// A third of each triangle's mass to each of its corners [kg].
std::vector<double> lumped_masses(const TriangleMesh& shell, double surface_density);  // [kg/m^2]

}  // namespace palpate
