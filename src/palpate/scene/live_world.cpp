#include <palpate/scene/live_world.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/mesh/generate.h>
#include <palpate/scene/build_world.h>
#include <palpate/scene/read_scene.h>

namespace palpate {

namespace {

constexpr double fastest_probe = 3;  // [m/s]: a cursor jumps, and what it touches must not be shot away

bool same_meaning(Scene a, Scene b) {
  a.text.clear();
  b.text.clear();
  return a == b;
}

std::string key_of(const std::string& change) { return change.substr(0, change.find('=')); }

// The node that follows a point most.
std::uint32_t nearest_node(const World& world, BodyId id, const SurfacePoint& at) {
  const SoftBody& soft = world.soft(id);
  Vec3 place = Vec3::Zero();
  for (std::size_t k = 0; k < 3; ++k) {
    if (at.vertices[k] >= world.points(id).size())
      throw Error(Place::named("body", world.name(id)), fmt::format("it has no vertex {}", at.vertices[k]),
                  "Give the corners of one of its triangles.");
    place += at.weights[k] * world.points(id)[at.vertices[k]];
  }
  std::uint32_t best = 0;
  double least = HUGE_VAL;
  for (std::uint32_t node = 0; node < soft.positions().size(); ++node)
    if (const double squared = (soft.positions()[node] - place).squaredNorm(); squared < least) {
      least = squared;
      best = node;
    }
  return best;
}

// As by a thumb: nodes near the place take most of it, for their masses, so that none is shot away.
void push_around(SoftBody& soft, const Vec3& place, const Vec3& force) {
  Box box;
  for (const Vec3& p : soft.positions()) box.add(p);
  const double width = 0.2 * box.size().norm();
  const auto share = [&](std::uint32_t node) {
    return soft.masses()[node] * std::exp(-(soft.positions()[node] - place).squaredNorm() / (width * width));
  };
  double sum = 0;
  for (std::uint32_t node = 0; node < soft.positions().size(); ++node) sum += share(node);
  for (std::uint32_t node = 0; node < soft.positions().size() && sum > 0; ++node)
    soft.push(node, share(node) / sum * force);
}

}  // namespace

// Where the probe goes in the step that is next, in a straight line.
class LiveWorld::ProbeScript final : public Script {
 public:
  explicit ProbeScript(const Vec3& at) : from_(at), to_(at), goal(at) {}
  Pose at(double time) const override {
    const double part = length_ > 0 ? std::clamp((time - begin_) / length_, 0.0, 1.0) : 1;
    return {Quat::Identity(), from_ + part * (to_ - from_)};
  }
  void begin_step(double time, double seconds) {
    from_ = to_;
    const Vec3 way = goal - from_;
    const double far = way.norm(), most = fastest_probe * seconds;
    to_ = far > most ? Vec3(from_ + most / far * way) : goal;
    begin_ = time;
    length_ = seconds;
  }

 private:
  Vec3 from_, to_;
  double begin_ = 0, length_ = 0;

