// A step of bodies that touch: contacts, elasticity and inertia solved as one, and a guard that lets nothing
// through.
//
//   begin          soft and rigid bodies say where they would go
//   solve          those that touch together (solve/coupled.h), the others alone
//   guard          continuous detection from where things were to where they are: what would cross becomes a
//                  contact and the step is solved again, a few times
//   end            where something would still cross, motion ends just before; the rest of the step is a part
//                  of its own, with as much of the change of velocities as is gone, so that momentum adds up
//
// Bodies that hang together are an island, solved on its own (island.h); those in which a round changed
// nothing are left as they are.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <palpate/respond/impulses.h>
#include <palpate/respond/island.h>
#include <palpate/respond/overlaps.h>
#include <palpate/respond/response.h>
#include <palpate/respond/step_forces.h>
#include <palpate/respond/touching_view.h>

namespace palpate {

class TouchingStep final : public Response {
 public:
  explicit TouchingStep(const ResponseOptions& options) { view_.options = options; }

  void begin(const ResponseScene& scene, std::span<const Contact> contacts) override;
  TouchingReport step(double seconds) override;
  std::span<const ContactForce> forces() const override { return forces_.all(); }
  double energy() const override { return energy_; }
  std::string refuses(const SoftBody& body) const override;
  void save(ByteWriter& to) const override;
  void load(ByteReader& from) override;
  void hash(StateHash& hash) const override;
  void forget() override;

 private:
  struct Bounce {
    Hit hit;
    std::size_t force;  // what the contact pushed with, in the forces of the part
    ContactMaterial material;
    double speed;  // at which they came apart, before the step: below 0
  };
  struct Place {  // an island, by the first of its slots
    std::uint32_t root;
    std::unique_ptr<Island> island;
    bool fresh;
  };
  struct Seen {  // a crossing, and the contact that would have held it
    Crossing crossing;
    Touch touch;
    std::uint32_t cluster;  // of crossings that have vertices in common: the first of them
    double until;           // of the first of a cluster: those that come later follow from it
    bool taken;
  };
  struct Way {           // of a participant, in a part
    Box box;             // that it may come to
    double length = 0;   // that it goes, if it is soft [m]
    double longest = 0;  // of an island's root: that any in it goes
  };
  void take_touches(std::span<const Contact> contacts);
  void keep_guarded(std::span<const Contact> contacts);
  void begin_part(double seconds, bool rest_of_step);
  void begin_round();
  void mark_touching();
  void find_roots();
  std::uint32_t root_of(std::uint32_t at);
  void join(std::uint32_t a, std::uint32_t b);
  void find_islands();
  std::unique_ptr<Island> spare_island();
  SolveReport solve();
  void move_on(const Participant& p) const;
  bool any_goes_far();
  void glance(TouchingReport& report);
  void set_ends();
  bool guard(bool last, TouchingReport& report);
  void see(const Crossing& crossing);
  void see_first_hits();
  void cluster_seen();
  void choose_seen();
  // `known_by`: how much harder contacts become that were there.
  void merge_seen(TouchingReport& report, double known_by);
  Touch touch_of(const Crossing& crossing, double& distance);
  void map_soft(const Participant& p);
  void set_positions();
  void end_part(double fraction, bool goes_on, TouchingReport& report);
  void mark_stuck(double fraction);
  bool is_stuck(std::uint32_t slot) const { return view_.slots[view_.slots[slot].root].stuck; }
  void remember(double fraction);
  void remember(const Island& island, std::size_t c, double fraction, double share);
  void note_state(const ContactSpring& spring, const Touch& touch, const Vec3& end, const Vec3& vector,
                  double push);
  void note_bounce(const Island& island, const Touch& touch, const Vec3& point);
  Vec3 velocity_before(const Island& island, std::uint32_t slot, const Vec3& where) const;
  void bounce();

  TouchingView view_;
  Overlaps overlaps_;
  TouchFinder finder_;
  std::vector<Touch> touches_, merged_;         // ascending
  std::vector<double> harder_, merged_harder_;  // of each touch: by how much its stiffness was raised
  std::vector<Place> islands_, next_islands_;   // ascending
  std::vector<std::unique_ptr<Island>> spare_;
  std::vector<std::uint32_t> roots_;  // of slots, then of bodies that joints move
  double energy_ = 0;                 // that contacts hold [J]
  double fraction_ = 1;               // of the part, until something would cross
  StepForces forces_;
  std::vector<BodyId> stuck_bodies_;  // rigid ones
  std::vector<Vec3> end_positions_;
  std::vector<BodyId> touching_bodies_;  // rigid ones, and what is joined to them
  std::vector<RigidBodies::HeldJoint> joints_;
  std::vector<Bounce> bounces_;
  std::vector<std::pair<std::uint64_t, double>> first_hits_;  // of a glance: surfaces, time
  std::vector<std::size_t> hit_forces_;                       // of each impulse
  std::vector<std::uint8_t> upright_;  // by slots: soft bodies of which no element was turned inside out
  std::vector<SolveReport> reports_;
  std::vector<std::uint32_t> alone_;  // soft bodies that nothing touches
  std::vector<Seen> seen_;
  std::vector<Way> ways_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> vertex_seen_;  // a vertex, and a crossing that has it
  std::vector<std::uint32_t> first_seen_;
  Impulses impulses_;
};

}  // namespace palpate
