// A world and its steps.
#include <palpate/world/world.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <gtest/gtest.h>
#include <support/allocation_counter.h>
#include <world/world_cases.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>

namespace palpate {
namespace {

constexpr double frame = 1.0 / 60;

TEST(World, StepsReadAsTheirStages) {
  const auto world = testing::mixed_world();
  std::vector<std::string_view> seen;
  std::uint64_t told = 0;
  world->observe([&](const WorldFrame& f) {
    told = f.report.step;
    EXPECT_EQ(&f.world, world.get());
    EXPECT_EQ(f.stages.size(), 10u);
  });
  const StepReport report = world->step(frame);
  for (const Stage& stage : world->stages()) seen.push_back(stage.name);
  EXPECT_EQ(seen, (std::vector<std::string_view>{"inputs", "detect", "boxes", "pairs", "tests", "order",
                                                 "respond", "solve", "finish", "publish"}));
  EXPECT_EQ(told, 1u);
  EXPECT_EQ(report.step, 1u);
  EXPECT_NEAR(report.time, frame, 1e-15);
  EXPECT_EQ(report.failures, 0u);
  EXPECT_GT(report.soft.iterations, 0);
}

TEST(World, StagesInsideAnotherCountInBothAndInEverySubstep) {
  constexpr std::array<std::string_view, 4> inside = {"boxes", "pairs", "tests", "order"};
  constexpr std::array<std::string_view, 6> outer = {"inputs", "detect", "respond",
                                                     "solve",  "finish", "publish"};
  for (const int substeps : {1, 3}) {
    const auto world = testing::mixed_world(substeps);
    for (int i = 0; i < 2; ++i) {
      const StepReport report = world->step(frame);
      std::int64_t detect = 0, parts = 0, all = 0;
      for (const Stage& stage : world->stages()) {
        EXPECT_EQ(stage.calls, stage.name == "publish" ? 1 : substeps) << stage.name;
        if (stage.name == "detect") detect = stage.nanoseconds;
        if (std::find(inside.begin(), inside.end(), stage.name) != inside.end()) parts += stage.nanoseconds;
        if (std::find(outer.begin(), outer.end(), stage.name) != outer.end()) all += stage.nanoseconds;
      }
      EXPECT_GT(parts, 0);
      EXPECT_LE(parts, detect);
      EXPECT_LE(all - world->stages().back().nanoseconds, report.nanoseconds);
    }
  }
  WorldOptions blind;
  blind.detects = false;
  World world(blind);
  world.step(frame);
  EXPECT_EQ(world.stages().size(), outer.size());
}

// A step of two substeps is two steps of half the length, to the last bit: what moves, what pushes, and how
// often the solver was asked. Only the number of steps is another, and with it the hash of the world.
TEST(World, SubstepsAreStepsOfTheirLength) {
  for (const std::string_view solver : {"quasi_newton", "vertex"}) {
    SCOPED_TRACE(solver);
    const auto whole = testing::mixed_world(2, solver), halves = testing::mixed_world(1, solver);
    for (World* world : {whole.get(), halves.get()})
      world->add_rigid(
          make(BoxShape{.cells_x = 1, .cells_y = 1, .cells_z = 1}),
          {.name = "falls",
           .state = {.pose = {Quat::Identity(), Vec3(0.02, 0.01, -2.87)}, .velocity = Vec3(0.3, 0, -1)},
           .touch = {.friction = 0.4}});
    const auto state = [](const World& world) {
      StateHash hash;
      hash.add(world.time());
      world.rigid().hash(hash);
      for (const BodyId id : world.bodies())
        if (world.kind(id) == BodyKind::soft) world.soft(id).hash(hash);
      for (const Contact& contact : world.contacts()) {
        hash.add(contact.key);
        hash.add(contact.distance);
      }
      return hash.value();
    };
    std::size_t contacts = 0, pushing = 0;
    int solves = 0;
    for (int i = 0; i < 10; ++i) {
      const StepReport one = whole->step(frame);
      const StepReport first = halves->step(frame / 2);
      std::map<std::uint64_t, Vec3> forces;
      const auto add_forces = [&] {
        for (const ContactForce& f : halves->contact_forces()) {
          const auto at = forces.try_emplace(f.key, Vec3::Zero()).first;
          at->second += 0.5 * f.force;
        }
      };
      add_forces();
      const StepReport second = halves->step(frame / 2);
      add_forces();
      ASSERT_EQ(whole->contact_forces().size(), forces.size()) << "of the whole step, each once";
      for (const ContactForce& f : whole->contact_forces())
        EXPECT_LT((f.force - forces.at(f.key)).norm(), 1e-12 * (1 + f.force.norm()));
      const auto counts = [](const TouchingReport& r) {
        return std::vector<double>{static_cast<double>(r.solves), static_cast<double>(r.guarded), r.lost,
                                   std::max(0.0, r.parts - 1.0)};
      };
      for (std::size_t k = 0; k < 4; ++k)
        EXPECT_EQ(counts(one.touching)[k], counts(first.touching)[k] + counts(second.touching)[k]) << k;
      solves += one.touching.solves;
      ASSERT_EQ(state(*whole), state(*halves)) << i;
      EXPECT_EQ(one.soft.iterations, first.soft.iterations + second.soft.iterations);
      EXPECT_EQ(one.soft.residual, std::max(first.soft.residual, second.soft.residual));
      EXPECT_EQ(one.failures, first.failures + second.failures);
      contacts += whole->contacts().size();
      pushing += whole->contact_forces().size();
    }
    EXPECT_GT(contacts, 0u);
    EXPECT_GT(pushing, 0u);
    EXPECT_GE(solves, solver == "quasi_newton" ? 20 : 0);
    EXPECT_EQ(whole->steps(), 10u);
    EXPECT_EQ(halves->steps(), 20u);
  }
}

TEST(World, BodiesComeAndGo) {
  World world;
  const TriangleMesh box = make(BoxShape{});
  const BodyId a = world.add_rigid(box, {.name = "a"}), b = world.add_static(box, {.name = "b"});
  EXPECT_EQ(world.find("a"), a);
  EXPECT_EQ(world.kind(b), BodyKind::fixed);
  EXPECT_EQ(world.size(), 2u);
  EXPECT_THROW(world.add_static(box, {.name = "a"}), Error) << "names are unique";
  EXPECT_EQ(world.size(), 2u);
  world.step(frame);
  world.remove(a);
  EXPECT_FALSE(world.contains(a));
  EXPECT_THROW(world.state(a), Error);
  EXPECT_THROW(world.remove(a), Error);
  const BodyId c = world.add_rigid(box, {.name = "a"});
  EXPECT_NE(a, c);
  world.step(frame);
  EXPECT_LT(world.state(c).velocity.z(), 0);
  EXPECT_EQ(world.state(b).velocity.norm(), 0);
}

TEST(World, WhatCannotBeIsRefusedAndLeavesNothing) {
  World world;
  TriangleMesh bad = make(BoxShape{});
  bad.positions[3].y() = std::nan("");
  EXPECT_THROW(world.add_rigid(bad), Error);
  EXPECT_THROW(world.add_static(bad), Error);
  EXPECT_THROW(world.add_rigid(TriangleMesh{}), Error) << "it has no mass";
  const TriangleMesh open{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}, {{0, 1, 2}}};
  EXPECT_THROW(world.add_rigid(open), Error);
  TriangleMesh lidless = make(BoxShape{});  // its volume would come out positive
  lidless.triangles.pop_back();
  try {
    world.add_rigid(lidless, {.name = "lidless"});
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "body 'lidless': its surface is open, with 3 border edges, and encloses no volume. Close the "
        "surface, or give the mass and the inertia.");
  }
  EXPECT_THROW(world.add_static(make(BoxShape{}), {.pose = {Quat(0, 0, 0, 0), Vec3::Zero()}}), Error);
  EXPECT_EQ(world.size(), 0u);
  EXPECT_THROW(world.step(0), Error);
  EXPECT_THROW(world.step(-1), Error);
  EXPECT_THROW(World(WorldOptions{.substeps = 0}), Error);
  world.step(frame);  // nothing is something
}

