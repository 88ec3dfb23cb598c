#include <palpate/respond/touching_step.h>

#include <algorithm>
#include <cmath>

namespace palpate {

namespace {

constexpr double short_of = 0.9;     // of the way to where things would cross, what is gone
constexpr double least_left = 1e-6;  // of a step: a rest that is no longer is dropped
constexpr double slow = 2;           // hits that free fall through so many steps explains do not bounce
constexpr int bounce_rounds = 50;    // of impulses
constexpr double enough = 1e-8, enough_bent = 1e-3;  // of the contact distance: what is no more to be gained

}  // namespace

void TouchingStep::begin(const ResponseScene& scene, std::span<const Contact> contacts) {
  detector_ = scene.detector;
  rigid_ = scene.rigid;
  participants_ = scene.participants;
  overlaps_.update(*detector_, participants_);
  take_touches(contacts);
}

void TouchingStep::save(ByteWriter& to) const {
  memory_.save(to);
  overlaps_.save(to);
  layers_.save(to);
}

void TouchingStep::load(ByteReader& from) {
  memory_.load(from);
  overlaps_.load(from);
  layers_.load(from);
}

void TouchingStep::hash(StateHash& hash) const {
  memory_.hash(hash);
  overlaps_.hash(hash);
  layers_.hash(hash);
}

void TouchingStep::forget() {
  memory_.clear();
  overlaps_.forget();
  layers_.forget();
}

std::string TouchingStep::refuses(const SoftBody& body) const {
  if (body.couples()) return {};
  return "Contacts are not solved together with its solver: use quasi_newton, or the response penalty.";
}

TouchingReport TouchingStep::step(double seconds) {
  step_ = seconds;
  // What is pressed comes out by 1 / (1 + damping) of it in a step: a layer that is thicker than the gap by
  // so much pushes no faster than at the speed of easing.
  layers_.update(touches_, (1 + options_.damping) * options_.easing_speed * seconds,
                 options_.easing_speed * seconds);
  TouchingReport report;
  double left = seconds;
  while (left > least_left * seconds) {
    if (report.parts == options_.most_parts) {
      report.lost = left;
      break;
    }
    if (report.parts > 0) {
      set_positions();
      take_touches(detector_->detect().contacts);
    }
    begin_part(left, report.parts > 0);
    double fraction = 1;
    for (int round = 0;; ++round) {
      report.solve = solve();
      ++report.solves;
      set_ends();
      if (guard(report)) break;
      if (round == options_.rounds) {
        fraction = short_of * fraction_;
        break;
      }
      begin_part(left, report.parts > 0);
    }
    remember();
    end_part(fraction, report);
    ++report.parts;
    left *= 1 - fraction;
  }
  report.touches = touches_.size();
  for (const ContactForce& force : forces_) report.pushing += force.push > 0 ? 1 : 0;
  return report;
}

void TouchingStep::take_touches(std::span<const Contact> contacts) {
  const std::span<const Touch> found = finder_.find(detector_->surfaces(), contacts, overlaps_.pairs());
  touches_.assign(found.begin(), found.end());
  harder_.assign(touches_.size(), 1);
}

void TouchingStep::mark_touching() {
  groups_.assign(participants_.size(), {});
  for (const Touch& touch : touches_) {
    groups_[touch.first_surface].touches = true;
    groups_[touch.second_surface].touches = true;
  }
}

// What a light body carries may be heavy: contacts are as stiff as the heaviest body needs that they may have
// to hold.
void TouchingStep::find_loads() {
  const auto root = [&](std::uint32_t slot) {
    while (groups_[slot].root != slot) slot = groups_[slot].root = groups_[groups_[slot].root].root;
    return slot;
  };
  const auto moves = [&](std::uint32_t slot) {
    return participants_[slot].kind == Participant::Kind::rigid ||
           participants_[slot].kind == Participant::Kind::soft;
  };
  for (std::uint32_t slot = 0; slot < groups_.size(); ++slot) groups_[slot].root = slot;
  for (const Touch& touch : touches_) {
    if (!moves(touch.first_surface) || !moves(touch.second_surface)) continue;
    const std::uint32_t a = root(touch.first_surface), b = root(touch.second_surface);
    groups_[std::max(a, b)].root = std::min(a, b);
  }
  for (std::uint32_t slot = 0; slot < groups_.size(); ++slot)
    if (participants_[slot].kind == Participant::Kind::rigid) {
      Group& first = groups_[root(slot)];
      first.load = std::max(first.load, participants_[slot].mass);
    }
  for (std::uint32_t slot = 0; slot < groups_.size(); ++slot) groups_[slot].load = groups_[root(slot)].load;
}

void TouchingStep::begin_part(double seconds, bool rest_of_step) {
  seconds_ = seconds;
  mark_touching();
  find_loads();
  touching_bodies_.clear();
  for (std::size_t slot = 0; slot < participants_.size(); ++slot) {
    const Participant& p = participants_[slot];
    Group& group = groups_[slot];
    if (p.kind == Participant::Kind::soft) {
      if (!p.soft->couples()) group.touches = false;
      group.done = !p.soft->begin_step(seconds, rest_of_step);
    }
    if (p.kind == Participant::Kind::rigid && group.touches) touching_bodies_.push_back(p.body);
  }
  rigid_->add_joined(touching_bodies_);
  for (const BodyId id : touching_bodies_) rigid_->wake(id);
  rigid_->begin_step(seconds, touching_bodies_);
}

SolveReport TouchingStep::solve() {
  SolveReport report;
  const auto add = [&](const SolveReport& one) {
    report.iterations += one.iterations;
    report.evaluations += one.evaluations;
    report.failed = report.failed || one.failed;
    report.residual = std::max(report.residual, one.residual);
  };
  for (std::size_t slot = 0; slot < participants_.size(); ++slot) {
    const Participant& p = participants_[slot];
    if (p.kind == Participant::Kind::soft && !groups_[slot].touches && !groups_[slot].done)
      add(p.soft->solve_alone());
  }
  build_unknowns();
  forces_.clear();
  vectors_.clear();
  if (coupled_.size() == 0) return report;
  build_couplings();
  build_springs();
  choose_start();
  SolveOptions options;
  options.iterations = options_.iterations;
  options.least_gain = least_gain();
  for (int pass = 0; pass < options_.passes; ++pass) {
    if (pass > 0) update_friction();
    add(coupled_.solve(couplings_, law_, options));
  }
  couplings_.at(coupled_.positions(), vectors_);
  const std::span<const Vec3> x = coupled_.positions();
  for (const Mover& one : movers_)
    rigid_->correct(one.id, x[one.first], x[one.first + 1].cwiseQuotient(one.free.radii));
  rigid_->hold();
  return report;
}

// A step of a descent gains at least as much as it moves masses: when no more is in reach than what moves all
// of them by a small part of the contact distance, it is done. Newton's method is done at once when it is.
double TouchingStep::least_gain() const {
  double mass = 0;
  for (const Mover& one : movers_) mass += one.free.mass;
  bool bends = false;
  for (std::size_t slot = 0; slot < participants_.size(); ++slot)
    if (groups_[slot].touches && participants_[slot].kind == Participant::Kind::soft) {
      mass += participants_[slot].mass;
      bends = true;
    }
  const double by = (bends ? enough_bent : enough) * detector_->contact_distance() / seconds_;
  return 0.5 * mass * by * by;
}

// Where the bodies are, or where they would be if they moved on as before: whichever is the better place.
void TouchingStep::choose_start() {
  const std::span<Vec3> x = coupled_.positions();
  double best = HUGE_VAL;
  for (const bool soft_goes : {false, true})
    for (const bool rigid_goes : {false, true}) {
      for (const Mover& one : movers_) {
        x[one.first] = rigid_goes ? one.free.centre : one.free.start;
        x[one.first + 1] =
            rigid_goes ? Vec3(Vec3::Zero()) : Vec3(one.free.turn_back.cwiseProduct(one.free.radii));
      }
      for (std::size_t slot = 0; slot < participants_.size(); ++slot) {
        const Participant& p = participants_[slot];
        const Group& group = groups_[slot];
        if (!group.touches || group.done || p.kind != Participant::Kind::soft) continue;
        const Equations& equations = p.soft->equations();
        const std::span<const Vec3> from = p.soft->unknowns(), v = p.soft->velocities();
        for (std::size_t i = 0; i < equations.size(); ++i)
          x[group.first + i] =
              soft_goes && equations.held[i] == 0 ? Vec3(from[i] + seconds_ * v[i]) : from[i];
      }
      const double value = coupled_.potential(couplings_, law_);
      if (!(value < best)) continue;
      best = value;
      start_.assign(x.begin(), x.end());
    }
  std::copy(start_.begin(), start_.end(), x.begin());
}

void TouchingStep::update_friction() {
  couplings_.at(coupled_.positions(), vectors_);
  for (std::size_t c = 0; c < touches_.size(); ++c) {
    ContactSpring& spring = law_.springs[c];
    const auto [sticking, sliding] = friction_of(touches_[c]);
    const RememberedContact* const before = memory_.find(touches_[c].key);
    spring.slip = (before != nullptr && before->slides != 0 ? sliding : sticking) * spring.push(vectors_[c]);
  }
}

void TouchingStep::remember() {
  memory_.clear();
  bounces_.clear();
  energy_ = 0;
  if (vectors_.empty()) return;  // nothing was solved
  for (std::size_t c = 0; c < touches_.size(); ++c) {
    const ContactSpring& spring = law_.springs[c];
    const Touch& touch = touches_[c];
    const double push = spring.push(vectors_[c]);
    if (!(push > 0)) continue;
    const auto [sticking, sliding] = friction_of(touch);
    Vec3 across = spring.across(vectors_[c]);
    const double stretch = across.norm(), kt = spring.tangent_stiffness;
    const bool slides = kt * stretch > sticking * push;
    if (slides) across *= sliding * push / (kt * stretch);
    const double pressed =
        std::max(0.0, thickness_of(touch) - spring.normal.dot(vectors_[c]));  // kt: as stiff as the layer
    energy_ += 0.5 * kt * (pressed * pressed + across.squaredNorm());
    memory_.add({touch.key, push, {across.x(), across.y(), across.z()}, slides ? 1u : 0u});
    const auto body = [&](std::uint32_t slot) {
      const Participant& p = participants_[slot];
      return p.kind == Participant::Kind::rigid || p.kind == Participant::Kind::soft ? p.body : BodyId{};
    };
    Vec3 point = Vec3::Zero();
    const auto positions = detector_->surfaces().positions();
    for (std::size_t k = 0; k < 4; ++k)
      if (touch.weights[k] < 0) point -= touch.weights[k] * positions[touch.vertices[k]];
    forces_.push_back({touch.key, body(touch.first_surface), body(touch.second_surface),
                       push * spring.normal + spring.drag(vectors_[c]), point, push});
    note_bounce(touch, point);
  }
  memory_.sort();
}

// --- hits that bounce -----------------------------------------------------------------------------

Vec3 TouchingStep::velocity_before(const Participant& p, const Group& group, const Vec3& where) const {
  if (p.kind == Participant::Kind::carried) return rigid_->view().velocity_at(p.body, where);
  if (p.kind != Participant::Kind::rigid) return Vec3::Zero();
  const RigidBodies::FreeMotion& free = movers_[group.first].free;
  return free.velocity + free.spin.cross(where - free.start);
}

// What bends comes back by itself.
void TouchingStep::note_bounce(const Touch& touch, const Vec3& point) {
  const Participant &a = participants_[touch.first_surface], &b = participants_[touch.second_surface];
  if (a.kind == Participant::Kind::soft || b.kind == Participant::Kind::soft) return;
  const ContactMaterial both = between(a.material, b.material);
  if (!(both.restitution > 0)) return;
  const double speed = touch.normal.dot(velocity_before(b, groups_[touch.second_surface], point) -
                                        velocity_before(a, groups_[touch.first_surface], point));
  if (speed < -slow * step_ * rigid_->options().gravity.norm())
    bounces_.push_back({{a.body, b.body, point, touch.normal, touch.gap}, both, speed});
}

void TouchingStep::bounce() {
  if (bounces_.empty()) return;
  impulses_.clear();
  for (const Bounce& one : bounces_)
    impulses_.add(one.hit, one.material, -one.material.restitution * one.speed, *rigid_);
  impulses_.solve(bounce_rounds);
  for (const Impulses::Body& body : impulses_.bodies())
    if (body.inverse_mass > 0) rigid_->kick(body.id, body.push, body.twist);
}

void TouchingStep::end_part(double fraction, TouchingReport& report) {
  report.rigid = rigid_->end_step(fraction);
  bounce();
  for (const Participant& p : participants_)
    if (p.kind == Participant::Kind::soft) p.soft->end_step(fraction);
}

}  // namespace palpate
