// A scene as a file tells it: plain data, checked, not yet a world.
//
// Between the text and the world stands this: whoever builds a world, lists scenes or shows them on a page
// needs no TOML, and whoever makes scenes in a program needs no file. Names are resolved where that needs no
// mesh (materials are values, references to bodies are known to exist), lengths are metres and angles radians
// or turns, whatever unit the file had. Meshes are not read: a MeshSource says where they come from
// (scene_mesh.h makes them).
//
// Two scenes are equal when they mean the same; where in a file something stands does not count.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <palpate/base/error.h>
#include <palpate/geometry/pose.h>
#include <palpate/respond/response_options.h>
#include <palpate/soft/material.h>
#include <palpate/solve/acceleration.h>

namespace palpate {

// Where something stands in a scene file, for messages. All of them are equal.
struct SceneOrigin {
  Place place = {};
  friend bool operator==(const SceneOrigin&, const SceneOrigin&) { return true; }
};

// What stands for the world, where a body is asked for: it never moves.
inline constexpr std::string_view world_name = "world";

// [run]: how long, and in what steps.
struct SceneRun {
  double step = 1.0 / 60;        // [s]
  int substeps = 1;              // parts of a step, each with its own search for contacts
  std::size_t steps = 300;       // of the whole run; from the duration, where that is given
  std::uint64_t seed = 1;        // of whatever is random
  std::size_t threads = 0;       // 0: all there are
  std::size_t record_every = 0;  // steps from one exported frame to the next; 0: none unless asked for
  friend bool operator==(const SceneRun&, const SceneRun&) = default;
};

// [world]: what holds for all bodies.
struct SceneWorld {
  Vec3 gravity = {0, 0, -9.81};  // [m/s^2]
  double linear_damping = 0;     // of rigid bodies that do not say otherwise [1/s]
  double angular_damping = 0;    // the same for turning [1/s]
  double sleep_speed = 0.001;    // what stays slower may be left alone until it is touched [m/s]; 0: never
  friend bool operator==(const SceneWorld&, const SceneWorld&) = default;
};

// [contact]: what counts as touching, and what it does.
struct SceneContact {
  bool enabled = true;
  double distance = 0.001;                        // [m]
  std::optional<double> neighbour_distance = {};  // along the surface [m]; twice the distance if not given
  double margin = 0;                              // [m]
  std::string finder = "auto";                    // of finders()
  std::vector<std::array<std::string, 2>> exclude = {};  // pairs of bodies that pass through each other
  ResponseOptions response = {};                         // what contacts do
  ContactMaterial touch = {};                            // of bodies that do not say otherwise
  friend bool operator==(const SceneContact&, const SceneContact&) = default;
};

// [solver]: how the equations of a step are solved.
struct SceneSolver {
  std::string name = "quasi_newton";  // of solver_names()
  int substeps = 1;                   // of the solver alone, between two searches for contacts
  int iterations = 10;                // of each, at most
  double tolerance = 0;               // enough when the residual is below [m]
  double budget = 0;                  // enough when this much time is gone [s]; 0: never
  bool untangle = true;               // bring back what is turned inside out
  Acceleration acceleration = {};
  friend bool operator==(const SceneSolver& a, const SceneSolver& b);
};

// Where a mesh comes from: a file, or a generator of mesh/generate.h.
struct MeshSource {
  std::filesystem::path file = {};           // absolute; empty: a shape
  double unit = 1;                           // of the file's coordinates [m]
  std::string shape = {};                    // of generators(); empty: a file
  std::vector<double> values = {};           // of all the generator's parameters, in their order
  std::optional<std::size_t> elements = {};  // the shape is cut into about as many
  Vec3 scale = Vec3::Ones();                 // along the axes, after the unit
  SceneOrigin origin = {};
  friend bool operator==(const MeshSource&, const MeshSource&) = default;
};

// A moment of a scripted motion.
struct SceneKeyframe {
  double time = 0;                   // [s]
  Vec3 position = Vec3::Zero();      // [m]
  Quat rotation = Quat::Identity();  // of unit length
  friend bool operator==(const SceneKeyframe&, const SceneKeyframe&) = default;
};

// [body.motion] and the motion of what is fixed: keyframes, or velocities that stay the same. Of a body, the
// keyframes are its poses and velocities go on from where it is placed. Of fixed nodes, both are moves away
// from where the nodes begin: turned about `centre`, then moved.
struct SceneMotion {
  enum class Interpolation : std::uint8_t { linear, smooth };  // smooth: speeds do not jump
  std::vector<SceneKeyframe> keyframes = {};                   // in order of time; empty: velocities
  Interpolation interpolation = Interpolation::linear;
  bool repeat = false;                   // begin at time 0 again when the last keyframe is reached
  Vec3 velocity = Vec3::Zero();          // [m/s]
  Vec3 angular_velocity = Vec3::Zero();  // [rad/s]
  std::optional<Vec3> centre = {};  // of fixed nodes [m], in the world; their body's position if not given
  friend bool operator==(const SceneMotion&, const SceneMotion&) = default;
};

// [[body.fix]]: nodes that are held. Places are in the mesh's own coordinates, after unit and scale, before
// the body is placed and deformed.
struct SceneFix {
  enum class Kind : std::uint8_t { all, box, plane, sphere, vertices };
  Kind kind = Kind::all;
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();  // of the box; its sides belong to it [m]
  Vec3 point = Vec3::Zero();                     // of the plane, or the centre of the sphere [m]
  Vec3 normal = Vec3::UnitZ();  // of unit length; held is what lies in the plane or behind it
  double radius = 0;            // of the sphere [m]
  std::vector<std::uint32_t> vertices = {};
  std::optional<SceneMotion> motion = {};  // what holds them moves
  SceneOrigin origin = {};
  friend bool operator==(const SceneFix&, const SceneFix&) = default;
};

// How a soft body is deformed before it is let go, about the middle of its box.
struct SceneDeform {
  double stretch = 1;  // along the axis
  double twist = 0;    // about the axis, from one end to the other [rad]
  int axis = 0;        // 0, 1, 2: x, y, z of the mesh
  double shake = 0;    // of the mean edge, each coordinate by as much at most; from the seed of the run
  friend bool operator==(const SceneDeform&, const SceneDeform&) = default;
};

enum class SceneBodyKind : std::uint8_t { fixed, kinematic, rigid, soft, shell, string };  // fixed: "static"

// [[body]]: one of the things in the scene.
struct SceneBody {
  std::string name;
  SceneBodyKind kind = SceneBodyKind::rigid;
  MeshSource mesh = {};                    // of all but strings
  std::vector<Vec3> points = {};           // of a string, in its own coordinates [m]
  std::size_t segments = 0;                // the string is cut into as many equal parts; 0: at its points
  bool closed = false;                     // the string is a ring
  Vec3 position = Vec3::Zero();            // [m]
  Quat rotation = Quat::Identity();        // of unit length
  Vec3 velocity = Vec3::Zero();            // of the centre of mass [m/s]
  Vec3 angular_velocity = Vec3::Zero();    // about the centre of mass [rad/s]
  double density = 1000;                   // of a rigid body [kg/m^3], where it has no mass of its own
  std::optional<double> mass = {};         // [kg]
  std::optional<Mat3> inertia = {};        // about the centre of mass, in the mesh's axes [kg m^2]
  double linear_damping = 0;               // of a rigid body [1/s]
  double angular_damping = 0;              // [1/s]
  std::optional<bool> self_contacts = {};  // on for what deforms, if not given
  bool collide = true;                     // takes part in contacts
  bool gravity = true;                     // feels the world's gravity
  ContactMaterial touch = {};              // what it is like to the touch
  Material material = {};                  // of soft bodies, shells and strings
  std::string material_name = {};          // for people; empty where the body has its own
  double thickness = 0;                    // of a shell [m]
  double radius = 0;                       // of a string [m]
  std::optional<MeshSource> surface = {};  // a finer surface that a soft body carries: it is what touches
  std::optional<SceneDeform> deform = {};  // of soft bodies
  std::vector<SceneFix> fixes = {};        // of soft bodies, shells and strings
  std::optional<SceneMotion> motion = {};  // of a kinematic body
  SceneOrigin origin = {};