TEST(World, FindsContactsBetweenAllKinds) {
  WorldOptions options;
  options.contact.contact_distance = 0.02;
  options.rigid.gravity.setZero();
  World world(options);
  const TriangleMesh ball = make(SphereShape{.radius = 0.5, .around = 16, .bands = 8});
  TetMesh beam = make(BeamShape{.cell = 0.25, .along = 4, .across = 2});
  for (Vec3& p : beam.positions) p += Vec3(0, 0, -0.75);
  const BodyId soft = world.add_soft(SoftBody(beam, {.density = 1000, .young = 1e6, .poisson = 0.4}));
  world.step(frame);
  EXPECT_EQ(world.contacts().size(), 0u);
  double top = -HUGE_VAL;
  for (const Vec3& p : world.surface(soft).positions) top = std::max(top, p.z());
  const BodyId rigid =
      world.add_rigid(ball, {.state = {.pose = {Quat::Identity(), Vec3(0.5, 0.2, top + 0.51)}}});
  world.step(frame);
  EXPECT_GT(world.contacts().size(), 0u);
  world.exclude(rigid, soft);
  world.step(frame);
  EXPECT_EQ(world.contacts().size(), 0u);
}

TEST(World, EmbeddedSurfacesFollow) {
  const auto world = testing::mixed_world();
  const BodyId id = world->find("embedded");
  const std::vector<Vec3> before = world->surface(id).positions;
  for (int i = 0; i < 10; ++i) world->step(frame);
  // In free fall, all of it falls alike.
  const double fallen = world->surface(id).positions[0].z() - before[0].z();
  EXPECT_LT(fallen, -0.1);
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_LT((world->surface(id).positions[i] - before[i] - Vec3(0, 0, fallen)).norm(), 1e-6);
}

