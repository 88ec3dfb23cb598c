// Reading [[body]] and what stands in it.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include <Eigen/Eigenvalues>

#include <fmt/format.h>

#include <palpate/mesh/generate.h>
#include <palpate/scene/read_parts.h>

namespace palpate::detail {

namespace {

constexpr double radians = std::numbers::pi / 180;

// Three moments, or six numbers: xx, yy, zz, xy, xz, yz. Refuses what no body has.
Mat3 read_inertia(const SceneValue& value) {
  const std::vector<double> n = numbers_of(value);
  Mat3 inertia = Vec3(n[0], n[1], n[2]).asDiagonal();
  if (n.size() == 6) {
    inertia(0, 1) = inertia(1, 0) = n[3];
    inertia(0, 2) = inertia(2, 0) = n[4];
    inertia(1, 2) = inertia(2, 1) = n[5];
  }
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  if (!(moments[0] > 0))
    throw Error(value.spot.place(), fmt::format("inertia has a moment of {:.6g}", moments[0]),
                "All three principal moments must be above 0 [kg m^2].");
  if (!(moments[2] <= (moments[0] + moments[1]) * (1 + 1e-9)))
    throw Error(
        value.spot.place(),
        fmt::format("inertia has a moment, {:.6g}, that is larger than the two others together", moments[2]),
        "No body has such: check the numbers and their order (xx, yy, zz, xy, xz, yz).");
  return inertia;
}

SceneDeform read_deform(const SceneValue& value) {
  const SceneTable table(value, scene_section("deform"));
  SceneDeform deform;
  table.get("stretch", deform.stretch);
  table.get("twist", deform.twist);
  deform.twist *= radians;
  table.get_choice("axis", deform.axis);
  table.get("shake", deform.shake);
  return deform;
}

// How it moves at the beginning, and by itself.
void read_dynamics(const SceneTable& table, const SceneWorld& world, SceneBody& body) {
  table.get("velocity", body.velocity);
  table.get("angular_velocity", body.angular_velocity);
  table.get("density", body.density);
  table.get("mass", body.mass);
  if (const SceneValue* inertia = table.find("inertia")) {
    if (!body.mass)
      throw Error(inertia->spot.place(), "inertia is given without a mass", "Give mass [kg] too.");
    body.inertia = read_inertia(*inertia);
  }
  body.linear_damping = world.linear_damping;
  body.angular_damping = world.angular_damping;
  table.get("linear_damping", body.linear_damping);
  table.get("angular_damping", body.angular_damping);
  table.get("gravity", body.gravity);
  if (const SceneValue* motion = table.find("motion")) {
    body.motion = read_motion(*motion);
    if (body.motion->centre && !body.motion->keyframes.empty())
      throw Error(SceneTable(*motion, scene_section("motion")).place("centre"),
                  "centre is given with keyframes, which say where the body is",
                  "Leave it out, or give angular_velocity in place of keyframes.");
  }
}

void read_string(const SceneTable& table, SceneBody& body) {
  table.get("points", body.points);
  table.get("segments", body.segments);
  table.get("closed", body.closed);
  table.get("radius", body.radius);
  const std::size_t least = body.closed ? 3 : 2;
  if (body.kind == SceneBodyKind::string && body.points.size() < least)
    throw Error(table.place("points"), fmt::format("points has {} of them", body.points.size()),
                fmt::format("A string needs at least {}.", least));
}

// What deforms.
void read_softness(const SceneTable& table, const Scene& scene, SceneFolder& folder, SceneBody& body) {
  if (const SceneValue* material = table.find("material")) {
    body.material = read_material(*material, scene.materials);
    if (material->text() != nullptr) body.material_name = *material->text();
  }
  table.get("thickness", body.thickness);
  if (const SceneValue* surface = table.find("surface")) body.surface = read_mesh_source(*surface, folder);
  if (const SceneValue* deform = table.find("deform")) body.deform = read_deform(*deform);
  if (const SceneValue* fixes = table.find("fix"))
    for (const SceneValue& fix : *fixes->list()) body.fixes.push_back(read_fix(fix));
}

void require_solid(const SceneTable& table, const SceneBody& body) {
  if (body.kind != SceneBodyKind::soft || body.mesh.shape.empty()) return;
  if (generator(body.mesh.shape).kind == GeneratedKind::solid) return;
  std::string solids;
  for (const Generator& one : generators())
    if (one.kind == GeneratedKind::solid) solids += fmt::format("{}{}", solids.empty() ? "" : ", ", one.name);
  throw Error(table.place("mesh"),
              fmt::format("the shape '{}' is a surface, and a soft body is solid", body.mesh.shape),
              fmt::format("Take one of {}, or make it a shell.", solids));
}

// In rows, along x first.
std::vector<SceneBody> copies_of(const SceneBody& body, const SceneValue& value, std::uint64_t seed) {
  const SceneTable table(value, scene_section("copies"));
  std::vector<std::uint32_t> counts;
  Vec3 spacing = Vec3::Zero();
  double shake = 0;
  table.get("counts", counts);
  table.get("spacing", spacing);
  table.get("shake", shake);
  if (counts.size() != 3)
    throw Error(table.place("counts"), fmt::format("counts has {} numbers", counts.size()),
                "Give three: along x, y and z.");
  const double all = double{1} * counts[0] * counts[1] * counts[2];
  if (!(all <= 1e6))
    throw Error(table.place("counts"), fmt::format("these are {:.3g} bodies", all), "Take at most 1e6.");
  std::mt19937_64 random(seed);
  const auto off = [&] { return shake * (static_cast<double>(random() >> 11) * 0x1p-52 - 1); };
  std::vector<SceneBody> bodies;
  for (std::uint32_t k = 0; k < counts[2]; ++k)
    for (std::uint32_t j = 0; j < counts[1]; ++j)
      for (std::uint32_t i = 0; i < counts[0]; ++i) {
        SceneBody& one = bodies.emplace_back(body);
        one.name = fmt::format("{} {}", body.name, bodies.size());
        Vec3 by = Vec3(i, j, k).cwiseProduct(spacing);
        for (double& along : by) along += off();
        one.position += by;
        if (!one.motion) continue;
        for (SceneKeyframe& keyframe : one.motion->keyframes) keyframe.position += by;
        if (one.motion->centre) *one.motion->centre += by;
      }
  return bodies;
}

}  // namespace

Quat read_rotation(const SceneValue& value) {
  if (value.table() == nullptr) {
    const std::vector<double> n = numbers_of(value);
    Eigen::Vector4d q(n[0], n[1], n[2], n[3]);
    q = (q / q.cwiseAbs().maxCoeff()).normalized();
    return {q[0], q[1], q[2], q[3]};
  }
  const SceneTable table(value, scene_section("rotation"));
  Vec3 axis = Vec3::UnitZ();
  double degrees = 0;
  table.get_direction("axis", axis);
  table.get("angle", degrees);
  const double half = 0.5 * radians * std::remainder(degrees, 720);
  const Vec3 v = std::sin(half) * axis;
  return {std::cos(half), v.x(), v.y(), v.z()};
}

ContactMaterial read_touch(const SceneTable& table, const ContactMaterial& otherwise) {
  ContactMaterial touch = otherwise;
  table.get("friction", touch.friction);
  if (table.has("friction")) touch.static_friction = touch.friction;
  table.get("static_friction", touch.static_friction);
  table.get("restitution", touch.restitution);
  return touch;
}

SceneMotion read_motion(const SceneValue& value) {
  const SceneTable table(value, scene_section("motion"));
  SceneMotion motion;
  table.get_choice("interpolation", motion.interpolation);
  table.get("repeat", motion.repeat);
  table.get("velocity", motion.velocity);
  table.get("angular_velocity", motion.angular_velocity);
  table.get("centre", motion.centre);
  const SceneValue* keyframes = table.find("keyframes");
  if (keyframes == nullptr) return motion;
  for (const SceneValue& one : *keyframes->list()) {
    const SceneTable moment(one, scene_section("keyframe"));
    SceneKeyframe keyframe;
    moment.get("time", keyframe.time);
    moment.get("position", keyframe.position);
    if (const SceneValue* rotation = moment.find("rotation")) keyframe.rotation = read_rotation(*rotation);
    if (!motion.keyframes.empty() && !(keyframe.time > motion.keyframes.back().time))
      throw Error(moment.place("time"),
                  fmt::format("time is {}, and the keyframe before has {}", keyframe.time,
                              motion.keyframes.back().time),
                  "Keyframes stand in order of their times.");
    motion.keyframes.push_back(keyframe);
  }
  if (motion.keyframes.empty() || (motion.repeat && !(motion.keyframes.back().time > 0)))
    throw Error(keyframes->spot.place(),
                motion.keyframes.empty() ? "there are no keyframes" : "the motion repeats after 0 s",
                "Give at least one, and the last one a time above 0 [s] if the motion repeats.");
  return motion;
}

SceneFix read_fix(const SceneValue& value) {
  const SceneTable table(value, scene_section("fix"));
  SceneFix fix;
  fix.origin.place = table.place();
  if (bool all = true; table.has("all")) {
    table.get("all", all);
    if (!all)
      throw Error(table.place("all"), "all is false: nothing is held",
                  "Write all = true, or box, plane, ...");
  } else if (const SceneValue* box = table.find("box")) {
    fix.kind = SceneFix::Kind::box;
    fix.low = point_of((*box->list())[0]);
    fix.high = point_of((*box->list())[1]);
  } else if (const SceneValue* plane = table.find("plane")) {
    fix.kind = SceneFix::Kind::plane;
    const SceneTable inner(*plane, scene_section("plane"));
    inner.get("point", fix.point);
    inner.get_direction("normal", fix.normal);
  } else if (const SceneValue* sphere = table.find("sphere")) {
    fix.kind = SceneFix::Kind::sphere;
    const SceneTable inner(*sphere, scene_section("sphere"));
    inner.get("centre", fix.point);
    inner.get("radius", fix.radius);
  } else {
    fix.kind = SceneFix::Kind::vertices;
    table.get("vertices", fix.vertices);
  }
  if (const SceneValue* motion = table.find("motion")) fix.motion = read_motion(*motion);
  return fix;
}

std::vector<SceneBody> read_bodies(const SceneValue& value, const Scene& scene, SceneFolder& folder) {
  const SceneTable table(value, scene_section("body"));
  SceneBody body;
  body.origin.place = table.place();
  table.get("name", body.name);
  if (body.name == world_name)
    throw Error(table.place("name"), "name is \"world\", which stands for what never moves",
                "Take another name.");
  table.get_choice("kind", body.kind);
  if (const SceneValue* mesh = table.find("mesh")) body.mesh = read_mesh_source(*mesh, folder);
  require_solid(table, body);
  table.get("position", body.position);
  if (const SceneValue* rotation = table.find("rotation")) body.rotation = read_rotation(*rotation);
  table.get("self_contacts", body.self_contacts);
  table.get("collide", body.collide);
  body.touch = read_touch(table, scene.contact.touch);
  read_dynamics(table, scene.world, body);
  read_string(table, body);
  read_softness(table, scene, folder, body);
  const SceneValue* copies = table.find("copies");
  return copies == nullptr ? std::vector<SceneBody>{body}
                           : copies_of(body, *copies, scene.run.seed + scene.bodies.size());
}

}  // namespace palpate::detail
