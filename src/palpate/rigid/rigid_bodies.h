// All bodies that do not bend: where they are, how they move, and a step of them.
//
//   RigidBodies bodies;
//   bodies.add(id, {.mass = RigidMass::of(enclosed_mass(mesh, 1000))});
//   bodies.add(std::make_shared<SpringForce>(...));
//   for (...) bodies.step(1.0 / 60);
//
// A step is half of the forces' push, free motion, the other half: the motion of springs and tops then keeps
// its energy over any time, but for a ripple (Stoermer, Verlet). Joints push along the gradients at the start
// of the step so that they hold at its end, and once more so that velocities agree with them (RATTLE:
// Andersen 1983), island by island (rigid_islands.cpp). Free turns keep momentum and energy by themselves
// (free_turn.h).
//
// Bodies that are static stay; kinematic ones go where they are told, whatever is in the way. Bodies that
// have hardly moved for half a second sleep, together with all that is joined to them, until something
// changes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <palpate/base/bytes.h>
#include <palpate/base/error.h>
#include <palpate/base/hash.h>
#include <palpate/base/ids.h>
#include <palpate/rigid/force.h>
#include <palpate/rigid/joint_equations.h>
#include <palpate/rigid/rigid_constraint.h>
#include <palpate/rigid/rigid_mass.h>

namespace palpate {

enum class RigidKind : std::uint8_t { fixed, kinematic, dynamic };

struct RigidDescription {
  RigidKind kind = RigidKind::dynamic;
  RigidMass mass = {};
  RigidState state = {};
  double linear_damping = 0, angular_damping = 0;  // [1/s]
  bool gravity = true;
};

struct RigidOptions {
  Vec3 gravity = {0, 0, -9.81};  // [m/s^2]
  double sleep_speed = 1e-3;     // no part of a body that falls asleep is faster [m/s]; 0: none ever does
  double sleep_after = 0.5;      // so long it must have been slow [s]
  int most_rounds = 20;          // of making joints hold
};

struct RigidReport {
  std::size_t awake = 0;
  int rounds = 0;          // that joints took
  double violation = 0;    // the most that a joint is off after the step [m] or [rad]
  std::size_t failed = 0;  // bodies whose motion was not finite: they were stopped where they were

  void add(const RigidReport& next) {  // of substeps, or parts of a step: together
    awake = next.awake;
    rounds += next.rounds;
    violation = std::max(violation, next.violation);
    failed += next.failed;
  }
};

struct ForceTag;
using ForceId = Id<ForceTag>;
struct JointTag;
using JointId = Id<JointTag>;

class RigidBodies : private RigidView {
 public:
  explicit RigidBodies(const RigidOptions& options = {});

  // `id` is the caller's, and new. Throws Error for what is not finite.
  void add(BodyId id, const RigidDescription& description);
  // Forces and joints that know it must be gone.
  void remove(BodyId id);
  bool contains(BodyId id) const { return place_of(id) != none; }
  ForceId add(std::shared_ptr<Force> force);
  JointId add(std::shared_ptr<RigidConstraint> joint);
  void remove(ForceId id);
  void remove(JointId id);
  // The joints and forces that know a body go.
  void remove_all_of(BodyId id);

  RigidState state(BodyId id) const override;
  Vec3 centre(BodyId id) const override;
  const RigidMass& mass(BodyId id) const override;
  double time() const override { return time_; }
  double step() const override { return step_; }
  const RigidView& view() const { return *this; }
  void set_state(BodyId id, const RigidState& state);
  // Of a dynamic body: a push at a place of the world, at once [N s]. It wakes up.
  void strike(BodyId id, const Vec3& impulse, const Vec3& where);
  void kick(BodyId id, const Vec3& velocity, const Vec3& spin);  // the same: what it moves at besides
  void kick_by(BodyId id, const Vec3& momentum, const Vec3& angular_momentum);  // the same [N s, N m s]
  // Of a kinematic body: where it is at the end of the next step.
  void move_to(BodyId id, const Pose& pose);
  RigidKind kind(BodyId id) const { return bodies_[require(id)].kind; }
  bool asleep(BodyId id) const;
  void wake(BodyId id);
  void set_gravity(const Vec3& gravity);
  const RigidOptions& options() const { return options_; }