TEST(World, ScriptsCarryToolsAndNodes) {
  const auto world = testing::mixed_world();
  for (int i = 0; i < 30; ++i) world->step(frame);
  EXPECT_LT((world->state(world->find("tool")).pose.position - Vec3(2, 0, 0)).norm(), 1e-9);
  const SoftBody& carried = world->soft(world->find("carried"));
  const Pose pose = SteadyScript(Pose{}, Vec3(0, 0, 0.5), Vec3(0.5, 0, 0)).at(world->time());
  std::size_t count = 0;
  for (std::size_t v = 0; v < carried.positions().size(); ++v) {
    const Vec3& rest = carried.rest().positions[v];
    if (rest.x() > carried.rest().positions[0].x() + 1e-9) continue;
    EXPECT_LT((carried.positions()[v] - pose.apply(rest)).norm(), 1e-12);
    ++count;
  }
  EXPECT_GT(count, 3u);
}

TEST(World, NodesThatAreReleasedAreLeftAlone) {
  const auto world = testing::mixed_world();
  const BodyId id = world->find("carried");
  EXPECT_THROW(world->move_nodes(id, std::vector<std::uint32_t>{0}, nullptr), Error);
  world->step(frame);
  std::vector<std::uint32_t> all;
  for (std::uint32_t v = 0; v < world->soft(id).positions().size(); ++v) all.push_back(v);
  world->soft(id).release(all);
  world->step(frame);
  // What is placed from outside is seen by the next search.
  std::vector<Vec3> moved(world->soft(id).positions().begin(), world->soft(id).positions().end());
  const std::span<const Vec3> other = world->soft(world->find("held")).positions();
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = other[i] + Vec3(0, 0, 0.05);
  world->soft(id).set_positions(moved);
  world->step(frame);
  EXPECT_GT(world->contacts().size(), 0u);
}

