// Rigid bodies that hit each other: the step ends where something hits, impulses change the velocities, and
// the rest of it follows.
//
// What is near at the start of a part pushes by impulses; what would go through something by its end ends
// the part just before. Of meshes, continuous detection tells when that is; of colliders of users, which only
// know how things stand, the part is halved until it is known.
#pragma once

#include <span>
#include <vector>

#include <palpate/respond/impulses.h>
#include <palpate/respond/response.h>
#include <palpate/respond/step_forces.h>
#include <palpate/respond/touch.h>

namespace palpate {

class ImpulseStep final : public Response {
 public:
  explicit ImpulseStep(const ResponseOptions& options) : options_(options) {}

  void begin(const ResponseScene& scene, std::span<const Contact> contacts) override;
  TouchingReport step(double seconds) override;
  std::span<const ContactForce> forces() const override { return forces_.all(); }
  std::string refuses(const SoftBody& body) const override;

 private:
  struct Near {
    Hit hit;
    std::uint64_t key;  // of the contact, or of the collider and its number
    ContactMaterial material;
    double speed;     // at which they come apart, before the step
    double distance;  // at which they touch [m]
  };
  void take(std::span<const Contact> contacts);
  void take_colliders();
  void move(double seconds);
  double free_fraction(double seconds);
  bool colliders_overlap();
  void set_ends();
  void set_positions();
  void remember(double seconds);
  void end_part(double fraction, TouchingReport& report);

  ResponseOptions options_;
  ResponseScene scene_;
  TouchFinder finder_;
  Impulses impulses_;
  std::vector<Near> near_;
  std::vector<std::size_t> pushed_;  // of each hit of the impulses: its number in near_
  std::vector<Hit> hits_;
  std::vector<BodyId> touching_;
  std::vector<std::uint64_t> known_;  // hits of colliders at the start of the part, ascending
  StepForces forces_;
};

}  // namespace palpate
