// What touches rigid bodies: corrections of their free motion, and steps that are cut short.
#include <algorithm>

#include <palpate/rigid/rigid_bodies.h>

namespace palpate {

RigidBodies::FreeMotion RigidBodies::free_motion(BodyId id) const {
  const std::uint32_t place = require(id);
  const RigidMass& mass = bodies_[place].mass;
  const Quat back = now_[place].turn.conjugate() * start_[place].turn;
  return {now_[place].centre,
          now_[place].turn,
          mass.mass,
          (mass.moments / mass.mass).cwiseSqrt(),
          start_[place].centre,
          (back.w() < 0 ? -2 : 2) * back.vec(),
          start_[place].velocity,
          start_[place].turn * bodies_[place].inverse_moments.cwiseProduct(start_[place].momentum)};
}

void RigidBodies::add_joined(std::vector<BodyId>& bodies) {
  list_joints();
  const auto lower = [&](BodyId a, BodyId b) { return require(a) < require(b); };
  const auto tidy = [&] {
    std::sort(bodies.begin(), bodies.end(), lower);
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  };
  tidy();
  if (islands_.empty()) return;
  const auto given = static_cast<std::ptrdiff_t>(bodies.size());
  for (const Island& island : islands_) {
    const auto members = members_of(island);
    if (std::any_of(members.begin(), members.end(), [&](std::uint32_t place) {
          return std::binary_search(bodies.begin(), bodies.begin() + given, bodies_[place].id, lower);
        }))
      for (const std::uint32_t place : members) bodies.push_back(bodies_[place].id);
  }
  tidy();
}

void RigidBodies::held_joints(std::span<const BodyId> bodies, std::vector<HeldJoint>& out) const {
  out.clear();
  for (const Island& island : islands_) {
    if (!std::binary_search(bodies.begin(), bodies.end(), bodies_[members_of(island)[0]].id,
                            [&](BodyId a, BodyId b) { return require(a) < require(b); }))
      continue;
    for (std::size_t j = island.joint_begin; j < island.joint_end; ++j) {
      const Linked& linked = linked_[j];
      HeldJoint& held = out.emplace_back();
      held.bodies = linked.joint->bodies();
      held.count = linked.rows;
      held.compliance = linked.joint->compliance();
      linked.joint->at(side_of(linked.side[0], now_, 1), side_of(linked.side[1], now_, 1), held.rows);
    }
  }
}

// As an impulse at the start: what is joined to something goes on from there once more.
void RigidBodies::correct(BodyId id, const Vec3& centre, const Vec3& turn) {
  const std::uint32_t place = require(id);
  const Body& body = bodies_[place];
  Moving& now = now_[place];
  const Vec3 push = (centre - now.centre) / step_, twist = body.mass.moments.cwiseProduct(turn) / step_;
  if (joined_[place] != 0) {
    Moving& half = half_[place];
    half.velocity += push;
    half.momentum += half.turn.conjugate() * (now.turn * twist);
    for (Island& island : islands_) {
      const auto members = members_of(island);
      island.corrected =
          island.corrected || std::find(members.begin(), members.end(), place) != members.end();
    }
  }
  const Quat by = Quat(1, 0.5 * turn.x(), 0.5 * turn.y(), 0.5 * turn.z()).normalized();
  now.centre = centre;
  now.velocity += push;
  now.momentum = by.conjugate() * (now.momentum + twist);
  now.turn = (now.turn * by).normalized();
}

void RigidBodies::hold() {
  for (Island& island : islands_) {
    if (!island.corrected) continue;
    island.corrected = false;
    for (const std::uint32_t i : members_of(island)) before_[i] = half_[i];
    move_island(island, step_);
  }
}

// Back to a part of the way: bodies turn at an even rate while the origin of their coordinates goes straight,
// as continuous detection has it.
void RigidBodies::cut(double part, std::span<const BodyId> kept, bool goes_on) {
  const double undone = goes_on ? 1 - part : 0;
  for (const BodyId id : kept) bodies_[require(id)].keeps = true;
  for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
    Moving& m = now_[i];
    Body& body = bodies_[i];
    const bool keeps = body.keeps;
    body.keeps = false;
    const Vec3 start = start_[i].turn * start_[i].momentum, end = m.turn * m.momentum;
    const Vec3 momentum =  // angular, along the axes of the world
        keeps ? Vec3(end - undone * body.twisted) : Vec3((1 - part) * start + part * end);
    const Pose& frame = body.mass.frame;
    const auto origin = [&](const Moving& at) {
      return Vec3(at.centre - at.turn * (frame.rotation.conjugate() * frame.position));
    };
    const Vec3 there = (1 - part) * origin(start_[i]) + part * origin(m);
    m.turn = start_[i].turn.slerp(part, m.turn).normalized();
    m.centre = there + m.turn * (frame.rotation.conjugate() * frame.position);
    if (body.kind != RigidKind::dynamic || body.asleep || body.stopped) continue;
    m.momentum = m.turn.conjugate() * momentum;
    m.velocity = keeps ? Vec3(m.velocity - undone * body.pushed)
                       : Vec3((1 - part) * start_[i].velocity + part * m.velocity);
  }
  time_ = begun_ + part * step_;
}

}  // namespace palpate