TEST(World, ForcesOnlyWhereTheyShould) {
  World world;
  const TriangleMesh box = make(BoxShape{});
  const BodyId floats = world.add_rigid(box, {.name = "floats", .gravity = false});
  const BodyId falls =
      world.add_rigid(box, {.name = "falls", .state = {.pose = {Quat::Identity(), Vec3(3, 0, 0)}}});
  world.step(frame);
  EXPECT_EQ(world.state(floats).velocity.norm(), 0);
  EXPECT_LT(world.state(falls).velocity.z(), 0);
  world.set_gravity(Vec3(0, 0, 100));
  for (int i = 0; i < 10; ++i) world.step(frame);
  EXPECT_GT(world.state(falls).velocity.z(), 10);
}

TEST(World, EnergyIsToldRight) {
  WorldOptions options;
  options.detects = false;
  World world(options);
  const TriangleMesh box = make(BoxShape{});
  const BodyId id = world.add_rigid(box, {.state = {.pose = {Quat::Identity(), Vec3(0, 0, 2)}}});
  const double mass = world.rigid().mass(id).mass;
  EXPECT_NEAR(world.energies().potential, mass * 9.81 * world.rigid().centre(id).z(), 1e-9 * mass);
  const double before = world.energies().total();
  for (int i = 0; i < 60; ++i) world.step(frame);
  EXPECT_NEAR(world.energies().total(), before, 1e-9 * mass);
}

TEST(World, EnergyOfAConstantForceIsToldRight) {
  WorldOptions options;
  options.detects = false;
  options.rigid.gravity.setZero();
  World world(options);
  const BodyId id = world.add_rigid(make(BoxShape{}), {.state = {.velocity = Vec3(0, 1, 0)}});
  world.add_force(std::make_shared<ConstantForce>(
      ConstantForce::Options{.body = id, .force = Vec3(30, -20, 10), .at = world.rigid().centre(id)}));
  const double before = world.energies().total();
  for (int i = 0; i < 60; ++i) world.step(frame);
  EXPECT_GT(world.energies().kinetic, 0.1);
  EXPECT_NEAR(world.energies().total(), before, 1e-9 * world.energies().kinetic);
}

TEST(World, OpenSurfacesMoveWithAMassThatIsGiven) {
  World world;
  TriangleMesh lidless = make(BoxShape{});
  lidless.triangles.pop_back();
  const BodyId id = world.add_rigid(lidless, {.mass = RigidMass{}});
  world.step(frame);
  EXPECT_LT(world.state(id).velocity.z(), 0);
}

TEST(World, RigidBodiesTouchThemselvesWhereAskedTo) {
  TriangleMesh pair = make(SphereShape{.radius = 0.5, .around = 16, .bands = 8});
  const TriangleMesh ball = pair;
  for (const Vec3& p : ball.positions) pair.positions.emplace_back(p + Vec3(0, 0, 1.01));
  const auto first = static_cast<std::uint32_t>(ball.positions.size());
  for (const auto& [a, b, c] : ball.triangles) pair.triangles.push_back({a + first, b + first, c + first});
  WorldOptions options;
  options.contact.contact_distance = 0.02;
  World world(options);
  const BodyId id = world.add_rigid(pair);
  world.step(frame);
  EXPECT_EQ(world.contacts().size(), 0u);
  world.remove(id);
  world.add_rigid(pair, {.self_contacts = true});
  world.step(frame);
  EXPECT_GT(world.contacts().size(), 0u);
}

// A force that knows() nothing.
struct Careless final : Force {
  explicit Careless(BodyId id) : id_(id) {}
  void apply(RigidView& bodies) const override { bodies.push(id_, Vec3(0, 0, 1)); }
  double energy(const RigidView& bodies) const override { return bodies.centre(id_).z(); }

 private:
  BodyId id_;
};

