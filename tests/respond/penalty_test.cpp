// Springs between what is near: as published, with any solver.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <palpate/mesh/generate.h>
#include <palpate/solve/solver.h>
#include <palpate/world/world.h>

namespace palpate {
namespace {

Pose at(const Vec3& p) { return {Quat::Identity(), p}; }

WorldOptions options() {
  WorldOptions o;
  o.contact.contact_distance = 0.01;
  o.response.name = "penalty";
  return o;
}

TriangleMesh slab() {
  return make(BoxShape{.size_x = 1, .size_y = 1, .size_z = 0.1, .cells_x = 4, .cells_y = 4, .cells_z = 1});
}

TEST(Penalty, ACubeRestsWithEverySolver) {
  for (const std::string_view solver : solver_names()) {
    World world(options());
    world.add_static(slab(), {.pose = at(Vec3(0, 0, -0.05))});
    TetMesh mesh = make(SolidBoxShape{.cells_x = 3, .cells_y = 3, .cells_z = 3});
    for (Vec3& p : mesh.positions) p += Vec3(0.01, 0.02, 0.065);
    SoftBodyOptions soft;
    soft.solver = solver;
    soft.substeps = 2;
    const BodyId cube = world.add_soft(SoftBody(mesh, {.density = 1000, .young = 1e5, .poisson = 0.3}, soft));
    for (int i = 0; i < 480; ++i) ASSERT_EQ(world.step(1.0 / 240).failures, 0u) << solver;
    double low = 1;
    for (const Vec3& p : world.surface(cube).positions) low = std::min(low, p.z());
    EXPECT_GT(low, 0) << solver;
    EXPECT_LT(low, 0.011) << solver;
    EXPECT_NEAR(world.contact_force(cube).z(), 9.81, 2) << solver;
  }
}

TEST(Penalty, ARigidBoxRests) {
  World world(options());
  world.add_static(slab(), {.pose = at(Vec3(0, 0, -0.05))});
  const BodyId box = world.add_rigid(make(BoxShape{.cells_x = 2, .cells_y = 2, .cells_z = 2}),
                                     {.state = {.pose = at(Vec3(0.01, 0.02, 0.07))}});
  for (int i = 0; i < 960; ++i) world.step(1.0 / 240);
  EXPECT_GT(world.state(box).pose.position.z(), 0.05);
  EXPECT_LT(world.state(box).pose.position.z(), 0.061);
  EXPECT_NEAR(world.contact_force(box).z(), 9.81, 1);
}

// Of the many contacts of a vertex over a mesh, one pushes.
TEST(Penalty, OnlyTheNearestContactOfAFeaturePushes) {
  WorldOptions o = options();
  o.rigid.gravity.setZero();
  World world(o);
  world.add_static(
      make(BoxShape{.size_x = 0.1, .size_y = 0.1, .size_z = 0.1, .cells_x = 20, .cells_y = 20, .cells_z = 1}),
      {.pose = at(Vec3(0, 0, -0.05))});
  world.add_rigid(
      make(
          BoxShape{.size_x = 0.02, .size_y = 0.02, .size_z = 0.02, .cells_x = 1, .cells_y = 1, .cells_z = 1}),
      {.state = {.pose = at(Vec3(0.0013, 0.0017, 0.015))}});
  world.step(1.0 / 240);
  EXPECT_GT(world.contacts().size(), 20u);
  std::size_t corners = 0;
  for (const ContactForce& one : world.contact_forces()) corners += one.key >> 63 == 0 ? 1 : 0;
  EXPECT_GE(corners, 4u);
  std::vector<std::uint64_t> firsts;
  for (const ContactForce& one : world.contact_forces()) firsts.push_back(one.key >> 32);
  std::sort(firsts.begin(), firsts.end());
  EXPECT_TRUE(std::adjacent_find(firsts.begin(), firsts.end()) == firsts.end());
}

}  // namespace
}  // namespace palpate
