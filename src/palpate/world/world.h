// A world: bodies, what is between them, and a step of them all.
//
//   World world;
//   const BodyId floor = world.add_static(floor_mesh, {.name = "floor"});
//   const BodyId liver = world.add_soft(SoftBody(mesh, material), {.name = "liver"});
//   while (running) world.step(1.0 / 60);
//
// step() reads like the list of its stages; timings, reports and pages use the same names. The loop stays the
// caller's: a world steps when it is told to, starts no threads of its own for that, never waits and never
// prints. Between steps, bodies may be added, removed, looked at and changed.
//
// The same calls give the same bytes, for any number of threads. hash() tells whether two worlds are the
// same; snapshot() and restore() go back to an earlier moment, and what follows is then what followed before.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <palpate/base/ids.h>
#include <palpate/base/timing.h>
#include <palpate/collide/detector.h>
#include <palpate/mesh/embedding.h>
#include <palpate/mesh/mesh.h>
#include <palpate/respond/response.h>
#include <palpate/respond/step_forces.h>
#include <palpate/rigid/joints.h>
#include <palpate/rigid/rigid_bodies.h>
#include <palpate/soft/pull_term.h>
#include <palpate/soft/soft_body.h>
#include <palpate/world/script.h>
#include <palpate/world/snapshot.h>
#include <palpate/world/soft_forces.h>

namespace palpate {

enum class BodyKind : std::uint8_t { fixed, kinematic, rigid, soft };
std::string_view name_of(BodyKind kind);  // "static", "kinematic", ...

struct WorldOptions {
  RigidOptions rigid = {};  // gravity among them: it is that of soft bodies, too
  DetectorOptions contact = {};
  bool detects = true;            // look for contacts at all
  ResponseOptions response = {};  // what contacts do
  int substeps = 1;               // parts of a step, each with its own search for contacts
};

struct BodyOptions {
  std::string name = {};  // its own; "body N" if empty
  Pose pose = {};         // of static and kinematic bodies
  bool collides = true;
  std::optional<bool> self_contacts = {};  // on for what deforms, if not given
  ContactMaterial touch = {};
};

struct RigidBodyOptions {
  std::string name = {};
  RigidState state = {};
  double density = 1000;                           // of what a closed surface encloses [kg/m^3], or
  std::optional<RigidMass> mass = {};              // given, of any surface
  double linear_damping = 0, angular_damping = 0;  // [1/s]
  bool gravity = true, collides = true;
  std::optional<bool> self_contacts = {};  // off, if not given
  ContactMaterial touch = {};
};

struct SoftOptions {
  std::string name = {};
  // What touches: a finer surface in rest coordinates, which follows the tetrahedra; of a shell, its
  // triangles. If not given, the boundary of the tetrahedra.
  std::optional<TriangleMesh> surface = {};
  bool gravity = true, collides = true;
  std::optional<bool> self_contacts = {};
  ContactMaterial touch = {};
};

struct Energies {
  double kinetic = 0, elastic = 0, potential = 0;  // [J]; elastic: of soft bodies; potential: gravity, forces
  double contact = 0;                              // of the layers that are pressed, and of what sticks
  double total() const { return kinetic + elastic + potential + contact; }
};

// What a step was like.
struct StepReport {
  std::uint64_t step = 0;  // its number, from 1
  double time = 0;         // at its end [s]
  RigidReport rigid = {};
  SolveReport soft = {};  // iterations of all soft bodies, the largest residual
  TouchingReport touching = {};
  std::size_t failures = 0;  // bodies whose motion could not be computed: they stay where they were
  std::int64_t nanoseconds = 0;
};

// What observers see: valid during the call, and not theirs to change.
struct WorldFrame {
  const class World& world;
  const StepReport& report;
  std::span<const Stage> stages;
  const ContactSet& contacts;
};

struct SoftForceTag;
using SoftForceId = Id<SoftForceTag>;

struct ColliderTag;
using ColliderId = Id<ColliderTag>;

// A point on a body's surface: corners of a triangle, and weights that sum up to 1.
struct SurfacePoint {
  std::array<std::uint32_t, 3> vertices = {};
  std::array<double, 3> weights = {1, 0, 0};
};

struct HandTag;
using HandId = Id<HandTag>;
struct HandState {
  BodyId body;
  Vec3 at, target;  // the point that it holds, and where it pulls it to [m]
  Vec3 force;       // of its spring [N]
};

class World {
 public:
  explicit World(const WorldOptions& options = {});
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // --- bodies ---
  BodyId add_static(const TriangleMesh& surface, const BodyOptions& options = {});
  // Goes where the script says.
  BodyId add_kinematic(const TriangleMesh& surface, std::shared_ptr<const Script> script,
                       const BodyOptions& options = {});
  BodyId add_rigid(const TriangleMesh& surface, const RigidBodyOptions& options = {});
  BodyId add_soft(SoftBody body, const SoftOptions& options = {});
  void remove(BodyId id);

