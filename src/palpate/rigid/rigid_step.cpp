// A step of rigid bodies: pushes and free motion. What joints add is in rigid_islands.cpp and
// rigid_joints.cpp.
#include <algorithm>
#include <array>
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

// Half of a step's push; of what touches something all of it at the start.
void RigidBodies::push(double seconds, bool at_start) {
  parallel_for(bodies_.size(), grain, [&](std::size_t i) {
    Body& body = bodies_[i];
    if (body.kind != RigidKind::dynamic || body.asleep || (body.touches && !at_start)) return;
    const double length = body.touches ? seconds : 0.5 * seconds;
    Moving& m = now_[i];
    m.velocity += (length * body.inverse_mass) * body.force;
    if (body.gravity) m.velocity += length * options_.gravity;
    m.momentum += length * (m.turn.conjugate() * body.torque);
    if (!body.touches) return;
    body.pushed = m.velocity - start_[i].velocity;
    body.twisted = length * body.torque;
  });
}

// The push at the end depends on the velocities after it: once more with those.
void RigidBodies::push_twice(double time, double seconds) {
  half_ = now_;
  for (int round = 0; round < 2; ++round) {
    find_forces(time);
    for (std::size_t i = 0; i < now_.size(); ++i) {
      now_[i].velocity = half_[i].velocity;
      now_[i].momentum = half_[i].momentum;
    }
    push(seconds, false);
  }
}

void RigidBodies::damp(double seconds) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    Body& body = bodies_[i];
    if (body.kind != RigidKind::dynamic) continue;
    Moving& m = now_[i];
    const Vec3 velocity = m.velocity, momentum = m.momentum;
    if (body.linear_damping > 0) m.velocity *= kept(body.linear_damping, seconds);
    if (body.angular_damping > 0) m.momentum *= kept(body.angular_damping, seconds);
    if (!body.touches) continue;
    body.pushed += m.velocity - velocity;
    body.twisted += m.turn * (m.momentum - momentum);
  }
}

// From `before_`, in free motion; kinematic bodies go where they are told.
void RigidBodies::drift(std::uint32_t place, double seconds) {
  now_[place] = before_[place];
  if (moves_freely(place)) {
    Moving& m = now_[place];
    m.centre += seconds * m.velocity;
    free_turn(bodies_[place].inverse_moments, seconds, m.momentum, m.turn);
  } else {
    follow(place);
  }
}

void RigidBodies::follow(std::uint32_t place) {
  if (bodies_[place].kind != RigidKind::kinematic) return;
  now_[place].turn = bodies_[place].goal.rotation;
  now_[place].centre = bodies_[place].goal.position;
}

// The same of all that joints do not push, from where they are.
void RigidBodies::drift_all(double seconds) {
  parallel_chunks(bodies_.size(), grain, [&](Chunk chunk) {
    FourTurns four{};
    std::array<std::uint32_t, 4> places{};
    std::size_t count = 0;
    const auto turn = [&] {
      for (std::size_t lane = count; lane < 4; ++lane)
        for (auto& row : four.momentum) row[lane] = 0;
      free_turn(seconds, four);
      for (std::size_t lane = 0; lane < count; ++lane) {
        Moving& m = now_[places[lane]];
        for (int k = 0; k < 3; ++k) m.momentum[k] = four.momentum[k][lane];
        for (int k = 0; k < 4; ++k) m.turn.coeffs()[k] = four.turn[k][lane];
      }
      count = 0;
    };
    for (auto i = static_cast<std::uint32_t>(chunk.begin); i < chunk.end; ++i) {
      if (!moves_freely(i)) follow(i);
      if (!moves_freely(i) || joined_[i] != 0) continue;
      Moving& m = now_[i];
      m.centre += seconds * m.velocity;
      for (int k = 0; k < 3; ++k) {
        four.inverse_moments[k][count] = bodies_[i].inverse_moments[k];
        four.momentum[k][count] = m.momentum[k];
      }
      for (int k = 0; k < 4; ++k) four.turn[k][count] = m.turn.coeffs()[k];
      places[count++] = i;
      if (count == 4) turn();
    }
    if (count > 0) turn();
  });
}

