// Forces on soft bodies: called once at the start of a (sub)step, they say what pulls at each node.
//
//   class Suction : public SoftForce {
//     void apply(const SoftBody& body, double time, double step, std::span<Vec3> forces) const override {
//       for (const std::uint32_t v : nodes_) forces[v] += strength_ * normal_;
//     }
//   };
//   world.add_force(liver, std::make_shared<Suction>(...));
//
// What they say holds for the step, unlike the forces of rigid bodies, which are asked at its end again. So
// what is stiff, like a spring, belongs into a term (SoftBody::add_term), which is stable for any step.
#pragma once

#include <span>

#include <palpate/rigid/forces.h>
#include <palpate/soft/soft_body.h>

namespace palpate {

class SoftForce {
 public:
  SoftForce() = default;
  SoftForce(const SoftForce&) = delete;
  SoftForce& operator=(const SoftForce&) = delete;
  virtual ~SoftForce() = default;

  // Adds to the forces on nodes [N]; the step begins at this time and is so long [s].
  virtual void apply(const SoftBody& body, double time, double step, std::span<Vec3> forces) const = 0;
  // What it holds, where it has such a thing [J].
  virtual double energy(const SoftBody& /*body*/) const { return 0; }
};

// The same at all times, shared out among the nodes by their masses as gravity is.
struct SoftConstantForce final : SoftForce {
  explicit SoftConstantForce(const Vec3& force);  // on the whole body [N]
  void apply(const SoftBody& body, double time, double step, std::span<Vec3> forces) const override;
  double energy(const SoftBody& body) const override;

 private:
  Vec3 force_;
};

// Air that slows a body down or takes it along: DragForce of every node, times its share of the mass. However
// strong, it does not do more in a step than to take the node along.
struct SoftDragForce final : SoftForce {
  explicit SoftDragForce(const DragForce::Options& options) : air_(options), options_(options) {}
  void apply(const SoftBody& body, double time, double step, std::span<Vec3> forces) const override;

 private:
  DragForce air_;  // knows the wind
  DragForce::Options options_;
};

}  // namespace palpate
