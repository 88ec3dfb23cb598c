// Motion that is told beforehand: between keyframes, over their end, and on and on.
#include <palpate/world/script.h>

#include <cmath>
#include <numbers>

#include <Eigen/Geometry>

#include <gtest/gtest.h>

#include <palpate/base/error.h>

namespace palpate {
namespace {

using Keyframes = std::vector<KeyframeScript::Keyframe>;

Quat turn(double angle, const Vec3& axis = Vec3::UnitZ()) {
  return Quat(Eigen::AngleAxisd(angle, axis.normalized()));
}

void expect_pose(const Pose& pose, const Vec3& position, const Quat& rotation) {
  EXPECT_LT((pose.position - position).norm(), 1e-12) << pose.position.transpose();
  EXPECT_LT(pose.rotation.angularDistance(rotation), 1e-7);
}

const Keyframes three = {{1, {turn(0), Vec3(0, 0, 0)}},
                         {3, {turn(1.2), Vec3(4, -2, 0)}},
                         {4, {turn(0.8, Vec3(1, 0, 0)), Vec3(4, 0, 1)}}};

TEST(KeyframeScript, GoesStraightAndEvenly) {
  const KeyframeScript script(three);
  for (const double part : {0.0, 0.125, 0.25, 0.5, 0.75, 1.0})
    expect_pose(script.at(1 + 2 * part), part * Vec3(4, -2, 0), turn(1.2 * part));
  expect_pose(script.at(3.5), Vec3(4, -1, 0.5), turn(1.2).slerp(0.5, turn(0.8, Vec3(1, 0, 0))));
  // Turned halfway, it is as far from the one as from the other.
  EXPECT_NEAR(script.at(3.5).rotation.angularDistance(turn(1.2)),
              script.at(3.5).rotation.angularDistance(turn(0.8, Vec3(1, 0, 0))), 1e-12);
  EXPECT_NEAR(script.at(3.3).rotation.norm(), 1, 1e-15);
}

TEST(KeyframeScript, StaysBeforeTheFirstAndAfterTheLast) {
  for (const bool smooth : {false, true}) {
    const KeyframeScript script(three, smooth);
    for (const double time : {-1.0, 0.0, 1.0}) expect_pose(script.at(time), Vec3(0, 0, 0), turn(0));
    for (const double time : {4.0, 4.5, 1e9})
      expect_pose(script.at(time), Vec3(4, 0, 1), turn(0.8, Vec3(1, 0, 0)));
  }
  expect_pose(KeyframeScript({{2, {turn(1), Vec3(1, 2, 3)}}}, true, true).at(7), Vec3(1, 2, 3), turn(1));
}

TEST(KeyframeScript, SmoothlyItStopsAtKeyframes) {
  const KeyframeScript script(three, true);
  // 3 s^2 - 2 s^3
  expect_pose(script.at(1.5), 0.15625 * Vec3(4, -2, 0), turn(0.15625 * 1.2));
  expect_pose(script.at(2), 0.5 * Vec3(4, -2, 0), turn(0.5 * 1.2));
  expect_pose(script.at(2.5), 0.84375 * Vec3(4, -2, 0), turn(0.84375 * 1.2));
  expect_pose(script.at(3), Vec3(4, -2, 0), turn(1.2));
  // On both sides of a keyframe it is slow, and in between half as fast again as evenly.
  constexpr double h = 1e-5;
  const auto speed = [&](double time) {
    return (script.at(time + h).position - script.at(time - h).position).norm() / (2 * h);
  };
  EXPECT_LT(speed(3), 1e-3);
  EXPECT_NEAR(speed(2), 1.5 * Vec3(4, -2, 0).norm() / 2, 1e-6);
}

TEST(KeyframeScript, RepeatedItBeginsAtTimeZeroAgain) {
  for (const bool smooth : {false, true}) {
    const KeyframeScript script(three, smooth, true), once(three, smooth);
    for (const double time : {0.001, 0.5, 1.5, 2.75, 3.5, 3.999}) {
      const Pose pose = once.at(time);
      for (const int round : {0, 1, 2, 50}) {
        const Pose again = script.at(time + 4 * round);
        EXPECT_LT((again.position - pose.position).norm(), 1e-10) << time << " in round " << round;
        EXPECT_LT(again.rotation.angularDistance(pose.rotation), 1e-6);
      }
    }
    expect_pose(script.at(4), Vec3(4, 0, 1), turn(0.8, Vec3(1, 0, 0)));  // its end is reached
    expect_pose(script.at(4.5), Vec3(0, 0, 0), turn(0));  // and it waits as it did before the first
  }
}

TEST(KeyframeScript, TurnsTheShorterWayAtAnEvenRate) {
  const Quat from = turn(0.3, Vec3(1, 2, 3)), to = from * turn(1.4, Vec3(-1, 0, 2));
  // The same turn, written with the other sign.
  for (const Quat& end : {to, Quat(-to.w(), -to.x(), -to.y(), -to.z())}) {
    const KeyframeScript script({{0, {from, Vec3::Zero()}}, {1, {end, Vec3::Zero()}}});
    for (const double part : {0.1, 0.3, 0.6, 0.9}) {
      const Quat now = script.at(part).rotation;
      EXPECT_NEAR(now.angularDistance(from), 1.4 * part, 1e-9);
      EXPECT_NEAR(now.angularDistance(to), 1.4 * (1 - part), 1e-9);
      EXPECT_LT(now.angularDistance(from * turn(1.4 * part, Vec3(-1, 0, 2))), 1e-7);
    }
  }
}

TEST(KeyframeScript, RefusesWhatIsNoMotion) {
  EXPECT_THROW(KeyframeScript(Keyframes{}), Error);
  EXPECT_THROW(KeyframeScript(Keyframes{{1, {}}, {1, {}}}), Error);
  EXPECT_THROW(KeyframeScript(Keyframes{{1, {}}, {0, {}}}), Error);
  EXPECT_THROW(KeyframeScript(Keyframes{{std::nan(""), {}}}), Error);
  EXPECT_THROW(KeyframeScript(Keyframes{{0, {Quat(2, 0, 0, 0), Vec3::Zero()}}}), Error);
  EXPECT_THROW(KeyframeScript(Keyframes{{0, {Quat::Identity(), Vec3(HUGE_VAL, 0, 0)}}}), Error);
}

TEST(SteadyScript, GoesOnAndOn) {
  const Pose start{turn(0.5, Vec3(1, 0, 0)), Vec3(1, 2, 3)};
  const SteadyScript script(start, Vec3(0, 0, 2), Vec3(0, std::numbers::pi, 0));
  for (const double time : {0.0, 0.25, 1.0, 7.5, 1000.25})
    expect_pose(
        script.at(time), Vec3(1, 2, 3 + 2 * time),
        turn(std::fmod(std::numbers::pi * time, 2 * std::numbers::pi), Vec3(0, 1, 0)) * start.rotation);
}

TEST(Script, AMoveAboutACentreLeavesItWhereTheMoveTakesIt) {
  const Vec3 centre(1, -2, 0.5);
  const Pose move = about(centre, {turn(0.7, Vec3(1, 1, 0)), Vec3(0, 0, 3)});
  EXPECT_LT((move.apply(centre) - centre - Vec3(0, 0, 3)).norm(), 1e-12);
  const Vec3 off(0.1, 0.2, 0.3);
  EXPECT_LT((move.apply(centre + off) - move.apply(centre) - turn(0.7, Vec3(1, 1, 0)) * off).norm(), 1e-12);
}

}  // namespace
}  // namespace palpate