  // What a force throws is passed on, and nothing has moved then: so it is, too, with one that pushes a body
  // that was removed and does not know().
  RigidReport step(double seconds);

  // A step in two halves, for those who push bodies in between (respond/). Bodies that touch something get
  // the whole push of the forces at the start, so that what holds them at the end holds against all of it. It
  // may be begun again until it is ended; nothing has moved then.
  void begin_step(double seconds, std::span<const BodyId> touching);
  // Where a body goes by itself: its centre, its principal axes, and its radii of gyration about them [m].
  struct FreeMotion {
    Vec3 centre = Vec3::Zero();
    Quat axes = Quat::Identity();
    double mass = 1;  // [kg]
    Vec3 radii = Vec3::Ones();
    Vec3 start = Vec3::Zero();  // where its centre was when the step began
    Vec3 turn_back =
        Vec3::Zero();  // to how it was turned then: axis times angle, along the axes, about [rad]
    Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();  // when the step began, along the world's axes
  };
  FreeMotion free_motion(BodyId id) const;
  // Adds all that joints connect with these bodies. In ascending order of places, each once.
  void add_joined(std::vector<BodyId>& bodies);
  // A joint as it is at the end of free motion.
  struct HeldJoint {
    std::array<BodyId, 2> bodies;
    std::size_t count;  // of rows
    double compliance;
    ConstraintRows rows;
  };
  bool is_before(BodyId a, BodyId b) const { return require(a) < require(b); }  // in that order
  // Those of a list that add_joined() made.
  void held_joints(std::span<const BodyId> bodies, std::vector<HeldJoint>& out) const;
  // It goes there instead, and is turned besides: axis times angle, along those axes [rad].
  void correct(BodyId id, const Vec3& centre, const Vec3& turn);
  // Makes joints of bodies that were corrected hold: to be called when all are.
  void hold();
  // Of a step that is cut short, the part of it that is done, and so much of what velocities were changed by:
  // otherwise the rest of the step would push by all that pushes once more. `kept`: bodies that touch, which
  // keep all but what forces and damping did to them in what is left of the step, if that is done at all
  // (`goes_on`).
  RigidReport end_step(double part = 1, std::span<const BodyId> kept = {}, bool goes_on = true);
  std::size_t joints() const { return joint_ids_.size(); }
  // By the index of an id; null where there is none any more.
  std::span<const std::shared_ptr<RigidConstraint>> joint_list() const { return joints_; }
  std::size_t forces() const { return force_ids_.size(); }

  double kinetic_energy() const;    // of what is dynamic [J]
  double potential_energy() const;  // of gravity, forces and compliant joints [J]
  Vec3 momentum() const;            // [kg m/s]
  Vec3 angular_momentum() const;    // about the origin [kg m^2/s]

