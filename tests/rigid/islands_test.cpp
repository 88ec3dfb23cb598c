// Islands of joints: alone and together, long, heavy and light, fast, and far off.
#include <cmath>
#include <numbers>

#include <rigid/constraint_checks.h>
#include <rigid/rigid_cases.h>
#include <support/allocation_counter.h>

#include <palpate/base/parallel.h>
#include <palpate/rigid/joints.h>

namespace palpate {
namespace {

using testing::body_number;
using testing::each_case;
using testing::Random;

struct Bodies : RigidBodies {
  using RigidBodies::RigidBodies;
  ConstraintSide side(BodyId id) const { return {state(id).pose, centre(id)}; }
  JointId join(BodyId a, BodyId b, const JointOptions& options) {
    return add(make_joint(a, side(a), b, side(b), options));
  }
  double energy() const { return kinetic_energy() + potential_energy(); }
};

RigidOptions awake() {
  RigidOptions options;
  options.sleep_speed = 0;
  return options;
}

RigidMass mass_of(double mass) {
  return {.mass = mass, .moments = mass * Vec3(0.02, 0.1, 0.11), .frame = {}};
}

// Of any kind, joined as a tree, with some more joints here and there.
void add_any_island(Bodies& bodies, Random& random, std::uint32_t first, std::uint32_t count) {
  for (std::uint32_t i = first; i < first + count; ++i) {
    bodies.add(body_number(i), {.mass = testing::any_mass(random),
                                .state = {{testing::any_turn(random), testing::any_vector(random, 2)},
                                          testing::any_vector(random, 1),
                                          testing::any_vector(random, 3)}});
    const BodyId other =
        i == first ? BodyId{} : body_number(first + static_cast<std::uint32_t>(random.below(i - first)));
    bodies.join(other, body_number(i),
                {.kind = static_cast<JointKind>(random.below(5)),
                 .point = testing::any_vector(random, 2),
                 .other = testing::any_vector(random, 2),
                 .axis = Vec3(1, 2, 3),
                 .compliance = random.chance(0.2) ? 1e-3 : 0});
  }
}

// Two points of a body that are held a millimetre nearer to each other than they are.
void add_contradiction(Bodies& bodies, std::uint32_t number) {
  const BodyId id = body_number(number);
  bodies.add(id, {.mass = mass_of(1)});
  for (const double x : {-1.0, 1.0}) {
    const ConstraintSide off{{Quat::Identity(), Vec3(1e-3 * x, 0, 0)}, Vec3::Zero()};
    bodies.add(
        make_joint({}, {{}, Vec3::Zero()}, id, off, {.kind = JointKind::ball, .point = Vec3(x, 0, 0)}));
  }
}

void expect_same(const RigidState& a, const RigidState& b) {
  EXPECT_EQ(a.pose.position, b.pose.position);
  EXPECT_EQ(a.pose.rotation.coeffs(), b.pose.rotation.coeffs());
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.angular_velocity, b.angular_velocity);
}

// Bit for bit, whatever others there are, and whatever they do.
TEST(IslandsProperty, AreAloneWhateverOthersDo) {
  each_case(5, [](Random& random) {
    const std::uint64_t seed = random.bits();
    Bodies alone(awake()), together(awake());
    Random one(seed), other(seed);
    add_any_island(alone, one, 10, 8);
    add_contradiction(together, 0);
    add_any_island(together, random, 1, 4);
    add_any_island(together, other, 10, 8);
    add_any_island(together, random, 20, 12);
    for (int i = 0; i < 100; ++i) {
      alone.step(1.0 / 60);
      Threads(1 + i % 3).run([&] { together.step(1.0 / 60); });
    }
    for (std::uint32_t i = 10; i < 18; ++i) {
      EXPECT_TRUE(alone.state(body_number(i)).pose.position.allFinite());
      expect_same(alone.state(body_number(i)), together.state(body_number(i)));
    }
  });
}

// What contradicts itself stays between what it is told; all else holds.
TEST(Islands, ContradictionsStayWhereTheyAre) {
  Bodies bodies(awake());
  add_contradiction(bodies, 0);
  for (int i = 0; i < 300; ++i) {
    const RigidReport report = bodies.step(1.0 / 60);
    EXPECT_LT(report.violation, 2e-3);
    EXPECT_LT(bodies.centre(body_number(0)).norm(), 2e-3);
    EXPECT_LT(bodies.state(body_number(0)).velocity.norm(), 0.1);
  }
}

// The order of elimination and the memory are kept from step to step; what is computed with them is not.
TEST(Islands, GoOnTheSameAfterJointsCameAndWent) {
  Bodies one(awake()), other(awake());
  for (Bodies* bodies : {&one, &other}) {
    Random random(11);
    add_any_island(*bodies, random, 0, 6);
  }
  for (int i = 0; i < 40; ++i) {
    one.step(1.0 / 60);
    const JointId more = other.join({}, body_number(5), {.kind = JointKind::ball});
    other.remove(more);
    other.step(1.0 / 60);
  }
  for (std::uint32_t i = 0; i < 6; ++i) expect_same(one.state(body_number(i)), other.state(body_number(i)));
}

TEST(Islands, SleepAndWakeWithTheirJoints) {
  Bodies bodies;
  const BodyId a = body_number(0), b = body_number(1);
  bodies.add(a, {.mass = mass_of(1), .state = {.pose = {Quat::Identity(), Vec3(0, 0, -0.5)}}});
  bodies.add(b, {.mass = mass_of(1), .state = {.pose = {Quat::Identity(), Vec3(0, 0, -1.5)}}});
  bodies.join({}, a, {.kind = JointKind::ball});
  bodies.join(a, b, {.kind = JointKind::ball, .point = Vec3(0, 0, -1)});
  for (int i = 0; i < 60; ++i) bodies.step(1.0 / 60);
  EXPECT_TRUE(bodies.asleep(a) && bodies.asleep(b));
  RigidState state = bodies.state(b);
  state.angular_velocity = Vec3(0, 1, 0);
  bodies.set_state(b, state);
  EXPECT_FALSE(bodies.asleep(a));
  for (int i = 0; i < 30; ++i) EXPECT_LT(bodies.step(1.0 / 60).violation, 1e-11);
  EXPECT_GT(std::abs(bodies.centre(b).x()), 1e-3);
}

// A thousandfold weight at the end, or light and heavy links in turn.
TEST(Islands, HeavyOnLightHolds) {
  for (const bool in_turn : {false, true}) {
    Bodies bodies(awake());
    const std::uint32_t links = 20;
    double scale = 0;
    for (std::uint32_t i = 0; i < links; ++i) {
      const double mass = (in_turn ? i % 2 == 1 : i + 1 == links) ? 1000 : 1;
      bodies.add(body_number(i),
                 {.mass = mass_of(mass), .state = {.pose = {Quat::Identity(), Vec3(0.5 + i, 0, 0)}}});
      bodies.join(i == 0 ? BodyId{} : body_number(i - 1), body_number(i),
                  {.kind = JointKind::hinge, .point = Vec3(i, 0, 0), .axis = Vec3(0, 1, 0)});
      scale += 9.81 * mass * (0.5 + i);
    }
    const double before = bodies.energy();
    for (int i = 0; i < 600; ++i) {
      EXPECT_LT(bodies.step(1.0 / 240).violation, 1e-9);
      EXPECT_LT(std::abs(bodies.energy() - before), 1e-3 * scale);
    }
  }
}

TEST(Islands, AStarOf200JointsHolds) {
  Bodies bodies(awake());
  const BodyId hub = body_number(0);
  bodies.add(hub, {.mass = mass_of(5), .state = {.angular_velocity = Vec3(0, 0, 1)}});
  bodies.join({}, hub, {.kind = JointKind::ball});
  for (std::uint32_t i = 1; i <= 200; ++i) {
    const double angle = 2 * std::numbers::pi * i / 200;
    const Vec3 out(std::cos(angle), std::sin(angle), 0);
    bodies.add(body_number(i), {.mass = mass_of(0.1),
                                .state = {.pose = {Quat::Identity(), 1.5 * out},
                                          .velocity = 1.5 * Vec3(0, 0, 1).cross(out),
                                          .angular_velocity = Vec3(0, 0, 1)}});
    bodies.join(hub, body_number(i),
                {.kind = i % 2 == 0 ? JointKind::ball : JointKind::hinge,
                 .point = out,
                 .axis = out.cross(Vec3(0, 0, 1))});
  }
  const double before = bodies.energy(), scale = 200 * 0.1 * 9.81 * 1.5;
  for (int i = 0; i < 200; ++i) {
    EXPECT_LT(bodies.step(1.0 / 240).violation, 1e-11);
    EXPECT_LT(std::abs(bodies.energy() - before), 1e-3 * scale);
  }
}

// More joints than are needed, all of which agree: a door on three hinges swings like one on one.
TEST(Islands, JointsThatAgreeAreAsGoodAsOne) {
  std::array<Bodies, 2> doors{Bodies(awake()), Bodies(awake())};
  for (std::size_t k = 0; k < 2; ++k) {
    doors[k].add(body_number(0),
                 {.mass = mass_of(2), .state = {.pose = {Quat::Identity(), Vec3(0.5, 0, 0)}}});
    for (const double y : {0.0, 1.0, -1.0})
      if (k == 1 || y == 0)
        doors[k].join({}, body_number(0),
                      {.kind = JointKind::hinge, .point = Vec3(0, y, 0), .axis = Vec3(0, 1, 0)});
  }
  for (int i = 0; i < 600; ++i)
    for (Bodies& door : doors) EXPECT_LT(door.step(1.0 / 120).violation, 1e-11);
  EXPECT_LT((doors[0].centre(body_number(0)) - doors[1].centre(body_number(0))).norm(), 1e-8);
}

// A loop of four bars on hinges, which has three joints' numbers more than are needed.
TEST(Islands, LoopsTurn) {
  Bodies bodies(testing::weightless());
  const std::array<Vec3, 4> corners = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 0, 1), Vec3(0, 0, 1)};
  for (std::uint32_t i = 0; i < 4; ++i) {
    const Vec3 centre = 0.5 * (corners[i] + corners[(i + 1) % 4]);
    bodies.add(body_number(i), {.mass = mass_of(1),
                                .state = {.pose = {Quat::Identity(), centre},
                                          .velocity = i == 2 ? Vec3(1, 0, 0) : Vec3(0, 0, 0)}});
  }
  for (std::uint32_t i = 0; i < 4; ++i)
    bodies.join(body_number(i), body_number((i + 1) % 4),
                {.kind = JointKind::hinge, .point = corners[(i + 1) % 4], .axis = Vec3(0, 1, 0)});
  bodies.step(1.0 / 240);
  const double before = bodies.energy();
  EXPECT_GT(before, 0.1);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LT(bodies.step(1.0 / 240).violation, 1e-11);
    EXPECT_NEAR(bodies.energy(), before, 1e-3 * before);
  }
}

