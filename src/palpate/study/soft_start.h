// The bodies of the published work on accelerated soft bodies (Boukadida 2020), and the step that solvers are
// compared on: one of 1/60 s, from a deformed body at rest. The benchmark and the study begin here both.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <palpate/mesh/mesh.h>
#include <palpate/soft/tet_term.h>
#include <palpate/solve/equations.h>

namespace palpate {

struct SoftShape {
  std::string name;
  std::size_t tets = 0;
  double density = 0;  // [kg/m^3]
  std::function<TetMesh()> make;
};
// The beams are made; they come nearest to the published sizes with as many tetrahedra.
std::vector<SoftShape> soft_beams();
// Hippopotamus and armadillo are files, in the folder that PALPATE_DATA names; those that are there. One unit
// of the files is 0.1 m.
std::vector<SoftShape> soft_animals();
std::string soft_animal_file(const std::string& name);

// How a body is deformed before it is let go: along its longest side.
struct SoftDeformation {
  double stretch = 1.5;
  double twist = 1.5707963267948966;  // from one end to the other [rad]
  double shake = 0.1;                 // of the mean edge, each coordinate by as much at most
};
std::vector<Vec3> deformed(const TetMesh& mesh, const SoftDeformation& deformation);

// A step from there, all nodes free, with gravity.
struct SoftStep {
  static constexpr double length = 1.0 / 60;  // [s]

  TetMesh mesh;
  std::vector<Material> material;
  TetTerm term;
  Equations equations;
  std::vector<Vec3> start;
  double first = 0, least = 0;  // potentials: at the start, converged

  // `reference`: iterations that the default solver has to find the least potential.
  SoftStep(TetMesh of, const Material& made_of, const SoftDeformation& deformation = {},
           int reference = 5000);
  static std::vector<Vec3> targets(std::span<const Vec3> x, std::span<const Vec3> v, double step);
  // Of the potential, of what there was to lose.
  double error(std::span<const Vec3> x);
};

}  // namespace palpate
