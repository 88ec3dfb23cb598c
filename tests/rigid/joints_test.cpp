// Joints: their gradients, and what they hold.
#include <palpate/rigid/joints.h>

#include <cmath>
#include <numbers>

#include <rigid/constraint_checks.h>
#include <rigid/rigid_cases.h>
#include <support/allocation_counter.h>

#include <palpate/base/error.h>

namespace palpate {
namespace {

using testing::body_number;
using testing::each_case;
using testing::Random;

TEST(JointsProperty, GradientsAreRight) {
  each_case(200, [](Random& random) {
    for (const std::string_view name : joint_names()) {
      SCOPED_TRACE(name);
      const auto side = [&] {
        const Pose pose{testing::any_turn(random), testing::any_vector(random, 1)};
        return ConstraintSide{pose, pose.apply(testing::any_vector(random, 0.3))};
      };
      const ConstraintSide a = side(), b = side();
      Vec3 axis = testing::any_vector(random, 1);
      axis.z() += 2;
      const auto joint = make_joint(body_number(0), a, body_number(1), b,
                                    {.kind = joint_kind(name),
                                     .point = testing::any_vector(random, 1),
                                     .other = testing::any_vector(random, 1),
                                     .axis = axis});
      ConstraintRows rows;
      joint->at(a, b, rows);
      for (std::size_t r = 0; r < joint->rows(); ++r) EXPECT_NEAR(rows.row[r].value, 0, 1e-14) << "as made";
      testing::check_constraint(*joint, a, b);
      testing::check_constraint(*joint, side(), side());  // far off
    }
  });
}

struct Chain {
  RigidBodies bodies;
  std::vector<BodyId> ids;

