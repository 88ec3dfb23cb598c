#include <palpate/respond/impulse_step.h>

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace palpate {

namespace {

constexpr int rounds = 50;           // of impulses
constexpr int halvings = 16;         // of a part, to find when something hits
constexpr double short_of = 0.9;     // of the way to where things would cross, what is gone
constexpr double least_left = 1e-6;  // of a step: a rest that is no longer is dropped
constexpr double slow = 2;           // hits that free fall through so many steps explains do not bounce

std::uint64_t key_of(std::size_t collider, std::size_t number) {
  return (std::uint64_t{1} << 62) | (std::uint64_t{collider} << 32) | number;
}

}  // namespace

void ImpulseStep::begin(const ResponseScene& scene, std::span<const Contact> contacts) {
  scene_ = scene;
  take(contacts);
}

std::string ImpulseStep::refuses(const SoftBody& /*body*/) const {
  return "Impulses move bodies that do not bend: use the response constraint.";
}

// What is near, as bodies stand.
void ImpulseStep::take(std::span<const Contact> contacts) {
  near_.clear();
  const Detector& detector = *scene_.detector;
  const auto positions = detector.surfaces().positions();
  for (const Touch& touch : finder_.find(detector.surfaces(), contacts)) {
    const Participant &a = scene_.participants[touch.first_surface],
                      &b = scene_.participants[touch.second_surface];
    Near near{};
    near.hit = {a.body, b.body, Vec3::Zero(), touch.normal, touch.gap};
    for (std::size_t k = 0; k < 4; ++k)
      near.hit.point += 0.5 * std::abs(touch.weights[k]) * positions[touch.vertices[k]];
    near.key = touch.key;
    near.material = between(a.material, b.material);
    near.distance = detector.contact_distance(a.surface, b.surface);
    near_.push_back(near);
  }
  take_colliders();
  for (Near& near : near_) near.speed = Impulses::speed_along(near.hit, scene_.rigid->view());
}

void ImpulseStep::take_colliders() {
  known_.clear();
  for (std::size_t c = 0; c < scene_.colliders.size(); ++c) {
    if (!scene_.colliders[c]) continue;
    hits_.clear();
    scene_.colliders[c]->hits(scene_.rigid->view(), hits_);
    const auto material = [&](BodyId id) {
      for (const Participant& p : scene_.participants)
        if (id && p.body == id) return p.material;
      return ContactMaterial{};
    };
    const double distance = scene_.detector->contact_distance();
    for (std::size_t i = 0; i < hits_.size(); ++i) {
      if (!(hits_[i].gap <= distance)) continue;
      near_.push_back({hits_[i], key_of(c, i), between(material(hits_[i].first), material(hits_[i].second)),
                       0, distance});
      known_.push_back(key_of(c, i));
    }
  }
}

// A hit of a user that overlaps and was not near when the part began.
bool ImpulseStep::colliders_overlap() {
  for (std::size_t c = 0; c < scene_.colliders.size(); ++c) {
    if (!scene_.colliders[c]) continue;
    hits_.clear();
    scene_.colliders[c]->hits(scene_.rigid->view(), hits_);
    for (std::size_t i = 0; i < hits_.size(); ++i)
      if (hits_[i].gap < 0 && !std::binary_search(known_.begin(), known_.end(), key_of(c, i))) return true;
  }
  return false;
}

// Bodies go where they would, impulses included; nothing is final yet.
void ImpulseStep::move(double seconds) {
  RigidBodies& rigid = *scene_.rigid;
  touching_.clear();
  for (const Near& near : near_)
    for (const BodyId id : {near.hit.first, near.hit.second})
      if (id && rigid.kind(id) == RigidKind::dynamic) touching_.push_back(id);
  for (const BodyId id : touching_) rigid.wake(id);
  rigid.begin_step(seconds, touching_);
  impulses_.clear();
  pushed_.clear();
  const double little = slow * seconds * rigid.options().gravity.norm();
  for (std::size_t i = 0; i < near_.size(); ++i) {
    const Near& near = near_[i];
    // It may come nearer until half of the distance is left; what overlaps comes apart slowly.
    const double room = near.hit.gap - 0.5 * near.distance;
    double least = room > 0 ? -room / seconds : 0;
    if (near.hit.gap < 0) least = std::min(options_.easing_speed, -near.hit.gap / seconds);
    if (near.speed < -little) least = std::max(least, -near.material.restitution * near.speed);
    const std::size_t before = impulses_.size();
    impulses_.add(near.hit, near.material, least, rigid);
    if (impulses_.size() > before) pushed_.push_back(i);
  }
  impulses_.solve(rounds);
  for (const Impulses::Body& body : impulses_.bodies()) {
    if (!(body.inverse_mass > 0)) continue;
    const RigidBodies::FreeMotion free = rigid.free_motion(body.id);
    rigid.correct(body.id, free.centre + seconds * body.push, seconds * (free.axes.conjugate() * body.twist));
  }
}

void ImpulseStep::set_ends() {
  for (const Participant& p : scene_.participants)
    if (p.kind == Participant::Kind::rigid || p.kind == Participant::Kind::carried)
      scene_.detector->set_end_pose(p.surface, scene_.rigid->state(p.body).pose);
}

void ImpulseStep::set_positions() {
  for (const Participant& p : scene_.participants)
    if (p.kind == Participant::Kind::rigid || p.kind == Participant::Kind::carried)
      scene_.detector->set_pose(p.surface, scene_.rigid->state(p.body).pose);
}

// How much of a part can be done. Bodies are left on their way to the end of the whole part.
double ImpulseStep::free_fraction(double seconds) {
  double fraction = 1;
  move(seconds);
  set_ends();
  for (const Crossing& crossing : scene_.detector->crossings())
    if (crossing.time > 0) fraction = std::min(fraction, short_of * crossing.time);
  if (!colliders_overlap()) return fraction;
  double good = 0, bad = fraction;
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (good + bad);
    move(middle * seconds);
    (colliders_overlap() ? bad : good) = middle;
  }
  move(seconds);
  return good;
}