// What joints do not push moves freely, the rest island by island.
void RigidBodies::move_all(double seconds) {
  half_.resize(bodies_.size());
  drift_all(seconds);
  parallel_for(islands_.size(), 1, [&](std::size_t i) {
    if (is_awake(islands_[i])) move_island(islands_[i], seconds);
  });
}

RigidReport RigidBodies::step(double seconds) {
  begin_step(seconds, {});
  return end_step();
}

// Nothing has happened.
void RigidBodies::undo() {
  if (!(step_ > 0)) return;
  now_ = start_;
  time_ = begun_;
  step_ = 0;
}

void RigidBodies::begin_step(double seconds, std::span<const BodyId> touching) {
  if (!(seconds > 0) || !std::isfinite(seconds))
    throw Error(Place::named("rigid bodies", "step"), fmt::format("its length is {} s", seconds),
                "It must be above 0.");
  undo();
  for (Body& body : bodies_) body.touches = false;
  for (const BodyId id : touching) bodies_[require(id)].touches = true;
  start_ = now_;
  begun_ = time_;
  step_ = seconds;
  try {
    begin_all(seconds);
  } catch (...) {  // a force of a user
    undo();
    throw;
  }
}

RigidReport RigidBodies::end_step(double part, std::span<const BodyId> kept, bool goes_on) {
  try {
    const RigidReport report = end_all();
    if (part < 1) cut(part, kept, goes_on);
    step_ = 0;
    return report;
  } catch (...) {
    undo();
    throw;
  }
}

void RigidBodies::begin_all(double seconds) {
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (bodies_[i].kind == RigidKind::kinematic) {
      now_[i].velocity = (bodies_[i].goal.position - now_[i].centre) / seconds;
      now_[i].momentum = spin_between(now_[i].turn, bodies_[i].goal.rotation, seconds);
    }
  find_forces(time_);
  wake_what_feels_more(seconds);
  list_joints();
  push(seconds, true);
  if (!islands_.empty()) before_ = now_;
  report_ = {};
  move_all(seconds);
}

RigidReport RigidBodies::end_all() {
  const double seconds = step_, start = begun_;
  hold();
  for (const Island& island : islands_) {
    if (!is_awake(island)) continue;
    report_.rounds = std::max(report_.rounds, island.rounds);
    report_.violation = std::max(report_.violation, island.violation);
  }
  if (force_ids_.size() == 0) {
    push(seconds, false);
  } else {
    push_twice(start + seconds, seconds);
  }
  time_ = start + seconds;
  for (Island& island : islands_)
    if (is_awake(island)) push_by_compliance(island);
  damp(seconds);
  parallel_for(islands_.size(), 1, [&](std::size_t i) {
    if (is_awake(islands_[i])) hold_velocities(islands_[i]);
  });
  report_.failed = stop_what_is_not_finite();
  fall_asleep(seconds);
  for (const Body& body : bodies_) report_.awake += body.kind == RigidKind::dynamic && !body.asleep ? 1 : 0;
  return report_;
}

std::size_t RigidBodies::stop_what_is_not_finite() {
  std::size_t count = 0;
  for (std::size_t i = 0; i < now_.size(); ++i) {
    Moving& m = now_[i];
    bodies_[i].stopped = false;
    // What is that far off has blown up.
    const double most = std::max(
        {m.centre.cwiseAbs().maxCoeff(), m.velocity.cwiseAbs().maxCoeff(), m.momentum.cwiseAbs().maxCoeff()});
    if (m.centre.allFinite() && m.turn.coeffs().allFinite() && m.velocity.allFinite() &&
        m.momentum.allFinite() && most < 1e15)
      continue;
    m.centre = start_[i].centre;
    m.turn = start_[i].turn;
    m.velocity = m.momentum = Vec3::Zero();
    bodies_[i].stopped = true;
    ++count;
  }
  return count;
}

}  // namespace palpate
