// What is thin: shells and strings, made of springs and of what resists bending (spring_rules.h).
//
//   shell   a triangle mesh with a thickness t. Edges are springs of E t (area of their triangles) / length^2
//           (van Gelder 1998), hinges have D length^2 / area with D = E t^3 / (12 (1 - nu^2)), which is exact
//           for a sheet of equal triangles that is rolled up in any direction. Stretched, a net of springs
//           has a Poisson's ratio of about 1/3, whatever the material says; bent, it has that of the
//           material.
//   string  points one after the other, with a radius r: springs of E A / length, turns of E I / length with
//           A = pi r^2, I = pi r^4 / 4. It resists no torsion.
//
// The rest shape may be curved or folded; it stays so.
#pragma once

#include <span>
#include <vector>

#include <palpate/mesh/mesh.h>
#include <palpate/soft/material.h>
#include <palpate/soft/spring_rules.h>

namespace palpate {

struct ThinParts {
  std::vector<Vec3> rest;
  std::vector<double> masses;  // of the nodes [kg]
  std::vector<Compliant<SpringRule>> springs = {};
  std::vector<Compliant<HingeRule>> hinges = {};
  std::vector<Compliant<TurnRule>> turns = {};
};

// Both throw Error for whatever is not right: edges without length, triangles without area, a thickness or
// radius that is not positive [m].
ThinParts shell_parts(const TriangleMesh& rest, double thickness, const Material& material);
// `closed`: a ring, from the last point to the first.
ThinParts string_parts(std::span<const Vec3> points, double radius, const Material& material, bool closed);

// The parts as terms of a step.
class ThinTerms {
 public:
  explicit ThinTerms(const ThinParts& parts)
      : springs_(parts.rest.size(), parts.springs),
        hinges_(parts.rest.size(), parts.hinges),
        turns_(parts.rest.size(), parts.turns) {}

  // Those that have elements.
  std::vector<Term*> all();
  // For damping: the same parts, at rest where a step begins, and so many times as stiff.
  void begin_step(std::span<const Vec3> x, double times);
  // Of each node, what it has of the energy [J].
  void add_energies(std::span<const Vec3> x, std::span<double> nodes) const;

 private:
  CompliantTerm<SpringRule> springs_;
  CompliantTerm<HingeRule> hinges_;
  CompliantTerm<TurnRule> turns_;
};

}  // namespace palpate
