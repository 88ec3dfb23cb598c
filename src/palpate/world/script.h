// Motion that is told beforehand: of tools, and of nodes that are held.
#pragma once

#include <vector>

#include <palpate/geometry/pose.h>

namespace palpate {

class Script {
 public:
  Script() = default;
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;
  virtual ~Script() = default;

  // Of a body, its pose at this time [s]; of nodes, how they are moved away from where they began.
  virtual Pose at(double time) const = 0;
};

// From keyframe to keyframe; before the first and after the last it stays.
class KeyframeScript final : public Script {
 public:
  struct Keyframe {
    double time = 0;  // [s]
    Pose pose = {};
  };
  // Smooth: speeds do not jump, as it stops at each keyframe. Repeated: begins at time 0 again after the
  // last. Throws Error if times do not ascend.
  explicit KeyframeScript(std::vector<Keyframe> keyframes, bool smooth = false, bool repeated = false);
  Pose at(double time) const override;

 private:
  std::vector<Keyframe> keyframes_;
  bool smooth_, repeated_;
};

// On and on at the same velocities, from a pose at time 0.
class SteadyScript final : public Script {
 public:
  SteadyScript(const Pose& start, const Vec3& velocity, const Vec3& angular_velocity)
      : start_(start), velocity_(velocity), angular_velocity_(angular_velocity) {}
  Pose at(double time) const override;

 private:
  Pose start_;
  Vec3 velocity_, angular_velocity_;  // [m/s], [rad/s]
};

// A move away from where things began, as a script of keyframes or velocities tells it, turned about a
// centre.
Pose about(const Vec3& centre, const Pose& move);

}  // namespace palpate
