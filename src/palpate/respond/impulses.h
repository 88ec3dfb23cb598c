// Impulses between bodies that do not bend, where they hit each other.
//
// Each hit wants a least speed along its normal: zero for what comes nearer, or some of the speed at which it
// came; friction takes from the speed across it, as far as Coulomb's law lets it. One after the other, a few
// rounds, with the impulses of each hit summed up so that what was too much can be taken back (projected
// Gauss-Seidel).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/respond/collider.h>
#include <palpate/respond/response_options.h>
#include <palpate/rigid/rigid_bodies.h>

namespace palpate {

// What two bodies are like to each other.
ContactMaterial between(const ContactMaterial& a, const ContactMaterial& b);

class Impulses {
 public:
  struct Body {
    BodyId id;
    double inverse_mass = 0;
    Mat3 inverse_inertia = Mat3::Zero();  // along the axes of the world
    Vec3 centre = Vec3::Zero(), velocity = Vec3::Zero(), spin = Vec3::Zero();
    Vec3 push = Vec3::Zero(), twist = Vec3::Zero();  // what velocities were changed by
  };
  void clear();
  // With the velocities that the two have now. `least_speed`: at which they come apart after it [m/s].
  void add(const Hit& hit, const ContactMaterial& material, double least_speed, const RigidBodies& bodies);
  void solve(int rounds);

  std::size_t size() const { return hits_.size(); }
  std::span<const Body> bodies() const { return bodies_; }
  Vec3 impulse(std::size_t hit) const { return hits_[hit].impulse; }  // on the second body [N s]
  double push(std::size_t hit) const { return hits_[hit].along; }     // along the normal [N s]
  // The speed at which the two come apart at a hit, as they move now.
  static double speed_along(const Hit& hit, const RigidView& bodies);

 private:
  struct One {
    Hit hit;
    ContactMaterial material;
    std::uint32_t first, second;
    double least_speed;
    double inverse_mass;  // along the normal
    double along = 0;     // impulse so far
    Vec3 impulse = Vec3::Zero();
  };
  std::uint32_t number_of(BodyId id, const RigidBodies& bodies);
  Vec3 speed(const One& one) const;
  double inverse_mass_of(const One& one, const Vec3& direction) const;
  void apply(const One& one, const Vec3& impulse);

  std::vector<Body> bodies_;
  std::vector<std::uint32_t> numbers_;  // by the index of an id, and 0 for the world: 1 more than the number
  std::vector<One> hits_;
};

}  // namespace palpate
