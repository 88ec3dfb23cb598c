// A step of rigid bodies: pushes and free motion. What joints add is in rigid_joints.cpp.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/rigid/free_turn.h>
#include <palpate/rigid/rigid_bodies.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 256;

// exp(-c h), nearly, and never below 0.
double kept(double damping, double seconds) {
  const double x = damping * seconds;
  return 1 / (1 + x + 0.5 * x * x);
}

// The steady turn that takes one to the other, the shorter way [rad/s].
Vec3 spin_between(const Quat& from, const Quat& to, double seconds) {
  Quat off = to * from.conjugate();
  if (off.w() < 0) off.coeffs() = -off.coeffs();
  const double sine = off.vec().norm();
  if (!(sine > 0)) return Vec3::Zero();
  return (2 * std::atan2(sine, off.w()) / (seconds * sine)) * off.vec();
}

}  // namespace

void RigidBodies::put(BodyId id, const Vec3& force, const Vec3& torque) {
  if (!id) return;
  Body& body = bodies_[require(id)];
  body.force += force;
  body.torque += torque;
}

void RigidBodies::find_forces(double time) {
  time_ = time;
  for (Body& body : bodies_) body.force = body.torque = Vec3::Zero();
  for (std::size_t i = 0; i < forces_.size(); ++i) try {
      if (forces_[i]) forces_[i]->apply(*this);
    } catch (const MissingBody& missing) {
      refuse_force(i, missing);
    }
}

void RigidBodies::push(double seconds) {
  parallel_for(bodies_.size(), grain, [&](std::size_t i) {
    const Body& body = bodies_[i];
    if (body.kind != RigidKind::dynamic || body.asleep) return;
    Moving& m = now_[i];
    m.velocity += (seconds * body.inverse_mass) * body.force;
    if (body.gravity) m.velocity += seconds * options_.gravity;
    m.momentum += seconds * (m.turn.conjugate() * body.torque);
  });
}

void RigidBodies::damp(double seconds) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body& body = bodies_[i];
    if (body.kind != RigidKind::dynamic) continue;
    if (body.linear_damping > 0) now_[i].velocity *= kept(body.linear_damping, seconds);
    if (body.angular_damping > 0) now_[i].momentum *= kept(body.angular_damping, seconds);
  }
}

// From `before_`, in free motion; kinematic bodies go where they are told.
void RigidBodies::drift(std::uint32_t place, double seconds) {
  const Body& body = bodies_[place];
  Moving& m = now_[place];
  m = before_[place];
  if (body.kind == RigidKind::kinematic) {
    m.turn = body.goal.rotation;
    m.centre = body.goal.position;
  } else if (body.kind == RigidKind::dynamic && !body.asleep) {
    m.centre += seconds * m.velocity;
    free_turn(body.inverse_moments, seconds, m.momentum, m.turn);
  }
}

void RigidBodies::drift_all(double seconds) {
  parallel_for(bodies_.size(), grain, [&](std::size_t i) { drift(static_cast<std::uint32_t>(i), seconds); });
}

RigidReport RigidBodies::step(double seconds) {
  if (!(seconds > 0) || !std::isfinite(seconds))
    throw Error(Place::named("rigid bodies", "step"), fmt::format("its length is {} s", seconds),
                "It must be above 0.");
  start_ = now_;
  const double begun = time_;
  step_ = seconds;
  try {
    const RigidReport report = step_all(seconds);
    step_ = 0;
    return report;
  } catch (...) {  // a force of a user: nothing has happened
    now_ = start_;
    time_ = begun;
    step_ = 0;
    throw;
  }
}

RigidReport RigidBodies::step_all(double seconds) {
  RigidReport report;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (bodies_[i].kind == RigidKind::kinematic) {
      now_[i].velocity = (bodies_[i].goal.position - now_[i].centre) / seconds;
      now_[i].momentum = spin_between(now_[i].turn, bodies_[i].goal.rotation, seconds);
    }
  const double start = time_;
  find_forces(start);
  wake_what_feels_more(seconds);
  list_joints();
  push(0.5 * seconds);

  before_ = now_;
  drift_all(seconds);
  if (!active_.empty()) hold_positions(seconds, report);

  // The push at the end depends on the velocities after it: once more with those.
  half_ = now_;
  for (int round = 0; round < (force_ids_.size() > 0 ? 2 : 1); ++round) {
    if (force_ids_.size() > 0) find_forces(start + seconds);
    for (std::size_t i = 0; i < now_.size(); ++i) {
      now_[i].velocity = half_[i].velocity;
      now_[i].momentum = half_[i].momentum;
    }
    push(0.5 * seconds);
  }
  time_ = start + seconds;
  if (!active_.empty()) push_by_compliance();
  damp(seconds);
  if (!active_.empty()) hold_velocities();
  report.failed = stop_what_is_not_finite();
  fall_asleep(seconds);
  for (const Body& body : bodies_) report.awake += body.kind == RigidKind::dynamic && !body.asleep ? 1 : 0;
  return report;
}

std::size_t RigidBodies::stop_what_is_not_finite() {
  std::size_t count = 0;
  for (std::size_t i = 0; i < now_.size(); ++i) {
    Moving& m = now_[i];
    // What is that far off has blown up.
    const double most = std::max(
        {m.centre.cwiseAbs().maxCoeff(), m.velocity.cwiseAbs().maxCoeff(), m.momentum.cwiseAbs().maxCoeff()});
    if (m.centre.allFinite() && m.turn.coeffs().allFinite() && m.velocity.allFinite() &&
        m.momentum.allFinite() && most < 1e15)
      continue;
    m.centre = start_[i].centre;
    m.turn = start_[i].turn;
    m.velocity = m.momentum = Vec3::Zero();
    ++count;
  }
  return count;
}

}  // namespace palpate
