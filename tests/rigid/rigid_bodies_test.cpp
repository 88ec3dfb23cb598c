// Rigid bodies that move: against closed forms, and what must stay.
#include <palpate/rigid/rigid_bodies.h>

#include <cmath>
#include <complex>
#include <numbers>

#include <rigid/rigid_cases.h>
#include <support/allocation_counter.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/mesh/generate.h>
#include <palpate/rigid/forces.h>

namespace palpate {
namespace {

using testing::body_number;
using testing::each_case;
using testing::Random;

TEST(RigidMass, ComesFromAMesh) {
  const TriangleMesh box = make(BoxShape{});
  MassProperties properties = enclosed_mass(box, 1000);
  const RigidMass mass = RigidMass::of(properties);
  EXPECT_NEAR(mass.mass, properties.mass, 1e-12);
  const Mat3 axes = mass.frame.rotation.toRotationMatrix();
  EXPECT_LT((axes * mass.moments.asDiagonal() * axes.transpose() - properties.inertia).norm(),
            1e-12 * properties.inertia.norm());
  properties.mass = -1;
  EXPECT_THROW(RigidMass::of(properties), Error);
  properties.mass = 1;
  properties.inertia = Vec3(1, 1, 3).asDiagonal();
  EXPECT_THROW(RigidMass::of(properties), Error) << "no body has such moments";
}

TEST(RigidBodies, FallsLikeAStone) {
  RigidBodies bodies;
  const BodyId id = body_number(0);
  bodies.add(id, {.state = {.velocity = Vec3(1, 2, 3)}});
  for (int i = 0; i < 60; ++i) bodies.step(1.0 / 60);
  const RigidState state = bodies.state(id);
  EXPECT_LT((state.pose.position - Vec3(1, 2, 3 - 0.5 * 9.81)).norm(), 1e-12);
  EXPECT_LT((state.velocity - Vec3(1, 2, 3 - 9.81)).norm(), 1e-12);
}

// Two cubes and a spring along their centres: an oscillator with half the mass.
TEST(RigidBodies, SpringsSwingLikeSines) {
  double last = 0;
  for (const int steps : {500, 1000, 2000}) {
    RigidBodies bodies(testing::weightless());
    const BodyId a = body_number(0), b = body_number(1);
    bodies.add(a, {.state = {.pose = {Quat::Identity(), Vec3(-1, 0, 0)}}});
    bodies.add(b, {.state = {.pose = {Quat::Identity(), Vec3(1, 0, 0)}}});
    bodies.add(std::make_shared<SpringForce>(SpringForce::Options{
        .a = a, .b = b, .at_a = Vec3(0.5, 0, 0), .at_b = Vec3(-0.5, 0, 0), .stiffness = 5, .length = 1.2}));
    double worst = 0;
    for (int i = 1; i <= steps; ++i) {
      bodies.step(10.0 / steps);
      const double gap = bodies.centre(b).x() - bodies.centre(a).x() - 1;
      worst = std::max(worst, std::abs(gap - (1.2 - 0.2 * std::cos(std::sqrt(10.0) * 10 * i / steps))));
    }
    EXPECT_LT(worst, 0.2 * 400.0 / (steps * steps) * 100);
    if (last > 0) {
      EXPECT_LT(worst, 0.3 * last);
    }
    last = worst;
  }
}

// Damped, too: the last push of a step depends on the velocity after it.
TEST(RigidBodies, DampedSpringsAreOfSecondOrder) {
  double last = 0;
  for (const int steps : {250, 500, 1000}) {
    RigidBodies bodies(testing::weightless());
    const BodyId a = body_number(0), b = body_number(1);
    bodies.add(a, {.state = {.pose = {Quat::Identity(), Vec3(-1, 0, 0)}}});
    bodies.add(b, {.state = {.pose = {Quat::Identity(), Vec3(1, 0, 0)}}});
    bodies.add(std::make_shared<SpringForce>(SpringForce::Options{.a = a,
                                                                  .b = b,
                                                                  .at_a = Vec3(0.5, 0, 0),
                                                                  .at_b = Vec3(-0.5, 0, 0),
                                                                  .stiffness = 5,
                                                                  .damping = 0.5,
                                                                  .length = 0.8}));
    double worst = 0;
    const double decay = 0.5, rate = std::sqrt(10 - decay * decay);
    for (int i = 1; i <= steps; ++i) {
      bodies.step(5.0 / steps);
      const double t = 5.0 * i / steps, gap = bodies.centre(b).x() - bodies.centre(a).x() - 1;
      const double exact =
          0.8 + 0.2 * std::exp(-decay * t) * (std::cos(rate * t) + decay / rate * std::sin(rate * t));
      worst = std::max(worst, std::abs(gap - exact));
    }
    if (last > 0) {
      EXPECT_LT(worst, 0.3 * last);
    }
    last = worst;
  }
}

// Bodies of any kind, with springs at any points, alone in space.
TEST(RigidBodiesProperty, IsolatedSystemsKeepEnergyAndMomentum) {
  each_case(10, [](Random& random) {
    RigidBodies bodies(testing::weightless());
    for (std::uint32_t i = 0; i < 4; ++i)
      bodies.add(body_number(i), {.mass = testing::any_mass(random),
                                  .state = {{testing::any_turn(random), testing::any_vector(random, 1)},
                                            testing::any_vector(random, 0.5),
                                            testing::any_vector(random, 1)}});
    for (std::uint32_t i = 0; i < 4; ++i)
      bodies.add(std::make_shared<SpringForce>(SpringForce::Options{.a = body_number(i),
                                                                    .b = body_number((i + 1) % 4),
                                                                    .at_a = testing::any_vector(random, 0.3),
                                                                    .at_b = testing::any_vector(random, 0.3),
                                                                    .stiffness = random.uniform(0.5, 5),
                                                                    .length = 0}));
    const double energy = bodies.kinetic_energy() + bodies.potential_energy();
    const Vec3 linear = bodies.momentum(), angular = bodies.angular_momentum();
    double worst = 0;
    for (int i = 0; i < 10000; ++i) {
      bodies.step(1.0 / 240);
      worst = std::max(worst, std::abs(bodies.kinetic_energy() + bodies.potential_energy() - energy));
    }
    EXPECT_LT(worst, 1e-3 * energy);
    EXPECT_LT((bodies.momentum() - linear).norm(), 1e-11);
    EXPECT_LT((bodies.angular_momentum() - angular).norm(), 1e-10);
  });
}

TEST(RigidBodies, DampingSlowsDown) {
  RigidBodies bodies(testing::weightless());
  const BodyId id = body_number(0);
  bodies.add(id, {.state = {.velocity = Vec3(1, 0, 0), .angular_velocity = Vec3(0, 0, 2)},
                  .linear_damping = 0.5,
                  .angular_damping = 0.25});
  for (int i = 0; i < 240; ++i) bodies.step(1.0 / 120);
  EXPECT_NEAR(bodies.state(id).velocity.x(), std::exp(-1), 1e-5);
  EXPECT_NEAR(bodies.state(id).angular_velocity.z(), 2 * std::exp(-0.5), 1e-5);
}

TEST(RigidBodies, KinematicBodiesGoWhereTheyAreTold) {
  RigidBodies bodies;
  const BodyId id = body_number(0);
  bodies.add(id, {.kind = RigidKind::kinematic});
  const Quat turn(Eigen::AngleAxisd(0.1, Vec3(0, 0, 1)));
  bodies.move_to(id, {turn, Vec3(0.1, 0, 0)});
  bodies.step(0.1);
  EXPECT_LT((bodies.state(id).pose.position - Vec3(0.1, 0, 0)).norm(), 1e-15);
  EXPECT_LT((bodies.state(id).velocity - Vec3(1, 0, 0)).norm(), 1e-12);
  EXPECT_LT((bodies.state(id).angular_velocity - Vec3(0, 0, 1)).norm(), 1e-12);
  bodies.step(0.1);
  EXPECT_EQ(bodies.state(id).velocity.norm(), 0) << "told nothing new, it stays";
}

TEST(RigidBodies, WindTurns) {
  const DragForce wind(
      {.body = body_number(0), .linear = 1, .wind = Vec3(3, 0, 0), .period = 4, .axis = Vec3(0, 0, 1)});
  EXPECT_LT((wind.wind_at(1) - Vec3(0, 3, 0)).norm(), 1e-12);
  EXPECT_LT((wind.wind_at(1002) - Vec3(-3, 0, 0)).norm(), 1e-9);
}

// However strong the air, a body is taken along and not thrown about.
// v' = k (w - v) with a wind w that turns: v = A e^(iwt) + (v0 - A) e^(-kt), A = k W / (k + iw), across the
// axis, and the wind's part along it is steady.
TEST(RigidBodies, WindThatTurnsIsFelt) {
  constexpr double mass = 2, drag = 3, k = drag / mass, period = 1.5, strength = 4, along = 0.5;
  constexpr double rate = 2 * std::numbers::pi / period;
  using Complex = std::complex<double>;
  const Complex amplitude = k * strength / Complex(k, rate), start(0.5, -1), rest = start - amplitude;
  double last = 0;
  for (const int steps : {200, 400, 800}) {
    RigidBodies bodies(testing::weightless());
    const BodyId id = body_number(0);
    bodies.add(id, {.mass = {.mass = mass, .moments = Vec3::Ones(), .frame = {}},
                    .state = {.velocity = Vec3(start.real(), start.imag(), 0)}});
    bodies.add(std::make_shared<DragForce>(
        DragForce::Options{.body = id, .linear = drag, .wind = Vec3(strength, 0, along), .period = period}));
    double worst = 0;
    for (int i = 1; i <= steps; ++i) {
      bodies.step(4.0 / steps);
      const double t = 4.0 * i / steps;
      const Complex turned = std::polar(1.0, rate * t);
      const Complex velocity = amplitude * turned + rest * std::exp(-k * t);
      const Complex place = amplitude * (turned - 1.0) / Complex(0, rate) + rest * (1 - std::exp(-k * t)) / k;
      const RigidState state = bodies.state(id);
      const Vec3 v(velocity.real(), velocity.imag(), along * (1 - std::exp(-k * t)));
      const Vec3 x(place.real(), place.imag(), along * (t - (1 - std::exp(-k * t)) / k));
      worst = std::max({worst, (state.velocity - v).norm(), (state.pose.position - x).norm()});
    }
    EXPECT_LT(worst, 0.01);
    if (last > 0) {
      EXPECT_LT(worst, 0.3 * last) << "it is of second order";
    }
    last = worst;
  }
}

TEST(RigidBodies, StrongDragIsStable) {
  for (const double drag : {1.0, 1e3, 1e9}) {
    RigidBodies bodies(testing::weightless());
    const BodyId id = body_number(0);
    bodies.add(id, {.mass = {.mass = 1e-3, .moments = Vec3::Ones(), .frame = {}},
                    .state = {.velocity = Vec3(50, 0, 0)}});
    bodies.add(std::make_shared<DragForce>(
        DragForce::Options{.body = id, .linear = drag, .quadratic = drag, .wind = Vec3(0, 3, 0)}));
    for (int i = 0; i < 300; ++i) EXPECT_EQ(bodies.step(1.0 / 60).failed, 0u);
    EXPECT_LT((bodies.state(id).velocity - Vec3(0, 3, 0)).norm(), 1e-3) << drag;
  }
}

TEST(RigidBodies, WhatAForceThrowsLeavesThingsAsTheyWere) {
  struct Throwing final : Force {
    void apply(RigidView& bodies) const override {
      if (bodies.time() > 0) throw Error(Place::named("force", "test"), "it fails", "");
    }
  };
  RigidBodies bodies;
  bodies.add(body_number(0), {.state = {.velocity = Vec3(1, 0, 0)}});
  bodies.add(std::make_shared<Throwing>());
  EXPECT_THROW(bodies.step(0.01), Error);
  EXPECT_EQ(bodies.centre(body_number(0)).norm(), 0);
  EXPECT_EQ(bodies.state(body_number(0)).velocity, Vec3(1, 0, 0));
  EXPECT_EQ(bodies.time(), 0);
}

// What gets faster does not sleep, however slow it is.
TEST(RigidBodies, SlowFallsAreNoSleep) {
  RigidOptions options;
  options.gravity = Vec3(0, 0, -1.5e-3);
  RigidBodies bodies(options);
  bodies.add(body_number(0), {});
  for (int i = 0; i < 600; ++i) bodies.step(1.0 / 60);
  EXPECT_NEAR(bodies.centre(body_number(0)).z(), -0.5 * 1.5e-3 * 100, 1e-6);
}

TEST(RigidBodies, SleepsAndWakes) {
  RigidOptions options;
  options.gravity.setZero();
  RigidBodies bodies(options);
  const BodyId a = body_number(0), b = body_number(1);
  bodies.add(a, {.state = {.velocity = Vec3(0.5e-3, 0, 0)}});
  bodies.add(b, {.state = {.pose = {Quat::Identity(), Vec3(2, 0, 0)}, .velocity = Vec3(0.5, 0, 0)}});
  for (int i = 0; i < 60; ++i) bodies.step(1.0 / 60);
  EXPECT_TRUE(bodies.asleep(a));
  EXPECT_FALSE(bodies.asleep(b));
  EXPECT_EQ(bodies.state(a).velocity.norm(), 0);
  const ForceId push =
      bodies.add(std::make_shared<ConstantForce>(ConstantForce::Options{.body = a, .force = Vec3(0, 0, 1)}));
  bodies.step(1.0 / 60);
  EXPECT_FALSE(bodies.asleep(a)) << "a new force wakes it";
  bodies.remove(push);
  for (int i = 0; i < 10; ++i) bodies.step(1.0 / 60);
  EXPECT_GT(bodies.state(a).velocity.z(), 0.01);
}

TEST(RigidBodies, KicksChangeMomentumByWhatTheySay) {
  RigidBodies bodies(testing::weightless());
  const BodyId id = body_number(0);
  const Quat turned = Quat(0.4, -0.3, 0.8, 0.2).normalized();
  bodies.add(id, {.mass = {.mass = 3, .moments = Vec3(1, 2, 2.5), .frame = {}},
                  .state = {.pose = {turned, Vec3::Zero()}, .velocity = Vec3(1, 2, 3)}});
  const Vec3 push(6, 0, -3), twist(0.1, 0.7, -0.4);
  bodies.kick_by(id, push, twist);
  const RigidState state = bodies.state(id);
  EXPECT_LT((state.velocity - Vec3(3, 2, 2)).norm(), 1e-12);
  const Vec3 spin = turned * Vec3(1, 2, 2.5).cwiseProduct(turned.conjugate() * state.angular_velocity);
  EXPECT_LT((spin - twist).norm(), 1e-12);
}

// What falls asleep in a step that others cut short stands still from then on.
TEST(RigidBodies, SleepersOfCutStepsStandStill) {
  RigidOptions options = testing::weightless();
  options.sleep_speed = 1e-3;
  options.sleep_after = 0.1;
  RigidBodies bodies(options);
  const BodyId id = body_number(0);
  const Vec3 slow = 0.5 * options.sleep_speed * Vec3::UnitX();
  bodies.add(id, {.state = {.velocity = slow}});
  int asleep = 0;
  for (int i = 0; i < 60; ++i) {
    bodies.begin_step(1.0 / 60, {});
    bodies.end_step(0.7);
    if (!bodies.asleep(id)) continue;
    ++asleep;
    EXPECT_EQ(bodies.state(id).velocity.norm(), 0) << i;
  }
  EXPECT_GT(asleep, 10) << "or nothing was tested";
}

// Of a step that is cut short, what is kept is all but what forces do in what is left of it.
TEST(RigidBodies, CutStepsOfWhatIsKeptPushOnlyForTheirPart) {
  RigidBodies bodies;
  const BodyId id = body_number(0), other = body_number(1);
  for (const BodyId one : {id, other}) bodies.add(one, {.state = {.velocity = Vec3(1, 0, 2)}});
  const std::vector<BodyId> touching = {id, other}, kept = {id};
  const double h = 1.0 / 60, part = 0.25;
  bodies.begin_step(h, touching);
  for (const BodyId one : touching) {
    const RigidBodies::FreeMotion free = bodies.free_motion(one);
    bodies.correct(one, free.centre + h * Vec3(0, 3, 0), Vec3::Zero());
  }
  bodies.end_step(part, kept);
  const Vec3 fallen = part * h * Vec3(0, 0, -9.81);
  EXPECT_LT((bodies.state(id).velocity - (Vec3(1, 3, 2) + fallen)).norm(), 1e-12);
  EXPECT_LT((bodies.state(other).velocity - (Vec3(1, part * 3, 2) + fallen)).norm(), 1e-12);
}

// Nor is it damped for longer: four parts of a step damp as much as the whole, to second order.
TEST(RigidBodies, CutStepsOfWhatIsKeptDampOnlyForTheirPart) {
  const auto after = [](int parts) {
    RigidBodies bodies(testing::weightless());
    const BodyId id = body_number(0);
    bodies.add(id, {.state = {.velocity = Vec3(1, 0, 2), .angular_velocity = Vec3(0, 3, 0)},
                    .linear_damping = 5,
                    .angular_damping = 8});
    const std::vector<BodyId> all = {id};
    double left = 1.0 / 60;
    for (int k = parts; k > 0; --k) {
      bodies.begin_step(left, all);
      const double part = 1.0 / k;
      bodies.end_step(part, all);
      left *= 1 - part;
    }
    return bodies.state(id);
  };
  const RigidState whole = after(1), cut = after(4);
  EXPECT_LT((whole.velocity - cut.velocity).norm(), 5e-3 * whole.velocity.norm());
  EXPECT_LT((whole.angular_velocity - cut.angular_velocity).norm(), 5e-3 * whole.angular_velocity.norm());
  EXPECT_LT(whole.velocity.x(), 0.93) << "or nothing was tested";
}

TEST(RigidBodies, AForceThatIsNotFiniteStopsTheBodyAndNothingElse) {
  struct Bad final : Force {
    void apply(RigidView& bodies) const override { bodies.push(body_number(0), Vec3(0, std::nan(""), 0)); }
  };
  RigidBodies bodies;
  bodies.add(body_number(0), {.state = {.velocity = Vec3(1, 0, 0)}});
  bodies.add(body_number(1), {.state = {.pose = {Quat::Identity(), Vec3(2, 0, 0)}}});
  bodies.add(std::make_shared<Bad>());
  const RigidReport report = bodies.step(1.0 / 60);
  EXPECT_EQ(report.failed, 1u);
  EXPECT_EQ(bodies.state(body_number(0)).pose.position.norm(), 0);
  EXPECT_LT(bodies.state(body_number(1)).velocity.z(), 0);
}

// Also after bytes and back, and for any number of threads.
TEST(RigidBodies, SameBitsWhateverHappens) {
  const auto build = [](RigidBodies& bodies) {
    Random random(5);
    for (std::uint32_t i = 0; i < 700; ++i)
      bodies.add(body_number(i), {.mass = testing::any_mass(random),
                                  .state = {{testing::any_turn(random), testing::any_vector(random, 1)},
                                            testing::any_vector(random, 1),
                                            testing::any_vector(random, 5)}});
  };
  const auto hash_of = [](const RigidBodies& bodies) {
    StateHash hash;
    bodies.hash(hash);
    return hash.value();
  };
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    RigidBodies bodies;
    build(bodies);
    Threads(threads).run([&] {
      for (int i = 0; i < 20; ++i) bodies.step(1.0 / 60);
    });
    hashes.push_back(hash_of(bodies));
  }
  RigidBodies first, second;
  build(first);
  build(second);
  for (int i = 0; i < 7; ++i) first.step(1.0 / 60);
  std::vector<std::byte> bytes;
  ByteWriter writer(bytes);
  first.save(writer);
  ByteReader reader(bytes, "test");
  second.load(reader);
  EXPECT_EQ(reader.left(), 0u);
  EXPECT_EQ(hash_of(first), hash_of(second));
  for (int i = 7; i < 20; ++i) second.step(1.0 / 60);
  hashes.push_back(hash_of(second));
  for (const std::uint64_t one : hashes) EXPECT_EQ(one, hashes[0]);
  for (std::size_t cut = 0; cut < bytes.size(); cut += 97) {
    ByteReader broken({bytes.data(), cut}, "test");
    EXPECT_THROW(second.load(broken), Error);
  }
}

TEST(RigidBodies, IdsThatAreGoneAreNamed) {
  RigidBodies bodies;
  const BodyId id = body_number(3);
  bodies.add(id, {});
  EXPECT_THROW(bodies.add(id, {}), Error);
  bodies.add(std::make_shared<ConstantForce>(ConstantForce::Options{.body = id}));
  bodies.remove(id);
  EXPECT_THROW(bodies.state(id), Error);
  EXPECT_THROW(bodies.remove(id), Error);
  bodies.step(0.1);  // its force went with it
  EXPECT_THROW(bodies.step(0), Error);
  EXPECT_THROW(bodies.step(std::nan("")), Error);
  EXPECT_THROW(bodies.add(id, {.state = {.velocity = Vec3(HUGE_VAL, 0, 0)}}), Error);
  EXPECT_THROW(bodies.add(id, {.linear_damping = -1}), Error);
  EXPECT_THROW(SpringForce(SpringForce::Options{.stiffness = -1}), Error);
}

TEST(RigidBodies, WarmStepsAllocateNothing) {
  RigidBodies bodies;
  for (std::uint32_t i = 0; i < 100; ++i)
    bodies.add(body_number(i), {.state = {.angular_velocity = Vec3(1, 2, 3)}});
  bodies.add(std::make_shared<SpringForce>(
      SpringForce::Options{.a = body_number(0), .b = body_number(1), .stiffness = 1}));
  const auto step = [&] { bodies.step(1.0 / 60); };
  Threads(1).run([&] {
    step();
    step();
    if (!testing::counts_allocations()) GTEST_SKIP() << "the sanitizers have their own allocator";
    EXPECT_EQ(testing::allocations_in(step), 0u);
  });
}

}  // namespace
}  // namespace palpate
