// Hands: springs that pull points of bodies to where they are told.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/world/world.h>

namespace palpate {

namespace {

// How fast what hangs on a hand swings, if nobody says: slow enough for any step of a page, fast enough to
// feel held.
constexpr double swings = 2 * std::numbers::pi * 2;  // [rad/s]
// However stiff it is and far it reaches, it pulls no harder than this times the mass.
constexpr double strongest = 200;  // [m/s^2]
// Forces on rigid bodies are those of a step's ends: what swings faster than this times the step would be
// shot away. A body that also turns on it swings faster than its mass alone.
constexpr double fastest = 0.25;

double stiffness_at(double distance, double stiffness, double mass) {
  return distance * stiffness > strongest * mass ? strongest * mass / distance : stiffness;
}
// So that what is held comes to rest at once, without swinging.
double damping_of(double stiffness, double mass) { return 2 * std::sqrt(stiffness * mass); }

}  // namespace

// A rigid body on a hand. Unlike SpringForce it has no length, and its end may be moved.
struct World::HandForce final : Force {
  BodyId body;
  Vec3 local = Vec3::Zero();   // [m]
  Vec3 target = Vec3::Zero();  // [m]
  double stiffness = 0, mass = 1;
  mutable double used = 0;  // of the stiffness, when it was asked last

  double stiffness_now(const RigidView& bodies) const {
    const double distance = (target - bodies.point(body, local)).norm(), step = bodies.step();
    const double now = stiffness_at(distance, stiffness, mass);
    return step > 0 ? std::min(now, mass * fastest * fastest / (step * step)) : now;
  }
  void apply(RigidView& bodies) const override {
    const Vec3 at = bodies.point(body, local);
    const double now = used = stiffness_now(bodies);
    bodies.push(body, now * (target - at) - damping_of(now, mass) * bodies.velocity_at(body, at), at);
  }
  double energy(const RigidView& bodies) const override {
    return 0.5 * stiffness_now(bodies) * (target - bodies.point(body, local)).squaredNorm();
  }
  bool knows(BodyId id) const override { return id == body; }
};

HandId World::grab(BodyId id, const SurfacePoint& at, double stiffness) {
  Body& one = body(id);
  const auto refuse = [&](std::string problem, std::string remedy) {
    throw Error(Place::named("body", one.name), std::move(problem), std::move(remedy));
  };
  if (one.kind != BodyKind::soft && one.kind != BodyKind::rigid)
    refuse("it cannot be grabbed: nothing moves it", "Grab a rigid or a soft body.");
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    if (at.vertices[k] >= points_of(one).size())
      refuse(fmt::format("it has no vertex {}", at.vertices[k]),
             fmt::format("It has {}.", points_of(one).size()));
    if (!(at.weights[k] >= 0) || !(at.weights[k] <= 1))
      refuse("the point is not on a triangle", "Weights are from 0 to 1, and sum up to 1.");
    sum += at.weights[k];
  }
  if (!(std::abs(sum - 1) <= 1e-6))
    refuse("the point is not on a triangle", "Weights are from 0 to 1, and sum up to 1.");
  if (!(stiffness >= 0) || !std::isfinite(stiffness))
    refuse(fmt::format("the stiffness of the hand is {}", stiffness), "It must be 0 or above [N/m].");
  Hand hand{id, at, {}, stiffness, 0, nullptr, {}};
  hand.target = held(hand);
  if (one.soft)
    for (const double m : one.soft->masses()) hand.mass += m;
  else
    hand.mass = rigid_.mass(id).mass;
  if (hand.stiffness == 0) hand.stiffness = hand.mass * swings * swings;
  if (!one.soft) {
    hand.force = std::make_shared<HandForce>();
    hand.force->body = id;
    hand.force->local = rigid_.state(id).pose.inverse().apply(hand.target);
    hand.force->target = hand.target;
    hand.force->stiffness = hand.stiffness;
    hand.force->mass = hand.mass;
    hand.force_id = rigid_.add(hand.force);
    rigid_.wake(id);
  }
  const HandId own = hand_ids_.create();
  if (own.index >= hands_.size()) hands_.resize(own.index + std::size_t{1});
  hands_[own.index] = std::move(hand);
  if (one.soft) hold_soft(one);
  return own;
}

const World::Hand& World::hand(HandId id) const {
  if (!hand_ids_.alive(id))
    throw Error(Place::named("world", "hands"), "there is no such hand", "It has been released.");
  return hands_[id.index];
}

Vec3 World::held(const Hand& hand) const {
  const std::span<const Vec3> points = points_of(body(hand.body));
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < 3; ++k) sum += hand.at.weights[k] * points[hand.at.vertices[k]];
  return sum;
}

