// Hands that hold bodies, and worlds that go on from others.
#include <cmath>

#include <gtest/gtest.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/mesh/generate.h>
#include <palpate/world/world.h>

namespace palpate {
namespace {

constexpr double frame = 1.0 / 60;
const SurfacePoint corner = {{0, 1, 2}, {0.25, 0.5, 0.25}};

TetMesh box(double side) { return make(SolidBoxShape{side, side, side, 2, 2, 2}); }

BodyId add_jelly(World& world, const std::string& solver = "quasi_newton", bool embedded = false) {
  SoftBodyOptions options;
  options.solver = solver;
  SoftOptions soft{.name = "jelly"};
  if (embedded) soft.surface = make(IcosphereShape{.radius = 0.1, .frequency = 4});
  const TetMesh mesh = box(embedded ? 0.24 : 0.2);
  const double damping = solver.starts_with("xpbd") ? 0 : 0.05;
  return world.add_soft(
      SoftBody(mesh, {.density = 1000, .young = 1e5, .poisson = 0.4, .damping = damping}, options), soft);
}

// What hangs on a hand hangs below it by its weight over the stiffness.
TEST(Hands, HoldASoftBodyAgainstItsWeight) {
  for (const bool embedded : {false, true}) {
    World world;
    const BodyId id = add_jelly(world, "quasi_newton", embedded);
    const HandId hand = world.grab(id, corner);
    const Vec3 target = world.hand_state(hand).at + Vec3(0, 0, 0.1);
    world.move(hand, target);
    for (int i = 0; i < 1500; ++i) world.step(frame);
    double mass = 0;
    for (const double m : world.soft(id).masses()) mass += m;
    EXPECT_NEAR(world.hand_state(hand).force.z(), 9.81 * mass, 0.02 * 9.81 * mass) << embedded;
    EXPECT_LT((world.hand_state(hand).at - target).head<2>().norm(), 0.01);
    world.release(hand);
    EXPECT_TRUE(world.hands().empty());
    const double before = world.soft(id).positions()[0].z();
    for (int i = 0; i < 30; ++i) world.step(frame);
    EXPECT_LT(world.soft(id).positions()[0].z(), before - 0.5);  // it falls
  }
}

// A string has no triangles: hands hold its nodes.
TEST(Hands, HoldAString) {
  World world;
  std::vector<Vec3> points;
  for (int i = 0; i < 11; ++i) points.emplace_back(0.05 * i, 0, 0);
  const BodyId id =
      world.add_soft(SoftBody::string(points, 0.005, {.density = 1000, .young = 1e6, .damping = 0.05}),
                     {.name = "rope", .collides = false});
  ASSERT_EQ(world.points(id).size(), points.size());
  const HandId hand = world.grab(id, {{5, 6, 6}, {0.75, 0.25, 0}});
  const Vec3 target = points[5] + Vec3(0.0125, 0, 0.1);
  world.move(hand, target);
  for (int i = 0; i < 1500; ++i) world.step(frame);
  double mass = 0;
  for (const double m : world.soft(id).masses()) mass += m;
  EXPECT_NEAR(world.hand_state(hand).force.z(), 9.81 * mass, 0.02 * 9.81 * mass);
  EXPECT_LT((world.hand_state(hand).at - target).norm(), 0.1);
  EXPECT_LT(world.points(id)[0].z(), world.points(id)[5].z() - 0.1);  // its ends hang
  EXPECT_GT(world.energy_densities(id)[5], 0);
  EXPECT_THROW(world.grab(id, {{5, 6, 11}, {1, 0, 0}}), Error);
}

TEST(Hands, HoldARigidBodyAgainstItsWeight) {
  for (const double stiffness : {0.0, 1e7}) {  // the latter is more than a step can take
    World world;
    const BodyId id = world.add_rigid(make(BoxShape{}), {.name = "stone"});
    const HandId hand = world.grab(id, corner, stiffness);
    for (int i = 0; i < 3000; ++i) world.step(frame);
    const double weight = 9.81 * world.rigid().mass(id).mass;
    EXPECT_NEAR(world.hand_state(hand).force.z(), weight, 0.05 * weight);
    world.remove(id);
    EXPECT_TRUE(world.hands().empty());
    world.step(frame);
  }
}

TEST(Hands, AreNoPartOfSnapshots) {
  World world;
  const BodyId stone = world.add_rigid(make(BoxShape{}), {.name = "stone"});
  const BodyId id = add_jelly(world);
  const Snapshot free = world.snapshot();
  const std::uint64_t hash_free = world.hash();
  const HandId hand = world.grab(stone, corner), other = world.grab(id, corner);
  for (int i = 0; i < 3; ++i) world.step(frame);
  const Snapshot held = world.snapshot();
  const std::uint64_t hash_held = world.hash();
  world.restore(free);  // into hands that hold
  EXPECT_EQ(world.hash(), hash_free);
  EXPECT_EQ(world.hands().size(), 2u);
  world.release(hand);
  world.release(other);
  world.restore(held);  // into none
  EXPECT_EQ(world.steps(), 3u);
  EXPECT_EQ(world.hash(), hash_held);
  EXPECT_NE(hash_held, hash_free);
  world.step(frame);
}

// Every solver, however stiff the hand and however far it reaches.
TEST(Hands, NeverThrow) {
  for (const char* solver : {"quasi_newton", "vertex", "xpbd", "xpbd_coloured"}) {
    const bool touches = solver == std::string_view("quasi_newton");
    World world({.rigid = {.gravity = Vec3::Zero()}, .detects = touches});
    const BodyId id = add_jelly(world, solver);
    const double near = world.soft(id).takes_terms() ? 0.1 : 1.1;  // weak pushes take long
    const HandId hand = world.grab(id, corner, 1e6), other = world.grab(id, {{5, 6, 7}, {1, 0, 0}});
    const Vec3 there = world.hand_state(hand).at + Vec3(1, 0, 0);
    world.move(hand, there);
    for (int i = 0; i < 300; ++i) world.step(frame);
    EXPECT_LT((world.hand_state(hand).at - there).norm(), near) << solver;
    for (const Vec3& p : world.soft(id).positions()) EXPECT_LT(p.norm(), 3) << solver;
    world.release(other);
    world.move(hand, -there);
    for (int i = 0; i < 300; ++i) world.step(frame);
    EXPECT_LT((world.hand_state(hand).at + there).norm(), near) << solver;
  }
}

TEST(Hands, RefuseWhatCannotBeHeld) {
  World world;
  const BodyId id = add_jelly(world), floor = world.add_static(make(BoxShape{}), {.name = "floor"});
  EXPECT_THROW(world.grab(floor, corner), Error);
  EXPECT_THROW(world.grab(id, {{0, 1, 100000}, {1, 0, 0}}), Error);
  EXPECT_THROW(world.grab(id, {{0, 1, 2}, {1, 1, 0}}), Error);
  EXPECT_THROW(world.grab(id, {{0, 1, 2}, {std::nan(""), 1, 0}}), Error);
  EXPECT_THROW(world.grab(id, corner, -1), Error);
  const HandId hand = world.grab(id, corner);
  EXPECT_THROW(world.move(hand, Vec3(0, std::nan(""), 0)), Error);
  world.release(hand);
  EXPECT_THROW(world.release(hand), Error);
  EXPECT_THROW(world.move(hand, Vec3::Zero()), Error);
}

TEST(Hands, OfABodyThatIsCutHoldOn) {
  World world;
  const BodyId id = add_jelly(world);
  const HandId hand = world.grab(id, corner);
  for (int i = 0; i < 10; ++i) world.step(frame);
  world.soft(id).change({.removed = {0, 1}});
  for (int i = 0; i < 60; ++i) world.step(frame);
  EXPECT_GT(world.hand_state(hand).force.norm(), 0);
  EXPECT_TRUE(world.hand_state(hand).at.allFinite());
}

TEST(Hands, AreTheSameForAnyNumberOfThreads) {
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 4}) {
    World world;
    Threads(threads).run([&] {
      const BodyId id = add_jelly(world);
      const HandId hand = world.grab(id, corner);
      for (int i = 0; i < 30; ++i) {
        world.move(hand, Vec3(0.01 * i, 0, 0.2));
        world.step(frame);
      }
    });
    if (threads == 1) expected = world.hash();
    EXPECT_EQ(world.hash(), expected);
  }
}