// Two bodies, joined beside their centres, that turn by three radians a step.
TEST(Islands, FastTurnsKeepTheirEnergy) {
  for (const JointKind kind : {JointKind::hinge, JointKind::ball, JointKind::fixed}) {
    Bodies bodies(testing::weightless());
    const double h = 1.0 / 60, rate = 3 / h;
    const Vec3 spin = kind == JointKind::hinge ? Vec3(0, rate, 0) : rate * Vec3(0.6, 0.8, 0);
    for (std::uint32_t i = 0; i < 2; ++i) {
      const Vec3 at(i == 0 ? -0.5 : 0.5, 0, 0);
      bodies.add(
          body_number(i),
          {.mass = mass_of(1),
           .state = {.pose = {Quat::Identity(), at}, .velocity = spin.cross(at), .angular_velocity = spin}});
    }
    bodies.join(body_number(0), body_number(1), {.kind = kind, .axis = Vec3(0, 1, 0)});
    const double before = bodies.energy();
    const Vec3 momentum = bodies.angular_momentum();
    double worst = 0;
    for (int i = 0; i < 600; ++i) {
      EXPECT_LT(bodies.step(h).violation, 1e-9);
      worst = std::max(worst, std::abs(bodies.energy() / before - 1));
    }
    EXPECT_LT(worst, 1e-3) << static_cast<int>(kind);
    EXPECT_LT((bodies.angular_momentum() - momentum).norm(), 1e-9 * momentum.norm());
  }
}

