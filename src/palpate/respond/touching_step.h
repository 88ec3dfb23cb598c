// A step of bodies that touch: contacts, elasticity and inertia solved as one, and a guard that lets nothing
// through.
//
//   begin          soft and rigid bodies say where they would go
//   solve          those that touch together (solve/coupled.h), the others alone
//   guard          continuous detection from where things were to where they are: what would cross becomes a
//                  contact and the step is solved again, a few times
//   end            where something would still cross, motion ends just before; the rest of the step is a part
//                  of its own, with the velocities as they are, so that no momentum is lost
//
// A contact is linear in the unknowns: its normal and its weights are those of the start. A rigid body is two
// nodes of its mass: its centre, and its turn away from free motion, scaled by the radii of gyration so that
// it is a length, too. Free motion itself is exact (rigid/free_turn.h): contacts only add to it.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <palpate/respond/contact_law.h>
#include <palpate/respond/contact_memory.h>
#include <palpate/respond/impulses.h>
#include <palpate/respond/layers.h>
#include <palpate/respond/overlaps.h>
#include <palpate/respond/response.h>
#include <palpate/respond/touch.h>
#include <palpate/solve/coupled.h>

namespace palpate {

class TouchingStep final : public Response {
 public:
  explicit TouchingStep(const ResponseOptions& options) : options_(options) {}

  void begin(const ResponseScene& scene, std::span<const Contact> contacts) override;
  TouchingReport step(double seconds) override;
  std::span<const ContactForce> forces() const override { return forces_; }
  double energy() const override { return energy_; }
  std::string refuses(const SoftBody& body) const override;
  void save(ByteWriter& to) const override;
  void load(ByteReader& from) override;
  void hash(StateHash& hash) const override;
  void forget() override;

 private:
  struct Group {  // where a participant's unknowns are
    bool touches = false, done = false;
    std::uint32_t first = 0;  // node; of a rigid body: its number among the movers
    std::uint32_t root = 0;   // of what hangs together by touching: the first slot of all
    double load = 0;          // of all that hangs together, the mass of the heaviest rigid body [kg]
  };
  // A rigid body that touches something, or is joined to one that does.
  struct Mover {
    BodyId id;
    std::uint32_t first = 0;  // node
    RigidBodies::FreeMotion free = {};
  };
  struct Bounce {
    Hit hit;
    ContactMaterial material;
    double speed;  // at which they came apart, before the step: below 0
  };
  void begin_part(double seconds, bool rest_of_step);
  void take_touches(std::span<const Contact> contacts);
  void mark_touching();
  void find_loads();
  void build_unknowns();
  void build_couplings();
  void couple_joints();
  const Mover* mover(BodyId id) const;
  void couple_vertex(std::uint32_t vertex, double weight, Vec3& constant);
  void build_springs();
  ContactSpring spring_of(const Touch& touch, const Vec3& start, double times) const;
  double layer(const Participant& p, double area, double thickness) const;
  double thickness_of(const Touch& touch) const;
  std::pair<double, double> friction_of(const Touch& touch) const;  // of what sticks, of what slides
  void update_friction();
  SolveReport solve();
  double least_gain() const;
  void choose_start();
  void set_ends();
  bool guard(TouchingReport& report);
  Touch touch_of(const Crossing& crossing);
  Vec3 end_of(std::uint32_t slot, std::uint32_t own) const;
  Vec3 vertex_end(std::uint32_t slot, std::uint32_t own) const;
  void map_soft(const Participant& p);
  void set_positions();
  void end_part(double fraction, TouchingReport& report);
  void remember();
  void note_bounce(const Touch& touch, const Vec3& point);
  Vec3 velocity_before(const Participant& p, const Group& group, const Vec3& where) const;
  void bounce();

  ResponseOptions options_;
  ContactMemory memory_;
  Overlaps overlaps_;
  Layers layers_;
  TouchFinder finder_;
  Coupled coupled_;
  Couplings couplings_;
  ContactLaw law_;
  std::vector<Touch> touches_, merged_;         // ascending
  std::vector<double> harder_, merged_harder_;  // of each touch: by how much its stiffness was raised
  double energy_ = 0;                           // that contacts hold [J]
  double fraction_ = 1;                         // of the part, until something would cross
  std::vector<Vec3> starts_, vectors_;          // of each touch: its vector at the start, and at the end
  std::vector<Group> groups_;                   // by slots
  std::vector<ContactForce> forces_;
  std::vector<Vec3> end_positions_, start_;
  std::vector<BodyId> touching_bodies_;  // rigid ones, and what is joined to them
  std::vector<Mover> movers_;            // the same
  std::vector<RigidBodies::HeldJoint> joints_;
  std::vector<Bounce> bounces_;
  std::vector<std::uint8_t> upright_;  // by slots: soft bodies of which no element was turned inside out
  Impulses impulses_;
  // Of the step that is being done.
  double seconds_ = 0, step_ = 0;  // of the part; of the whole
  Detector* detector_ = nullptr;
  RigidBodies* rigid_ = nullptr;
  std::span<const Participant> participants_;
};

}  // namespace palpate