  void set_time(double time) { time_ = time; }
  void hash(StateHash& hash) const;
  void save(ByteWriter& to) const;
  void load(ByteReader& from);

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  struct MissingBody : Error {
    using Error::Error;
  };
  // What every step looks at comes first.
  struct Body {
    BodyId id;
    RigidKind kind;
    bool gravity, asleep, touches;
    bool stopped = false;  // in this step, as it was not finite
    bool keeps = false;    // while a step is cut: what contacts did to it
    double inverse_mass;
    Vec3 inverse_moments;
    Vec3 force, torque;  // of this moment
    Vec3 pushed = Vec3::Zero(),
         twisted = Vec3::Zero();  // of what touches, in this step: what those and damping change its
                                  // velocity and momentum by
    double linear_damping, angular_damping;
    double quiet;         // for how long it has been slow [s]
    Vec3 quiet_velocity;  // when that began [m/s]
    double reach;         // how far its mass is from its centre, about [m]
    RigidMass mass;
    Pose goal;                       // of a kinematic body
    Vec3 slept_force, slept_torque;  // when it fell asleep
  };
  // What moves, apart from the rest: the centre, the turn of the principal axes, the velocity, and the
  // angular momentum along those axes.
  struct Moving {
    Vec3 centre = Vec3::Zero();
    Quat turn = Quat::Identity();
    Vec3 velocity = Vec3::Zero(), momentum = Vec3::Zero();
  };
  // A joint that can push something.
  struct Linked {
    const RigidConstraint* joint;
    std::array<std::uint32_t, 2> side;  // places of bodies
    std::uint32_t island;               // the place of its first body
    std::uint32_t rows;
  };
  struct Island {
    std::size_t joint_begin, joint_end;    // in linked_
    std::size_t member_begin, member_end;  // in members_
    JointEquations equations;
    int rounds = 0;
    double violation = 0;
    bool corrected = false;  // something else has pushed it in this step
  };
  // What belongs to the joints of an island.
  template <class List>
  static auto of(const Island& island, List& list) {
    return std::span(list).subspan(island.joint_begin, island.joint_end - island.joint_begin);
  }
  void move_all(double seconds);
  void begin_all(double seconds);
  RigidReport end_all();
  void undo();
  void cut(double part, std::span<const BodyId> kept, bool goes_on);
  std::uint32_t place_of(BodyId id) const;
  std::uint32_t require(BodyId id) const;
  Pose pose_of(std::uint32_t place) const { return pose_of(place, now_[place]); }
  Pose pose_of(std::uint32_t place, const Moving& moving) const;
  Vec3 angular_velocity_of(std::uint32_t place) const;
  void put(BodyId id, const Vec3& force, const Vec3& torque) override;
  [[noreturn]] void refuse_force(std::size_t place, const MissingBody& missing) const;
  void find_forces(double time);
  void push(double seconds, bool at_start);
  void push_twice(double time, double seconds);
  void damp(double seconds);
  bool moves_freely(std::uint32_t place) const {
    return bodies_[place].kind == RigidKind::dynamic && !bodies_[place].asleep;
  }
  void follow(std::uint32_t place);
  void drift(std::uint32_t place, double seconds);
  void drift_all(double seconds);
  ConstraintSide side_of(std::uint32_t place, const std::vector<Moving>& at, double part) const;
  void list_joints();
  void build_islands();
  std::span<const std::uint32_t> members_of(const Island& island) const;
  bool is_awake(const Island& island) const;
  int parts_of(const Island& island, double seconds) const;
  void move_island(Island& island, double seconds);
  double move_in_parts(Island& island, double seconds, int parts);
  void evaluate_joints(const Island& island, const std::vector<Moving>& at, double part,
                       std::vector<JointGradients>& gradients);
  void add_impulses(Island& island, const std::vector<JointGradients>& along,
                    const std::vector<BlockVector>& multipliers, std::vector<Moving>& to);
  double hold_positions(Island& island, double seconds, double part);
  void factor_positions(Island& island, double seconds);
  double find_violation(Island& island, double seconds, double part);
  void push_by_compliance(Island& island);
  void hold_velocities(Island& island);
  void find_islands();
  void wake_what_feels_more(double seconds);
  void fall_asleep(double seconds);
  void wake_island(std::uint32_t place);
  std::size_t stop_what_is_not_finite();

  RigidOptions options_;
  double time_ = 0, step_ = 0, begun_ = 0;  // begun_: the time when the step was [s]
  std::vector<Body> bodies_;
  RigidReport report_;  // of this step
  std::vector<Moving> now_, before_, half_, start_;
  std::vector<std::uint32_t> places_;  // by the index of an id
  IdPool<ForceTag> force_ids_;
  std::vector<std::shared_ptr<Force>> forces_;
  IdPool<JointTag> joint_ids_;
  std::vector<std::shared_ptr<RigidConstraint>> joints_;

  // Of joints, island by island, as long as bodies and joints are the same.
  bool joints_changed_ = true;
  std::vector<Linked> linked_;
  std::vector<std::uint32_t> members_;  // places of bodies
  std::vector<std::uint8_t> joined_;    // bodies that joints push
  std::vector<Island> islands_;
  // Of a step: of each joint.
  std::vector<JointGradients> gradients_, later_gradients_;
  std::vector<BlockVector> value_, first_value_, change_, multipliers_, found_;
  std::vector<double> compliances_, gives_;
  std::vector<std::uint32_t> island_;   // of each body
  std::vector<std::uint8_t> restless_;  // islands
};

}  // namespace palpate
