// Soft blocks on slopes: they stick and slide as rigid ones do, however finely the slope is divided.
#include <cmath>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include <gtest/gtest.h>

#include <palpate/mesh/generate.h>
#include <palpate/world/world.h>

namespace palpate {
namespace {

constexpr double frame = 1.0 / 60;

double mass_of(const SoftBody& body) {
  double sum = 0;
  for (const double m : body.masses()) sum += m;
  return sum;
}

double speed_of(const World& world, BodyId id) {
  double sum = 0;
  const SoftBody& body = world.soft(id);
  for (std::size_t i = 0; i < body.masses().size(); ++i) sum += body.masses()[i] * body.velocities()[i].x();
  return sum / mass_of(body);
}

struct Slope {
  double degrees = 25;
  std::uint32_t cells = 120;  // along 6 m
  double young = 1e6;         // [Pa]
  double speed = 0;           // when it begins [m/s]
  ContactMaterial touch = {.friction = 0.3, .static_friction = 0.3};
};

// Gravity leans, not the slope.
BodyId build(World& world, const Slope& of) {
  const double angle = of.degrees * 3.14159265358979 / 180;
  world.set_gravity(9.81 * Vec3(std::sin(angle), 0, -std::cos(angle)));
  const std::uint32_t across = std::max(1u, of.cells / 20);
  world.add_static(
      make(BoxShape{
          .size_x = 6, .size_y = 0.3, .size_z = 0.1, .cells_x = of.cells, .cells_y = across, .cells_z = 1}),
      {.name = "slope", .pose = {Quat::Identity(), Vec3(2.5, 0, -0.05)}, .touch = of.touch});
  TetMesh mesh = make(SolidBoxShape{.size_z = 0.05, .cells_x = 4, .cells_y = 4, .cells_z = 2});
  for (Vec3& p : mesh.positions) p += Vec3(-0.3, 0.003, 0.0265);
  SoftBody body(mesh, {.density = 1000, .young = of.young, .poisson = 0.3});
  body.set_velocities(std::vector<Vec3>(mesh.positions.size(), Vec3(of.speed, 0, 0)));
  return world.add_soft(std::move(body), {.name = "block", .touch = of.touch});
}

WorldOptions options() {
  WorldOptions o;
  o.contact.contact_distance = 0.002;
  return o;
}

TEST(Sliding, SoftBlocksGoAsFastAsTheyShould) {
  const Slope plain;
  const double angle = plain.degrees * 3.14159265358979 / 180,
               expected = 9.81 * (std::sin(angle) - 0.3 * std::cos(angle));
  for (const std::uint32_t cells : {20u, 120u, 600u})
    for (const double young : {1e5, 1e6, 1e7}) {
      World world(options());
      const BodyId block = build(world, {.cells = cells, .young = young});
      for (int i = 0; i < 10; ++i) world.step(frame);
      const double before = speed_of(world, block);
      const auto gained_in = [&](int steps) {
        for (int i = 0; i < steps; ++i) {
          const StepReport& report = world.step(frame);
          EXPECT_EQ(report.failures, 0u);
          EXPECT_EQ(report.touching.lost, 0);
        }
        return speed_of(world, block) - before;
      };
      const double in_twenty = gained_in(20), in_fifty = gained_in(30);  // 0.7 and 1.5 m/s
      EXPECT_NEAR(in_twenty / (20 * frame), expected, 0.02 * expected)
          << cells << " cells, " << young << " Pa";
      EXPECT_NEAR(in_fifty / (50 * frame), expected, 0.03 * expected)
          << cells << " cells, " << young << " Pa";
      EXPECT_EQ(world.soft(block).inverted(), 0u);
    }
}

TEST(Sliding, SoftBlocksStickBelowTheAngleOfFriction) {
  for (const std::uint32_t cells : {20u, 120u, 600u})
    for (const double young : {1e5, 1e7}) {
      World world(options());
      const BodyId block = build(world, {.degrees = 14, .cells = cells, .young = young});
      for (int i = 0; i < 60; ++i) world.step(frame);
      const Vec3 from = world.soft(block).positions()[0];
      for (int i = 0; i < 60; ++i) world.step(frame);
      EXPECT_LT((world.soft(block).positions()[0] - from).norm(), 1e-4) << cells << " " << young;
      EXPECT_LT(world.energies().kinetic, 1e-6) << cells << " " << young;
    }
}

// What has come to slide needs less to go on: friction of sliding is half of that of sticking here.
TEST(Sliding, WhatSlidesGoesOnWithTheFrictionOfSliding) {
  for (const std::uint32_t cells : {20u, 120u, 600u}) {
    World world(options());
    const BodyId block =
        build(world,
              {.degrees = 0, .cells = cells, .speed = 1, .touch = {.friction = 0.3, .static_friction = 0.6}});
    for (int i = 0; i < 5; ++i) world.step(frame);
    const double before = speed_of(world, block);
    for (int i = 0; i < 10; ++i) world.step(frame);
    const double expected = 0.3 * 9.81 * 10 * frame;
    EXPECT_NEAR(before - speed_of(world, block), expected, 0.05 * expected) << cells;
  }
}

// While it slides, a world that was restored goes on to the last bit.
TEST(Sliding, SnapshotsGoOnTheSame) {
  const Slope slope{.cells = 600, .speed = 1, .touch = {.friction = 0.2, .static_friction = 0.5}};
  World one(options()), other(options());
  build(one, slope);
  build(other, slope);
  for (int i = 0; i < 12; ++i) one.step(frame);
  other.restore(one.snapshot());
  for (int i = 0; i < 8; ++i) {
    one.step(frame);
    other.step(frame);
    ASSERT_EQ(one.hash(), other.hash()) << i;
  }
}

}  // namespace
}  // namespace palpate