TouchingReport ImpulseStep::step(double seconds) {
  TouchingReport report;
  forces_.begin_step();
  double left = seconds;
  while (left > least_left * seconds) {
    if (report.parts == options_.most_parts) {
      report.lost = left;
      break;
    }
    if (report.parts > 0) {
      set_positions();
      take(scene_.detector->detect().contacts);
    }
    const double fraction = free_fraction(left);
    ++report.solves;
    remember(seconds);
    end_part(fraction, report);
    ++report.parts;
    left *= 1 - fraction;
  }
  report.pushing = forces_.pushing();
  report.touches = std::max(near_.size(), report.pushing);  // some of parts that are gone
  return report;
}

// Velocities change by as much as is gone of the part, but for impulses, which happen at its start.
void ImpulseStep::end_part(double fraction, TouchingReport& report) {
  report.rigid.add(scene_.rigid->end_step(fraction));
  if (!(fraction < 1)) return;
  for (const Impulses::Body& body : impulses_.bodies())
    if (body.inverse_mass > 0)
      scene_.rigid->kick_by(body.id, (1 - fraction) / body.inverse_mass * body.push,
                            (1 - fraction) * (body.inverse_inertia.inverse() * body.twist));
}

// Of each part, what its impulses are on average over the whole step.
void ImpulseStep::remember(double seconds) {
  forces_.begin_part();
  for (std::size_t i = 0; i < pushed_.size(); ++i) {
    if (!(impulses_.push(i) > 0)) continue;
    const Near& near = near_[pushed_[i]];
    forces_.part().push_back({near.key, near.hit.first, near.hit.second, impulses_.impulse(i) / seconds,
                              near.hit.point, impulses_.push(i) / seconds});
  }
  forces_.end_part();
}

}  // namespace palpate