TEST(GoOnFrom, TakesOverWhatMoves) {
  World first;
  const BodyId jelly = add_jelly(first);
  const BodyId stone = first.add_rigid(make(BoxShape{}), {.name = "stone",
                                                          .state = {.pose = {Quat::Identity(), Vec3(5, 0, 0)},
                                                                    .angular_velocity = Vec3(1, 2, 3)}});
  first.soft(jelly).fix(std::array<std::uint32_t, 1>{3});
  for (int i = 0; i < 20; ++i) first.step(frame);
  // A stiffer one, another response, and one body more.
  World second({.response = {.name = "penalty"}});
  second.add_static(make(BoxShape{}), {.name = "floor", .pose = {Quat::Identity(), Vec3(0, 0, -9)}});
  const BodyId stiff =
      second.add_soft(SoftBody(box(0.2), {.density = 1000, .young = 1e7, .poisson = 0.4}), {.name = "jelly"});
  const BodyId other = second.add_rigid(make(BoxShape{}), {.name = "stone"});
  second.go_on_from(first);
  EXPECT_EQ(second.time(), first.time());
  EXPECT_EQ(second.steps(), 20u);
  EXPECT_EQ(second.state(other).pose.position, first.state(stone).pose.position);
  for (std::size_t i = 0; i < first.surface(stone).positions.size(); ++i)
    EXPECT_LT((second.surface(other).positions[i] - first.surface(stone).positions[i]).norm(), 1e-12);
  EXPECT_LT((second.state(other).angular_velocity - first.state(stone).angular_velocity).norm(), 1e-12);
  EXPECT_TRUE(second.soft(stiff).is_fixed(3));
  EXPECT_EQ(std::vector<Vec3>(second.soft(stiff).positions().begin(), second.soft(stiff).positions().end()),
            std::vector<Vec3>(first.soft(jelly).positions().begin(), first.soft(jelly).positions().end()));
  EXPECT_EQ(second.surface(stiff).positions, first.surface(jelly).positions);
  for (int i = 0; i < 20; ++i) second.step(frame);
  EXPECT_EQ(second.steps(), 40u);
}

}  // namespace
}  // namespace palpate