  Chain(std::size_t links, JointKind kind, const RigidOptions& options, double compliance = 0)
      : bodies(options) {
    for (std::uint32_t i = 0; i < links; ++i) {
      ids.push_back(body_number(i));
      bodies.add(ids.back(), {.mass = {.mass = 1 + 0.1 * i, .moments = Vec3(0.02, 0.03, 0.04), .frame = {}},
                              .state = {.pose = {Quat::Identity(), Vec3(0.5 + i, 0, 0)}}});
      const BodyId last = i == 0 ? BodyId{} : ids[i - 1];
      join(last, ids.back(), Vec3(i, 0, 0), kind, compliance);
    }
  }
  ConstraintSide side(BodyId id) const { return {bodies.state(id).pose, bodies.centre(id)}; }
  JointId join(BodyId a, BodyId b, const Vec3& point, JointKind kind, double compliance = 0) {
    return bodies.add(make_joint(a, side(a), b, side(b),
                                 {.kind = kind,
                                  .point = point,
                                  .other = b ? bodies.centre(b) : point,
                                  .axis = Vec3(0, 1, 0),
                                  .compliance = compliance}));
  }
  double energy() const { return bodies.kinetic_energy() + bodies.potential_energy(); }
};

RigidOptions awake() {
  RigidOptions options;
  options.sleep_speed = 0;
  return options;
}

// A pendulum of any swing, against its equation.
TEST(Joints, APendulumSwingsAsItShould) {
  const double moment = 0.03 + 0.25, g = 9.81;  // about the hinge
  Chain chain(1, JointKind::hinge, awake());
  long double angle = 0, rate = 0;  // below the horizontal
  const int steps = 2000, parts = 20;
  const double h = 1e-3;
  for (int i = 0; i < steps; ++i) {
    chain.bodies.step(h);
    const long double d = static_cast<long double>(h) / parts;
    for (int k = 0; k < parts; ++k) {  // Verlet's method, with far smaller steps
      rate += d / 2 * (g * 0.5L / moment * std::cos(angle));
      angle += d * rate;
      rate += d / 2 * (g * 0.5L / moment * std::cos(angle));
    }
    const Vec3 centre = chain.bodies.centre(chain.ids[0]);
    EXPECT_NEAR(centre.norm(), 0.5, 1e-11);
    EXPECT_NEAR(std::atan2(-centre.z(), centre.x()),
                std::remainder(static_cast<double>(angle), 2 * std::numbers::pi), 1e-4);
  }
}

// Nothing creeps: in 10,000 steps, energy ripples with the speeds, but does not come or go.
TEST(Joints, ChainsKeepTheirEnergy) {
  for (const JointKind kind : {JointKind::hinge, JointKind::ball}) {
    Chain chain(3, kind, awake());
    const double scale = 9.81 * (1 * 0.5 + 1.1 * 1.5 + 1.2 * 2.5);  // to fall by the chain's own size
    double ripple = 0, first = 0, last = 0;
    const double before = chain.energy();
    for (int i = 0; i < 10000; ++i) {
      const RigidReport report = chain.bodies.step(1.0 / 1000);
      EXPECT_LT(report.violation, 1e-9);
      const double off = (chain.energy() - before) / scale;
      ripple = std::max(ripple, std::abs(off));
      (i < 5000 ? first : last) += off / 5000;
    }
    EXPECT_LT(ripple, 3e-3);
    EXPECT_LT(std::abs(last - first), 1e-4);
  }
}

// Free in space, all momentum stays.
TEST(JointsProperty, JointsMakeNoMomentum) {
  each_case(6, [](Random& random) {
    for (const std::string_view name : joint_names()) {
      Chain chain(1, JointKind::ball, testing::weightless());
      chain.bodies.remove_all_of(chain.ids[0]);
      for (std::uint32_t i = 1; i < 4; ++i) {
        const BodyId id = body_number(i);
        chain.bodies.add(id, {.mass = testing::any_mass(random),
                              .state = {{testing::any_turn(random), testing::any_vector(random, 1)},
                                        testing::any_vector(random, 1),
                                        testing::any_vector(random, 1)}});
        chain.join(body_number(i - 1), id, testing::any_vector(random, 1), joint_kind(name));
      }
      const Vec3 linear = chain.bodies.momentum(), angular = chain.bodies.angular_momentum();
      for (int i = 0; i < 200; ++i) chain.bodies.step(1.0 / 120);
      EXPECT_LT((chain.bodies.momentum() - linear).norm(), 1e-11) << name;
      EXPECT_LT((chain.bodies.angular_momentum() - angular).norm(), 1e-9) << name;
    }
  });
}

// Joints that give way make none either.
TEST(JointsProperty, CompliantJointsMakeNoMomentum) {
  each_case(6, [](Random& random) {
    for (const std::string_view name : joint_names()) {
      Chain chain(1, JointKind::ball, testing::weightless());
      chain.bodies.remove_all_of(chain.ids[0]);
      const BodyId id = body_number(1);
      chain.bodies.add(id, {.mass = testing::any_mass(random),
                            .state = {{testing::any_turn(random), testing::any_vector(random, 1)},
                                      testing::any_vector(random, 1),
                                      testing::any_vector(random, 3)}});
      chain.join(body_number(0), id, testing::any_vector(random, 1), joint_kind(name), 1e-2);
      const Vec3 linear = chain.bodies.momentum(), angular = chain.bodies.angular_momentum();
      for (int i = 0; i < 600; ++i) chain.bodies.step(1.0 / 120);
      EXPECT_LT((chain.bodies.momentum() - linear).norm(), 1e-10) << name;
      EXPECT_LT((chain.bodies.angular_momentum() - angular).norm(), 1e-8) << name;
    }
  });
}

TEST(Joints, HoldWhatTheyShouldAndNothingElse) {
  const auto run = [](JointKind kind) {
    Chain chain(1, kind, awake());
    for (int i = 0; i < 300; ++i) chain.bodies.step(1.0 / 240);
    return chain.bodies.state(chain.ids[0]);
  };
  EXPECT_LT((run(JointKind::fixed).pose.position - Vec3(0.5, 0, 0)).norm(), 1e-9);
  EXPECT_GT((run(JointKind::hinge).pose.position - Vec3(0.5, 0, 0)).norm(), 0.1);
  // A slider along y feels nothing of gravity along z.
  EXPECT_LT((run(JointKind::slider).pose.position - Vec3(0.5, 0, 0)).norm(), 1e-9);
  Chain sliding(1, JointKind::slider, awake());
  sliding.bodies.set_gravity(Vec3(0, -9.81, 0));
  for (int i = 0; i < 240; ++i) sliding.bodies.step(1.0 / 240);
  const Vec3 at = sliding.bodies.state(sliding.ids[0]).pose.position;
  EXPECT_NEAR(at.y(), -0.5 * 9.81, 1e-9);
  EXPECT_LT(std::hypot(at.x() - 0.5, at.z()), 1e-9);
}

// A distance that gives way hangs lower by force times compliance.
TEST(Joints, ComplianceIsWhatItSays) {
  RigidOptions options = awake();
  RigidBodies bodies(options);
  const BodyId id = body_number(0);
  bodies.add(id, {.mass = {.mass = 2, .moments = Vec3::Ones(), .frame = {}},
                  .state = {.pose = {Quat::Identity(), Vec3(0, 0, -1)}},
                  .linear_damping = 5});
  const ConstraintSide world{{}, Vec3::Zero()}, side{bodies.state(id).pose, bodies.centre(id)};
  bodies.add(make_joint({}, world, id, side,
                        {.kind = JointKind::distance, .other = Vec3(0, 0, -1), .compliance = 1e-3}));
  for (int i = 0; i < 2000; ++i) bodies.step(1.0 / 60);
  EXPECT_NEAR(bodies.centre(id).z(), -1 - 2 * 9.81 * 1e-3, 1e-9);
}

// Joints that are off at the start come together at a walk, and nothing is thrown.
TEST(Joints, WhatIsOffComesTogetherSlowly) {
  Chain chain(2, JointKind::ball, testing::weightless());
  RigidState state = chain.bodies.state(chain.ids[1]);
  state.pose.position.x() += 1;
  chain.bodies.set_state(chain.ids[1], state);
  double fastest = 0;
  RigidReport report;
  for (int i = 0; i < 240; ++i) {
    report = chain.bodies.step(1.0 / 60);
    for (const BodyId id : chain.ids) fastest = std::max(fastest, chain.bodies.state(id).velocity.norm());
  }
  EXPECT_LT(fastest, 1.5);
  EXPECT_LT(report.violation, 1e-9);
}

// More joints than are needed, and such as contradict each other.
TEST(Joints, TooManyJointsAreNoHarm) {
  Chain chain(3, JointKind::hinge, awake());
  chain.join(chain.ids[0], chain.ids[1], Vec3(1, 0, 0), JointKind::hinge);
  chain.join(chain.ids[0], chain.ids[2], Vec3(1.5, 0, 0), JointKind::distance);
  for (int i = 0; i < 600; ++i) chain.bodies.step(1.0 / 120);
  for (const BodyId id : chain.ids) {
    const RigidState s = chain.bodies.state(id);
    EXPECT_TRUE(s.pose.position.allFinite());
    EXPECT_LT(s.velocity.norm(), 30);
  }
}

// A constraint of a user's, in one small class: a bead on a ring.
class Ring : public RigidConstraint {
 public:
  Ring(BodyId bead, double radius) : RigidConstraint(bead, {}), radius_(radius) {}
  std::size_t rows() const override { return 2; }
  void at(const ConstraintSide& bead, const ConstraintSide& /*world*/, ConstraintRows& out) const override {
    const Vec3& p = bead.centre;
    const double r = std::hypot(p.x(), p.z());
    out.row[0] = {.value = r - radius_, .move = {Vec3(p.x() / r, 0, p.z() / r), Vec3::Zero()}};
    out.row[1] = {.value = p.y(), .move = {Vec3(0, 1, 0), Vec3::Zero()}};
  }