// What is joined to a tool that turns by a radian a step goes with it, along the arc.
TEST(Islands, FollowAToolThatTurnsFast) {
  Bodies bodies(testing::weightless());
  const BodyId tool = body_number(0), body = body_number(1);
  bodies.add(tool, {.kind = RigidKind::kinematic});
  bodies.add(body, {.mass = mass_of(1), .state = {.pose = {Quat::Identity(), Vec3(1, 0, 0)}}});
  bodies.join(tool, body, {.kind = JointKind::fixed, .point = Vec3(0.5, 0, 0)});
  for (int i = 1; i <= 60; ++i) {
    const double angle = std::min(i, 40);
    bodies.move_to(tool, {Quat(Eigen::AngleAxisd(angle, Vec3(0, 0, 1))), Vec3(0.1 * i, 0, 0)});
    EXPECT_LT(bodies.step(1.0 / 60).violation, 1e-9);
    const Vec3 at(std::cos(angle) + 0.1 * i, std::sin(angle), 0);
    EXPECT_LT((bodies.centre(body) - at).norm(), 1e-8);
  }
}

// However far off a fixed joint or a slider is turned, it comes together the shorter way, at a walk.
TEST(IslandsProperty, FixedJointsComeTogetherFromAnywhere) {
  each_case(10, [](Random& random) {
    for (const JointKind kind : {JointKind::fixed, JointKind::slider})
      for (const double degrees : {90.0, 175.0, 179.0, 179.99}) {
        Bodies bodies(testing::weightless());
        const BodyId id = body_number(0);
        bodies.add(id, {.mass = testing::any_mass(random)});
        bodies.join({}, id, {.kind = kind, .axis = testing::any_vector(random, 1) + Vec3(0, 0, 2)});
        RigidState state = bodies.state(id);
        Vec3 axis = testing::any_vector(random, 1);
        axis.z() += 2;
        state.pose.rotation = Quat(Eigen::AngleAxisd(degrees / 180 * std::numbers::pi, axis.normalized()));
        state.angular_velocity = testing::any_vector(random, 0.5);
        bodies.set_state(id, state);
        RigidReport report;
        for (int i = 0; i < 300; ++i) {
          report = bodies.step(1.0 / 60);
          EXPECT_LT(bodies.state(id).angular_velocity.norm(), 10);
        }
        EXPECT_LT(report.violation, 1e-11) << degrees;
        EXPECT_LT(bodies.state(id).pose.rotation.vec().norm(), 1e-10) << degrees;
      }
  });
}

