// Worlds as scenes describe them: what a key says happens.
#include <palpate/scene/build_world.h>

#include <cmath>
#include <fstream>
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

}  // namespace
}  // namespace palpate
