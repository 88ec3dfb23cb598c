#include <palpate/rigid/rigid_bodies.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include <palpate/base/error.h>

namespace palpate {

namespace {

void require_state(const RigidState& state) {
  if (!state.pose.position.allFinite() || !state.pose.rotation.coeffs().allFinite() ||
      !state.velocity.allFinite() || !state.angular_velocity.allFinite())
    throw Error(Place::named("rigid body", "state"), "it is not finite", "Look at where it was computed.");
  if (std::abs(state.pose.rotation.norm() - 1) > 1e-6)
    throw Error(Place::named("rigid body", "rotation"),
                fmt::format("its quaternion has the length {}", state.pose.rotation.norm()),
                "Bring it to length 1.");
}

void require_not_negative(std::string_view what, double value) {
  if (!(value >= 0) || !std::isfinite(value))
    throw Error(Place::named("rigid body", what), fmt::format("it is {}", value), "It must be 0 or above.");
}

Vec3 unturned(const Quat& turn, const Vec3& v) { return turn.conjugate() * v; }

const RigidMass nothing = {};  // of the world

}  // namespace

RigidBodies::RigidBodies(const RigidOptions& options) : options_(options) {
  if (!options.gravity.allFinite())
    throw Error(Place::named("rigid bodies", "gravity"), "it is not finite", "Give three numbers [m/s^2].");
  require_not_negative("sleep_speed", options.sleep_speed);
  require_not_negative("sleep_after", options.sleep_after);
  if (options.most_rounds < 1)
    throw Error(Place::named("rigid bodies", "most_rounds"), fmt::format("it is {}", options.most_rounds),
                "At least 1 is needed.");
}

std::uint32_t RigidBodies::place_of(BodyId id) const {
  const std::uint32_t place = id.index < places_.size() ? places_[id.index] : none;
  return place != none && bodies_[place].id == id ? place : none;
}

std::uint32_t RigidBodies::require(BodyId id) const {
  const std::uint32_t place = place_of(id);
  if (place == none)
    throw MissingBody(Place::named("rigid bodies", fmt::format("body {}.{}", id.index, id.generation)),
                      "it is not there (any more)", "Keep ids only as long as their bodies.");
  return place;
}

void RigidBodies::add(BodyId id, const RigidDescription& d) {
  if (!id || contains(id))
    throw Error(Place::named("rigid bodies", "id"), "it is null or in use",
                "Give every body an id of its own.");
  require_state(d.state);
  require_not_negative("linear_damping", d.linear_damping);
  require_not_negative("angular_damping", d.angular_damping);
  if (d.kind == RigidKind::dynamic &&
      (!(d.mass.mass > 0) || !(d.mass.mass < 1e15) || !(d.mass.moments.minCoeff() > 0) ||
       !d.mass.moments.allFinite() || !d.mass.frame.position.allFinite() ||
       !(std::abs(d.mass.frame.rotation.norm() - 1) < 1e-6)))
    throw Error(Place::named("rigid body", "mass"), "it is not one that a body has", "Use RigidMass::of.");
  const bool moves = d.kind == RigidKind::dynamic;
  Body body{};
  body.id = id;
  body.kind = d.kind;
  body.gravity = d.gravity;
  body.asleep = body.touches = false;
  body.mass = moves ? d.mass : RigidMass{};
  body.inverse_mass = moves ? 1 / d.mass.mass : 0;
  body.inverse_moments = moves ? Vec3(d.mass.moments.cwiseInverse()) : Vec3::Zero();
  body.reach = 2 * std::sqrt(body.mass.moments.maxCoeff() / body.mass.mass);
  body.linear_damping = d.linear_damping;
  body.angular_damping = d.angular_damping;
  body.goal = d.state.pose;
  body.force = body.torque = body.slept_force = body.slept_torque = body.quiet_velocity = Vec3::Zero();
  if (id.index >= places_.size()) places_.resize(id.index + std::size_t{1}, none);
  places_[id.index] = static_cast<std::uint32_t>(bodies_.size());
  bodies_.push_back(body);
  joints_changed_ = true;
  now_.push_back({});
  set_state(id, d.state);
  before_.push_back(now_.back());
}

void RigidBodies::remove(BodyId id) {
  const std::uint32_t place = require(id);
  remove_all_of(id);
  bodies_.erase(bodies_.begin() + place);
  now_.erase(now_.begin() + place);
  before_ = now_;
  joints_changed_ = true;
  places_[id.index] = none;
  for (std::uint32_t i = place; i < bodies_.size(); ++i) places_[bodies_[i].id.index] = i;
}

void RigidBodies::refuse_force(std::size_t place, const MissingBody& missing) const {
  const ForceId id = force_ids_.at(place);
  throw Error(Place::named("force", fmt::format("{}.{}", id.index, id.generation)),
              fmt::format("it asks for or pushes a body that is not there (any more): {}", missing.where()),
              "Remove the force when its body goes, or override Force::knows(): then it goes with it.");
}

ForceId RigidBodies::add(std::shared_ptr<Force> force) {
  if (!force) throw Error(Place::named("rigid bodies", "force"), "it is null", "Give one.");
  const ForceId id = force_ids_.create();
  forces_.resize(force_ids_.slots());
  forces_[id.index] = std::move(force);
  return id;
}

JointId RigidBodies::add(std::shared_ptr<RigidConstraint> joint) {
  if (!joint) throw Error(Place::named("rigid bodies", "joint"), "it is null", "Give one.");
  for (const BodyId body : joint->bodies())
    if (body) require(body);
  if (joint->rows() > ConstraintRows::most)
    throw Error(Place::named("rigid bodies", "joint"), fmt::format("it has {} rows", joint->rows()),
                "Make it two joints.");
  for (const BodyId body : joint->bodies())
    if (body) wake(body);
  const JointId id = joint_ids_.create();
  joints_.resize(joint_ids_.slots());
  joints_[id.index] = std::move(joint);
  joints_changed_ = true;
  return id;
}

void RigidBodies::remove(ForceId id) {
  if (!force_ids_.release(id))
    throw Error(Place::named("rigid bodies", "force"), "it is not there (any more)", "Remove each one once.");
  forces_[id.index].reset();
}

void RigidBodies::remove(JointId id) {
  if (!joint_ids_.release(id))
    throw Error(Place::named("rigid bodies", "joint"), "it is not there (any more)", "Remove each one once.");
  for (const BodyId body : joints_[id.index]->bodies())
    if (body) wake(body);
  joints_[id.index].reset();
  joints_changed_ = true;
}

void RigidBodies::remove_all_of(BodyId id) {
  for (std::size_t i = 0; i < forces_.size(); ++i)
    if (forces_[i] && forces_[i]->knows(id)) remove(force_ids_.at(i));
  for (std::size_t i = 0; i < joints_.size(); ++i)
    if (joints_[i] && (joints_[i]->bodies()[0] == id || joints_[i]->bodies()[1] == id))
      remove(joint_ids_.at(i));
}

// --- states ---------------------------------------------------------------------------------------

Pose RigidBodies::pose_of(std::uint32_t place, const Moving& moving) const {
  const Pose& frame = bodies_[place].mass.frame;
  const Quat turn = (moving.turn * frame.rotation.conjugate()).normalized();
  return {turn, moving.centre - turn * frame.position};
}

Vec3 RigidBodies::angular_velocity_of(std::uint32_t place) const {
  const Moving& m = now_[place];
  if (bodies_[place].kind != RigidKind::dynamic) return m.momentum;
  return m.turn * bodies_[place].inverse_moments.cwiseProduct(m.momentum);
}

RigidState RigidBodies::state(BodyId id) const {
  if (!id) return {};
  const std::uint32_t place = require(id);
  return {pose_of(place), now_[place].velocity, angular_velocity_of(place)};
}

Vec3 RigidBodies::centre(BodyId id) const { return id ? now_[require(id)].centre : Vec3(Vec3::Zero()); }

const RigidMass& RigidBodies::mass(BodyId id) const { return id ? bodies_[require(id)].mass : nothing; }

void RigidBodies::set_state(BodyId id, const RigidState& state) {
  const std::uint32_t place = require(id);
  require_state(state);
  Body& body = bodies_[place];
  Moving& m = now_[place];
  const Quat turn = state.pose.rotation.normalized();
  m.turn = (turn * body.mass.frame.rotation).normalized();
  m.centre = state.pose.position + turn * body.mass.frame.position;
  m.velocity = body.kind == RigidKind::fixed ? Vec3(Vec3::Zero()) : state.velocity;
  m.momentum = Vec3::Zero();
  if (body.kind == RigidKind::dynamic)
    m.momentum = body.mass.moments.cwiseProduct(unturned(m.turn, state.angular_velocity));
  body.goal = {turn, state.pose.position};
  wake(id);
}

void RigidBodies::strike(BodyId id, const Vec3& impulse, const Vec3& where) {
  const std::uint32_t place = require(id);
  if (bodies_[place].kind != RigidKind::dynamic) return;
  wake(id);
  Moving& m = now_[place];
  m.velocity += bodies_[place].inverse_mass * impulse;
  m.momentum += unturned(m.turn, (where - m.centre).cross(impulse));
}

void RigidBodies::kick(BodyId id, const Vec3& velocity, const Vec3& spin) {
  const std::uint32_t place = require(id);
  if (bodies_[place].kind != RigidKind::dynamic) return;
  wake(id);
  now_[place].velocity += velocity;
  now_[place].momentum += bodies_[place].mass.moments.cwiseProduct(unturned(now_[place].turn, spin));
}

void RigidBodies::kick_by(BodyId id, const Vec3& momentum, const Vec3& angular_momentum) {
  const std::uint32_t place = require(id);
  if (bodies_[place].kind != RigidKind::dynamic) return;
  wake(id);
  now_[place].velocity += bodies_[place].inverse_mass * momentum;
  now_[place].momentum += unturned(now_[place].turn, angular_momentum);
}

void RigidBodies::move_to(BodyId id, const Pose& pose) {
  const std::uint32_t place = require(id);
  require_state({pose, Vec3::Zero(), Vec3::Zero()});
  if (bodies_[place].kind != RigidKind::kinematic)
    throw Error(Place::named("rigid body", "goal"), "only kinematic bodies go where they are told",
                "Use set_state, or push it.");
  bodies_[place].goal = {pose.rotation.normalized(), pose.position};
}

void RigidBodies::set_gravity(const Vec3& gravity) {
  if (!gravity.allFinite())
    throw Error(Place::named("rigid bodies", "gravity"), "it is not finite", "Give three numbers [m/s^2].");
  options_.gravity = gravity;
  for (Body& body : bodies_) {
    body.asleep = false;
    body.quiet = 0;
  }
}

// --- sums -----------------------------------------------------------------------------------------

double RigidBodies::kinetic_energy() const {
  double sum = 0;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].kind != RigidKind::dynamic) continue;
    const Moving& m = now_[i];
    sum += 0.5 * bodies_[i].mass.mass * m.velocity.squaredNorm() +
           0.5 * m.momentum.dot(bodies_[i].inverse_moments.cwiseProduct(m.momentum));
  }
  return sum;
}

