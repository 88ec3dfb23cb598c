// What hardly moves sleeps: it costs nothing, and does not creep.
#include <algorithm>
#include <numeric>

#include <palpate/rigid/rigid_bodies.h>

namespace palpate {

bool RigidBodies::asleep(BodyId id) const { return bodies_[require(id)].asleep; }

void RigidBodies::wake(BodyId id) {
  const std::uint32_t place = require(id);
  bodies_[place].quiet = 0;
  if (bodies_[place].kind != RigidKind::dynamic) {  // it does not sleep, but what is joined to it may
    for (const auto& joint : joints_) {
      if (!joint || (joint->bodies()[0] != id && joint->bodies()[1] != id)) continue;
      const std::uint32_t other = place_of(joint->bodies()[joint->bodies()[0] == id ? 1 : 0]);
      if (other == none || !bodies_[other].asleep) continue;
      find_islands();
      wake_island(other);
    }
    return;
  }
  if (!bodies_[place].asleep) return;
  find_islands();
  wake_island(place);
}

// Dynamic bodies that joints connect: each gets the number of the first.
void RigidBodies::find_islands() {
  island_.resize(bodies_.size());
  std::iota(island_.begin(), island_.end(), 0u);
  const auto root = [&](std::uint32_t i) {
    while (island_[i] != i) i = island_[i] = island_[island_[i]];
    return i;
  };
  for (const auto& joint : joints_) {
    if (!joint) continue;
    const std::uint32_t a = place_of(joint->bodies()[0]), b = place_of(joint->bodies()[1]);
    if (a == none || b == none || bodies_[a].kind != RigidKind::dynamic ||
        bodies_[b].kind != RigidKind::dynamic)
      continue;
    const std::uint32_t one = root(a), other = root(b);
    island_[std::max(one, other)] = std::min(one, other);
  }
  for (std::uint32_t i = 0; i < island_.size(); ++i) island_[i] = root(i);
}

void RigidBodies::wake_island(std::uint32_t place) {
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (island_[i] == island_[place]) {
      bodies_[i].asleep = false;
      bodies_[i].quiet = 0;
    }
}

// Who sleeps wakes up if forces change, or if something it is joined to is moved.
void RigidBodies::wake_what_feels_more(double seconds) {
  if (std::none_of(bodies_.begin(), bodies_.end(), [](const Body& b) { return b.asleep; })) return;
  find_islands();
  const double most = options_.sleep_speed / std::max(seconds, options_.sleep_after);
  for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
    const Body& body = bodies_[i];
    if (!body.asleep) continue;
    const double push = body.inverse_mass * (body.force - body.slept_force).norm(),
                 twist =
                     body.reach * body.inverse_moments.maxCoeff() * (body.torque - body.slept_torque).norm();
    if (push > most || twist > most) wake_island(i);
  }
  for (const auto& joint : joints_) {
    if (!joint) continue;
    const std::array<std::uint32_t, 2> side = {place_of(joint->bodies()[0]), place_of(joint->bodies()[1])};
    for (std::size_t k = 0; k < 2; ++k) {
      const std::uint32_t one = side[k], other = side[1 - k];
      if (one == none || other == none || !bodies_[one].asleep) continue;
      const bool moved = bodies_[other].kind == RigidKind::kinematic &&
                         (now_[other].velocity != Vec3::Zero() || now_[other].momentum != Vec3::Zero());
      if (moved || (bodies_[other].kind == RigidKind::dynamic && !bodies_[other].asleep)) wake_island(one);
    }
  }
}

void RigidBodies::fall_asleep(double seconds) {
  if (!(options_.sleep_speed > 0)) return;
  bool any = false;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    Body& body = bodies_[i];
    if (body.kind != RigidKind::dynamic || body.asleep) continue;
    const double speed =
        now_[i].velocity.norm() + body.reach * body.inverse_moments.cwiseProduct(now_[i].momentum).norm();
    body.quiet = speed < options_.sleep_speed ? body.quiet + seconds : 0;
    // What gets faster, however slowly, does not sleep.
    if ((now_[i].velocity - body.quiet_velocity).norm() > 0.25 * options_.sleep_speed) body.quiet = 0;
    if (body.quiet == 0) body.quiet_velocity = now_[i].velocity;
    any = any || body.quiet >= options_.sleep_after;
  }
  if (!any) return;
  find_islands();
  restless_.assign(bodies_.size(), 0);
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (bodies_[i].kind == RigidKind::dynamic && bodies_[i].quiet < options_.sleep_after)
      restless_[island_[i]] = 1;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    Body& body = bodies_[i];
    if (body.kind != RigidKind::dynamic || body.asleep || restless_[island_[i]] != 0) continue;
    body.asleep = true;
    body.slept_force = body.force;
    body.slept_torque = body.torque;
    now_[i].velocity = now_[i].momentum = Vec3::Zero();
  }
}

}  // namespace palpate
