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

#include <palpate/collide/detector.h>
#include <palpate/respond/contact_law.h>
#include <palpate/respond/contact_memory.h>
#include <palpate/respond/participant.h>
#include <palpate/respond/response_options.h>
#include <palpate/respond/touch.h>
#include <palpate/rigid/rigid_bodies.h>
#include <palpate/solve/coupled.h>

namespace palpate {

// What a contact did, at the end of a step.
struct ContactForce {
  std::uint64_t key = 0;
  BodyId first, second;  // null: none that moves
  Vec3 force;            // on the second body; the first feels the opposite [N]
  Vec3 point;            // [m]
  double push;           // along the normal [N]
};

struct TouchingReport {
  std::size_t touches = 0;  // contacts that pushed, or could
  std::size_t pushing = 0;  // contacts that pushed
  int solves = 0;
  int guarded = 0;  // contacts that the guard added
  int parts = 0;    // of the step: more than 1 where motion was cut short
  double lost = 0;  // of the step, what could not be done [s]
  SolveReport solve = {};
  RigidReport rigid = {};
};

class TouchingStep {
 public:
  explicit TouchingStep(const ResponseOptions& options) : options_(options) {}

  const ResponseOptions& options() const { return options_; }
  // Which of the contacts push. `participants`: by the slots of the detector's surfaces.
  void begin(Detector& detector, ContactSet contacts, RigidBodies& rigid,
             std::span<const Participant> participants);
  // Moves all of them. The detector is left to be told where the surfaces are then.
  TouchingReport step(double seconds);

  std::span<const ContactForce> forces() const { return forces_; }  // of the last part of the last step
  void save(ByteWriter& to) const { memory_.save(to); }
  void load(ByteReader& from) { memory_.load(from); }
  void hash(StateHash& hash) const { memory_.hash(hash); }
  void forget() { memory_.clear(); }

 private:
  struct Group {  // where a participant's unknowns are
    bool touches = false, done = false;
    std::uint32_t first = 0;  // node
    RigidBodies::FreeMotion free = {};
  };
  void begin_part(double seconds, bool rest_of_step);
  void take_touches(std::span<const Contact> contacts);
  void mark_touching();
  void build_unknowns();
  void build_couplings();
  void couple_vertex(std::uint32_t vertex, double weight, Vec3& constant);
  void build_springs();
  ContactSpring spring_of(const Touch& touch, const Vec3& start, double times) const;
  double layer(const Participant& p, double area, double thickness) const;
  std::pair<double, double> friction_of(const Touch& touch) const;  // of what sticks, of what slides
  void update_friction();
  SolveReport solve();
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

  ResponseOptions options_;
  ContactMemory memory_;
  TouchFinder finder_;
  Coupled coupled_;
  Couplings couplings_;
  ContactLaw law_;
  std::vector<Touch> touches_, merged_;         // ascending
  std::vector<double> harder_, merged_harder_;  // of each touch: by how much its stiffness was raised
  double fraction_ = 1;                         // of the part, until something would cross
  std::vector<Vec3> starts_, vectors_;          // of each touch: its vector at the start, and at the end
  std::vector<Group> groups_;                   // by slots
  std::vector<ContactForce> forces_;
  std::vector<Vec3> end_positions_, start_;
  std::vector<BodyId> touching_bodies_;  // rigid ones
  // Of the step that is being done.
  double seconds_ = 0, step_ = 0;  // of the part; of the whole
  Detector* detector_ = nullptr;
  RigidBodies* rigid_ = nullptr;
  std::span<const Participant> participants_;
};

}  // namespace palpate
