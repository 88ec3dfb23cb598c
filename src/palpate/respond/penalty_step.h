// Springs between what is too near: k (d - distance), and a damper, of the nearest contact of each feature.
//
// As in Leonard 2021, kept for comparison. Distances have no sign here, forces are those at the start of the
// step, and nothing guards against what is fast: the response "constraint" is there for all of that. It works
// with any solver, though. Springs are as stiff as the material, or as the step lets them be: an explicit
// spring that would turn its mass around within a step gains energy.
#pragma once

#include <span>
#include <vector>

#include <palpate/respond/response.h>

namespace palpate {

class PenaltyStep final : public Response {
 public:
  explicit PenaltyStep(const ResponseOptions& options) : options_(options) {}

  void begin(const ResponseScene& scene, std::span<const Contact> contacts) override;
  TouchingReport step(double seconds) override;
  std::span<const ContactForce> forces() const override { return forces_; }
  std::string refuses(const SoftBody&) const override { return {}; }

 private:
  struct Corner {
    std::uint32_t vertex;  // of all surfaces
    double weight;         // below 0: of the first feature
  };
  void keep_nearest(std::span<const Contact> contacts);
  void push(const Contact& contact, double seconds);
  Vec3 velocity_of(const Participant& p, std::uint32_t own, const Vec3& at) const;
  void push_vertex(const Participant& p, std::uint32_t own, const Vec3& force, const Vec3& at,
                   double seconds);

  ResponseOptions options_;
  ResponseScene scene_;
  std::vector<Contact> kept_;
  std::vector<std::uint32_t> count_;                              // of each surface: contacts that are kept
  std::vector<std::pair<std::uint32_t, std::uint32_t>> nearest_;  // of edges: the edge, and its contact
  std::vector<ContactForce> forces_;
};

}  // namespace palpate