// The gradients of turns, near none and near half a turn.
TEST(IslandsProperty, GradientsOfTurnsAreRightAtTheirEnds) {
  each_case(50, [](Random& random) {
    const ConstraintSide world{{}, Vec3::Zero()};
    const auto joint = make_joint(body_number(0), world, body_number(1), world,
                                  {.kind = JointKind::fixed, .axis = Vec3(1, 0, 0)});
    Vec3 axis = testing::any_vector(random, 1);
    axis.z() += 2;
    for (const double angle : {0.0, 1e-8, 1e-3, 0.0199, 0.0201, 0.0999, 0.1001, 2.0, 3.1, 3.14}) {
      const Quat turn(Eigen::AngleAxisd(angle, axis.normalized()));
      const ConstraintSide turned{{turn, Vec3::Zero()}, Vec3::Zero()};
      ConstraintRows rows;
      joint->at(world, turned, rows);
      const Vec3 found(rows.row[3].value, rows.row[4].value, rows.row[5].value);
      EXPECT_LT((found - angle * axis.normalized()).norm(), 1e-13 * (1 + angle)) << angle;
      testing::check_constraint(*joint, world, turned);
    }
  });
}

TEST(Islands, WarmStepsAllocateNothing) {
  Bodies bodies(awake());
  Random random(2);
  add_any_island(bodies, random, 0, 10);
  add_any_island(bodies, random, 10, 10);
  add_contradiction(bodies, 20);
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