HandState World::hand_state(HandId id) const {
  const Hand& one = hand(id);
  const Vec3 at = held(one), way = one.target - at;
  double stiffness = stiffness_at(way.norm(), one.stiffness, one.mass);
  if (one.force && one.force->used > 0) stiffness = std::min(stiffness, one.force->used);
  return {one.body, at, one.target, stiffness * way};
}

void World::move(HandId id, const Vec3& to) {
  hand(id);
  if (!to.allFinite())
    throw Error(Place::named("world", "hands"), "the place is not finite", "Look at where it was computed.");
  Hand& one = hands_[id.index];
  one.target = to;
  if (!one.force) return;
  one.force->target = to;
  rigid_.wake(one.body);
}

void World::release(HandId id) {
  const Hand one = hand(id);
  hand_ids_.release(id);
  hands_[id.index] = {};
  if (one.force)
    rigid_.remove(one.force_id);
  else
    hold_soft(body(one.body));
}

std::vector<HandId> World::hands() const {
  std::vector<HandId> all;
  for (std::size_t i = 0; i < hands_.size(); ++i)
    if (const HandId id = hand_ids_.at(i)) all.push_back(id);
  return all;
}

// What a point of the surface follows, each node once.
std::vector<PullTerm::Share> World::shares_of(const Body& one, const SurfacePoint& at) {
  std::vector<PullTerm::Share> shares;
  const auto add = [&](std::uint32_t node, double weight) {
    const auto there = std::find_if(shares.begin(), shares.end(),
                                    [&](const PullTerm::Share& share) { return share.node == node; });
    if (there == shares.end())
      shares.push_back({node, weight});
    else
      there->weight += weight;
  };
  for (std::size_t k = 0; k < 3; ++k) {
    const std::uint32_t v = at.vertices[k];
    if (is_string(one)) {
      add(v, at.weights[k]);
    } else if (!one.nodes.empty()) {
      add(one.nodes[v], at.weights[k]);
    } else {
      for (std::size_t c = 0; c < 4; ++c)
        add(one.embedding.corners()[v][c], at.weights[k] * one.embedding.weights()[v][c]);
    }
  }
  return shares;
}

// The springs of all hands on a soft body, as they are now. Solvers that project know no springs: there hands
// push, as much as is stable.
void World::hold_soft(Body& one) {
  if (one.pulls_of_hands) {
    if (one.soft->takes_terms()) one.soft->remove_term(*one.pulls_of_hands);
    one.pulls_of_hands.reset();
  }
  for (const HandId id : hands()) {
    const Hand& hand = hands_[id.index];
    if (hand.body != one.id) continue;
    if (!one.pulls_of_hands) one.pulls_of_hands = std::make_unique<PullTerm>();
    one.pulls_of_hands->pulls.push_back({shares_of(one, hand.at), hand.target, hand.stiffness});
  }
  if (one.pulls_of_hands && one.soft->takes_terms()) one.soft->add_term(*one.pulls_of_hands);
}

// The springs of the step that is next. Damping is a spring as well, to where the point is, by the backward
// difference that the step is; the two are one, with its end between theirs. The metric keeps to what the
// stiffness was at first, which is about right and may be.
void World::pull_by_hands(Body& one, double seconds) {
  std::size_t place = 0;
  for (const HandId id : hands()) {
    const Hand& hand = hands_[id.index];
    if (hand.body != one.id) continue;
    PullTerm::Pull& pull = one.pulls_of_hands->pulls[place++];
    const Vec3 at = pull.at(one.soft->positions());
    pull.stiffness = stiffness_at((hand.target - at).norm(), hand.stiffness, hand.mass);
    pull.target = hand.target;
    if (!one.soft->takes_terms()) continue;
    const double damping = damping_of(pull.stiffness, hand.mass) / seconds;
    pull.target = at + pull.stiffness / (pull.stiffness + damping) * (hand.target - at);
    pull.stiffness += damping;
  }
  if (!one.soft->takes_terms()) push_by_hands(one, seconds);
}

// A spring that is taken from the start of a step is stable if it does not turn its nodes round in it.
void World::push_by_hands(Body& one, double seconds) {
  for (const PullTerm::Pull& pull : one.pulls_of_hands->pulls) {
    double inverse = 0;  // of the mass that the point has
    Vec3 velocity = Vec3::Zero();
    for (const PullTerm::Share& share : pull.point) {
      inverse += share.weight * share.weight / one.soft->masses()[share.node];
      velocity += share.weight * one.soft->velocities()[share.node];
    }
    const double stiffness = std::min(pull.stiffness, 0.25 / (inverse * seconds * seconds));
    const double damping = 0.5 / (inverse * seconds);
    const Vec3 force = stiffness * (pull.target - pull.at(one.soft->positions())) - damping * velocity;
    for (const PullTerm::Share& share : pull.point) one.soft->push(share.node, share.weight * force);
  }
}

}  // namespace palpate
