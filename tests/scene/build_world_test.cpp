// Worlds as scenes describe them: what a key says happens.
#include <palpate/scene/build_world.h>

#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>
#include <scene/scene_checks.h>

#include <palpate/base/error.h>
#include <palpate/mesh/files.h>
#include <palpate/mesh/generate.h>

namespace palpate {
namespace {

using testing::parsed;

std::unique_ptr<World> built(const std::string& text) { return build_world(parsed(text)); }

const std::string weightless = "[world]\ngravity = [0, 0, 0]\n";
const std::string jelly =
    "[[body]]\nname = 'jelly'\nkind = 'soft'\nmaterial = 'muscle'\n"
    "mesh = { shape = 'beam', cell = 0.1, along = 4, across = 2 }\n";

Vec3 mean_velocity(const SoftBody& soft) {
  Vec3 sum = Vec3::Zero();
  double mass = 0;
  for (std::size_t i = 0; i < soft.masses().size(); ++i) {
    sum += soft.masses()[i] * soft.velocities()[i];
    mass += soft.masses()[i];
  }
  return sum / mass;
}

TEST(BuildWorld, ConstantForcesPullAtWhatBends) {
  const auto world =
      built(weightless + jelly + "[[force]]\nkind = 'constant'\nbody = 'jelly'\nforce = [0, 60, 0]\n");
  const SoftBody& soft = world->soft(world->find("jelly"));
  const double mass = std::accumulate(soft.masses().begin(), soft.masses().end(), 0.0);
  for (int i = 0; i < 30; ++i) world->step(1.0 / 60);
  EXPECT_LT((mean_velocity(soft) - Vec3(0, 30 / mass, 0)).norm(), 1e-9);
}

TEST(BuildWorld, AirMovesAndSlowsWhatBends) {
  const auto blown =
      built(weightless + jelly +
            "[[force]]\nkind = 'wind'\nbodies = ['jelly']\nvelocity = [3, 0, 0]\ncoefficient = 1000\n");
  const SoftBody& soft = blown->soft(blown->find("jelly"));
  for (int i = 0; i < 120; ++i) blown->step(1.0 / 60);
  EXPECT_LT((mean_velocity(soft) - Vec3(3, 0, 0)).norm(), 1e-3);
  const auto slowed = built(weightless + jelly +
                            "velocity = [3, 0, 0]\n[[force]]\nkind = 'drag'\nbodies = ['jelly']\n"
                            "linear = 1000\n");
  for (int i = 0; i < 120; ++i) slowed->step(1.0 / 60);
  EXPECT_LT(mean_velocity(slowed->soft(slowed->find("jelly"))).norm(), 1e-3);
  // Where no bodies are named, it is for rigid ones.
  const auto calm = built(weightless + jelly + "[[force]]\nkind = 'wind'\nvelocity = [3, 0, 0]\n");
  calm->step(1.0 / 60);
  EXPECT_LT(mean_velocity(calm->soft(calm->find("jelly"))).norm(), 1e-12);
}

TEST(BuildWorld, ToolsTurnAboutTheirCentre) {
  const auto world = built(
      "[[body]]\nname = 'tool'\nkind = 'kinematic'\nmesh = { shape = 'box' }\nposition = [1, 0, 0]\n"
      "rotation = { axis = [0, 0, 1], angle = 30 }\n"
      "[body.motion]\nvelocity = [0, 0, 0.5]\nangular_velocity = [0, 0, 1.5707963267948966]\ncentre = [3, 0, "
      "0]\n");
  for (int i = 0; i < 100; ++i) world->step(0.01);
  const Pose pose = world->state(world->find("tool")).pose;  // a quarter of a turn
  EXPECT_LT((pose.position - Vec3(3, -2, 0.5)).norm(), 1e-9);
  const Quat turned(Eigen::AngleAxisd(2 * std::acos(-1.0) / 3, Vec3::UnitZ()));
  EXPECT_LT(pose.rotation.angularDistance(turned), 1e-9);
  // Its own origin, if none is given.
  const auto own = built(
      "[[body]]\nname = 'tool'\nkind = 'kinematic'\nmesh = { shape = 'box' }\nposition = [1, 0, 0]\n"
      "[body.motion]\nangular_velocity = [0, 0, 1]\n");
  own->step(0.1);
  EXPECT_LT((own->state(own->find("tool")).pose.position - Vec3(1, 0, 0)).norm(), 1e-12);
}

TEST(BuildWorld, RigidBodiesTouchThemselvesWhereAskedTo) {
  const std::string ring = "[contact]\ndistance = 0.02\nneighbour_distance = 0.02\n" + weightless +
                           "[[body]]\nname = 'a'\nkind = 'rigid'\n"
                           "mesh = { shape = 'box', scale = [1, 1, 0.01] }\n";
  const auto counted = [](const std::string& text) {
    const auto world = built(text);
    world->step(0.01);
    return world->contacts().size();
  };
  EXPECT_EQ(counted(ring), 0u);
  EXPECT_GT(counted(ring + "self_contacts = true\n"), 0u);
}

TEST(BuildWorld, OpenSurfacesNeedAMassAndAnInertia) {
  const std::string path = ::testing::TempDir() + "palpate_build_world_test.obj";
  TriangleMesh lidless = make(BoxShape{});
  lidless.triangles.pop_back();
  write_mesh(path, lidless);
  const std::string body = "[[body]]\nname = 'lidless'\nkind = 'rigid'\nmesh = { file = '" + path + "' }\n";
  for (const std::string mass : {"", "mass = 2\n"}) try {
      built(body + mass);
      ADD_FAILURE() << "built";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(),
                   "s:1:1: body 'lidless': its surface is open, with 3 border edges, and encloses no volume. "
                   "Close the surface, or give the mass and the inertia.");
    }
  built(body + "mass = 2\ninertia = [1, 1, 1]\n")->step(0.01);
  std::remove(path.c_str());
}

TEST(BuildWorld, ExcludedPairsPassThroughEachOther) {
  const auto box = [](const std::string& name, const std::string& x) {
    return "[[body]]\nname = '" + name + "'\nkind = 'rigid'\nmesh = { shape = 'box' }\nposition = [" + x +
           ", 0, 0]\n";
  };
  const std::string row = box("a", "0") + box("b", "0.1005") + box("c", "0.201");
  const auto pairs = [](const std::string& text) {
    const auto world = built(text);
    world->step(1e-4);
    const auto touch = [&](const char* one, const char* other) {
      const std::uint32_t a = world->surface_id(world->find(one)).index,
                          b = world->surface_id(world->find(other)).index;
      std::size_t count = 0;
      for (const Contact& contact : world->contacts()) {
        const std::uint32_t first = contact.first_surface, second = contact.second_surface;
        count += (first == a && second == b) || (first == b && second == a) ? 1 : 0;
      }
      return count > 0;
    };
    return std::array{touch("a", "b"), touch("b", "c"), touch("a", "c")};
  };
  EXPECT_EQ(pairs(weightless + row), (std::array{true, true, false}));
  EXPECT_EQ(pairs(weightless + "[contact]\nexclude = [['b', 'a']]\n" + row),
            (std::array{false, true, false}));
  EXPECT_EQ(pairs(weightless + "[contact]\nexclude = [['b', 'a'], ['b', 'c']]\n" + row),
            (std::array{false, false, false}));
}

Mat3 inertia_of(const World& world, const char* name) {
  const RigidMass& mass = world.rigid().mass(world.find(name));
  const Mat3 axes = mass.frame.rotation.toRotationMatrix();
  return axes * mass.moments.asDiagonal() * axes.transpose();
}

TEST(BuildWorld, MassesAndInertiasArrive) {
  const auto body = [](const std::string& name, const std::string& more) {
    return "[[body]]\nname = '" + name +
           "'\nkind = 'rigid'\nmesh = { shape = 'box', size-x = 0.1, size-y = 0.2, size-z = 0.3 }\n" + more;
  };
  const auto world =
      built(body("plain", "") + body("light", "density = 500\n") + body("heavy", "mass = 30\n") +
            body("given", "mass = 2\ninertia = [0.3, 0.4, 0.5, 0.01, -0.02, 0.03]\n"));
  const auto mass = [&](const char* name) { return world->rigid().mass(world->find(name)).mass; };
  EXPECT_NEAR(mass("plain"), 6, 1e-12);
  EXPECT_NEAR(mass("light"), 3, 1e-12);
  EXPECT_NEAR(mass("heavy"), 30, 1e-12);
  EXPECT_NEAR(mass("given"), 2, 1e-15);
  const Mat3 of_one_kilogram = Vec3(0.13, 0.10, 0.05).asDiagonal() * Mat3(Mat3::Identity() / 12);
  for (const char* name : {"plain", "light", "heavy"})
    EXPECT_LT((inertia_of(*world, name) - mass(name) * of_one_kilogram).norm(), 1e-12) << name;
  Mat3 inertia;
  inertia << 0.3, 0.01, -0.02, 0.01, 0.4, 0.03, -0.02, 0.03, 0.5;
  EXPECT_LT((inertia_of(*world, "given") - inertia).norm(), 1e-12);
  EXPECT_LT(world->rigid().centre(world->find("given")).norm(), 1e-12);
}

TEST(BuildWorld, DampingArrives) {
  const auto body = [](const std::string& name, const std::string& more) {
    return "[[body]]\nname = '" + name + "'\nkind = 'rigid'\nmesh = { shape = 'box' }\ncollide = false\n" +
           "velocity = [1, 0, 0]\nangular_velocity = [0, 0, 2]\n" + more;
  };
  const auto world = built(weightless + "linear_damping = 0.5\nangular_damping = 0.25\n" + body("all", "") +
                           body("own", "linear_damping = 1\nangular_damping = 0\n"));
  for (int i = 0; i < 240; ++i) world->step(1.0 / 120);
  const RigidState all = world->state(world->find("all")), own = world->state(world->find("own"));
  EXPECT_NEAR(all.velocity.x(), std::exp(-1), 1e-4);
  EXPECT_NEAR(all.angular_velocity.z(), 2 * std::exp(-0.5), 1e-4);
  EXPECT_NEAR(own.velocity.x(), std::exp(-2), 1e-4);
  EXPECT_NEAR(own.angular_velocity.z(), 2, 1e-12);
}

TEST(BuildWorld, WhatFeelsNoGravityStays) {
  const auto rigid = [](const std::string& name, const std::string& more) {
    return "[[body]]\nname = '" + name + "'\nkind = 'rigid'\nmesh = { shape = 'box' }\ncollide = false\n" +
           more;
  };
  const auto world =
      built("[world]\ngravity = [0, 2, 0]\n" + rigid("falls", "") + rigid("stays", "gravity = false\n") +
            jelly + "collide = false\ngravity = false\n" +
            "[[body]]\nname = 'drop'\nkind = 'soft'\nmaterial = 'muscle'\ncollide = false\n"
            "mesh = { shape = 'beam', cell = 0.1, along = 2, across = 1 }\n");
  for (int i = 0; i < 60; ++i) world->step(1.0 / 60);
  EXPECT_LT((world->state(world->find("falls")).velocity - Vec3(0, 2, 0)).norm(), 1e-9);
  EXPECT_EQ(world->state(world->find("stays")).velocity.norm(), 0);
  EXPECT_LT((mean_velocity(world->soft(world->find("drop"))) - Vec3(0, 2, 0)).norm(), 1e-6);
  EXPECT_LT(mean_velocity(world->soft(world->find("jelly"))).norm(), 1e-12);
}

TEST(BuildWorld, SubstepsArrive) {
  const std::string box = "[[body]]\nname = 'a'\nkind = 'rigid'\nmesh = { shape = 'box' }\n";
  for (const int substeps : {1, 3}) {
    const auto world = built("[run]\nsubsteps = " + std::to_string(substeps) + "\n" + box);
    world->step(1.0 / 60);
    for (const Stage& stage : world->stages())
      if (stage.name == "detect" || stage.name == "solve") {
        EXPECT_EQ(stage.calls, substeps) << stage.name;
      }
  }
  // Those of the solver are its own.
  const auto world = built(jelly + "[solver]\nsubsteps = 4\n");
  EXPECT_EQ(world->soft(world->find("jelly")).options().substeps, 4);
}

// What holds the left end of a beam moves: nodes go along, away from where they began.
void expect_held_nodes(const std::string& motion, const std::function<Pose(double)>& expected) {
  SCOPED_TRACE(motion);
  const auto world = built(weightless + jelly +
                           "position = [1, 0, 0]\n[[body.fix]]\n"
                           "plane = { point = [-0.15, 0, 0], normal = [1, 0, 0] }\n" +
                           motion);
  const SoftBody& soft = world->soft(world->find("jelly"));
  std::size_t held = 0;
  for (int i = 0; i < 45; ++i) {
    world->step(0.01);
    if (i % 11 != 0) continue;
    const Pose move = expected(world->time());
    held = 0;
    for (std::uint32_t v = 0; v < soft.positions().size(); ++v) {
      const Vec3& rest = soft.rest().positions[v];
      ASSERT_EQ(soft.is_fixed(v), rest.x() < 1 - 0.15);
      if (!soft.is_fixed(v)) continue;
      EXPECT_LT((soft.positions()[v] - move.apply(rest)).norm(), 1e-12);
      ++held;
    }
  }
  EXPECT_EQ(held, 9u);
}

TEST(BuildWorld, HeldNodesAreMovedAsTheSceneSays) {
  const auto turn = [](double angle, const Vec3& centre, const Vec3& by) {
    const Quat rotation(Eigen::AngleAxisd(angle, Vec3::UnitZ()));
    return Pose{rotation, centre + by - rotation * centre};
  };
  expect_held_nodes("motion = { velocity = [0, 0, 0.1], angular_velocity = [0, 0, 0.5] }\n",
                    [&](double t) { return turn(0.5 * t, Vec3(1, 0, 0), Vec3(0, 0, 0.1 * t)); });
  expect_held_nodes("motion = { angular_velocity = [0, 0, 0.5], centre = [0.8, 0.1, 0] }\n",
                    [&](double t) { return turn(0.5 * t, Vec3(0.8, 0.1, 0), Vec3::Zero()); });
  expect_held_nodes(
      "motion = { repeat = true, keyframes = [{ time = 0, position = [0, 0, 0] }, "
      "{ time = 0.3, position = [0, 0.06, 0] }] }\n",
      [&](double t) { return turn(0, Vec3::Zero(), Vec3(0, 0.2 * (t > 0.3 ? t - 0.3 : t), 0)); });
}

}  // namespace
}  // namespace palpate
