#include <palpate/world/script.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include <palpate/base/error.h>

namespace palpate {

KeyframeScript::KeyframeScript(std::vector<Keyframe> keyframes, bool smooth, bool repeated)
    : keyframes_(std::move(keyframes)), smooth_(smooth), repeated_(repeated) {
  const Place where = Place::named("script", "keyframes");
  if (keyframes_.empty()) throw Error(where, "there are none", "Give at least one.");
  for (std::size_t i = 0; i < keyframes_.size(); ++i) {
    Keyframe& k = keyframes_[i];
    if (!std::isfinite(k.time) || !k.pose.position.allFinite() || !k.pose.rotation.coeffs().allFinite() ||
        !(std::abs(k.pose.rotation.norm() - 1) < 1e-6))
      throw Error(where.element("keyframe", i), "it is not a finite time and pose",
                  "Give a time, a position and a quaternion of length 1.");
    if (i > 0 && !(k.time > keyframes_[i - 1].time))
      throw Error(where.element("keyframe", i),
                  fmt::format("its time {} s is not after the one before", k.time), "Order them by time.");
  }
}

Pose KeyframeScript::at(double time) const {
  const double last = keyframes_.back().time;
  if (repeated_ && last > 0 && time > last) time = std::fmod(time, last);
  const auto after =
      std::find_if(keyframes_.begin(), keyframes_.end(), [&](const Keyframe& k) { return k.time >= time; });
  if (after == keyframes_.begin()) return keyframes_.front().pose;
  if (after == keyframes_.end()) return keyframes_.back().pose;
  const Keyframe &from = *(after - 1), &to = *after;
  double part = (time - from.time) / (to.time - from.time);
  if (smooth_) part = part * part * (3 - 2 * part);
  const Quat turn = from.pose.rotation.slerp(part, to.pose.rotation).normalized();
  return {turn, (1 - part) * from.pose.position + part * to.pose.position};
}

Pose SteadyScript::at(double time) const {
  const double rate = angular_velocity_.norm();
  Quat turn = start_.rotation;
  if (rate > 0) {
    const double angle = std::remainder(rate * time, 2 * std::numbers::pi);
    turn = (Quat(Eigen::AngleAxisd(angle, angular_velocity_ / rate)) * turn).normalized();
  }
  return {turn, start_.position + time * velocity_};
}

Pose about(const Vec3& centre, const Pose& move) {
  return {move.rotation, centre + move.position - move.rotation * centre};
}

}  // namespace palpate
