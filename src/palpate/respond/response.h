// What contacts do to bodies: one class for each name of response_options.h.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <palpate/base/bytes.h>
#include <palpate/base/hash.h>
#include <palpate/collide/detector.h>
#include <palpate/respond/collider.h>
#include <palpate/respond/participant.h>
#include <palpate/respond/response_options.h>
#include <palpate/rigid/rigid_bodies.h>

namespace palpate {

// What a contact did in a step: on average, so that times its length it is what changed the momentum.
struct ContactForce {
  std::uint64_t key = 0;
  BodyId first, second;  // whether they move or not; null: none (a collider's may be)
  Vec3 force;            // on the second body; the first feels the opposite [N]
  Vec3 point;            // [m]
  double push;           // along the normal [N]
};

struct TouchingReport {
  std::size_t touches = 0;  // contacts that pushed, or could
  std::size_t pushing = 0;  // contacts that pushed
  int solves = 0;
  int guarded = 0;                     // contacts that the guard added
  int parts = 0;                       // more than 1: motion was cut short so many times, less one
  double lost = 0;                     // of the step, what could not be done [s]
  std::int64_t guard_nanoseconds = 0;  // of looking for what would cross
  SolveReport solve = {};              // of all rounds; the residual of the last
  RigidReport rigid = {};

  void add(const TouchingReport& next);  // of substeps: together
};

// What a step of it works on, as long as it lasts.
struct ResponseScene {
  Detector* detector = nullptr;
  RigidBodies* rigid = nullptr;
  std::span<const Participant> participants = {};                   // by the slots of the detector's surfaces
  std::span<const std::shared_ptr<const Collider>> colliders = {};  // of users; those that left are null
};

class Response {
 public:
  Response() = default;
  Response(const Response&) = delete;
  Response& operator=(const Response&) = delete;
  virtual ~Response() = default;

  // Which of the contacts push.
  virtual void begin(const ResponseScene& scene, std::span<const Contact> contacts) = 0;
  // Moves all bodies that have a surface, and all rigid ones. The detector is left to be told where the
  // surfaces are then.
  virtual TouchingReport step(double seconds) = 0;
  virtual std::span<const ContactForce> forces() const = 0;  // of the last step: in it, on average

  virtual double energy() const { return 0; }  // that contacts hold, at the end of the last step [J]
  // Why a body cannot take part, and what to do instead; empty: it can.
  virtual std::string refuses(const SoftBody& body) const = 0;
  // What is kept from step to step.
  virtual void save(ByteWriter&) const {}
  virtual void load(ByteReader&) {}
  virtual void hash(StateHash&) const {}
  virtual void forget() {}
};

// By name; null for "none".
std::unique_ptr<Response> make_response(const ResponseOptions& options);

}  // namespace palpate