  std::size_t size() const { return ids_.size(); }
  std::span<const BodyId> bodies() const { return order_; }  // as they were added
  bool contains(BodyId id) const { return ids_.alive(id); }
  BodyId find(std::string_view name) const;  // null if there is none
  BodyKind kind(BodyId id) const;
  const std::string& name(BodyId id) const;
  // The triangles that touch, and where they are, numbered as in detector(). Where elements of a soft body
  // are changed, they follow in the next step: those that stay keep their numbers, and what goes leaves holes
  // (mesh/degenerate.h), which others fill.
  const TriangleMesh& surface(BodyId id) const;
  // What is seen and held of a body: the vertices of its surface or, of a string, which has none, its nodes.
  std::span<const Vec3> points(BodyId id) const { return points_of(body(id)); }
  // Elastic energy around each point of a soft body [J/m^3].
  std::vector<double> energy_densities(BodyId id) const;
  SurfaceId surface_id(BodyId id) const;  // of detector(); null for what does not collide

  // Of all but soft bodies.
  RigidState state(BodyId id) const;
  void set_state(BodyId id, const RigidState& state);  // of rigid bodies
  const RigidBodies& rigid() const { return rigid_; }
  // Nodes of a soft body may be fixed, released, moved, pulled at, elements removed and added.
  SoftBody& soft(BodyId id);
  const SoftBody& soft(BodyId id) const;
  // Nodes that are held, moved away from where they are now as the script says; those that are released later
  // are left alone.
  void move_nodes(BodyId id, std::span<const std::uint32_t> nodes, std::shared_ptr<const Script> script);

  // --- what is between them ---
  ForceId add_force(std::shared_ptr<Force> force) { return rigid_.add(std::move(force)); }
  // On a soft body; it goes with it.
  SoftForceId add_force(BodyId soft, std::shared_ptr<const SoftForce> force);
  // Where the bodies are now; null ids stand for the world. Bodies that are joined do not touch each other,
  // unless `collide` says so.
  JointId add_joint(BodyId a, BodyId b, const JointOptions& options, bool collide = false);
  JointId add_joint(std::shared_ptr<RigidConstraint> joint, bool collide = false);
  void remove(ForceId id) { rigid_.remove(id); }
  void remove(SoftForceId id);
  void remove(JointId id);
  void exclude(BodyId a, BodyId b, bool excluded = true);
  // Where bodies hit each other, besides their meshes; for the response "impulse".
  ColliderId add_collider(std::shared_ptr<const Collider> collider);
  void remove(ColliderId id);
  void set_gravity(const Vec3& gravity);

  // --- hands ---
  // A spring pulls this point of a rigid or soft body to where move() says; at first to where it is.
  // `stiffness` [N/m]; 0: so that the whole body would swing twice a second on it. It does not pull harder
  // than with twenty times the body's weight. Hands are no part of snapshots.
  HandId grab(BodyId id, const SurfacePoint& at, double stiffness = 0);
  void move(HandId id, const Vec3& to);
  void release(HandId id);
  std::vector<HandId> hands() const;
  HandState hand_state(HandId id) const;

  Detector& detector() { return detector_; }
  // What is legal and perhaps not meant, for people: contact distances far from the sizes of triangles.
  std::vector<std::string> remarks() const;
  const WorldOptions& options() const { return options_; }

  // --- time ---
  const StepReport& step(double seconds);
  double time() const { return time_; }  // [s]
  std::uint64_t steps() const { return steps_; }
  // Of the last step, its substeps together. Those inside "detect" follow it and count in both.
  std::span<const Stage> stages() const { return timer_.stages(); }
  const ContactSet& contacts() const { return contacts_; }  // of the last (sub)step's start
  // What contacts pushed with in the last step, on average; and on one body, whether it moves or not, summed
  // up [N].
  std::span<const ContactForce> contact_forces() const;
  Vec3 contact_force(BodyId id) const;
  Energies energies();
  // Called at the end of every step, in the order they were added.
  void observe(std::function<void(const WorldFrame&)> observer) { observers_.push_back(std::move(observer)); }

  // --- state ---
  std::uint64_t hash() const;
  Snapshot snapshot() const;
  void snapshot(Snapshot& into) const;  // the same, into memory that is there already
  // Of a world with the same bodies, of the same masses, materials and shapes, joints of the same kinds
  // between them and as many forces. Throws Error, and changes nothing, for any other.
  void restore(const Snapshot& snapshot);
  // Takes over from a world of other options or materials: the time, and of bodies with the same name, kind
  // and number of nodes where they are, how they move, and which nodes are fixed. What contacts and solvers
  // remember begins anew.
  void go_on_from(const World& other);