 private:
  double radius_;
};

TEST(Joints, UsersHaveTheirOwn) {
  const BodyId bead = body_number(0);
  const Vec3 start(0.6, 0, 0.8);
  testing::check_constraint(Ring(bead, 1), {{Quat::Identity(), start}, start}, {{}, Vec3::Zero()});
  RigidBodies bodies(awake());
  bodies.add(bead, {.state = {.pose = {Quat::Identity(), start}}});
  bodies.add(std::make_shared<Ring>(bead, 1.0));
  const double before = bodies.kinetic_energy() + bodies.potential_energy();
  double lowest = 1;
  for (int i = 0; i < 2000; ++i) {
    bodies.step(1e-3);
    EXPECT_NEAR(bodies.centre(bead).norm(), 1, 1e-10);
    lowest = std::min(lowest, bodies.centre(bead).z());
  }
  EXPECT_NEAR(lowest, -1, 1e-3);
  EXPECT_NEAR(bodies.kinetic_energy() + bodies.potential_energy(), before, 1e-4 * 9.81);
}

TEST(Joints, WarmStepsAllocateNothing) {
  Chain chain(10, JointKind::hinge, awake());
  const auto step = [&] { chain.bodies.step(1.0 / 60); };
  step();
  step();
  if (!testing::counts_allocations()) GTEST_SKIP() << "the sanitizers have their own allocator";
  EXPECT_EQ(testing::allocations_in(step), 0u);
}

TEST(Joints, MistakesAreNamed) {
  const ConstraintSide world{{}, Vec3::Zero()};
  const BodyId a = body_number(0);
  EXPECT_THROW(make_joint(a, world, a, world, {}), Error);
  EXPECT_THROW(make_joint(a, world, {}, world, {.axis = Vec3::Zero()}), Error);
  EXPECT_THROW(make_joint(a, world, {}, world, {.compliance = -1}), Error);
  EXPECT_THROW(make_joint(a, world, {}, world, {.point = Vec3(0, std::nan(""), 0)}), Error);
  EXPECT_THROW(make_joint(a, world, {}, world, {.kind = JointKind::distance, .length = -1.0}), Error);
  EXPECT_THROW(make_joint(a, world, {}, world, {.kind = JointKind::distance}), Error) << "a ball joint";
  try {
    joint_kind("hinges");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.remedy().find("hinge"), std::string::npos);
  }
  RigidBodies bodies;
  EXPECT_THROW(bodies.add(make_joint(a, world, {}, world, {})), Error) << "no such body";
}

}  // namespace
}  // namespace palpate
