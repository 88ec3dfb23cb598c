// Bodies that touch: they rest, stick, slide, bounce, and nothing goes through.
#include <cmath>
#include <memory>
#include <string>

#include <Eigen/Geometry>

#include <gtest/gtest.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/collide/edges_through.h>
#include <palpate/mesh/generate.h>
#include <palpate/world/world.h>

#include "support/allocation_counter.h"

namespace palpate {
namespace {

constexpr double frame = 1.0 / 60;

TetMesh moved(TetMesh mesh, const Vec3& by) {
  for (Vec3& p : mesh.positions) p += by;
  return mesh;
}

Pose at(const Vec3& p) { return {Quat::Identity(), p}; }

TriangleMesh slab() {
  return make(BoxShape{.size_x = 1, .size_y = 1, .size_z = 0.1, .cells_x = 4, .cells_y = 4, .cells_z = 1});
}

void expect_no_crossing(const World& world) {
  for (const BodyId a : world.bodies())
    for (const BodyId b : world.bodies()) {
      EXPECT_TRUE(a == b || edges_through_triangles(world.surface(a), world.surface(b)).empty());
    }
}

WorldOptions options(double d = 0.002) {
  WorldOptions o;
  o.contact.contact_distance = d;
  o.response.name = "constraint";
  return o;
}

const Material gel{.density = 1000, .young = 1e5, .poisson = 0.4};

TEST(Respond, ASoftCubeRestsOnAPlate) {
  World world(options());
  world.add_static(slab(), {.name = "plate", .pose = at(Vec3(0, 0, -0.05))});
  SoftBody soft(
      moved(make(SolidBoxShape{.cells_x = 4, .cells_y = 4, .cells_z = 4}), Vec3(0.013, 0.021, 0.07)), gel);
  double mass = 0;
  for (const double m : soft.masses()) mass += m;
  const BodyId cube = world.add_soft(std::move(soft), {.name = "cube"});
  for (int i = 0; i < 180; ++i) world.step(frame);
  EXPECT_NEAR(world.contact_force(cube).z(), 9.81 * mass, 0.01 * 9.81 * mass);
  EXPECT_LT(world.energies().kinetic, 1e-6);
  double low = 1;
  for (const Vec3& p : world.surface(cube).positions) low = std::min(low, p.z());
  EXPECT_GT(low, 0);
  EXPECT_LT(low, 0.002);
  expect_no_crossing(world);
}

// What does not move itself, as a tool in somebody's hand, feels what it pushes.
TEST(Respond, ToolsFeelWhatTheyCarry) {
  for (const std::string response : {"constraint", "penalty"})
    for (const bool moves : {false, true}) {
      SCOPED_TRACE(response + (moves ? ", moves" : ", stands"));
      const bool springs = response == "penalty";  // which swing, and let through what falls far in a step
      WorldOptions o = options(springs ? 0.01 : 0.002);
      o.response.name = response;
      o.substeps = springs ? 4 : 1;
      World world(o);
      const BodyId plate =
          moves ? world.add_kinematic(
                      slab(),
                      std::make_shared<SteadyScript>(at(Vec3(0, 0, -0.05)), Vec3(0.1, 0, 0), Vec3::Zero()),
                      {.name = "plate"})
                : world.add_static(slab(), {.name = "plate", .pose = at(Vec3(0, 0, -0.05))});
      SoftBody soft(
          moved(make(SolidBoxShape{.cells_x = 4, .cells_y = 4, .cells_z = 4}), Vec3(0.013, 0.021, 0.0515)),
          {.density = 1000, .young = 1e5, .poisson = 0.4, .damping = 0.01});
      double mass = 0;
      for (const double m : soft.masses()) mass += m;
      const BodyId cube = world.add_soft(std::move(soft), {.name = "cube"});
      for (int i = 0; i < 180; ++i) world.step(frame);
      const Vec3 weight(0, 0, -9.81 * mass);
      Vec3 mean = Vec3::Zero();
      for (int i = 0; i < 60; ++i) {
        world.step(frame);
        const Vec3 felt = world.contact_force(plate);
        mean += felt / 60;
        EXPECT_LT((felt + world.contact_force(cube)).norm(), 1e-9 * weight.norm()) << i;
        Vec3 sum = Vec3::Zero();
        for (const ContactForce& one : world.contact_forces()) {
          EXPECT_TRUE(one.first && one.second);
          sum += one.second == plate ? one.force : Vec3(-one.force);
        }
        EXPECT_LT((felt - sum).norm(), 1e-9 * weight.norm()) << i;
      }
      EXPECT_LT((mean - weight).norm(), 0.01 * weight.norm());
    }
}

TEST(Respond, ARigidBoxRestsOnAPlate) {
  World world(options());
  world.add_static(slab(), {.name = "plate", .pose = at(Vec3(0, 0, -0.05))});
  const BodyId box = world.add_rigid(make(BoxShape{.cells_x = 1, .cells_y = 1, .cells_z = 1}),
                                     {.name = "box", .state = {.pose = at(Vec3(0.013, 0.021, 0.07))}});
  for (int i = 0; i < 120; ++i) world.step(frame);
  EXPECT_NEAR(world.state(box).pose.position.z(), 0.052, 0.001);
  EXPECT_LT(world.state(box).velocity.norm(), 1e-3);
  expect_no_crossing(world);
}

// A block on a slope: it sticks below the angle of friction, and slides as it should above.
TEST(Respond, SlopesHoldAndLetGo) {
  for (const double degrees : {15.0, 25.0}) {
    World world(options());
    const double angle = degrees * 3.14159265358979 / 180, friction = std::tan(20 * 3.14159265358979 / 180);
    world.set_gravity(9.81 * Vec3(std::sin(angle), 0, -std::cos(angle)));
    world.add_static(
        make(BoxShape{.size_x = 4, .size_y = 1, .size_z = 0.1, .cells_x = 4, .cells_y = 1, .cells_z = 1}),
        {.name = "slope",
         .pose = at(Vec3(0, 0, -0.05)),
         .touch = {.friction = friction, .static_friction = friction}});
    const BodyId box =
        world.add_rigid(make(BoxShape{.size_z = 0.05, .cells_x = 1, .cells_y = 1, .cells_z = 1}),
                        {.name = "block",
                         .state = {.pose = at(Vec3(-1, 0.01, 0.027))},
                         .touch = {.friction = friction, .static_friction = friction}});
    for (int i = 0; i < 30; ++i) world.step(frame);
    const double x0 = world.state(box).pose.position.x(), v0 = world.state(box).velocity.x();
    for (int i = 0; i < 30; ++i) world.step(frame);
    const double gone = world.state(box).pose.position.x() - x0, v1 = world.state(box).velocity.x();
    if (degrees < 20) {
      EXPECT_LT(std::abs(gone), 1e-5);
    } else {
      const double expected = 9.81 * (std::sin(angle) - friction * std::cos(angle));
      EXPECT_NEAR((v1 - v0) / 0.5, expected, 0.02 * expected);
    }
  }
}

// What slides is held by the friction of sliding, however many triangles it slides over in a step; what lies
// still, by that of sticking, although its contacts are new. How what bends slides: sliding_test.cpp.
TEST(Respond, WhatSlidesOverSmallTrianglesSlides) {
  const TriangleMesh floor = make(
      BoxShape{.size_x = 1.6, .size_y = 0.2, .size_z = 0.1, .cells_x = 160, .cells_y = 20, .cells_z = 1});
  const ContactMaterial touch{.friction = 0.3, .static_friction = 0.6};
  const double still = std::atan(0.45);
  for (const bool soft : {false, true})
    for (const double speed : {0.0, 2.0}) {
      if (soft && speed > 0) continue;
      World world(options());
      if (speed == 0) world.set_gravity(9.81 * Vec3(std::sin(still), 0, -std::cos(still)));
      world.add_static(floor, {.name = "floor", .pose = at(Vec3(0, 0, -0.05)), .touch = touch});
      const Vec3 where(-0.6, 0.003, 0.0265);
      BodyId block;
      if (soft) {
        SoftBody body(
            moved(make(SolidBoxShape{.size_z = 0.05, .cells_x = 4, .cells_y = 4, .cells_z = 2}), where),
            {.density = 1000, .young = 1e6, .poisson = 0.3});
        body.set_velocities(std::vector<Vec3>(body.positions().size(), Vec3(speed, 0, 0)));
        block = world.add_soft(std::move(body), {.name = "block", .touch = touch});
      } else {
        block = world.add_rigid(
            make(BoxShape{.size_z = 0.05, .cells_x = 4, .cells_y = 4, .cells_z = 2}),
            {.name = "block", .state = {.pose = at(where), .velocity = Vec3(speed, 0, 0)}, .touch = touch});
      }
      const auto along = [&] {
        if (!soft) return world.state(block).velocity.x();
        double sum = 0, mass = 0;
        const SoftBody& body = world.soft(block);
        for (std::size_t i = 0; i < body.masses().size(); ++i) {
          sum += body.masses()[i] * body.velocities()[i].x();
          mass += body.masses()[i];
        }
        return sum / mass;
      };
      for (int i = 0; i < 10; ++i) world.step(frame);
      const double before = along();
      for (int i = 0; i < 20; ++i) world.step(frame);
      if (speed == 0) {
        EXPECT_LT(std::abs(along()), 1e-3) << soft;
      } else {
        const double expected = 0.3 * 9.81 / 3;
        EXPECT_NEAR(before - along(), expected, 0.02 * expected) << soft;
      }
    }
}

// On a slope on which what slides goes faster and what lies still does not begin to: what moves slowly
// slides, too, with long steps and with short ones.
TEST(Respond, WhatSlidesSlowlySlides) {
  const TriangleMesh floor =
      make(BoxShape{.size_x = 0.8, .size_y = 0.2, .size_z = 0.1, .cells_x = 80, .cells_y = 20, .cells_z = 1});
  const ContactMaterial touch{.friction = 0.3, .static_friction = 0.6};
  const double angle = std::atan(0.45), expected = 9.81 * (std::sin(angle) - 0.3 * std::cos(angle));
  for (const double h : {1.0 / 60, 1.0 / 1000})
    for (const double speed : {0.0, 0.05}) {
      World world(options());
      world.add_static(floor, {.pose = at(Vec3(0, 0, -0.05)), .touch = touch});
      const BodyId block =
          world.add_rigid(make(BoxShape{.size_z = 0.02, .cells_x = 4, .cells_y = 4, .cells_z = 1}),
                          {.state = {.pose = at(Vec3(-0.3, 0.003, 0.012))}, .touch = touch});
      const int steps = static_cast<int>(0.25 / h);
      for (int i = 0; i < steps; ++i) world.step(h);  // it lies
      world.set_gravity(9.81 * Vec3(std::sin(angle), 0, -std::cos(angle)));
      RigidState state = world.state(block);
      state.velocity.x() = speed;
      world.set_state(block, state);
      for (int i = 0; i < steps; ++i) world.step(h);
      const double before = world.state(block).velocity.x();
      for (int i = 0; i < steps; ++i) world.step(h);
      const double gained = world.state(block).velocity.x() - before;
      if (speed == 0)
        EXPECT_LT(std::abs(before) + std::abs(gained), 1e-3) << h;
      else
        EXPECT_NEAR(gained, expected * steps * h, 0.05 * expected * steps * h) << h;
    }
}

// Two soft balls fly at each other in space: momentum stays, and they part again.
TEST(Respond, BallsBounceOffEachOther) {
  WorldOptions o = options();
  o.rigid.gravity.setZero();
  World world(o);
  std::vector<BodyId> balls;
  for (const double side : {-1.0, 1.0}) {
    SoftBody soft(
        moved(make(SolidSphereShape{.radius = 0.05, .layers = 4}), Vec3(0.06 * side, 0.01 * side, 0)), gel);
    const std::vector<Vec3> v(soft.positions().size(), Vec3(-0.5 * side, 0, 0));
    soft.set_velocities(v);
    balls.push_back(world.add_soft(std::move(soft)));
  }
  const auto momentum = [&](BodyId id) {
    Vec3 sum = Vec3::Zero();
    const SoftBody& soft = world.soft(id);
    for (std::size_t i = 0; i < soft.masses().size(); ++i) sum += soft.masses()[i] * soft.velocities()[i];
    return sum;
  };
  const double before = momentum(balls[0]).x();
  double energy = world.energies().total();
  for (int i = 0; i < 60; ++i) {
    world.step(frame);
    const double now = world.energies().total();
    EXPECT_LT(now, energy + 1e-3 * std::abs(energy) + 1e-9);
    energy = now;
  }
  EXPECT_GT(before, 0);
  EXPECT_LT(momentum(balls[0]).x(), 0);
  EXPECT_LT((momentum(balls[0]) + momentum(balls[1])).norm(), 1e-6 * before);
  expect_no_crossing(world);
}

// Fast and thin: nothing goes through.
TEST(Respond, AFastBallDoesNotPassASheet) {
  WorldOptions o = options(0.003);
  o.rigid.gravity.setZero();
  World world(o);
  TriangleMesh sheet = make(PlaneShape{.size_x = 0.4, .size_y = 0.4, .cells_x = 16, .cells_y = 16});
  SoftBody shell = SoftBody::shell(sheet, 0.001, {.density = 1000, .young = 1e6, .poisson = 0.3});
  std::vector<std::uint32_t> rim;
  for (std::uint32_t v = 0; v < sheet.positions.size(); ++v)
    if (sheet.positions[v].head<2>().cwiseAbs().maxCoeff() > 0.199) rim.push_back(v);
  shell.fix(rim);
  const BodyId held = world.add_soft(std::move(shell), {.name = "sheet", .surface = sheet});
  const BodyId ball =
      world.add_rigid(make(IcosphereShape{.radius = 0.04, .frequency = 6}),
                      {.name = "ball",
                       .state = {.pose = at(Vec3(0.003, 0.007, 0.1)), .velocity = Vec3(0, 0, -5)},
                       .density = 200});
  for (int i = 0; i < 60; ++i) {
    world.step(frame);
    ASSERT_TRUE(edges_through_triangles(world.surface(ball), world.surface(held)).empty()) << i;
    ASSERT_TRUE(edges_through_triangles(world.surface(held), world.surface(ball)).empty()) << i;
  }
  EXPECT_GT(world.state(ball).velocity.z(), 0) << "it came back";
}

// At 5 m/s it goes through 83 mm in a step, 28 contact distances: what restitution says comes back, whenever
// in a step it hits, and what moves along the sheet is left alone.
TEST(Respond, AFastBallBouncesWithItsEnergy) {
  for (const double restitution : {1.0, 0.8, 0.5})
    for (int phase = 0; phase < 5; ++phase) {
      WorldOptions o = options(0.0035);
      o.rigid.gravity.setZero();
      World world(o);
      const ContactMaterial touch{.friction = 0, .static_friction = 0, .restitution = restitution};
      const TriangleMesh sheet = make(PlaneShape{.size_x = 0.4, .size_y = 0.4, .cells_x = 16, .cells_y = 16});
      world.add_static(sheet, {.name = "sheet", .touch = touch});
      const BodyId ball = world.add_rigid(
          make(IcosphereShape{.radius = 0.04, .frequency = 6}),
          {.name = "ball",
           .state = {.pose = at(Vec3(-0.05, 0.007, 0.12 + 0.017 * phase)), .velocity = Vec3(0.5, 0, -5)},
           .density = 200,
           .touch = touch});
      const double before = world.energies().kinetic;
      for (int i = 0; i < 8; ++i) {
        world.step(frame);
        EXPECT_GT(world.state(ball).pose.position.z(), 0.04) << "it is on its side";
        EXPECT_LE(world.energies().kinetic, before * (1 + 1e-9)) << restitution << " " << phase;
      }
      const Vec3 v = world.state(ball).velocity;
      EXPECT_NEAR(v.z(), 5 * restitution, 0.05 * restitution) << restitution << " " << phase;
      EXPECT_NEAR(v.x(), 0.5, 0.05) << restitution << " " << phase;
      EXPECT_NEAR(world.energies().kinetic / before, restitution * restitution, 0.02);
    }
}

// What begins all but in one place would cross at once; the contacts that are there hold it.
TEST(Respond, WhatBeginsAllButTouchingDoesNotPass) {
  for (const double gap : {1e-4, 1e-8, 1e-12})
    for (const double speed : {0.5, 5.0}) {
      WorldOptions o = options(0.0035);
      o.rigid.gravity.setZero();
      World world(o);
      world.add_static(make(PlaneShape{.size_x = 0.4, .size_y = 0.4, .cells_x = 16, .cells_y = 16}));
      const BodyId ball = world.add_rigid(make(IcosphereShape{.radius = 0.04, .frequency = 6}),
                                          {.state = {.velocity = Vec3(0.1, 0, -speed)}, .density = 200});
      double low = 0;
      for (const Vec3& p : world.surface(ball).positions) low = std::min(low, p.z());
      RigidState state = world.state(ball);
      state.pose.position = Vec3(0.003, 0.007, gap - low);
      world.set_state(ball, state);
      for (int i = 0; i < 30; ++i) {
        world.step(frame);
        low = 1;
        for (const Vec3& p : world.surface(ball).positions) low = std::min(low, p.z());
        ASSERT_GT(low, -1e-12) << gap << " " << speed << " " << i;
      }
      EXPECT_LT(world.state(ball).velocity.norm(), speed + 0.1);
    }
}

// Ten boxes come to rest on each other, each held by just its weight.
TEST(Respond, BoxesStandOnEachOther) {
  World world(options());
  world.add_static(slab(), {.name = "plate", .pose = at(Vec3(0, 0, -0.05))});
  std::vector<BodyId> boxes;
  for (int i = 0; i < 10; ++i)
    boxes.push_back(
        world.add_rigid(make(BoxShape{.cells_x = 1, .cells_y = 1, .cells_z = 1}),
                        {.state = {.pose = at(Vec3(0.003 * (i % 3), 0.002 * (i % 2), 0.052 + 0.102 * i))}}));
  for (int i = 0; i < 200; ++i) world.step(frame);
  EXPECT_LT(world.energies().kinetic, 1e-12);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    EXPECT_NEAR(world.contact_force(boxes[i]).z(), 9.81, 1e-6);
    EXPECT_NEAR(world.state(boxes[i]).pose.position.z(), 0.052 + 0.102 * static_cast<double>(i), 5e-4);
  }
  expect_no_crossing(world);
}

// A box of a gram carries one of a kilogram, and the other way round.
TEST(Respond, LightAndHeavyStandOnEachOther) {
  for (const bool heavy_on_top : {false, true}) {
    World world(options());
    world.add_static(slab(), {.name = "plate", .pose = at(Vec3(0, 0, -0.05))});
    const TriangleMesh cube = make(BoxShape{.cells_x = 1, .cells_y = 1, .cells_z = 1});
    const BodyId low = world.add_rigid(
        cube, {.state = {.pose = at(Vec3(0, 0, 0.052))}, .density = heavy_on_top ? 1.0 : 1000.0});
    const BodyId high = world.add_rigid(
        cube, {.state = {.pose = at(Vec3(0.01, 0, 0.155))}, .density = heavy_on_top ? 1000.0 : 1.0});
    for (int i = 0; i < 300; ++i) world.step(frame);
    EXPECT_NEAR(world.state(low).pose.position.z(), 0.052, 0.002) << heavy_on_top;
    EXPECT_NEAR(world.state(high).pose.position.z(), 0.154, 0.003) << heavy_on_top;
    EXPECT_LT(world.state(low).velocity.norm() + world.state(high).velocity.norm(), 1e-4) << heavy_on_top;
    const double weight = 9.81 * world.rigid().mass(high).mass;
    EXPECT_NEAR(world.contact_force(high).z(), weight, 0.01 * weight) << heavy_on_top;
    expect_no_crossing(world);
  }
}

// Jelly under steel, and steel under jelly.
TEST(Respond, SoftAndStiffStandOnEachOther) {
  for (const bool stiff_on_top : {false, true}) {
    World world(options());
    world.add_static(slab(), {.name = "plate", .pose = at(Vec3(0, 0, -0.05))});
    const auto cube = [&](double z, double young, double height, double density) {
      TetMesh mesh = make(SolidBoxShape{.size_z = height, .cells_x = 3, .cells_y = 3, .cells_z = 3});
      return SoftBody(moved(std::move(mesh), Vec3(0, 0, z)),
                      {.density = density, .young = young, .poisson = 0.3, .damping = 0.01});
    };
    // Jelly of 1e3 Pa carries 1 cm of water, not more.
    const BodyId low = world.add_soft(cube(0.0125, stiff_on_top ? 1e3 : 1e9, 0.02, 500));
    const BodyId high =
        world.add_soft(cube(0.0335, stiff_on_top ? 1e9 : 1e3, 0.01, stiff_on_top ? 200 : 500));
    for (int i = 0; i < 200; ++i) ASSERT_EQ(world.step(frame).failures, 0u);
    EXPECT_EQ(world.soft(low).inverted() + world.soft(high).inverted(), 0u);
    EXPECT_LT(world.energies().kinetic, 1e-4) << stiff_on_top;
    double mass = 0;
    for (const double m : world.soft(high).masses()) mass += m;
    EXPECT_NEAR(world.contact_force(high).z(), 9.81 * mass, 0.05 * 9.81 * mass) << stiff_on_top;
    expect_no_crossing(world);
  }
}

// A chain on hinges falls over the edge of a box: joints hold while links lie on it.
TEST(Respond, JointsHoldWhileContactsPush) {
  WorldOptions o = options();
  World world(o);
  world.add_static(
      make(BoxShape{.size_x = 0.3, .size_y = 0.3, .size_z = 0.3, .cells_x = 3, .cells_y = 3, .cells_z = 3}),
      {.name = "block", .pose = at(Vec3(0, 0, -0.15))});
  const TriangleMesh link = make(
      BoxShape{.size_x = 0.08, .size_y = 0.03, .size_z = 0.02, .cells_x = 2, .cells_y = 1, .cells_z = 1});
  std::vector<BodyId> links;
  for (int i = 0; i < 6; ++i) {
    links.push_back(world.add_rigid(link, {.state = {.pose = at(Vec3(-0.05 + 0.1 * i, 0.003, 0.03))}}));
    if (i > 0)
      world.add_joint(
          links[i - 1], links[i],
          {.kind = JointKind::hinge, .point = Vec3(-0.1 + 0.1 * i, 0.003, 0.03), .axis = Vec3(0, 1, 0)});
  }
  for (int i = 0; i < 240; ++i) {
    const StepReport& report = world.step(frame);
    ASSERT_LT(report.rigid.violation, 1e-6) << i;
    ASSERT_TRUE(std::isfinite(world.energies().total()));
    for (const BodyId id : links)
      ASSERT_TRUE(edges_through_triangles(world.surface(id), world.surface(world.find("block"))).empty())
          << i;
  }
  EXPECT_LT(world.state(links.back()).pose.position.z(), -0.05) << "it hangs over the edge";
}

// Bodies that are placed in each other come apart, slowly.
TEST(Respond, WhatOverlapsIsEasedApart) {
  for (const bool soft : {false, true}) {
    WorldOptions o = options(0.004);
    o.rigid.gravity.setZero();
    World world(o);
    for (const double side : {-1.0, 1.0}) {
      const Vec3 where(0.047 * side, 0.004 * side, 0.001 * side);
      if (soft)
        world.add_soft(SoftBody(moved(make(SolidSphereShape{.radius = 0.05, .layers = 4}), where), gel));
      else
        world.add_rigid(make(IcosphereShape{.radius = 0.05, .frequency = 6}), {.state = {.pose = at(where)}});
    }
    double fastest = 0;
    for (int i = 0; i < 120; ++i) {
      ASSERT_EQ(world.step(frame).failures, 0u);
      for (const BodyId id : world.bodies()) {
        if (soft)
          for (const Vec3& v : world.soft(id).velocities()) fastest = std::max(fastest, v.norm());
        else
          fastest = std::max(fastest, world.state(id).velocity.norm());
      }
    }
    EXPECT_LT(fastest, 1.2 * o.response.easing_speed) << soft;
    expect_no_crossing(world);
  }
}

// What begins nearer than the contact distance comes apart no faster than it is let to, as does what
// overlaps.
TEST(Respond, WhatBeginsTooNearIsEasedApart) {
  for (const bool soft : {false, true})
    for (const double gap : {0.0, 1e-6, 0.001, 0.003}) {
      WorldOptions o = options(0.004);
      o.rigid.gravity.setZero();
      World world(o);
      world.add_static(slab(), {.pose = at(Vec3(0, 0, -0.05))});
      const Vec3 where(0.013, 0.021, 0.05 + gap);
      BodyId box;
      if (soft)
        box = world.add_soft(
            SoftBody(moved(make(SolidBoxShape{.cells_x = 4, .cells_y = 4, .cells_z = 4}), where), gel));
      else
        box = world.add_rigid(make(BoxShape{.cells_x = 4, .cells_y = 4, .cells_z = 4}),
                              {.state = {.pose = at(where)}});
      double fastest = 0;
      for (int i = 0; i < 120; ++i) {
        ASSERT_EQ(world.step(frame).failures, 0u);
        if (soft)
          for (const Vec3& v : world.soft(box).velocities()) fastest = std::max(fastest, v.norm());
        else
          fastest = std::max(fastest, world.state(box).velocity.norm());
      }
      EXPECT_LT(fastest, 1.2 * o.response.easing_speed) << soft << " " << gap;
      expect_no_crossing(world);
    }
}

// What contacts are said to push a body with is what changes its momentum, and each is told once.
TEST(Respond, ForcesOfContactsChangeMomentum) {
  WorldOptions o = options();
  o.response.iterations = 100;
  o.rigid.sleep_speed = 0;
  World world(o);
  world.add_static(slab(), {.pose = at(Vec3(0, 0, -0.05))});
  std::vector<BodyId> pile;
  for (int i = 0; i < 3; ++i) {
    const double z = 0.0535 + 0.208 * i;
    pile.push_back(world.add_soft(SoftBody(
        moved(make(SolidBoxShape{.cells_x = 3, .cells_y = 3, .cells_z = 3}), Vec3(0.01, 0.02, z)), gel)));
    pile.push_back(world.add_rigid(make(BoxShape{.cells_x = 2, .cells_y = 2, .cells_z = 2}),
                                   {.state = {.pose = at(Vec3(0.012, 0.017, z + 0.104))}}));
  }
  const auto mass_and_momentum = [&](BodyId id) {
    if (world.kind(id) == BodyKind::rigid) {
      const double mass = world.rigid().mass(id).mass;
      return std::pair(mass, Vec3(mass * world.state(id).velocity));
    }
    std::pair<double, Vec3> sum(0, Vec3::Zero());
    const SoftBody& body = world.soft(id);
    for (std::size_t i = 0; i < body.masses().size(); ++i) {
      sum.first += body.masses()[i];
      sum.second += body.masses()[i] * body.velocities()[i];
    }
    return sum;
  };
  for (int i = 0; i < 150; ++i) {
    std::vector<Vec3> before;
    for (const BodyId id : pile) before.push_back(mass_and_momentum(id).second);
    world.step(frame);
    std::uint64_t last = 0;
    for (const ContactForce& one : world.contact_forces()) {
      ASSERT_LT(last, one.key) << i;
      last = one.key;
    }
    for (std::size_t k = 0; k < pile.size(); ++k) {
      const auto [mass, now] = mass_and_momentum(pile[k]);
      Vec3 pushed = mass * Vec3(0, 0, -9.81);
      double all = 9.81 * mass;
      for (const ContactForce& one : world.contact_forces()) {
        if (one.first != pile[k] && one.second != pile[k]) continue;
        pushed += one.second == pile[k] ? one.force : Vec3(-one.force);
        all += one.force.norm();
      }
      if (i < 100) continue;  // hits of what bends are not solved to the end
      EXPECT_LT((now - before[k] - frame * pushed).norm(), 0.05 * frame * all) << i << " " << k;
    }
  }
  EXPECT_GT(world.contact_forces().size(), 20u);
}

// What gives way besides: under the same weight it goes in deeper, by as much as it should.
TEST(Respond, ComplianceGivesWay) {
  double deep[2] = {};
  for (const int k : {0, 1}) {
    WorldOptions o = options(0.01);
    o.response.compliance = k == 0 ? 0 : 2e-6;
    World world(o);
    world.add_static(slab(), {.name = "plate", .pose = at(Vec3(0, 0, -0.05))});
    const BodyId cube = world.add_soft(SoftBody(
        moved(make(SolidBoxShape{.cells_x = 4, .cells_y = 4, .cells_z = 4}), Vec3(0.013, 0.021, 0.065)),
        {.density = 1000, .young = 1e7, .poisson = 0.3, .damping = 0.01}));
    for (int i = 0; i < 240; ++i) world.step(frame);
    deep[k] = 1;
    for (const Vec3& p : world.surface(cube).positions) deep[k] = std::min(deep[k], p.z());
  }
  // The pressure of 10 cm of water is 981 Pa; a vertex stands for half of the area around it.
  EXPECT_NEAR(deep[0] - deep[1], 981 * 2e-6 * 2, 0.4 * 981 * 2e-6 * 2);
}

// A step that is like the last one asks for no memory.
TEST(Respond, AWarmStepAllocatesNothing) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "the sanitizers have their own allocator";
  World world(options());
  world.add_static(slab(), {.name = "plate", .pose = at(Vec3(0, 0, -0.05))});
  world.add_soft(SoftBody(
      moved(make(SolidBoxShape{.cells_x = 4, .cells_y = 4, .cells_z = 4}), Vec3(0.013, 0.021, 0.0525)), gel));
  world.add_rigid(make(BoxShape{.cells_x = 1, .cells_y = 1, .cells_z = 1}),
                  {.state = {.pose = at(Vec3(0.2, 0.021, 0.0525))}});
  Threads(1).run([&] {
    for (int i = 0; i < 120; ++i) world.step(frame);
    const auto work = [&] {
      for (int i = 0; i < 10; ++i) world.step(frame);
    };
    EXPECT_EQ(testing::allocations_in(work), 0u);
  });
}

