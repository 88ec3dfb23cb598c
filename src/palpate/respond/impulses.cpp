#include <palpate/respond/impulses.h>

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace palpate {

namespace {

std::size_t place_of(BodyId id) { return id ? std::size_t{id.index} + 1 : 0; }

}  // namespace

ContactMaterial between(const ContactMaterial& a, const ContactMaterial& b) {
  const double sliding = std::sqrt(a.friction * b.friction);
  return {sliding, std::max(sliding, std::sqrt(a.static_friction * b.static_friction)),
          std::max(a.restitution, b.restitution)};
}

void Impulses::clear() {
  for (const Body& body : bodies_) numbers_[place_of(body.id)] = 0;
  bodies_.clear();
  hits_.clear();
}

double Impulses::speed_along(const Hit& hit, const RigidView& bodies) {
  return hit.normal.dot(bodies.velocity_at(hit.second, hit.point) - bodies.velocity_at(hit.first, hit.point));
}

std::uint32_t Impulses::number_of(BodyId id, const RigidBodies& bodies) {
  const std::size_t place = place_of(id);
  if (numbers_.size() <= place) numbers_.resize(place + 1, 0);
  if (numbers_[place] > 0) return numbers_[place] - 1;
  Body body;
  body.id = id;
  if (id) {
    const RigidState state = bodies.state(id);
    body.centre = bodies.centre(id);
    body.velocity = state.velocity;
    body.spin = state.angular_velocity;
    if (bodies.kind(id) == RigidKind::dynamic) {
      const RigidMass& mass = bodies.mass(id);
      const Mat3 axes = (state.pose.rotation * mass.frame.rotation).toRotationMatrix();
      body.inverse_mass = 1 / mass.mass;
      body.inverse_inertia = axes * mass.moments.cwiseInverse().asDiagonal() * axes.transpose();
    }
  }
  bodies_.push_back(body);
  numbers_[place] = static_cast<std::uint32_t>(bodies_.size());
  return numbers_[place] - 1;
}

void Impulses::add(const Hit& hit, const ContactMaterial& material, double least_speed,
                   const RigidBodies& bodies) {
  One one{hit, material, number_of(hit.first, bodies), number_of(hit.second, bodies), least_speed, 0};
  one.inverse_mass = inverse_mass_of(one, hit.normal);
  if (one.inverse_mass > 0) hits_.push_back(one);
}

Vec3 Impulses::speed(const One& one) const {
  const auto at = [&](const Body& body) {
    return Vec3(body.velocity + body.spin.cross(one.hit.point - body.centre));
  };
  return at(bodies_[one.second]) - at(bodies_[one.first]);
}

double Impulses::inverse_mass_of(const One& one, const Vec3& direction) const {
  double sum = 0;
  for (const std::uint32_t i : {one.first, one.second}) {
    const Body& body = bodies_[i];
    const Vec3 arm = (one.hit.point - body.centre).cross(direction);
    sum += body.inverse_mass + arm.dot(body.inverse_inertia * arm);
  }
  return sum;
}

void Impulses::apply(const One& one, const Vec3& impulse) {
  const auto push = [&](Body& body, double sign) {
    const Vec3 dv = sign * body.inverse_mass * impulse,
               dw = body.inverse_inertia * (one.hit.point - body.centre).cross(sign * impulse);
    body.velocity += dv;
    body.spin += dw;
    body.push += dv;
    body.twist += dw;
  };
  push(bodies_[one.second], 1);
  push(bodies_[one.first], -1);
}

void Impulses::solve(int rounds) {
  for (int round = 0; round < rounds; ++round)
    for (One& one : hits_) {
      const Vec3& n = one.hit.normal;
      const double wanted = (one.least_speed - n.dot(speed(one))) / one.inverse_mass;
      const double along = std::max(0.0, one.along + wanted), change = along - one.along;
      one.along = along;
      one.impulse += change * n;
      apply(one, change * n);
      // Friction: what would stop it, as far as the cone lets it.
      const Vec3 v = speed(one), sliding = v - n.dot(v) * n;
      const double fast = sliding.norm();
      const Vec3 before = one.impulse - n.dot(one.impulse) * n;
      Vec3 across = before;
      if (fast > 0) across -= (1 / inverse_mass_of(one, sliding / fast)) * sliding;
      const double most = one.material.static_friction * one.along, is = across.norm();
      if (is > most) across *= is > 0 ? one.material.friction * one.along / is : 0;
      apply(one, across - before);
      one.impulse += across - before;
    }
}

}  // namespace palpate