  Pose pose() const { return {rotation, position}; }
  bool deforms() const { return kind >= SceneBodyKind::soft; }
  friend bool operator==(const SceneBody&, const SceneBody&) = default;
};

enum class SceneForceKind : std::uint8_t { spring, drag, wind, constant, torque };

// [[force]]: what pulls besides gravity, contacts and elasticity.
struct SceneForce {
  SceneForceKind kind = SceneForceKind::spring;
  std::string name = {};  // may be empty
  // Two of a spring, of which the second may be the world; one of constant and torque; of drag and wind any
  // number, none: all rigid ones.
  std::vector<std::string> bodies = {};
  // Where a spring, or a constant force (the first), is attached: in the coordinates of its body [m].
  std::array<Vec3, 2> points = {Vec3::Zero(), Vec3::Zero()};
  double stiffness = 0;               // of a spring [N/m]
  double damping = 0;                 // of a spring, along it [N s/m]
  std::optional<double> length = {};  // of a spring at rest [m]; as placed if not given
  double linear = 0, quadratic = 0;   // drag is linear * v + quadratic * |v| v [N s/m], [N s^2/m^2]
  Vec3 velocity = Vec3::Zero();       // of the wind, at the beginning [m/s]
  double period = 0;                  // the wind's direction turns once in this time [s]; 0: never
  Vec3 axis = Vec3::UnitZ();          // about this, of unit length
  double coefficient = 1;      // the wind pulls with coefficient * (wind - the body's velocity) [N s/m]
  Vec3 force = Vec3::Zero();   // constant, in the world's directions [N]
  Vec3 torque = Vec3::Zero();  // [N m]
  SceneOrigin origin = {};
  friend bool operator==(const SceneForce&, const SceneForce&) = default;
};

enum class SceneJointKind : std::uint8_t { fixed, ball, hinge, slider, distance };

// [[joint]]: two bodies, or a body and the world, that belong together. Places and directions are those of
// the world, with the bodies as they are placed.
struct SceneJoint {
  SceneJointKind kind = SceneJointKind::ball;
  std::string name = {};                   // may be empty
  std::array<std::string, 2> bodies = {};  // the second may be the world
  Vec3 point = Vec3::Zero();               // [m]; of a distance, on the first body
  Vec3 other_point = Vec3::Zero();         // of a distance, on the second body [m]
  Vec3 axis = Vec3::UnitZ();               // of hinges and sliders, of unit length
  std::optional<double> length = {};       // of a distance [m]; as placed if not given
  double compliance = 0;                   // how much it gives way [m/N], of turns [rad/(N m)]; 0: not at all
  bool collide = false;                    // the two bodies touch each other
  SceneOrigin origin = {};
  friend bool operator==(const SceneJoint&, const SceneJoint&) = default;
};

struct Scene {
  std::string title = {}, description = {};
  SceneRun run = {};
  SceneWorld world = {};
  SceneContact contact = {};
  SceneSolver solver = {};
  std::map<std::string, Material> materials = {};  // those of the file
  std::vector<SceneBody> bodies = {};              // in the order of the file
  std::vector<SceneForce> forces = {};
  std::vector<SceneJoint> joints = {};
  // The scene as it was read, with what was set from outside: read again, from wherever, it is this scene.
  std::string text = {};
  SceneOrigin origin = {};  // the file

  // By its name; null if there is none.
  const SceneBody* find_body(std::string_view name) const;
  friend bool operator==(const Scene&, const Scene&) = default;
};

}  // namespace palpate
