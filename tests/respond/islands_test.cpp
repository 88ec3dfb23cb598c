// Bodies that hang together are solved together, and know nothing of others.
#include <cmath>
#include <vector>

#include <Eigen/Geometry>

#include <gtest/gtest.h>

#include <palpate/base/parallel.h>
#include <palpate/mesh/generate.h>
#include <palpate/world/world.h>

namespace palpate {
namespace {

constexpr double frame = 1.0 / 60;

Pose at(const Vec3& p) { return {Quat::Identity(), p}; }

TetMesh cube(const Vec3& where) {
  TetMesh mesh = make(SolidBoxShape{.cells_x = 3, .cells_y = 3, .cells_z = 3});
  for (Vec3& p : mesh.positions) p += where;
  return mesh;
}

const Material gel{.density = 1000, .young = 2e5, .poisson = 0.4};

// A soft cube, a rigid box on it and another beside them; all begin just above what carries them.
std::vector<BodyId> add_pile(World& world, const Vec3& from) {
  world.add_static(
      make(BoxShape{.size_x = 0.6, .size_y = 0.6, .size_z = 0.1, .cells_x = 3, .cells_y = 3, .cells_z = 1}),
      {.pose = at(from + Vec3(0, 0, -0.05))});
  std::vector<BodyId> pile;
  pile.push_back(world.add_soft(SoftBody(cube(from + Vec3(0.004, 0.007, 0.0515)), gel)));
  pile.push_back(world.add_rigid(make(BoxShape{.cells_x = 1, .cells_y = 1, .cells_z = 1}),
                                 {.state = {.pose = at(from + Vec3(0.01, 0.01, 0.1531))}}));
  pile.push_back(world.add_rigid(make(BoxShape{.cells_x = 1, .cells_y = 1, .cells_z = 1}),
                                 {.state = {.pose = at(from + Vec3(0.2, 0.01, 0.0516))}}));
  return pile;
}

std::vector<Vec3> places(const World& world, const std::vector<BodyId>& bodies) {
  std::vector<Vec3> all;
  for (const BodyId id : bodies)
    for (const Vec3& p : world.surface(id).positions) all.push_back(p);
  return all;
}

WorldOptions options() {
  WorldOptions o;
  o.contact.contact_distance = 0.002;
  return o;
}

TEST(Islands, DoNotKnowEachOther) {
  World alone(options()), crowded(options());
  const auto one = add_pile(alone, Vec3::Zero());
  const auto same = add_pile(crowded, Vec3::Zero());
  add_pile(crowded, Vec3(2, 1, 0));
  add_pile(crowded, Vec3(-2, 0.5, 0.3));
  for (int i = 0; i < 60; ++i) {
    alone.step(frame);
    crowded.step(frame);
    ASSERT_EQ(places(alone, one), places(crowded, same)) << i;
  }
  EXPECT_GT(alone.contact_forces().size(), 4u);
  EXPECT_EQ(crowded.contact_forces().size() % 3, 0u);
}

// What hits in one place makes the guard look again there; elsewhere nothing is done anew, or differently.
TEST(Islands, AreLeftAloneByTheGuard) {
  World calm(options()), hit(options());
  const auto one = add_pile(calm, Vec3::Zero());
  const auto same = add_pile(hit, Vec3::Zero());
  hit.add_static(
      make(BoxShape{.size_x = 0.6, .size_y = 0.6, .size_z = 0.1, .cells_x = 3, .cells_y = 3, .cells_z = 1}),
      {.pose = at(Vec3(2, 0, -0.05))});
  hit.add_rigid(make(BoxShape{.cells_x = 2, .cells_y = 2, .cells_z = 2}),
                {.state = {.pose = at(Vec3(2, 0, 0.11)), .velocity = Vec3(0, 0, -2)}});
  bool guarded = false;
  for (int i = 0; i < 20; ++i) {
    calm.step(frame);
    const StepReport& report = hit.step(frame);
    guarded = guarded || report.touching.guarded > 0;
    ASSERT_EQ(report.touching.parts, 1) << i;
    ASSERT_EQ(places(calm, one), places(hit, same)) << i;
  }
  EXPECT_TRUE(guarded);
}

// How closely it is looked at what is about to be hit depends on how fast that goes, not on how fast others
// do.
TEST(Islands, AreSeenComingByThemselves) {
  World alone(options()), crowded(options());
  const auto add = [](World& world, const Vec3& from, double speed) {
    SoftBody body(cube(from + Vec3(0.004, 0.007, 0.0815)), gel);
    body.set_velocities(std::vector<Vec3>(body.positions().size(), Vec3(0.2, 0, -speed)));
    return world.add_soft(std::move(body));
  };
  const auto add_slab = [](World& world, double x) {
    world.add_static(
        make(BoxShape{.size_x = 0.6, .size_y = 0.6, .size_z = 0.1, .cells_x = 6, .cells_y = 6, .cells_z = 1}),
        {.pose = at(Vec3(x, 0, -0.05))});
  };
  add_slab(alone, 0);
  add_slab(crowded, 0);
  const std::vector<BodyId> one = {add(alone, Vec3::Zero(), 3)}, same = {add(crowded, Vec3::Zero(), 3)};
  // One that hits something more slowly, so that its window is wider; one that goes far where nothing is.
  add_slab(crowded, 10);
  add(crowded, Vec3(10, 0, -0.0275), 0.3);
  add(crowded, Vec3(20, 0, 0), 100);
  for (int i = 0; i < 10; ++i) {
    alone.step(frame);
    crowded.step(frame);
    ASSERT_EQ(places(alone, one), places(crowded, same)) << i;
  }
  EXPECT_GT(alone.contact_forces().size(), 0u);
}

// What touches something already and hits something else is solved again with both, not cut short.
TEST(Islands, AreSolvedAgainWhereTheGuardFoundSomething) {
  World world(options());
  const TriangleMesh slab =
      make(BoxShape{.size_x = 2, .size_y = 0.6, .size_z = 0.1, .cells_x = 10, .cells_y = 3, .cells_z = 1});
  world.add_static(slab, {.pose = at(Vec3(0, 0, -0.05)), .touch = {.friction = 0, .static_friction = 0}});
  world.add_static(
      make(BoxShape{.size_x = 0.1, .size_y = 0.6, .size_z = 0.4, .cells_x = 1, .cells_y = 3, .cells_z = 2}),
      {.pose = at(Vec3(0.52, 0, 0.21))});
  const BodyId box = world.add_rigid(make(BoxShape{.cells_x = 2, .cells_y = 2, .cells_z = 2}),
                                     {.state = {.pose = at(Vec3(0, 0, 0.0518)), .velocity = Vec3(2, 0, 0)},
                                      .touch = {.friction = 0, .static_friction = 0}});
  int guarded = 0;
  for (int i = 0; i < 30; ++i) {
    const StepReport& report = world.step(frame);
    guarded += report.touching.guarded;
    ASSERT_EQ(report.touching.parts, 1) << i;
  }
  EXPECT_GT(guarded, 0);
  EXPECT_LT(world.state(box).pose.position.x(), 0.42);
}

// Joints make one island of what they link, whatever touches.
TEST(Islands, AreLinkedByJoints) {
  for (const bool linked : {false, true}) {
    World world(options());
    add_pile(world, Vec3::Zero());
    const BodyId left = world.add_rigid(make(BoxShape{.cells_x = 1, .cells_y = 1, .cells_z = 1}),
                                        {.state = {.pose = at(Vec3(-0.2, 0.15, 0.0516))}});
    const BodyId right = world.add_rigid(make(BoxShape{.cells_x = 1, .cells_y = 1, .cells_z = 1}),
                                         {.state = {.pose = at(Vec3(-0.2, -0.15, 0.0516))}});
    if (linked) world.add_joint(left, right, {.kind = JointKind::fixed, .point = Vec3(-0.2, 0, 0.05)});
    for (int i = 0; i < 120; ++i) ASSERT_EQ(world.step(frame).failures, 0u);
    for (const BodyId id : {left, right}) EXPECT_NEAR(world.contact_force(id).z(), 9.81, 0.0981) << linked;
    EXPECT_NEAR((world.state(left).pose.position - world.state(right).pose.position).norm(), 0.3, 1e-6);
  }
}

TEST(Islands, AreTheSameForAnyNumberOfThreads) {
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    World world(options());
    for (const double x : {-2.0, 0.0, 2.0}) add_pile(world, Vec3(x, 0, 0));
    Threads(threads).run([&] {
      for (int i = 0; i < 40; ++i) world.step(frame);
    });
    hashes.push_back(world.hash());
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(hashes[0], hashes[2]);
}

}  // namespace
}  // namespace palpate