 public:
  Vec3 goal;
};

LiveWorld::LiveWorld(Scene scene, std::string name)
    : scene_(std::move(scene)), name_(std::move(name)), text_(scene_.text), world_(build_world(scene_)) {}

LiveWorld::~LiveWorld() = default;

const StepReport& LiveWorld::step() {
  if (probe_) probe_->begin_step(world_->time(), scene_.run.step);
  return world_->step(scene_.run.step);
}

std::vector<LiveWorld::Pin> LiveWorld::pins() const {
  std::vector<Pin> all;
  for (const Pinned& one : pins_) all.push_back({one.body, one.place});
  return all;
}

void LiveWorld::reset() {
  std::unique_ptr<World> fresh = build_world(scene_);
  hands_.clear();
  pins_.clear();
  probe_.reset();
  world_ = std::move(fresh);
}

void LiveWorld::perform(const LiveCommand& command) {
  using Kind = LiveCommand::Kind;
  const auto hand = [&] {
    const auto at = hands_.find(command.hand);
    if (at == hands_.end())
      throw Error(Place::named("hand", fmt::format("{}", command.hand)), "it holds nothing", "Grab first.");
    return at;
  };
  switch (command.kind) {
    case Kind::grab:
      return grab(command);
    case Kind::move:
      return world_->move(hand()->second.hand, command.vector);
    case Kind::release: {
      const auto at = hand();
      if (world_->contains(world_->hand_state(at->second.hand).body)) world_->release(at->second.hand);
      hands_.erase(at);
      return;
    }
    case Kind::poke:
      return poke(command);
    case Kind::pin:
      return pin(command, true);
    case Kind::unpin:
      return pin(command, false);
    case Kind::probe:
      return probe(command);
    case Kind::unprobe:
      return unprobe();
    case Kind::set:
      return set(command.change);
  }
}

BodyId LiveWorld::body_named(const std::string& name) const {
  const BodyId id = world_->find(name);
  if (!id)
    throw Error(Place::named("body", name), "there is none of this name", "Look at the scene's names.");
  return id;
}

void LiveWorld::grab(const LiveCommand& command) {
  if (hands_.contains(command.hand))
    throw Error(Place::named("hand", fmt::format("{}", command.hand)), "it holds something already",
                "Release it first.");
  const HandId own = world_->grab(body_named(command.body), command.at, command.stiffness);
  hands_[command.hand] = {own, command};
}

// A push that is over at once.
void LiveWorld::poke(const LiveCommand& command) {
  const HandId hand = world_->grab(body_named(command.body), command.at);  // which checks the point
  const HandState state = world_->hand_state(hand);
  world_->release(hand);
  if (world_->kind(state.body) == BodyKind::soft)
    return push_around(world_->soft(state.body), state.at,
                       command.vector * scene_.run.substeps / scene_.run.step);
  RigidState moved = world_->state(state.body);
  const RigidMass& mass = world_->rigid().mass(state.body);
  moved.velocity += command.vector / mass.mass;
  const Quat axes = moved.pose.rotation * mass.frame.rotation;
  const Vec3 twist = (state.at - world_->rigid().centre(state.body)).cross(command.vector);
  moved.angular_velocity += axes * (axes.conjugate() * twist).cwiseQuotient(mass.moments);
  world_->set_state(state.body, moved);
}

// Of a soft body, its nearest node; a rigid one turns about the point.
void LiveWorld::pin(const LiveCommand& command, bool pinned) {
  const BodyId id = body_named(command.body);
  if (world_->kind(id) == BodyKind::soft) {
    const std::uint32_t node = nearest_node(*world_, id, command.at);
    if (pinned)
      world_->soft(id).fix({&node, 1});
    else
      world_->soft(id).release({&node, 1});
    return;
  }
  const auto own =
      std::find_if(pins_.begin(), pins_.end(), [&](const Pinned& one) { return one.body == command.body; });
  if (pinned && own == pins_.end()) {
    const HandId hand = world_->grab(id, command.at);  // which checks the point
    const Vec3 place = world_->hand_state(hand).at;
    world_->release(hand);
    pin_rigid(id, place);
  } else if (!pinned && own != pins_.end()) {
    world_->remove(own->joint);
    pins_.erase(own);
  }
}

void LiveWorld::pin_rigid(BodyId id, const Vec3& place) {
  const JointId joint = world_->add_joint(id, {}, {.kind = JointKind::ball, .point = place}, true);
  pins_.push_back({world_->name(id), place, joint});
}

void LiveWorld::probe(const LiveCommand& command) {
  if (!probe_) add_probe(command.vector, command.radius);
  probe_->goal = command.vector;
}

void LiveWorld::add_probe(const Vec3& at, double radius) {
  if (world_->find(probe_name))
    throw Error(Place::named("body", probe_name), "the scene has a body of this name", "Rename it.");
  auto script = std::make_shared<ProbeScript>(at);
  world_->add_kinematic(make(IcosphereShape{.radius = radius, .frequency = 6}), script,
                        {.name = std::string(probe_name), .pose = script->at(0)});
  probe_ = std::move(script);
  probe_radius_ = radius;
}

void LiveWorld::unprobe() {
  if (!probe_) return;
  world_->remove(world_->find(probe_name));
  probe_.reset();
}

// The scene is read again with the change, and its world goes on where this one is, with all that holds it.
void LiveWorld::set(const std::string& change) {
  std::vector<std::string> changes = changes_;
  std::erase_if(changes, [&](const std::string& one) { return key_of(one) == key_of(change); });
  const auto read = [&] {
    return parse_scene(text_, name_, changes, std::filesystem::path(name_).parent_path());
  };
  // What is set to what it would be anyway is not set: other keys may depend on whether it is.
  std::optional<Scene> without;
  try {
    without = read();
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): what was set before needs this one
  }
  changes.push_back(change);
  Scene scene = read();
  if (without && same_meaning(*without, scene)) {
    changes.pop_back();
    scene = std::move(*without);
  }
  std::unique_ptr<World> next = build_world(scene);
  if (probe_ && next->find(probe_name))
    throw Error(Place::named("body", probe_name), "the probe is called so", "Take it away first.");
  next->go_on_from(*world_);
  std::map<std::uint32_t, Grabbed> hands;
  for (const auto& [number, one] : hands_) {
    const BodyId id = next->find(one.command.body);
    if (!id) continue;
    const HandId own = next->grab(id, one.command.at, one.command.stiffness);
    next->move(own, world_->hand_state(one.hand).target);
    hands[number] = {own, one.command};
  }
  world_ = std::move(next);
  hands_ = std::move(hands);
  scene_ = std::move(scene);
  changes_ = std::move(changes);
  for (const Pinned& one : std::exchange(pins_, {}))
    if (const BodyId id = world_->find(one.body); id) pin_rigid(id, one.place);
  if (const auto probe = std::exchange(probe_, nullptr)) {
    add_probe(probe->at(world_->time()).position, probe_radius_);
    probe_->goal = probe->goal;
  }
}

}  // namespace palpate