// What is the same in a snapshot goes on the same: contacts remember where they stuck.
TEST(Respond, SnapshotsGoOnTheSame) {
  const auto make_world = [] {
    auto world = std::make_unique<World>(options());
    world->add_static(slab(), {.name = "plate", .pose = at(Vec3(0, 0, -0.05))});
    world->set_gravity(Vec3(2, 0, -9.81));
    world->add_soft(
        SoftBody(moved(make(SolidSphereShape{.radius = 0.04, .layers = 3}), Vec3(0, 0, 0.045)), gel));
    world->add_rigid(make(BoxShape{.cells_x = 1, .cells_y = 1, .cells_z = 1}),
                     {.state = {.pose = at(Vec3(0.2, 0, 0.055))}});
    return world;
  };
  const auto world = make_world(), other = make_world();
  for (int i = 0; i < 30; ++i) world->step(frame);
  other->restore(world->snapshot());
  EXPECT_EQ(other->hash(), world->hash());
  for (int i = 0; i < 20; ++i) {
    world->step(frame);
    other->step(frame);
    ASSERT_EQ(other->hash(), world->hash()) << i;
  }
}

// Distances far larger or smaller than triangles are legal, and remarked upon.
TEST(Respond, AnyContactDistanceWorks) {
  for (const double d : {1e-6, 0.002, 0.15}) {
    World world(options(d));
    world.add_static(slab(), {.name = "plate", .pose = at(Vec3(0, 0, -0.05))});
    const BodyId box = world.add_rigid(make(BoxShape{.cells_x = 5, .cells_y = 5, .cells_z = 5}),
                                       {.name = "box", .state = {.pose = at(Vec3(0.013, 0.021, 0.07))}});
    EXPECT_EQ(world.remarks().size(), d == 0.002 ? 0u : 1u) << d;
    for (int i = 0; i < 120; ++i) {
      ASSERT_EQ(world.step(frame).failures, 0u);
      ASSERT_LT(world.state(box).velocity.norm(), 2) << d;
    }
    EXPECT_GT(world.state(box).pose.position.z(), 0.05) << d;
    EXPECT_LT(world.state(box).pose.position.z(), 0.07 + d) << d;
    expect_no_crossing(world);
  }
}

