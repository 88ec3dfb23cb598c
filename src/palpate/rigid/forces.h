// Forces that most scenes want. Each is a small class like those that users write.
#pragma once

#include <palpate/rigid/force.h>

namespace palpate {

// Two bodies, or a body and the world (null id), joined by a damped spring at points of their own
// coordinates.
struct SpringForce final : Force {
  struct Options {
    BodyId a = {}, b = {};
    Vec3 at_a = Vec3::Zero(), at_b = Vec3::Zero();  // [m]
    double stiffness = 0;                           // [N/m]
    double damping = 0;                             // along the spring [N s/m]
    double length = 0;                              // at rest [m]
  };
  explicit SpringForce(const Options& options);
  void apply(RigidView& bodies) const override;
  double energy(const RigidView& bodies) const override;
  bool knows(BodyId id) const override { return id == options_.a || id == options_.b; }

 private:
  Options options_;
};

// Slows a body down: F = -(linear + quadratic |v|) v, v its velocity in air that moves. However strong, it
// does not do more in a step than to take the body along.
struct DragForce final : Force {
  struct Options {
    BodyId body = {};
    double linear = 0;         // [N s/m]
    double quadratic = 0;      // [N s^2/m^2]
    Vec3 wind = Vec3::Zero();  // [m/s]
    double period = 0;         // of the wind's turning about `axis` [s]; 0: it does not turn
    Vec3 axis = Vec3(0, 0, 1);
  };
  explicit DragForce(const Options& options);
  void apply(RigidView& bodies) const override;
  bool knows(BodyId id) const override { return id == options_.body; }
  Vec3 wind_at(double time) const;

 private:
  Options options_;
};

// The same at all times: a force at a point of the body's own coordinates, and a torque. The force has an
// energy, which falls as its point goes along; a torque has none, for a whole turn leads back.
struct ConstantForce final : Force {
  struct Options {
    BodyId body = {};
    Vec3 force = Vec3::Zero();   // [N]
    Vec3 at = Vec3::Zero();      // [m]
    Vec3 torque = Vec3::Zero();  // [N m]
  };
  explicit ConstantForce(const Options& options);
  void apply(RigidView& bodies) const override;
  double energy(const RigidView& bodies) const override;
  bool knows(BodyId id) const override { return id == options_.body; }

 private:
  Options options_;
};

}  // namespace palpate
