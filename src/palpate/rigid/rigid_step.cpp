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

// The push at the end depends on the velocities after it: once more with those.
void RigidBodies::push_twice(double time, double seconds) {
  half_ = now_;
  for (int round = 0; round < 2; ++round) {
    find_forces(time);
    for (std::size_t i = 0; i < now_.size(); ++i) {
      now_[i].velocity = half_[i].velocity;
      now_[i].momentum = half_[i].momentum;
    }
    push(seconds);
  }
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
void RigidBodies::move_all(double seconds, RigidReport& report) {
  half_.resize(bodies_.size());
  drift_all(seconds);
  parallel_for(islands_.size(), 1, [&](std::size_t i) {
    if (is_awake(islands_[i])) move_island(islands_[i], seconds);
  });
  for (const Island& island : islands_) {
    if (!is_awake(island)) continue;
    report.rounds = std::max(report.rounds, island.rounds);
    report.violation = std::max(report.violation, island.violation);
  }
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

  if (!islands_.empty()) before_ = now_;
  move_all(seconds, report);

  if (force_ids_.size() == 0) {
    push(0.5 * seconds);
  } else {
    push_twice(start + seconds, 0.5 * seconds);
  }
  time_ = start + seconds;
  for (Island& island : islands_)
    if (is_awake(island)) push_by_compliance(island);
  damp(seconds);
  parallel_for(islands_.size(), 1, [&](std::size_t i) {
    if (is_awake(islands_[i])) hold_velocities(islands_[i]);
  });
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
