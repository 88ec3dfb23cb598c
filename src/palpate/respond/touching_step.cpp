#include <palpate/respond/touching_step.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <palpate/base/parallel.h>
#include <palpate/base/timing.h>

namespace palpate {

namespace {

constexpr double short_of = 0.9;      // of the way to where things would cross, what is gone
constexpr double least_left = 1e-6;   // of a step: a rest that is no longer is dropped
constexpr double slow = 2;            // hits that free fall through so many steps explains do not bounce
constexpr int bounce_rounds = 50;     // of impulses
constexpr double hardly = 0.1;        // of a part: what goes no farther is stuck
constexpr double no_distance = 1e-9;  // of the lengths around: nothing is between them
constexpr double creeping = 2e-3;     // what gives way no faster does not slide [m/s]

}  // namespace

void TouchingStep::begin(const ResponseScene& scene, std::span<const Contact> contacts) {
  view_.detector = scene.detector;
  view_.rigid = scene.rigid;
  view_.participants = scene.participants;
  overlaps_.update(*view_.detector, view_.participants);
  take_touches(contacts);
}

void TouchingStep::save(ByteWriter& to) const {
  view_.memory.save(to);
  overlaps_.save(to);
  view_.layers.save(to);
}

void TouchingStep::load(ByteReader& from) {
  view_.memory.load(from);
  overlaps_.load(from);
  view_.layers.load(from);
}

void TouchingStep::hash(StateHash& hash) const {
  view_.memory.hash(hash);
  overlaps_.hash(hash);
  view_.layers.hash(hash);
}

void TouchingStep::forget() {
  view_.memory.clear();
  overlaps_.forget();
  view_.layers.forget();
}

std::string TouchingStep::refuses(const SoftBody& body) const {
  if (body.couples()) return {};
  return "Contacts are not solved together with its solver: use quasi_newton, or the response penalty.";
}

TouchingReport TouchingStep::step(double seconds) {
  const ResponseOptions& options = view_.options;
  view_.step = seconds;
  // What is pressed comes out by 1 / (1 + damping) of it in a step: a layer that is thicker than the gap by
  // so much pushes no faster than at the speed of easing.
  view_.layers.update(touches_, (1 + options.damping) * options.easing_speed * seconds,
                      options.easing_speed * seconds);
  TouchingReport report;
  forces_.begin_step();
  double left = seconds;
  while (left > least_left * seconds) {
    if (report.parts > 0) {
      set_positions();
      take_touches(view_.detector->detect().contacts);
    }
    begin_part(left, report.parts > 0);
    if (any_goes_far()) glance(report);
    double fraction = 1;
    for (int round = 0;; ++round) {
      begin_round();
      report.solve.residual = 0;  // of earlier rounds and parts
      report.solve.add(solve());
      ++report.solves;
      const Clock::time_point begun = Clock::now();
      set_ends();
      const bool last = round == options.rounds, safe = guard(last, report);
      report.guard_nanoseconds += std::chrono::nanoseconds(Clock::now() - begun).count();
      if (safe) break;
      if (last) {
        fraction = short_of * fraction_;
        break;
      }
    }
    mark_stuck(fraction);
    remember(fraction);
    ++report.parts;
    left *= 1 - fraction;
    // What has gone nowhere would be the same again.
    const bool gives_up = fraction < least_left || report.parts == options.most_parts;
    const bool goes_on = left > least_left * seconds && !gives_up;
    end_part(fraction, goes_on, report);
    forces_.end_part();
    if (!goes_on) {
      report.lost = left > least_left * seconds ? left : 0;
      break;
    }
  }
  report.pushing = forces_.pushing();
  report.touches = std::max(touches_.size(), report.pushing);  // some of parts that are gone
  return report;
}

void TouchingStep::take_touches(std::span<const Contact> contacts) {
  const std::span<const Touch> found = finder_.find(view_.detector->surfaces(), contacts, overlaps_.pairs());
  touches_.assign(found.begin(), found.end());
  keep_guarded(contacts);
  harder_.assign(touches_.size(), 1);
}

// What would have been crossed in the last step would be in this one: as long as it pushes and is near, it
// stays, and in full. Otherwise the guard would find it anew in every step, after a whole solve.
void TouchingStep::keep_guarded(std::span<const Contact> contacts) {
  merged_.clear();
  std::size_t at = 0;
  for (const RememberedContact& one : view_.memory.all()) {
    if ((one.how & RememberedContact::guarded) == 0) continue;
    const auto contact = std::lower_bound(contacts.begin(), contacts.end(), one.key,
                                          [](const Contact& c, std::uint64_t key) { return c.key < key; });
    if (contact == contacts.end() || contact->key != one.key ||
        overlaps_.has(contact->first_surface, contact->second_surface))
      continue;
    const Touch full = finder_.touch_of(view_.detector->surfaces(), *contact);
    if (!(full.gap > no_distance * std::sqrt(full.area))) continue;  // there is no direction to speak of
    while (at < touches_.size() && touches_[at].key < one.key) merged_.push_back(touches_[at++]);
    const bool known = at < touches_.size() && touches_[at].key == one.key;
    merged_.push_back(known ? touches_[at++] : full);
    merged_.back().area = full.area;
    merged_.back().guarded = true;
  }
  if (merged_.empty()) return;
  merged_.insert(merged_.end(), touches_.begin() + static_cast<std::ptrdiff_t>(at), touches_.end());
  touches_.swap(merged_);
}

// Soft bodies say where they would go.
void TouchingStep::begin_part(double seconds, bool rest_of_step) {
  view_.seconds = seconds;
  view_.sum_up_paces();
  view_.slots.assign(view_.participants.size(), {});
  parallel_for(view_.participants.size(), 1, [&](std::size_t slot) {
    const Participant& p = view_.participants[slot];
    if (p.kind == Participant::Kind::soft)
      view_.slots[slot].done = !p.soft->begin_step(seconds, rest_of_step);
  });
}

// Which bodies touch what; rigid ones go where they would by themselves.
void TouchingStep::begin_round() {
  mark_touching();
  touching_bodies_.clear();
  for (std::size_t slot = 0; slot < view_.slots.size(); ++slot)
    if (view_.participants[slot].kind == Participant::Kind::rigid && view_.slots[slot].touches)
      touching_bodies_.push_back(view_.participants[slot].body);
  view_.rigid->add_joined(touching_bodies_);
  for (const BodyId id : touching_bodies_) view_.rigid->wake(id);
  view_.rigid->begin_step(view_.seconds, touching_bodies_);
  find_roots();
  find_islands();
}

// As before, by itself.
void TouchingStep::move_on(const Participant& p) const {
  const std::span<Vec3> x = p.soft->unknowns();
  const std::span<const Vec3> from = p.soft->positions_before(), v = p.soft->velocities();
  for (std::size_t i = 0; i < x.size(); ++i)
    if (p.soft->equations().held[i] == 0) x[i] = from[i] + view_.seconds * v[i];
}

SolveReport TouchingStep::solve() {
  alone_.clear();
  for (std::uint32_t slot = 0; slot < view_.slots.size(); ++slot) {
    const TouchingView::Slot& state = view_.slots[slot];
    if (view_.participants[slot].kind == Participant::Kind::soft && !state.touches && !state.done &&
        state.fresh)
      alone_.push_back(slot);
  }
  reports_.assign(alone_.size() + islands_.size(), {});
  parallel_for(alone_.size(), 1, [&](std::size_t i) {
    const Participant& p = view_.participants[alone_[i]];
    if (view_.glancing && view_.slots[alone_[i]].far)
      move_on(p);
    else
      reports_[i] = p.soft->solve_alone();
  });
  parallel_for(islands_.size(), 1, [&](std::size_t i) {
    if (islands_[i].fresh) reports_[alone_.size() + i] = islands_[i].island->solve(view_);
  });
  for (const Place& place : islands_) place.island->correct(*view_.rigid);
  view_.rigid->hold();
  SolveReport report;
  for (const SolveReport& one : reports_) report.add(one);
  return report;
}

// --- what was found out ---------------------------------------------------------------------------

// Of a part that is cut short, velocities change by as much as is gone of it: then what pushes all the time,
// weight and layers alike, has pushed for just as long. Islands that would hardly get anywhere keep what
// contacts did to them, or they would run into the same again.
void TouchingStep::mark_stuck(double fraction) {
  stuck_bodies_.clear();
  for (TouchingView::Slot& slot : view_.slots) slot.stuck = false;
  if (!(fraction < hardly)) return;
  for (const Seen& one : seen_) {
    if (!(one.crossing.time < hardly)) continue;
    for (const std::uint32_t slot : {one.crossing.first_surface, one.crossing.second_surface}) {
      const std::uint32_t root = view_.slots[slot].root;
      view_.slots[root].stuck = std::any_of(islands_.begin(), islands_.end(),
                                            [&](const Place& place) { return place.root == root; });
    }
  }
  for (const Place& place : islands_)
    if (is_stuck(place.root))
      for (const Island::Mover& one : place.island->movers()) stuck_bodies_.push_back(one.id);
}

// `fraction`: of the part, what is done.
void TouchingStep::remember(double fraction) {
  view_.memory.clear();
  bounces_.clear();
  forces_.begin_part();
  energy_ = 0;
  const double part = view_.seconds / view_.step;
  for (const Place& place : islands_)
    for (std::size_t c = 0; c < place.island->touches().size(); ++c)
      remember(*place.island, c, fraction, is_stuck(place.root) ? part : fraction * part);
  view_.memory.sort();
}

// `share`: of the whole step, how long it pushed. What has let go may have been dragged all the same, by what
// pushed it in the last pass.
void TouchingStep::remember(const Island& island, std::size_t c, double fraction, double share) {
  const ContactSpring& spring = island.spring(c);
  const Touch& touch = island.touches()[c];
  const Vec3& vector = island.vector(c);
  const double push = spring.push(vector);
  const Vec3 drag = spring.drag(vector);
  if (!(push > 0) && !(drag.squaredNorm() > 0)) return;
  Vec3 point = Vec3::Zero();
  const Surface& surface = view_.detector->surfaces()[touch.first_surface];
  for (std::size_t k = 0; k < 4; ++k)
    if (touch.weights[k] < 0)
      point -=
          touch.weights[k] * view_.vertex_end(touch.first_surface, touch.vertices[k] - surface.first_vertex);
  forces_.part().push_back({touch.key, view_.participants[touch.first_surface].body,
                            view_.participants[touch.second_surface].body,
                            share * (push * spring.normal + drag), point, share * push});
  if (!(push > 0)) return;
  note_state(spring, touch, vector, island.vector_at(c, fraction), push);
  note_bounce(island, touch, point);
}

// Of what pushes: what it holds, and what the next step is to know of it. `end`: where it was to go;
// `vector`: where it comes to be, which is not there if motion is cut short. Nothing was stretched by what is
// not gone.
void TouchingStep::note_state(const ContactSpring& spring, const Touch& touch, const Vec3& end,
                              const Vec3& vector, double push) {
  const auto [sticking, sliding] = view_.friction_of(touch);
  const double kt = spring.tangent_stiffness;
  // Where many share a load, some give way by a little, until others have it: that is no sliding.
  const double given = spring.across(end).norm() - sticking * push / kt;
  const bool slides = given > creeping * view_.seconds;
  Vec3 across = spring.across(vector);
  const double stretch = across.norm(), most = (slides ? sliding : sticking) * push / kt;
  if (stretch > most) across *= most / stretch;
  // kt: as stiff as the layer
  const double pressed = std::max(0.0, view_.thickness_of(touch) - spring.normal.dot(vector));
  energy_ += 0.5 * kt * (pressed * pressed + across.squaredNorm());
  if (spring.hard_stiffness > 0) {
    const double flat = std::max(0.0, Island::flat * view_.thickness_of(touch) - spring.normal.dot(vector));
    energy_ += 0.5 * kt * (Island::harder_flat - 1) * flat * flat;
  }
  view_.memory.add({touch.key,
                    push,
                    {across.x(), across.y(), across.z()},
                    (slides ? RememberedContact::slid : 0) |
                        (touch.guarded ? RememberedContact::guarded : 0) |
                        RememberedContact::between(touch.first_surface, touch.second_surface)});
}

// --- hits that bounce -----------------------------------------------------------------------------

Vec3 TouchingStep::velocity_before(const Island& island, std::uint32_t slot, const Vec3& where) const {
  const Participant& p = view_.participants[slot];
  if (p.kind == Participant::Kind::carried) return view_.rigid->view().velocity_at(p.body, where);
  if (p.kind != Participant::Kind::rigid) return Vec3::Zero();
  const RigidBodies::FreeMotion& free = island.mover(view_.slots[slot].place).free;
  return free.velocity + free.spin.cross(where - view_.rigid->view().centre(p.body));
}

// What bends comes back by itself.
void TouchingStep::note_bounce(const Island& island, const Touch& touch, const Vec3& point) {
  const Participant &a = view_.participants[touch.first_surface],
                    &b = view_.participants[touch.second_surface];
  if (a.kind == Participant::Kind::soft || b.kind == Participant::Kind::soft) return;
  const ContactMaterial both = between(a.material, b.material);
  if (!(both.restitution > 0)) return;
  const double speed = touch.normal.dot(velocity_before(island, touch.second_surface, point) -
                                        velocity_before(island, touch.first_surface, point));
  if (speed < -slow * view_.step * view_.rigid->options().gravity.norm())
    bounces_.push_back(
        {{a.body, b.body, point, touch.normal, touch.gap}, forces_.part().size() - 1, both, speed});
}

void TouchingStep::bounce() {
  if (bounces_.empty()) return;
  impulses_.clear();
  hit_forces_.clear();
  for (const Bounce& one : bounces_) {
    const std::size_t before = impulses_.size();
    impulses_.add(one.hit, one.material, -one.material.restitution * one.speed, *view_.rigid);
    if (impulses_.size() > before) hit_forces_.push_back(one.force);
  }
  impulses_.solve(bounce_rounds);
  for (std::size_t i = 0; i < hit_forces_.size(); ++i) {
    ContactForce& force = forces_.part()[hit_forces_[i]];
    force.force += impulses_.impulse(i) / view_.step;
    force.push += impulses_.push(i) / view_.step;
  }
  for (const Impulses::Body& body : impulses_.bodies())
    if (body.inverse_mass > 0) view_.rigid->kick(body.id, body.push, body.twist);
}

void TouchingStep::end_part(double fraction, bool goes_on, TouchingReport& report) {
  report.rigid.add(view_.rigid->end_step(fraction, stuck_bodies_, goes_on));
  bounce();
  for (std::uint32_t slot = 0; slot < view_.participants.size(); ++slot)
    if (const Participant& p = view_.participants[slot]; p.kind == Participant::Kind::soft)
      p.soft->end_step(fraction, is_stuck(slot), goes_on);
}

}  // namespace palpate
