// Materials at work: bodies that sag under their weight for a range of Young's moduli, and a bar that thins
// when it is stretched, for a range of Poisson's ratios: figures 3.1 to 3.4 of Boukadida 2020. And what
// becomes of elements that were turned inside out.
#pragma once

#include <string>
#include <vector>

#include <palpate/mesh/mesh.h>
#include <palpate/study/soft_claims.h>
#include <palpate/study/soft_start.h>

namespace palpate {

struct SoftSag {
  std::string shape;
  double young = 0;          // [Pa]
  double sag = 0;            // how far the node that sank most is below its rest position [m]
  double closed_form = 0;    // of a thin beam, for small sags; not a number for other shapes [m]
  std::size_t inverted = 0;  // elements
  bool settled = false;      // no node moved by more than a thousandth of the size in the last step
  TriangleMesh surface;      // as it hangs
};
// Held at one end (beams) or by its feet; let go at rest.
SoftSag find_sag(const SoftShape& shape, double young, int steps);

struct SoftContraction {
  Model model = Model::stvk;
  double poisson = 0, strain = 0;  // engineering strain along the bar, in its middle
  double contraction = 0;          // engineering strain across it, there
  double closed_form = 0;          // -poisson * strain: for small strains
};
// A bar of 460 tetrahedra, both ends held and pulled apart.
SoftContraction find_contraction(Model model, double poisson, double strain);

// A bar whose middle third runs backwards, and what is left of that after a second.
SoftInversion find_inversion(Model model, const std::string& solver);

}  // namespace palpate