TEST(World, ForcesThatPushWhatIsGoneAreNamed) {
  World world;
  const BodyId id = world.add_rigid(make(BoxShape{})), other = world.add_rigid(make(BoxShape{}));
  const ForceId force = world.add_force(std::make_shared<Careless>(id));
  world.step(frame);
  world.remove(id);
  const std::uint64_t before = world.hash();
  const auto expect_named = [&](auto&& call) {
    try {
      call();
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      const std::string said = error.what();
      EXPECT_NE(said.find("force '0.1': it asks for or pushes a body that is not there"), std::string::npos)
          << said;
      EXPECT_NE(said.find("Remove the force"), std::string::npos) << said;
      EXPECT_NE(said.find("knows()"), std::string::npos) << said;
    }
  };
  for (int i = 0; i < 2; ++i) expect_named([&] { world.step(frame); });
  expect_named([&] { world.energies(); });
  EXPECT_EQ(world.hash(), before);
  world.remove(force);
  world.step(frame);
  EXPECT_LT(world.state(other).velocity.z(), 0);
}

// A constraint of a user's, in one small class: a bead on a ring about the y axis.
class Ring final : public RigidConstraint {
 public:
  Ring(BodyId bead, BodyId hub, double radius) : RigidConstraint(bead, hub), radius_(radius) {}
  std::size_t rows() const override { return 2; }
  void at(const ConstraintSide& bead, const ConstraintSide& hub, ConstraintRows& out) const override {
    const Vec3 p = bead.centre - hub.pose.position;
    const double r = std::hypot(p.x(), p.z());
    const Vec3 along(p.x() / r, 0, p.z() / r);
    out.row[0] = {.value = r - radius_, .move = {along, -along}};
    out.row[1] = {.value = p.y(), .move = {Vec3(0, 1, 0), Vec3(0, -1, 0)}};
  }

 private:
  double radius_;
};

TEST(World, ConstraintsOfUsersHoldBetweenBodies) {
  WorldOptions options;
  options.contact.contact_distance = 0.01;
  World world(options);
  const TriangleMesh ball = make(IcosphereShape{.radius = 0.3, .frequency = 2});
  const BodyId hub = world.add_static(ball, {.name = "hub", .pose = {Quat::Identity(), Vec3(0, 0, 5)}});
  const BodyId bead =
      world.add_rigid(ball, {.name = "bead", .state = {.pose = {Quat::Identity(), Vec3(0.3, 0, 5.4)}}});
  // They lie in each other, and may: joined bodies do not touch.
  const JointId joint = world.add_joint(std::make_shared<Ring>(bead, hub, 0.5));
  const double before = world.energies().total();
  const double mass = world.rigid().mass(bead).mass;
  double lowest = 5;
  for (int i = 0; i < 1000; ++i) {
    const StepReport report = world.step(2e-3);
    ASSERT_EQ(world.contacts().size(), 0u);
    ASSERT_LT(report.rigid.violation, 1e-10);
    const Vec3 at = world.rigid().centre(bead) - Vec3(0, 0, 5);
    ASSERT_NEAR(at.norm(), 0.5, 1e-9);
    ASSERT_NEAR(at.y(), 0, 1e-10);
    lowest = std::min(lowest, at.z());
  }
  EXPECT_NEAR(lowest, -0.5, 1e-3) << "it swings through the bottom";
  EXPECT_NEAR(world.energies().total(), before, 1e-3 * mass * 9.81);
  // A moment of it can be kept, and begun again elsewhere.
  const Snapshot then = world.snapshot();
  const std::uint64_t hash = world.hash();
  world.step(2e-3);
  world.restore(then);
  EXPECT_EQ(world.hash(), hash);
  world.remove(joint);
  world.step(2e-3);
  EXPECT_GT(world.contacts().size(), 0u) << "they are joined no more";
  // It goes with its body.
  world.add_joint(std::make_shared<Ring>(bead, hub, 0.5), true);
  world.remove(bead);
  EXPECT_EQ(world.rigid().joints(), 0u);
  world.step(2e-3);
}

TEST(World, WarmStepsAllocateNothing) {
  const auto world = testing::mixed_world();
  Threads(1).run([&] {
    for (int i = 0; i < 10; ++i) world->step(frame);
    if (!testing::counts_allocations()) GTEST_SKIP() << "the sanitizers have their own allocator";
    EXPECT_EQ(testing::allocations_in([&] { world->step(frame); }), 0u);
  });
}

}  // namespace
}  // namespace palpate
