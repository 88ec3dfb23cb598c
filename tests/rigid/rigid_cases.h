// Rigid bodies for tests.
#pragma once

#include <Eigen/Geometry>

#include <support/cases.h>

#include <palpate/rigid/rigid_bodies.h>

namespace palpate::testing {

inline Vec3 any_vector(Random& random, double size) {
  const double x = random.uniform(-size, size), y = random.uniform(-size, size),
               z = random.uniform(-size, size);
  return {x, y, z};
}

inline Quat any_turn(Random& random) {
  Vec3 axis = any_vector(random, 1);
  if (!(axis.norm() > 0.1)) axis = Vec3(0, 0, 1);
  return Quat(Eigen::AngleAxisd(random.uniform(-3, 3), axis.normalized()));
}

// Moments that a body can have: of three masses along the axes.
inline Vec3 any_moments(Random& random) {
  const double a = random.uniform(0.2, 1), b = random.uniform(0.2, 1), c = random.uniform(0.2, 1);
  return {b + c, a + c, a + b};
}

inline RigidMass any_mass(Random& random) {
  return {random.uniform(0.5, 3), any_moments(random), {any_turn(random), any_vector(random, 0.2)}};
}

inline BodyId body_number(std::uint32_t index) { return {index, 1}; }

inline RigidOptions weightless() {
  RigidOptions options;
  options.gravity.setZero();
  options.sleep_speed = 0;
  return options;
}

}  // namespace palpate::testing
