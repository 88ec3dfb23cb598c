// What a rigid body is to Newton's and Euler's laws: a mass, a centre, and the moments about three axes.
#pragma once

#include <string_view>

#include <palpate/geometry/pose.h>
#include <palpate/mesh/mass.h>

namespace palpate {

// A mass that follows from a surface needs one that encloses something: throws Error for one with a border.
void require_closed(const TriangleMesh& surface, std::string_view body);

struct RigidMass {
  double mass = 1;              // [kg]
  Vec3 moments = Vec3::Ones();  // of inertia, about the principal axes [kg m^2]
  Pose frame = {};              // of those axes, at the centre of mass, in the body's own coordinates

  // From what a mesh says, or any mass, centre and inertia. Throws Error for what no body has: a mass that is
  // not positive, moments of which one is larger than the two others together.
  static RigidMass of(const MassProperties& properties);
};

}  // namespace palpate
