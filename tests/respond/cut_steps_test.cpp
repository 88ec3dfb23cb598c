// Steps that are cut short, because something would have been crossed: what changes momentum in them is what
// is told of forces, and of what is left alone nothing changes.
#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Geometry>

#include <gtest/gtest.h>

#include <palpate/mesh/generate.h>
#include <palpate/world/world.h>

namespace palpate {
namespace {

constexpr double frame = 1.0 / 60;
const Vec3 gravity(0, 0, -9.81);

Pose at(const Vec3& p) { return {Quat::Identity(), p}; }

// With rounds = 0, whatever the first solve does not hold cuts the step.
WorldOptions options(const std::string& response, int rounds) {
  WorldOptions o;
  o.contact.contact_distance = 0.0035;
  o.response.name = response;
  o.response.rounds = rounds;
  o.rigid.sleep_speed = 0;
  o.response.iterations = 100;  // or what is left of the slope is momentum, too
  return o;
}

Vec3 momentum(const World& world, BodyId id) {
  if (world.kind(id) == BodyKind::rigid) return world.rigid().mass(id).mass * world.state(id).velocity;
  Vec3 sum = Vec3::Zero();
  const SoftBody& soft = world.soft(id);
  for (std::size_t i = 0; i < soft.masses().size(); ++i) sum += soft.masses()[i] * soft.velocities()[i];
  return sum;
}

double mass_of(const World& world, BodyId id) {
  if (world.kind(id) == BodyKind::rigid) return world.rigid().mass(id).mass;
  double sum = 0;
  for (const double m : world.soft(id).masses()) sum += m;
  return sum;
}

TriangleMesh sheet() { return make(PlaneShape{.size_x = 0.4, .size_y = 0.4, .cells_x = 16, .cells_y = 16}); }

struct Throw {
  std::string response;
  bool soft;
  int rounds;
  double restitution;
};

// A ball is thrown at a sheet, another one falls by itself far away.
void expect_that_momentum_adds_up(const Throw& how) {
  SCOPED_TRACE(how.response + (how.soft ? ", soft" : ", rigid") + ", rounds " + std::to_string(how.rounds) +
               ", restitution " + std::to_string(how.restitution));
  int cut = 0;
  // Heights from which the sheet is reached at all times of a step, and soon after the start of a part.
  const std::array<double, 8> heights = {0.12, 0.137, 0.154, 0.171, 0.188, 0.0765, 0.08, 0.0845};
  for (std::size_t phase = 0; phase < heights.size(); ++phase) {
    World world(options(how.response, how.rounds));
    const ContactMaterial touch{.restitution = how.restitution};
    world.add_static(sheet(), {.name = "sheet", .touch = touch});
    const Vec3 from(-0.05, 0.007, heights[phase]), velocity(0.5, 0, -5);
    BodyId ball;
    if (how.soft) {
      TetMesh mesh = make(SolidSphereShape{.radius = 0.04, .layers = 4});
      for (Vec3& p : mesh.positions) p += from;
      SoftBody body(mesh, {.density = 1000, .young = 1e5, .poisson = 0.4});
      body.set_velocities(std::vector<Vec3>(mesh.positions.size(), velocity));
      ball = world.add_soft(std::move(body), {.name = "ball", .touch = touch});
    } else {
      ball = world.add_rigid(make(IcosphereShape{.radius = 0.04, .frequency = 6}),
                             {.name = "ball",
                              .state = {.pose = at(from), .velocity = velocity},
                              .density = 200,
                              .touch = touch});
    }
    const BodyId far = world.add_rigid(make(IcosphereShape{.radius = 0.04, .frequency = 2}),
                                       {.state = {.pose = at(Vec3(5, 0, 0)), .velocity = Vec3(1, 0, 2)}});
    const double mass = mass_of(world, ball);
    for (int i = 0; i < 12; ++i) {
      const Vec3 before = momentum(world, ball);
      const StepReport& report = world.step(frame);
      ASSERT_EQ(report.failures, 0u);
      ASSERT_EQ(report.touching.lost, 0) << phase << " " << i;
      cut += report.touching.parts > 1 ? 1 : 0;
      const Vec3 pushed = frame * (world.contact_force(ball) + mass * gravity),
                 changed = momentum(world, ball) - before;
      // Of 5 m/s; of what bends, as far as it was solved.
      EXPECT_LT((changed - pushed).norm(), 5e-3 * mass + (how.soft ? 0.03 * changed.norm() : 0))
          << phase << " " << i << ", in " << report.touching.parts << " parts: " << changed.transpose()
          << " and " << pushed.transpose();
    }
    // It is held, or has come back and is in the air.
    double lowest = HUGE_VAL;
    for (const Vec3& p : world.surface(ball).positions) lowest = std::min(lowest, p.z());
    EXPECT_GT(lowest, 0) << phase;
    if (!how.soft || lowest < 0.01) {
      EXPECT_GT(momentum(world, ball).z(), -0.1 * mass) << phase;
    }
    const double time = 12 * frame;
    EXPECT_LT((world.state(far).velocity - (Vec3(1, 0, 2) + time * gravity)).norm(), 1e-9) << phase;
  }
  EXPECT_GT(cut, 0) << "or nothing was tested";
}

TEST(CutSteps, MomentumOfRigidBodiesAddsUp) {
  for (const double restitution : {0.0, 0.5})
    expect_that_momentum_adds_up({"constraint", false, 0, restitution});
}
TEST(CutSteps, MomentumOfSoftBodiesAddsUp) { expect_that_momentum_adds_up({"constraint", true, 1, 0}); }
TEST(CutSteps, MomentumAddsUpWithImpulses) {
  for (const double restitution : {0.0, 0.5, 1.0})
    expect_that_momentum_adds_up({"impulse", false, 4, restitution});
}

// What spins freely keeps its angular momentum while others cut its steps.
TEST(CutSteps, SpinsAreLeftAlone) {
  World world(options("impulse", 4));
  world.add_static(sheet());
  world.add_rigid(make(IcosphereShape{.radius = 0.04, .frequency = 4}),
                  {.state = {.pose = at(Vec3(0, 0, 0.11)), .velocity = Vec3(0, 0, -5)},
                   .density = 200,
                   .touch = {.restitution = 1}});
  const BodyId top = world.add_rigid(
      make(BoxShape{.size_x = 0.1, .size_y = 0.2, .size_z = 0.3, .cells_x = 1, .cells_y = 1, .cells_z = 1}),
      {.state = {.pose = at(Vec3(5, 0, 0)), .angular_velocity = Vec3(3, 7, 2)}, .gravity = false});
  const auto spin = [&] {
    const RigidMass& mass = world.rigid().mass(top);
    const Quat axes = world.state(top).pose.rotation * mass.frame.rotation;
    return Vec3(axes * mass.moments.cwiseProduct(axes.conjugate() * world.state(top).angular_velocity));
  };
  const Vec3 before = spin();
  int cut = 0;
  for (int i = 0; i < 6; ++i) cut += world.step(frame).touching.parts > 1 ? 1 : 0;
  EXPECT_GT(cut, 0) << "or nothing was tested";
  EXPECT_LT((spin() - before).norm(), 1e-9 * before.norm());
}

}  // namespace
}  // namespace palpate
