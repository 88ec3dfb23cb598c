// Bodies that hang together by touching, or by joints: an island is solved as one, and knows no other.
//
// A contact is linear in the unknowns: its normal and its weights are those of the start. A rigid body is two
// nodes of its mass: its centre, and its turn away from free motion, scaled by the radii of gyration so that
// it is a length, too. Free motion itself is exact (rigid/free_turn.h): contacts only add to it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <palpate/respond/contact_law.h>
#include <palpate/respond/touching_view.h>
#include <palpate/solve/coupled.h>

namespace palpate {

class Island {
 public:
  // A rigid body that touches something, or is joined to one that does.
  struct Mover {
    BodyId id;
    std::uint32_t first = 0;  // node
    RigidBodies::FreeMotion free = {};
  };

  // The last part of the layer between two bodies, and how much harder it is to press.
  static constexpr double flat = 0.25, harder_flat = 8;

  void clear();
  void add_body(std::uint32_t slot) { bodies_.push_back(slot); }  // ascending
  void add_mover(BodyId id) { movers_.push_back({id}); }          // in the order of rigid bodies
  // `harder`: by how much its stiffness was raised.
  void add_touch(const Touch& touch, double harder);
  // Soft bodies have begun the step, or are where the last round left them; rigid ones are where they go by
  // themselves.
  SolveReport solve(TouchingView& view);
  void correct(RigidBodies& rigid) const;  // movers, to where the solution has them

  std::span<const Mover> movers() const { return movers_; }
  const Mover& mover(std::size_t place) const { return movers_[place]; }
  std::span<const Touch> touches() const { return touches_; }
  // Of each touch: its law, and its vector at the end.
  const ContactSpring& spring(std::size_t c) const { return law_.springs[c]; }
  const Vec3& vector(std::size_t c) const { return vectors_[c]; }
  Vec3 vector_at(std::size_t c, double fraction) const {  // when so much of the part is done
    return fraction < 1 ? Vec3((1 - fraction) * starts_[c] + fraction * vectors_[c]) : vectors_[c];
  }

 private:
  void build_unknowns();
  void build_couplings();
  void couple_joints();
  const Mover* find_mover(BodyId id) const;
  void couple_vertex(std::uint32_t vertex, double weight, Vec3& constant);
  ContactSpring spring_of(const Touch& touch, const Vec3& start, double harder) const;
  Vec3 velocity_of(std::uint32_t vertex) const;
  double glide_of(const Touch& touch) const;
  double layer(std::uint32_t slot, double area, double thickness) const;
  double mass() const;
  double least_gain() const;
  void choose_start();
  enum class Start : std::uint8_t { last, stay, go };
  void try_start(Start soft, Start rigid, double& best);
  void note_ends();
  bool bends() const { return coupled_.size() > 2 * movers_.size(); }  // something soft is in it
  int iterations_of(int pass) const;
  bool again() const;    // an earlier round of this part has solved all of it
  bool glances() const;  // this is a short one
  int first_pass() const;
  void solve_pass(const SolveOptions& options, SolveReport& report);
  double friction_at(std::size_t c) const;  // the coefficient
  void update_friction();
  bool friction_agrees() const;

  TouchingView* view_ = nullptr;  // while it solves
  std::vector<std::uint32_t> bodies_;
  std::vector<Mover> movers_;
  std::vector<Touch> touches_;
  std::vector<double> harder_;
  Coupled coupled_;
  Couplings couplings_;
  ContactLaw law_;
  std::vector<Vec3> starts_, vectors_;  // of each touch: its vector at the start, and at the end
  std::vector<double> glides_;          // of each touch that is new: how fast things go across it [m/s]
  std::vector<Vec3> start_;
  std::vector<RigidBodies::HeldJoint> joints_;
  std::vector<BodyId> ids_;  // of the movers
};

}  // namespace palpate
