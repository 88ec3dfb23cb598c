// Bodies that touch: they rest, stick, slide, bounce, and nothing goes through.
#include <cmath>
#include <memory>

#include <Eigen/Geometry>

#include <gtest/gtest.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/collide/edges_through.h>
#include <palpate/mesh/generate.h>
#include <palpate/world/world.h>

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
