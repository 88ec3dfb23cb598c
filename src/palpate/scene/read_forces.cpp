// Reading [[force]] and [[joint]]: what they speak of is there, and can follow.
#include <algorithm>

#include <fmt/format.h>

#include <palpate/base/suggest.h>
#include <palpate/scene/read_parts.h>

namespace palpate::detail {

namespace {

bool is_free(const SceneBody& body) {
  return body.kind != SceneBodyKind::fixed && body.kind != SceneBodyKind::kinematic;
}

// Soft bodies are held and moved by their nodes.
void require_unbending(const SceneBody& body, const Place& place) {
  if (body.deforms())
    throw Error(
        place,
        fmt::format("body '{}' bends: springs, torques and joints are for bodies that do not", body.name),
        "Fix some of its nodes and move them, or name another body.");
}

void require_free(const SceneBody& body, const Place& place) {
  if (is_free(body)) return;
  throw Error(place, fmt::format("body '{}' does not move freely, and nothing can pull at it", body.name),
              "Name a body that moves freely.");
}

// Two bodies, the second of which may be the world; one of them can follow.
void require_two(const SceneTable& table, std::span<const std::string> names, const Scene& scene) {
  const Place place = table.place("bodies");
  if (names.size() != 2)
    throw Error(place, fmt::format("bodies has {} names", names.size()),
                R"(Name two, like ["a", "b"] or ["a", "world"].)");
  const SceneBody& first = require_body(scene, names[0], place);
  const bool to_world = names[1] == world_name;
  require_unbending(first, place);
  if (!to_world) require_unbending(require_body(scene, names[1], place), place);
  if (!is_free(first) && (to_world || !is_free(require_body(scene, names[1], place))))
    throw Error(place, "neither of the two moves freely", "Name at least one body that is rigid.");
  if (!to_world) require_body(scene, names[1], place);
}

void read_spring(const SceneTable& table, const Scene& scene, SceneForce& force) {
  require_two(table, force.bodies, scene);
  std::vector<Vec3> points;
  table.get("points", points);
  if (table.has("points") && points.size() != 2)
    throw Error(table.place("points"), fmt::format("points has {} of them", points.size()),
                "Give two: one in the coordinates of each body.");
  std::copy(points.begin(), points.end(), force.points.begin());
  table.get("stiffness", force.stiffness);
  table.get("damping", force.damping);
  table.get("length", force.length);
}

// What pulls at one body.
void read_single(const SceneTable& table, const Scene& scene, SceneForce& force) {
  table.get("body", force.bodies.emplace_back());
  const SceneBody& body = require_body(scene, force.bodies[0], table.place("body"));
  if (force.kind == SceneForceKind::torque) require_unbending(body, table.place("body"));
  require_free(body, table.place("body"));
  if (body.deforms() && table.has("point"))
    throw Error(table.place("point"),
                fmt::format("body '{}' bends: the force is shared out in it", body.name),
                "Leave the point out.");
  table.get("force", force.force);
  table.get("point", force.points[0]);
  table.get("torque", force.torque);
}

// What pulls at several.
void read_air(const SceneTable& table, const Scene& scene, SceneForce& force) {
  for (const std::string& name : force.bodies)
    require_free(require_body(scene, name, table.place("bodies")), table.place("bodies"));
  table.get("linear", force.linear);
  table.get("quadratic", force.quadratic);
  table.get("velocity", force.velocity);
  table.get("period", force.period);
  table.get_direction("axis", force.axis);
  table.get("coefficient", force.coefficient);
}

}  // namespace

const SceneBody& require_body(const Scene& scene, const std::string& name, const Place& place) {
  if (const SceneBody* body = scene.find_body(name)) return *body;
  std::vector<std::string> names;
  for (const SceneBody& body : scene.bodies) names.push_back(body.name);
  throw Error(place, fmt::format("there is no body '{}'", name), did_you_mean(name, names));
}

SceneForce read_force(const SceneValue& value, const Scene& scene) {
  const SceneTable table(value, scene_section("force"));
  SceneForce force;
  force.origin.place = table.place();
  table.get_choice("kind", force.kind);
  table.get("name", force.name);
  table.get("bodies", force.bodies);
  if (force.kind == SceneForceKind::spring)
    read_spring(table, scene, force);
  else if (force.kind == SceneForceKind::constant || force.kind == SceneForceKind::torque)
    read_single(table, scene, force);
  else
    read_air(table, scene, force);
  return force;
}

SceneJoint read_joint(const SceneValue& value, const Scene& scene) {
  const SceneTable table(value, scene_section("joint"));
  SceneJoint joint;
  joint.origin.place = table.place();
  table.get_choice("kind", joint.kind);
  table.get("name", joint.name);
  std::vector<std::string> names;
  table.get("bodies", names);
  require_two(table, names, scene);
  if (names[0] == names[1])
    throw Error(table.place("bodies"), fmt::format("body '{}' is joined to itself", names[0]),
                "Name two bodies.");
  joint.bodies = {names[0], names[1]};
  table.get("point", joint.point);
  table.get("other_point", joint.other_point);
  table.get_direction("axis", joint.axis);
  table.get("length", joint.length);
  table.get("compliance", joint.compliance);
  table.get("collide", joint.collide);
  return joint;
}

}  // namespace palpate::detail
