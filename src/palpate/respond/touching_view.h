// What a step of touching bodies knows while it is being done: all islands look at the same.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <palpate/collide/detector.h>
#include <palpate/respond/contact_memory.h>
#include <palpate/respond/layers.h>
#include <palpate/respond/participant.h>
#include <palpate/respond/response_options.h>
#include <palpate/respond/touch.h>
#include <palpate/rigid/rigid_bodies.h>

namespace palpate {

struct TouchingView {
  // A participant in this part of the step.
  struct Slot {
    bool touches = false;          // it moves, and something touches it
    bool done = false;             // it has lost its shape, and what brings it back has done the step
    bool fresh = true;             // what touches it is not what it was in the last round
    std::uint32_t root = 0;        // of what hangs together: the first slot of all
    std::uint32_t place = 0;       // in its island: the first node, or which of the movers
    bool far = false;              // something soft in its island goes farther than contacts reach
    bool glanced = false;          // solved in short, to see what it hits
    bool hits = false;             // something that was seen then
    bool solved = false;           // in an earlier round of this part
    bool stuck = false;            // of an island's root: something in it hardly gets anywhere
    std::array<Vec3, 2> end = {};  // of a rigid body: its nodes then
    double load = 0;               // of all that hangs together, the mass of the heaviest rigid body [kg]
  };

  ResponseOptions options;
  Detector* detector = nullptr;
  RigidBodies* rigid = nullptr;
  std::span<const Participant> participants;
  std::vector<Slot> slots;
  ContactMemory memory;
  Layers layers;
  double seconds = 0, step = 0;  // of the part; of the whole
  struct Pace {
    std::uint64_t surfaces;    // as the memory has them
    double sliding, sticking;  // what pushed [N]
  };
  std::vector<Pace> paces;  // ascending
  bool glancing = false;    // what goes far is solved in short

  double thickness_of(const Touch& touch) const;                    // of the layer between the two [m]
  std::pair<double, double> friction_of(const Touch& touch) const;  // of what sticks, of what slides
  // Of what two surfaces pushed each other with in the last step, whether most slid; where nothing did, none.
  std::optional<bool> slid_before(const Touch& touch) const;
  void sum_up_paces();  // of the memory, for that
  // Where a vertex is at the end of the part, as far as it is known.
  Vec3 vertex_end(std::uint32_t slot, std::uint32_t own) const;
  // Of what is soft: how fast a vertex is when the part begins [m/s].
  Vec3 vertex_velocity(std::uint32_t slot, std::uint32_t own) const;
};

}  // namespace palpate
