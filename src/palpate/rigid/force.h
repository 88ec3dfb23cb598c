// Forces of users: called with the time and the state of all bodies, they say what pushes and twists which.
//
//   class Magnet : public Force {
//     void apply(RigidView& bodies) const override {
//       bodies.push(ball_, strength_ / ..., bodies.centre(ball_));
//     }
//   };
//
// A step asks three times: at its start, and twice at its end, as velocities there depend on the answer.
// Forces that stiff springs or strong drag would need shorter steps than this takes are better made joints
// with a compliance, which are stable for any step.
#pragma once

#include <palpate/base/ids.h>
#include <palpate/geometry/pose.h>

namespace palpate {

struct RigidMass;

// Of a body's own coordinates, those of its mesh.
struct RigidState {
  Pose pose = {};
  Vec3 velocity = Vec3::Zero();          // of the centre of mass [m/s]
  Vec3 angular_velocity = Vec3::Zero();  // along the axes of the world [rad/s]
};

// The bodies as a force sees them.
class RigidView {
 public:
  RigidView() = default;
  RigidView(const RigidView&) = delete;
  RigidView& operator=(const RigidView&) = delete;
  virtual ~RigidView() = default;

  virtual double time() const = 0;  // [s]
  virtual double step() const = 0;  // how long the step is that is being done [s]; 0 between steps
  // Throw Error for bodies that are not there. The null id is the world: at the origin, at rest.
  virtual RigidState state(BodyId id) const = 0;
  virtual Vec3 centre(BodyId id) const = 0;  // of mass [m]
  virtual const RigidMass& mass(BodyId id) const = 0;
  // A point of the body, given in its own coordinates: where it is, and how it moves.
  Vec3 point(BodyId id, const Vec3& local) const;
  Vec3 velocity_at(BodyId id, const Vec3& where) const;

  // Adds a force [N] at a place of the world [m], or a torque [N m]. What does not move feels nothing.
  void push(BodyId id, const Vec3& force, const Vec3& where);
  void push(BodyId id, const Vec3& force) { put(id, force, Vec3::Zero()); }  // at the centre
  void twist(BodyId id, const Vec3& torque) { put(id, Vec3::Zero(), torque); }

 protected:
  virtual void put(BodyId id, const Vec3& force, const Vec3& torque) = 0;
};

class Force {
 public:
  Force() = default;
  Force(const Force&) = delete;
  Force& operator=(const Force&) = delete;
  virtual ~Force() = default;

  virtual void apply(RigidView& bodies) const = 0;
  // What it holds, where it has such a thing [J].
  virtual double energy(const RigidView& /*bodies*/) const { return 0; }
  // Whether it knows this body: it goes with it.
  virtual bool knows(BodyId /*id*/) const { return false; }
};

}  // namespace palpate