double RigidBodies::potential_energy() const {
  double sum = 0;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (bodies_[i].kind == RigidKind::dynamic && bodies_[i].gravity)
      sum -= bodies_[i].mass.mass * options_.gravity.dot(now_[i].centre);
  for (std::size_t i = 0; i < forces_.size(); ++i) try {
      if (forces_[i]) sum += forces_[i]->energy(*this);
    } catch (const MissingBody& missing) {
      refuse_force(i, missing);
    }
  for (const auto& joint : joints_) {
    if (!joint || !(joint->compliance() > 0)) continue;
    const auto side = [&](BodyId id) { return ConstraintSide{state(id).pose, centre(id)}; };
    ConstraintRows rows;
    joint->at(side(joint->bodies()[0]), side(joint->bodies()[1]), rows);
    for (std::size_t r = 0; r < joint->rows(); ++r)
      sum += 0.5 * rows.row[r].value * rows.row[r].value / joint->compliance();
  }
  return sum;
}

Vec3 RigidBodies::momentum() const {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (bodies_[i].kind == RigidKind::dynamic) sum += bodies_[i].mass.mass * now_[i].velocity;
  return sum;
}

Vec3 RigidBodies::angular_momentum() const {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (bodies_[i].kind == RigidKind::dynamic)
      sum += now_[i].centre.cross(bodies_[i].mass.mass * now_[i].velocity) + now_[i].turn * now_[i].momentum;
  return sum;
}

