#include <palpate/respond/touching_step.h>

#include <algorithm>
#include <cmath>

namespace palpate {

namespace {

constexpr double short_of = 0.9;     // of the way to where things would cross, what is gone
constexpr double least_left = 1e-6;  // of a step: a rest that is no longer is dropped

}  // namespace

void TouchingStep::begin(Detector& detector, ContactSet contacts, RigidBodies& rigid,
                         std::span<const Participant> participants) {
  detector_ = &detector;
  rigid_ = &rigid;
  participants_ = participants;
  take_touches(contacts.contacts);
}

TouchingReport TouchingStep::step(double seconds) {
  step_ = seconds;
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
  const std::span<const Touch> found = finder_.find(detector_->surfaces(), contacts);
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

void TouchingStep::begin_part(double seconds, bool rest_of_step) {
  seconds_ = seconds;
  mark_touching();
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
  for (int pass = 0; pass < options_.passes; ++pass) {
    if (pass > 0) update_friction();
    add(coupled_.solve(couplings_, law_, options));
  }
  couplings_.at(coupled_.positions(), vectors_);
  for (std::size_t slot = 0; slot < participants_.size(); ++slot)
    if (participants_[slot].kind == Participant::Kind::rigid && groups_[slot].touches) {
      const Group& group = groups_[slot];
      const std::span<const Vec3> x = coupled_.positions();
      rigid_->correct(participants_[slot].body, x[group.first],
                      x[group.first + 1].cwiseQuotient(group.free.radii));
    }
  return report;
}

// Where the bodies are, or where they would be if they moved on as before: whichever is the better place.
void TouchingStep::choose_start() {
  const std::span<Vec3> x = coupled_.positions();
  double best = HUGE_VAL;
  for (const bool soft_goes : {false, true})
    for (const bool rigid_goes : {false, true}) {
      for (std::size_t slot = 0; slot < participants_.size(); ++slot) {
        const Participant& p = participants_[slot];
        const Group& group = groups_[slot];
        if (!group.touches || group.done) continue;
        if (p.kind == Participant::Kind::rigid) {
          x[group.first] = rigid_goes ? group.free.centre : group.free.start;
          x[group.first + 1] =
              rigid_goes ? Vec3(Vec3::Zero()) : Vec3(group.free.turn_back.cwiseProduct(group.free.radii));
        } else if (p.kind == Participant::Kind::soft) {
          const Equations& equations = p.soft->equations();
          const std::span<const Vec3> from = p.soft->unknowns(), v = p.soft->velocities();
          for (std::size_t i = 0; i < equations.size(); ++i)
            x[group.first + i] =
                soft_goes && equations.held[i] == 0 ? Vec3(from[i] + seconds_ * v[i]) : from[i];
        }
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
  for (std::size_t c = 0; c < vectors_.size(); ++c) {
    const ContactSpring& spring = law_.springs[c];
    const Touch& touch = touches_[c];
    const double push = spring.push(vectors_[c]);
    if (!(push > 0)) continue;
    const auto [sticking, sliding] = friction_of(touch);
    Vec3 across = spring.across(vectors_[c]);
    const double stretch = across.norm(), kt = spring.tangent_stiffness;
    const bool slides = kt * stretch > sticking * push;
    if (slides) across *= sliding * push / (kt * stretch);
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
  }
  memory_.sort();
}

void TouchingStep::end_part(double fraction, TouchingReport& report) {
  report.rigid = rigid_->end_step(fraction);
  for (const Participant& p : participants_)
    if (p.kind == Participant::Kind::soft) p.soft->end_step(fraction);
}

}  // namespace palpate