 private:
  struct NodeScript {
    std::vector<std::uint32_t> nodes;
    std::vector<Vec3> from;
    std::shared_ptr<const Script> script;
  };
  struct Body {
    BodyId id;
    BodyKind kind = BodyKind::fixed;
    std::string name;
    TriangleMesh local;    // of what does not deform, in its own coordinates
    TriangleMesh surface;  // as it is
    SurfaceId touching;    // null: it does not collide
    std::shared_ptr<const Script> script;
    std::unique_ptr<SoftBody> soft;
    bool gravity = true;
    std::vector<std::uint32_t> nodes;  // of each vertex of the surface
    Embedding embedding;               // or what it follows
    std::vector<NodeScript> scripts;
    std::vector<Vec3> pulls;  // on nodes, of forces in this step
    std::unique_ptr<PullTerm> pulls_of_hands;
    bool surface_is_boundary = false;         // of the tetrahedra
    std::uint64_t placings = 0, changes = 0;  // that the surface has seen
    std::uint64_t placed = 0;                 // from outside, so far; of soft bodies, besides their own
    ContactMaterial touch;
    double area = 0;  // of the surface [m^2]
  };

  BodyId begin_body(BodyKind kind, const std::string& name);
  template <class Make>
  BodyId add_body(BodyKind kind, const std::string& name, Make&& make);
  void add_unbending(Body& one, const TriangleMesh& surface, const RigidDescription& description,
                     bool collides, std::optional<bool> self_contacts, const ContactMaterial& touch);
  Body& body(BodyId id) { return bodies_[require(id)]; }
  const Body& body(BodyId id) const { return bodies_[require(id)]; }
  std::size_t require(BodyId id) const;
  void add_surface(Body& body, bool collides, std::optional<bool> self_contacts);
  Participant participant(const Body& one) const;
  void place_surface(Body& body);
  void follow_nodes(Body& body);
  void follow_changes(Body& body);
  void change_boundary(Body& body);
  void embed_again(Body& body);

  struct HandForce;
  struct Hand {
    BodyId body;
    SurfacePoint at;
    Vec3 target = Vec3::Zero();
    double stiffness = 0, mass = 0;    // the mass is the body's
    std::shared_ptr<HandForce> force;  // on what is rigid
    ForceId force_id;
  };
  static bool is_string(const Body& one) { return one.soft && one.surface.triangles.empty(); }
  static std::span<const Vec3> points_of(const Body& one) {
    return is_string(one) ? one.soft->positions() : std::span<const Vec3>(one.surface.positions);
  }
  const Hand& hand(HandId id) const;
  Vec3 held(const Hand& hand) const;
  static std::vector<PullTerm::Share> shares_of(const Body& one, const SurfacePoint& at);
  void hold_soft(Body& one);
  void pull_by_hands(Body& one, double seconds);
  static void push_by_hands(Body& one, double seconds);

  void take_inputs(double seconds);
  void ask_soft_forces(double seconds);
  void find_contacts();
  bool responds() const { return options_.detects && response_ != nullptr; }
  void answer_contacts();
  void move_bodies(double seconds);
  void settle(double seconds);
  void publish();

  struct Fact;
  struct BodyFacts;
  BodyFacts facts_of(const Body& one) const;
  std::size_t lasting_forces() const;
  void write_structure(ByteWriter& to) const;
  void require_structure(ByteReader& from) const;
  void require_body(ByteReader& from, std::size_t place) const;
  void write_joint(ByteWriter& to, const RigidConstraint& joint) const;
  void require_joints(ByteReader& from) const;

  WorldOptions options_;
  IdPool<BodyTag> ids_;
  std::vector<Body> bodies_;  // by the index of an id
  std::vector<BodyId> order_;
  IdPool<SoftForceTag> soft_force_ids_;
  struct SoftPull {
    BodyId body;
    std::shared_ptr<const SoftForce> force;
  };
  std::vector<SoftPull> soft_forces_;      // by the index of an id
  using BodyPair = std::array<BodyId, 2>;  // ascending
  std::vector<BodyPair> joined_;           // by the index of a joint's id; null: they may touch
  std::vector<BodyPair> excluded_;         // by users, ascending
  void update_exclusion(const BodyPair& pair);
  IdPool<ColliderTag> collider_ids_;
  std::vector<std::shared_ptr<const Collider>> colliders_;  // by the index of an id
  IdPool<HandTag> hand_ids_;
  std::vector<Hand> hands_;  // by the index of an id
  RigidBodies rigid_;
  Detector detector_;
  ContactSet contacts_;
  std::unique_ptr<Response> response_;     // null: none
  StepForces forces_;                      // of substeps, if there are several
  std::vector<Participant> participants_;  // by the slots of the detector
  StageTimer timer_;
  StepReport report_;
  double time_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<std::function<void(const WorldFrame&)>> observers_;
};

}  // namespace palpate
