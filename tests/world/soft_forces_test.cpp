// Forces on bodies that bend: against closed forms.
#include <palpate/world/soft_forces.h>

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>
#include <support/allocation_counter.h>
#include <world/world_cases.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>

namespace palpate {
namespace {

constexpr double frame = 1.0 / 60;

struct Floating {
  std::unique_ptr<World> world;
  BodyId id;
  double mass = 0;

  explicit Floating(std::string_view solver = "quasi_newton") {
    WorldOptions options;
    options.response.name = "none";
    options.rigid.gravity.setZero();
    world = std::make_unique<World>(options);
    SoftBodyOptions soft;
    soft.solver = solver;
    id = world->add_soft(SoftBody(make(BeamShape{.cell = 0.1, .along = 4, .across = 2}),
                                  {.density = 1000, .young = 1e5, .poisson = 0.4}, soft));
    const std::span<const double> masses = world->soft(id).masses();
    mass = std::accumulate(masses.begin(), masses.end(), 0.0);
  }
  Vec3 velocity() const {
    Vec3 sum = Vec3::Zero();
    const SoftBody& soft = world->soft(id);
    for (std::size_t i = 0; i < soft.masses().size(); ++i) sum += soft.masses()[i] * soft.velocities()[i];
    return sum / mass;
  }
};

TEST(SoftForces, AConstantOneAcceleratesByTheMass) {
  for (const std::string_view solver : {"quasi_newton", "vertex", "xpbd"}) {
    Floating one(solver);
    const Vec3 force(3, -2, 50);
    const SoftForceId pull = one.world->add_force(one.id, std::make_shared<SoftConstantForce>(force));
    for (int i = 0; i < 30; ++i) one.world->step(frame);
    const Vec3 reached = 0.5 * force / one.mass;
    EXPECT_LT((one.velocity() - reached).norm(), 1e-9) << solver;
    one.world->remove(pull);
    for (int i = 0; i < 10; ++i) one.world->step(frame);
    EXPECT_LT((one.velocity() - reached).norm(), 1e-9) << solver << ", without it";
    EXPECT_THROW(one.world->remove(pull), Error);
  }
}

TEST(SoftForces, EnergyFallsAsTheBodyGoesAlong) {
  Floating one;
  one.world->add_force(one.id, std::make_shared<SoftConstantForce>(Vec3(0, 0, 80)));
  const double before = one.world->energies().total();
  for (int i = 0; i < 60; ++i) one.world->step(frame);
  // Implicit Euler is ahead of the motion by half a step: that much and no more.
  const double kinetic = one.world->energies().kinetic;
  EXPECT_NEAR(kinetic, 0.5 * 80 * 80 / one.mass, 1e-6 * kinetic);
  EXPECT_NEAR(one.world->energies().total() - before, -kinetic / 60, 1e-6 * kinetic);
}

TEST(SoftForces, WindTakesItAlong) {
  for (const double coefficient : {20.0, 1e12}) {
    Floating one;
    one.world->add_force(one.id, std::make_shared<SoftDragForce>(
                                     DragForce::Options{.linear = coefficient, .wind = Vec3(2, 1, 0)}));
    double speed = 0;
    for (int i = 0; i < 600; ++i) {
      one.world->step(frame);
      EXPECT_GE(one.velocity().x(), speed - 1e-9) << "never back";
      speed = one.velocity().x();
      EXPECT_LT(speed, 2 + 1e-9) << "never faster than the wind";
      if (i == 0) {
        const double part = std::min(1.0, coefficient * frame / one.mass);
        EXPECT_NEAR(speed, 2 * part, 1e-9);
      }
    }
    EXPECT_LT((one.velocity() - Vec3(2, 1, 0)).norm(), 1e-2);
  }
}

TEST(SoftForces, DragSlowsAsTheSquareOfTheSpeed) {
  Floating one;
  const std::vector<Vec3> fast(one.world->soft(one.id).positions().size(), Vec3(10, 0, 0));
  one.world->soft(one.id).set_velocities(fast);
  const double quadratic = 0.3;
  one.world->add_force(one.id, std::make_shared<SoftDragForce>(DragForce::Options{.quadratic = quadratic}));
  for (int i = 0; i < 600; ++i) one.world->step(1e-3);
  EXPECT_NEAR(one.velocity().x(), 10 / (1 + 10 * quadratic * 0.6 / one.mass), 1e-3);
}

// Something of a user's, that fails when it is told to.
struct Fickle final : SoftForce {
  void apply(const SoftBody& /*body*/, double /*time*/, double /*step*/,
             std::span<Vec3> forces) const override {
    forces[0] += Vec3(0, 0, value);
  }
  double value = 1;
};

TEST(SoftForces, UsersForcesStayBesideThem) {
  Floating one, other;
  const auto fickle = std::make_shared<Fickle>();
  one.world->add_force(one.id, fickle);
  other.world->soft(other.id).set_force(0, Vec3(0, 0, 1));
  one.world->step(frame);
  other.world->step(frame);
  EXPECT_LT((one.velocity() - other.velocity()).norm(), 1e-12);
  // What is not finite is refused, nothing has moved, and nothing is left of it.
  fickle->value = std::nan("");
  const std::uint64_t before = one.world->hash();
  EXPECT_THROW(one.world->step(frame), Error);
  EXPECT_EQ(one.world->hash(), before);
  fickle->value = 1;
  one.world->soft(one.id).set_force(0, Vec3(0, 0, 1));
  other.world->soft(other.id).set_force(0, Vec3(0, 0, 2));
  one.world->step(frame);
  other.world->step(frame);
  EXPECT_LT((one.velocity() - other.velocity()).norm(), 1e-12);
  EXPECT_THROW(one.world->add_force(one.id, nullptr), Error);
  const BodyId rigid = one.world->add_rigid(make(BoxShape{}));
  EXPECT_THROW(one.world->add_force(rigid, fickle), Error);
  one.world->remove(one.id);
  one.world->step(frame);  // the force went with its body
}

TEST(SoftForces, PushesLastOneStepAndAreState) {
  Floating one, other;
  one.world->soft(one.id).push(0, Vec3(0, 0, 1));
  one.world->soft(one.id).push(0, Vec3(0, 0, 1));
  EXPECT_NE(one.world->hash(), other.world->hash());
  other.world->restore(one.world->snapshot());
  EXPECT_EQ(one.world->hash(), other.world->hash());
  for (World* world : {one.world.get(), other.world.get()}) {
    world->step(frame);
    world->step(frame);
  }
  EXPECT_EQ(one.world->hash(), other.world->hash());
  EXPECT_NEAR(one.velocity().z(), 2 * frame / one.mass, 1e-12);
}

TEST(SoftForces, GoOnFromSnapshotsAndAllocateNothing) {
  Floating one, other, without;
  for (Floating* each : {&one, &other})
    each->world->add_force(each->id, std::make_shared<SoftDragForce>(DragForce::Options{
                                         .linear = 5, .wind = Vec3(2, 0, 0), .period = 0.5}));
  for (int i = 0; i < 20; ++i) one.world->step(frame);
  const Snapshot then = one.world->snapshot();
  EXPECT_THROW(without.world->restore(then), Error);
  other.world->restore(then);
  for (World* world : {one.world.get(), other.world.get()})
    for (int i = 0; i < 10; ++i) world->step(frame);
  EXPECT_EQ(one.world->hash(), other.world->hash());
  Threads(1).run([&] {
    one.world->step(frame);
    if (!testing::counts_allocations()) GTEST_SKIP() << "the sanitizers have their own allocator";
    EXPECT_EQ(testing::allocations_in([&] { one.world->step(frame); }), 0u);
  });
}

}  // namespace
}  // namespace palpate
