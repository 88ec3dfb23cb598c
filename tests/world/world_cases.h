// Worlds for tests.
#pragma once

#include <memory>

#include <palpate/mesh/generate.h>
#include <palpate/rigid/forces.h>
#include <palpate/world/world.h>

namespace palpate::testing {

// One of everything: a floor, a tool on a script, two boxes on a spring and a hinge, a beam held at one end,
// another whose end is carried about, and a fine surface in a coarse beam.
inline std::unique_ptr<World> mixed_world(int substeps = 1, std::string_view solver = "quasi_newton") {
  WorldOptions options;
  options.contact.contact_distance = 0.01;
  options.substeps = substeps;
  if (solver != "quasi_newton") options.response.name = "penalty";
  auto world = std::make_unique<World>(options);
  const TriangleMesh box = make(BoxShape{});
  world->add_static(box, {.name = "floor", .pose = {Quat::Identity(), Vec3(0, 0, -3)}});
  world->add_kinematic(box,
                       std::make_shared<KeyframeScript>(
                           std::vector<KeyframeScript::Keyframe>{
                               {0, {Quat::Identity(), Vec3(3, 0, 0)}},
                               {0.5, {Quat(Eigen::AngleAxisd(1, Vec3(0, 1, 0))), Vec3(2, 0, 0)}}},
                           true, true),
                       {.name = "tool"});
  const BodyId a = world->add_rigid(box, {.name = "a", .state = {.angular_velocity = Vec3(1, 2, 3)}});
  const BodyId b = world->add_rigid(
      box, {.name = "b", .state = {.pose = {Quat::Identity(), Vec3(0, 2, 0)}, .velocity = Vec3(0, 0, 1)}});
  world->add_force(std::make_shared<SpringForce>(SpringForce::Options{
      .a = a, .b = b, .at_a = Vec3(0.1, 0, 0), .stiffness = 500, .damping = 5, .length = 1.5}));
  world->add_joint({}, a, {.kind = JointKind::hinge, .point = Vec3(-1, 0, 0), .axis = Vec3(0, 1, 0)});
  const auto beam = [&](const Vec3& at) {
    TetMesh mesh = make(BeamShape{.cell = 0.1, .along = 6, .across = 2});
    for (Vec3& p : mesh.positions) p += at;
    SoftBodyOptions soft;
    soft.solver = solver;
    return SoftBody(mesh, {.density = 1000, .young = 2e5, .poisson = 0.4}, soft);
  };
  const auto end_of = [](const SoftBody& body) {
    double low = HUGE_VAL;
    for (const Vec3& p : body.rest().positions) low = std::min(low, p.x());
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t v = 0; v < body.rest().positions.size(); ++v)
      if (body.rest().positions[v].x() < low + 1e-9) nodes.push_back(v);
    return nodes;
  };
  const BodyId held = world->add_soft(beam(Vec3(0, 5, 0)), {.name = "held"});
  world->soft(held).fix(end_of(world->soft(held)));
  const BodyId carried = world->add_soft(beam(Vec3(0, 6, 0)), {.name = "carried"});
  world->move_nodes(carried, end_of(world->soft(carried)),
                    std::make_shared<SteadyScript>(Pose{}, Vec3(0, 0, 0.5), Vec3(0.5, 0, 0)));
  SoftBody coarse = beam(Vec3(0, 7, 0));
  TriangleMesh fine = make(SphereShape{.radius = 0.09, .around = 16, .bands = 8});
  for (Vec3& p : fine.positions) p += coarse.rest().positions[coarse.rest().positions.size() / 2];
  world->add_soft(std::move(coarse), {.name = "embedded", .surface = fine});
  // With damping where the solver knows it; thin ones, too.
  const double damping = solver.starts_with("xpbd") ? 0 : 0.01;
  const Material rubber{.density = 1000, .young = 1e5, .poisson = 0.4, .damping = damping};
  SoftBodyOptions soft;
  soft.solver = solver;
  TetMesh damped = make(BeamShape{.cell = 0.1, .along = 4, .across = 2});
  for (Vec3& p : damped.positions) p += Vec3(0, 8, 0);
  const BodyId stretched = world->add_soft(SoftBody(damped, rubber, soft), {.name = "damped"});
  for (Vec3& p : damped.positions) p.x() *= 1.3;
  world->soft(stretched).set_positions(damped.positions);
  TriangleMesh sheet = make(PlaneShape{.size_x = 0.5, .size_y = 0.5, .cells_x = 5, .cells_y = 5});
  for (Vec3& p : sheet.positions) p += Vec3(0, 9, 0);
  const BodyId shell =
      world->add_soft(SoftBody::shell(sheet, 0.002, rubber, soft), {.name = "sheet", .surface = sheet});
  world->soft(shell).fix(std::vector<std::uint32_t>{0, 1});
  std::vector<Vec3> points;
  for (int i = 0; i < 10; ++i) points.emplace_back(0.1 * i, 10, 0);
  const BodyId string = world->add_soft(SoftBody::string(points, 0.005, rubber, soft), {.name = "string"});
  world->soft(string).fix(std::vector<std::uint32_t>{0});
  return world;
}

}  // namespace palpate::testing