TEST(Respond, MistakesAreNamed) {
  WorldOptions o = options();
  o.response.name = "constrain";
  try {
    World world(o);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.remedy().find("constraint"), std::string::npos);
  }
  o.response.name = "constraint";
  o.response.stiffness = std::nan("");
  EXPECT_THROW(World{o}, Error);
  World world(options());
  SoftBodyOptions xpbd;
  xpbd.solver = "xpbd";
  EXPECT_THROW(
      world.add_soft(SoftBody(make(SolidBoxShape{.cells_x = 2, .cells_y = 2, .cells_z = 2}), gel, xpbd)),
      Error);
  EXPECT_EQ(world.size(), 0u);
}

TEST(Respond, ThreadsMakeNoDifference) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    const Threads use(threads);
    use.run([&] {
      World world(options());
      world.add_static(slab(), {.name = "plate", .pose = at(Vec3(0, 0, -0.05))});
      for (int k = 0; k < 4; ++k) {
        world.add_soft(SoftBody(moved(make(SolidSphereShape{.radius = 0.04, .layers = 3}),
                                      Vec3(0.01 * k, 0.02 * (k % 2), 0.05 + 0.085 * k)),
                                gel));
        world.add_rigid(
            make(BoxShape{
                .size_x = 0.05, .size_y = 0.05, .size_z = 0.05, .cells_x = 1, .cells_y = 1, .cells_z = 1}),
            {.state = {.pose = at(Vec3(0.12, 0.01 * k, 0.03 + 0.06 * k))}});
      }
      for (int i = 0; i < 40; ++i) world.step(frame);
      hashes.push_back(world.hash());
    });
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

}  // namespace
}  // namespace palpate
