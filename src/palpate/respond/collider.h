// Where bodies hit each other, as users say.
//
//   class Floor : public Collider {
//     void hits(const RigidView& bodies, std::vector<Hit>& out) const override {
//       const Vec3 c = bodies.centre(ball_);
//       out.push_back({{}, ball_, {c.x(), c.y(), 0}, Vec3::UnitZ(), c.z() - radius_});
//     }
//   };
//
// The response "impulse" asks where bodies are near each other, as they stand: what is far (a gap above the
// contact distance) may be left out, or not. What overlaps at the end of a step without having been near at
// its start is looked for in between, by halving the step.
#pragma once

#include <vector>

#include <palpate/rigid/force.h>

namespace palpate {

struct Hit {
  BodyId first = {}, second = {};  // null: the world
  Vec3 point = Vec3::Zero();       // where they touch [m]
  Vec3 normal = Vec3::UnitZ();     // of unit length, from the first to the second
  double gap = 0;                  // along it [m]; below 0: they overlap
};

class Collider {
 public:
  Collider() = default;
  Collider(const Collider&) = delete;
  Collider& operator=(const Collider&) = delete;
  virtual ~Collider() = default;

  // Appends. The number of a hit among those of one call should stay the same while the hit does.
  virtual void hits(const RigidView& bodies, std::vector<Hit>& out) const = 0;
  virtual bool knows(BodyId) const { return false; }  // a body that it speaks of
};

}  // namespace palpate
