// What brings back a body that has lost its shape.
//
// Far from any shape the energy of a material has many local minima: a beam whose nodes were thrown about
// comes back knotted, with every element the right way round. The energy of a linear material that is turned
// as a whole, sum of V k |F - R|^2 / 2 with one rotation R for each piece, has a single one. So where many
// elements are inverted, the step is done with that: one linear system. Where few are, solvers cope
// (Term::mark_tangled).
#pragma once

#include <span>
#include <vector>

#include <palpate/mesh/mesh.h>
#include <palpate/soft/elasticity.h>
#include <palpate/solve/equations.h>
#include <palpate/solve/metric.h>
#include <palpate/solve/pieces.h>

namespace palpate {

class Untangler {
 public:
  // Of all elements, what part must be inverted before the whole is looked at; how far the gradients of
  // deformation may be from a rotation in the end; for how long this goes on at most [s].
  static constexpr double many = 0.1, near = 0.5, longest = 1;

  // After a change of what is held, of the terms or of the step; costs nothing until it is needed.
  void reset() { has_metric_ = false; }
  // Better positions to begin a step with, in place; true: the step is done with them. `inverted`: elements.
  bool untangle(Equations& equations, const TetMesh& rest, std::span<const TetShape> shapes,
                std::size_t inverted, std::span<Vec3> x);
  bool at_work() const { return left_ > 0; }
  // Of the time for the whole, what is left [s]: all that it knows of earlier steps.
  double left() const { return left_; }
  void set_left(double seconds) { left_ = seconds; }

 private:
  struct Fit {  // of a piece at rest, to where it is
    Mat3 rotation;
    Vec3 from, to;
    double mass;
    Vec3 of(const Vec3& p) const { return to + rotation * (p - from); }
  };
  void fit(const Equations& equations, std::span<const Vec3> rest, std::span<const Vec3> x);
  void turn_back(Equations& equations, const TetMesh& rest, std::span<Vec3> x);

  double left_ = 0;  // of the time for the whole [s]
  bool has_metric_ = false;
  Metric metric_;
  Pieces pieces_;
  std::vector<Fit> fits_;
  std::vector<MetricEntry> entries_;  // of the terms alone
  std::vector<Vec3> off_, gradient_;
};

}  // namespace palpate
