// Impulses: rigid bodies that hit each other, by their meshes and by what users say.
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/collide/edges_through.h>
#include <palpate/mesh/generate.h>
#include <palpate/respond/impulses.h>
#include <palpate/world/world.h>

namespace palpate {
namespace {

Pose at(const Vec3& p) { return {Quat::Identity(), p}; }

WorldOptions options(double d = 0.002) {
  WorldOptions o;
  o.contact.contact_distance = d;
  o.response.name = "impulse";
  return o;
}

TriangleMesh slab() {
  return make(BoxShape{.size_x = 1, .size_y = 1, .size_z = 0.1, .cells_x = 4, .cells_y = 4, .cells_z = 1});
}
TriangleMesh cube() { return make(BoxShape{.cells_x = 1, .cells_y = 1, .cells_z = 1}); }

// Two balls of the same mass, in line: with all of the speed back they swap it, with none they go on
// together.
TEST(Impulse, BallsInLineGoByTheBook) {
  for (const double restitution : {0.0, 0.5, 1.0}) {
    WorldOptions o = options();
    o.rigid.gravity.setZero();
    World world(o);
    const TriangleMesh ball = make(IcosphereShape{.radius = 0.05, .frequency = 4});
    const ContactMaterial touch{.friction = 0, .static_friction = 0, .restitution = restitution};
    const BodyId a = world.add_rigid(
        ball, {.state = {.pose = at(Vec3(-0.1, 0, 0)), .velocity = Vec3(1, 0, 0)}, .touch = touch});
    const BodyId b = world.add_rigid(ball, {.state = {.pose = at(Vec3(0.1, 0, 0))}, .touch = touch});
    for (int i = 0; i < 30; ++i) world.step(1.0 / 60);
    EXPECT_NEAR(world.state(a).velocity.x(), 0.5 * (1 - restitution), 0.02) << restitution;
    EXPECT_NEAR(world.state(b).velocity.x(), 0.5 * (1 + restitution), 0.02) << restitution;
    EXPECT_NEAR(world.rigid().momentum().x(), world.rigid().mass(a).mass, 1e-12);
  }
}

TEST(Impulse, ABoxFallsAndRests) {
  World world(options());
  world.add_static(slab(), {.pose = at(Vec3(0, 0, -0.05))});
  const BodyId box = world.add_rigid(cube(), {.state = {.pose = at(Vec3(0.01, 0.02, 0.3))}});
  for (int i = 0; i < 180; ++i) {
    world.step(1.0 / 60);
    ASSERT_TRUE(edges_through_triangles(world.surface(world.bodies()[0]), world.surface(box)).empty()) << i;
  }
  EXPECT_NEAR(world.state(box).pose.position.z(), 0.051, 0.002);
  EXPECT_LT(world.state(box).velocity.norm(), 1e-3);
  EXPECT_NEAR(world.contact_force(box).z(), 9.81, 0.1);
}

// With half of the speed back, it comes up to a quarter of the height.
TEST(Impulse, WhatBouncesComesBackAsHighAsItShould) {
  for (const char* response : {"impulse", "constraint"}) {
    WorldOptions o = options();
    o.response.name = response;
    World world(o);
    const ContactMaterial touch{.restitution = 0.5};
    world.add_static(slab(), {.pose = at(Vec3(0, 0, -0.05))});
    const BodyId ball = world.add_rigid(make(IcosphereShape{.radius = 0.05, .frequency = 6}),
                                        {.state = {.pose = at(Vec3(0.01, 0.02, 0.55))}, .touch = touch});
    double lowest = 1, highest = 0;
    for (int i = 0; i < 240; ++i) {
      world.step(1.0 / 240);
      const double z = world.state(ball).pose.position.z();
      lowest = std::min(lowest, z);
      if (lowest < 0.06 && world.state(ball).velocity.z() > 0) highest = std::max(highest, z);
      if (lowest < 0.06 && highest > 0 && world.state(ball).velocity.z() < 0) break;
    }
    EXPECT_NEAR(highest - 0.05, 0.125, 0.0125) << response;
  }
}

// Nothing but what a user says: a ball of no mesh over a floor.
class Floor : public Collider {
 public:
  Floor(BodyId ball, double radius) : ball_(ball), radius_(radius) {}
  void hits(const RigidView& bodies, std::vector<Hit>& out) const override {
    const Vec3 c = bodies.centre(ball_);
    out.push_back({{}, ball_, {c.x(), c.y(), 0}, Vec3::UnitZ(), c.z() - radius_});
  }
  bool knows(BodyId id) const override { return id == ball_; }

 private:
  BodyId ball_;
  double radius_;
};

TEST(Impulse, CollidersOfUsersStopWhatIsFast) {
  World world(options());
  const BodyId ball = world.add_rigid(
      make(IcosphereShape{.radius = 0.05, .frequency = 2}),
      {.state = {.pose = at(Vec3(0, 0, 1)), .velocity = Vec3(0, 0, -200)}, .collides = false});
  world.add_collider(std::make_shared<Floor>(ball, 0.05));
  for (int i = 0; i < 120; ++i) {
    world.step(1.0 / 60);
    ASSERT_GT(world.rigid().centre(ball).z(), 0.045) << i;
  }
  EXPECT_LT(world.state(ball).velocity.norm(), 0.01);
  EXPECT_NEAR(world.contact_force(ball).z(), 9.81 * world.rigid().mass(ball).mass, 0.01);
  world.remove(ball);  // and what speaks of it
  world.step(1.0 / 60);
}

TEST(Impulse, MistakesAreNamed) {
  World world(options());
  EXPECT_THROW(world.add_soft(SoftBody(make(SolidBoxShape{.cells_x = 1, .cells_y = 1, .cells_z = 1}),
                                       {.density = 1000, .young = 1e5, .poisson = 0.3})),
               Error);
  EXPECT_THROW(world.add_collider(nullptr), Error);
  World other{WorldOptions{}};
  EXPECT_THROW(other.add_collider(std::make_shared<Floor>(BodyId{}, 1)), Error);
}

TEST(Impulse, FrictionStopsWhatSlides) {
  for (const double friction : {0.2, 0.5}) {
    World world(options());
    const ContactMaterial touch{.friction = friction, .static_friction = friction};
    world.add_static(slab(), {.pose = at(Vec3(0, 0, -0.05)), .touch = touch});
    const BodyId box = world.add_rigid(
        make(BoxShape{.size_z = 0.02, .cells_x = 1, .cells_y = 1, .cells_z = 1}),
        {.state = {.pose = at(Vec3(-0.3, 0, 0.011)), .velocity = Vec3(1, 0, 0)}, .touch = touch});
    for (int i = 0; i < 180; ++i) world.step(1.0 / 240);
    const double way = 1 / (2 * friction * 9.81);
    EXPECT_NEAR(world.state(box).pose.position.x() + 0.3, way, 0.05 * way) << friction;
  }
}

}  // namespace
}  // namespace palpate