// --- bytes ----------------------------------------------------------------------------------------

namespace {

using StateNumbers = std::array<double, 30>;

template <class Moving, class Body>
StateNumbers numbers_of_body(const Moving& m, const Body& b) {
  StateNumbers all{};
  std::size_t at = 0;
  const auto put = [&](const auto& vector) {
    for (Eigen::Index k = 0; k < vector.size(); ++k) all[at++] = vector[k];
  };
  put(m.centre);
  put(m.turn.coeffs());
  put(m.velocity);
  put(m.momentum);
  put(b.goal.rotation.coeffs());
  put(b.goal.position);
  put(b.slept_force);
  put(b.slept_torque);
  put(b.quiet_velocity);
  all[at++] = b.quiet;
  return all;
}

template <class Moving, class Body>
void set_numbers_of_body(const StateNumbers& all, Moving& m, Body& b) {
  std::size_t at = 0;
  const auto get = [&](auto& vector) {
    for (Eigen::Index k = 0; k < vector.size(); ++k) vector[k] = all[at++];
  };
  get(m.centre);
  get(m.turn.coeffs());
  get(m.velocity);
  get(m.momentum);
  get(b.goal.rotation.coeffs());
  get(b.goal.position);
  get(b.slept_force);
  get(b.slept_torque);
  get(b.quiet_velocity);
  b.quiet = all[at++];
}

}  // namespace

