// The life of a step.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/world/world.h>

namespace palpate {

const StepReport& World::step(double seconds) {
  if (!(seconds > 0) || !std::isfinite(seconds))
    throw Error(Place::named("world", "step"), fmt::format("its length is {} s", seconds),
                "It must be above 0.");
  const Clock::time_point begin = Clock::now();
  timer_.restart();
  report_ = {};
  forces_.begin_step();
  const double h = seconds / options_.substeps;
  for (int k = 0; k < options_.substeps; ++k) {
    {
      const auto stage = timer_.measure("inputs");
      take_inputs(h);
    }
    {
      const auto stage = timer_.measure("detect");
      find_contacts();
    }
    {
      const auto stage = timer_.measure("respond");
      answer_contacts();
    }
    {
      const auto stage = timer_.measure("solve");
      move_bodies(h);
    }
    {
      const auto stage = timer_.measure("finish");
      settle(h);
    }
  }
  ++steps_;
  report_.step = steps_;
  report_.time = time_;
  {
    const auto stage = timer_.measure("publish");
    report_.nanoseconds = std::chrono::nanoseconds(Clock::now() - begin).count();
    publish();
  }
  return report_;
}

// What was placed from outside is seen; tools and held nodes learn where they will be at the end.
void World::take_inputs(double seconds) {
  for (const BodyId id : order_) {
    Body& one = bodies_[id.index];
    if (one.soft) {
      follow_changes(one);
      if (one.placings != one.soft->placings()) follow_nodes(one);
      if (one.pulls_of_hands) pull_by_hands(one, seconds);
    }
    if (one.script && one.kind == BodyKind::kinematic) rigid_.move_to(id, one.script->at(time_ + seconds));
    for (const NodeScript& script : one.scripts) {
      const Pose pose = script.script->at(time_ + seconds);
      for (std::size_t i = 0; i < script.nodes.size(); ++i)
        if (one.soft->is_fixed(script.nodes[i])) one.soft->move(script.nodes[i], pose.apply(script.from[i]));
    }
  }
  ask_soft_forces(seconds);
}

// Forces on soft bodies say what they do in this step. Kept until the bodies step: whatever is refused until
// then, nothing pulls twice.
void World::ask_soft_forces(double seconds) {
  for (const BodyId id : order_) bodies_[id.index].pulls.clear();
  for (const SoftPull& pull : soft_forces_)
    if (pull.force) body(pull.body).pulls.assign(body(pull.body).soft->positions().size(), Vec3::Zero());
  for (const SoftPull& pull : soft_forces_) {
    if (!pull.force) continue;
    Body& one = body(pull.body);
    pull.force->apply(*one.soft, time_, seconds, one.pulls);
    for (std::size_t i = 0; i < one.pulls.size(); ++i)
      if (!one.pulls[i].allFinite())
        throw Error(Place::named("body", one.name).element("node", i), "a force on it is not finite",
                    "Look at what the force computes.");
  }
}

void World::find_contacts() {
  if (!options_.detects) return;
  contacts_ = detector_.detect();
  for (const Stage& inside : contacts_.stages) timer_.add(inside);
}

// Which contacts push, and what.
void World::answer_contacts() {
  if (!responds()) return;
  participants_.assign(detector_.surfaces().slots().size(), {});
  for (const BodyId id : order_) {
    const Body& one = bodies_[id.index];
    if (one.touching) participants_[one.touching.index] = participant(one);
  }
  response_->begin({&detector_, &rigid_, participants_, colliders_}, contacts_.contacts);
}

// A body as a response sees it.
Participant World::participant(const Body& one) const {
  using Kind = Participant::Kind;
  Participant p;
  p.surface = one.touching;
  p.body = one.id;
  p.material = one.touch;
  p.area = one.area;
  p.local = one.local.positions;
  p.placings = one.placed + (one.soft ? one.soft->placings() : 0);
  switch (one.kind) {
    case BodyKind::fixed:
      p.kind = Kind::still;
      break;
    case BodyKind::kinematic:
      p.kind = Kind::carried;
      break;
    case BodyKind::rigid:
      p.kind = Kind::rigid;
      p.mass = rigid_.mass(one.id).mass;
      break;
    case BodyKind::soft:
      p.kind = Kind::soft;
      p.soft = one.soft.get();
      p.nodes = one.nodes;
      p.embedding = one.embedding.size() > 0 ? &one.embedding : nullptr;
      for (const double mass : one.soft->masses()) p.mass += mass;
      for (const Material& m : one.soft->materials())
        p.young += m.young / static_cast<double>(one.soft->materials().size());
  }
  return p;
}

std::span<const ContactForce> World::contact_forces() const {
  if (!response_) return {};
  return options_.substeps > 1 ? forces_.all() : response_->forces();
}

Vec3 World::contact_force(BodyId id) const {
  require(id);
  Vec3 sum = Vec3::Zero();
  for (const ContactForce& one : contact_forces()) {
    if (one.second == id) sum += one.force;
    if (one.first == id) sum -= one.force;
  }
  return sum;
}

void World::move_bodies(double seconds) {
  rigid_.set_time(time_);
  for (const BodyId id : order_) {
    Body& body = bodies_[id.index];
    for (std::uint32_t v = 0; v < body.pulls.size(); ++v) body.soft->push(v, body.pulls[v]);
    body.pulls.clear();
  }
  RigidReport rigid;
  if (responds()) {
    const TouchingReport touching = response_->step(seconds);
    report_.touching.add(touching);
    report_.soft.add(touching.solve);
    report_.failures += touching.solve.failed ? 1 : 0;
    rigid = touching.rigid;
    if (options_.substeps > 1) {
      forces_.begin_part();
      for (ContactForce force : response_->forces()) {
        force.force /= options_.substeps;
        force.push /= options_.substeps;
        forces_.part().push_back(force);
      }
      forces_.end_part();
    }
  } else {
    rigid = rigid_.step(seconds);
  }
  report_.rigid.add(rigid);
  report_.failures += rigid.failed;
  for (const BodyId id : order_) {
    Body& body = bodies_[id.index];
    if (!body.soft || (responds() && body.touching)) continue;
    const SolveReport one = body.soft->step(seconds);
    report_.soft.add(one);
    report_.failures += one.failed ? 1 : 0;
  }
}

// Surfaces follow their bodies.
void World::settle(double seconds) {
  time_ += seconds;
  for (const BodyId id : order_) {
    Body& one = bodies_[id.index];
    if (one.kind == BodyKind::fixed) continue;
    if (one.soft) {
      follow_nodes(one);
    } else {
      place_surface(one);
      if (one.touching) detector_.set_pose(one.touching, rigid_.state(id).pose);
    }
  }
}

void World::publish() {
  const WorldFrame frame{*this, report_, timer_.stages(), contacts_};
  for (const auto& observer : observers_) observer(frame);
}

}  // namespace palpate
