#include <palpate/scene/scene_scripts.h>

#include <utility>

namespace palpate {

namespace {

std::shared_ptr<const Script> script_of(const SceneMotion& motion, const Pose& start) {
  if (motion.keyframes.empty())
    return std::make_shared<SteadyScript>(start, motion.velocity, motion.angular_velocity);
  std::vector<KeyframeScript::Keyframe> keyframes;
  for (const SceneKeyframe& k : motion.keyframes) keyframes.push_back({k.time, {k.rotation, k.position}});
  return std::make_shared<KeyframeScript>(
      std::move(keyframes), motion.interpolation == SceneMotion::Interpolation::smooth, motion.repeat);
}

// Turned about a centre, then moved.
class AboutScript final : public Script {
 public:
  AboutScript(std::shared_ptr<const Script> move, const Vec3& centre)
      : move_(std::move(move)), centre_(centre) {}
  Pose at(double time) const override { return about(centre_, move_->at(time)); }

 private:
  std::shared_ptr<const Script> move_;
  Vec3 centre_;
};

// Of a kinematic body that turns about something else than its origin. Keyframes say where that is:
// read_scene refuses a centre with them.
class TurningScript final : public Script {
 public:
  TurningScript(std::shared_ptr<const Script> move, const Vec3& centre, const Pose& start)
      : move_(std::move(move), centre), start_(start) {}
  Pose at(double time) const override {
    const Pose move = move_.at(time);
    return {(move.rotation * start_.rotation).normalized(), move.apply(start_.position)};
  }

 private:
  AboutScript move_;
  Pose start_;
};

}  // namespace

std::shared_ptr<const Script> node_script(const SceneMotion& motion, const Vec3& centre) {
  return std::make_shared<AboutScript>(script_of(motion, {}), centre);
}

std::shared_ptr<const Script> tool_script(const SceneBody& body) {
  if (!body.motion) return nullptr;
  if (!body.motion->centre || !body.motion->keyframes.empty()) return script_of(*body.motion, body.pose());
  return std::make_shared<TurningScript>(script_of(*body.motion, {}), *body.motion->centre, body.pose());
}

}  // namespace palpate