void RigidBodies::hash(StateHash& hash) const {
  hash.add(time_);
  hash.add(numbers_of({&options_.gravity, 1}));
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    hash.add(bodies_[i].id.index);
    hash.add(bodies_[i].id.generation);
    hash.add(static_cast<std::uint8_t>(bodies_[i].asleep));
    hash.add(std::span<const double>(numbers_of_body(now_[i], bodies_[i])));
  }
}

void RigidBodies::save(ByteWriter& to) const {
  to.put(time_);
  to.put(numbers_of({&options_.gravity, 1}));
  to.put(std::uint64_t{bodies_.size()});
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    to.put(bodies_[i].id.index);
    to.put(bodies_[i].id.generation);
    to.put(static_cast<std::uint8_t>(bodies_[i].asleep));
    to.put(std::span<const double>(numbers_of_body(now_[i], bodies_[i])));
  }
}

void RigidBodies::load(ByteReader& from) {
  time_ = from.get<double>();
  from.get(std::span<double>(options_.gravity.data(), 3));
  if (from.get<std::uint64_t>() != bodies_.size()) from.fail("it has other rigid bodies");
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const BodyId id{from.get<std::uint32_t>(), from.get<std::uint32_t>()};
    if (id != bodies_[i].id) from.fail("it has other rigid bodies");
    bodies_[i].asleep = from.get<std::uint8_t>() != 0;
    StateNumbers all;
    from.get(std::span<double>(all));
    for (const double number : all)
      if (!std::isfinite(number)) from.fail("a number in it is not finite");
    set_numbers_of_body(all, now_[i], bodies_[i]);
  }
  before_ = now_;
}

}  // namespace palpate
