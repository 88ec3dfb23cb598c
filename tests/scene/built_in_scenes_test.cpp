// The scenes that come with Palpate: each can be read and built, runs without failure, and shows what it is
// there for.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <palpate/base/parallel.h>
#include <palpate/mesh/files.h>
#include <palpate/mesh/generate.h>
#include <palpate/scene/build_world.h>
#include <palpate/scene/read_scene.h>
#include <palpate/study/study_springs.h>

namespace palpate {
namespace {

namespace fs = std::filesystem;

fs::path scenes() { return fs::path(PALPATE_SOURCE_DIR) / "scenes"; }
Scene scene_named(const std::string& name, std::span<const std::string> overrides = {}) {
  return read_scene(scenes() / (name + ".toml"), overrides);
}

void go(World& world, const Scene& scene, double seconds) {
  for (int i = 0; i < static_cast<int>(std::lround(seconds / scene.run.step)); ++i) {
    const StepReport& report = world.step(scene.run.step);
    ASSERT_EQ(report.failures, 0u);
  }
}

TEST(BuiltInScenes, AllRunAndGiveTheSameBytes) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(scenes())) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path().filename());
    const Scene scene = read_scene(entry.path());
    EXPECT_FALSE(scene.title.empty());
    EXPECT_EQ(parse_scene(scene.text, "again"), scene) << "the scene as run is the scene";
    std::vector<std::uint64_t> hashes;
    Snapshot middle;
    for (const int threads : {1, 2, 4}) {
      const auto world = build_world(scene);
      Threads(threads).run([&] {
        go(*world, scene, 5 * scene.run.step);
        if (threads == 1) world->snapshot(middle);
        go(*world, scene, 5 * scene.run.step);
      });
      hashes.push_back(world->hash());
    }
    const auto other = build_world(scene);
    other->restore(middle);
    go(*other, scene, 5 * scene.run.step);
    hashes.push_back(other->hash());
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
    EXPECT_EQ(hashes[0], hashes[3]) << "by way of a snapshot, in another world";
    ++count;
  }
  EXPECT_GE(count, 9u);
}

// How far the free end of each is below the held one: less than Timoshenko's beam of the free length, as
// linear elements are too stiff, and nearer to it the finer they are.
TEST(BuiltInScenes, BeamsSag) {
  const Scene scene = scene_named("beams");
  const auto world = build_world(scene);
  go(*world, scene, 2.5);
  int across = 2;
  double last = 0;
  for (const BodyId id : world->bodies()) {
    const SoftBody& body = world->soft(id);
    double low = 0, held = -HUGE_VAL, end = -HUGE_VAL, bottom = HUGE_VAL, top = -HUGE_VAL;
    for (std::size_t v = 0; v < body.positions().size(); ++v) {
      const Vec3& rest = body.rest().positions[v];
      low = std::min(low, body.positions()[v].z() - rest.z());
      if (body.is_fixed(static_cast<std::uint32_t>(v))) held = std::max(held, rest.x());
      end = std::max(end, rest.x());
      bottom = std::min(bottom, rest.z());
      top = std::max(top, rest.z());
    }
    EXPECT_LT(low, -5e-3) << world->name(id);
    EXPECT_GT(low, -26e-3) << world->name(id);
    const Material& gel = body.materials()[0];
    const double length = end - held, side = top - bottom, load = gel.density * 9.81;
    const double bending = 12 * load * std::pow(length, 4) / (8 * gel.young * side * side);
    const double shear = load * length * length / (2 * 5.0 / 6 * gel.young / (2 + 2 * gel.poisson));
    const double part = -low / (bending + shear);
    EXPECT_LT(part, 1) << world->name(id);
    EXPECT_GT(part, 1 - 0.8 / across) << world->name(id);
    EXPECT_GT(part, last) << world->name(id);
    last = part;
    ++across;
    EXPECT_EQ(body.inverted(), 0u);
  }
}

TEST(BuiltInScenes, SagTakesAnyMesh) {
  // A file in centimetres, named as the scene says it: from the current folder.
  const fs::path file =
      fs::path(::testing::TempDir()) / ("palpate_sag_" + std::to_string(::getpid()) + ".vtu");
  const TetMesh bar = make(SolidBoxShape{10, 3, 3, 6, 2, 2});
  write_mesh(file.string(), bar);
  const std::vector<std::string> overrides = {
      fmt::format("body.body.mesh={{file=\"{}\", unit=\"cm\"}}", fs::relative(file).string()),
      "body.body.fix.0={plane={point=[-0.049, 0, 0], normal=[1, 0, 0]}}"};
  const Scene scene = scene_named("sag", overrides);
  const auto world = build_world(scene);
  go(*world, scene, 0.5);
  const SoftBody& body = world->soft(world->find("body"));
  EXPECT_EQ(body.rest().tets.size(), bar.tets.size());
  double low = 0, right = 0;
  std::size_t held = 0;
  for (std::size_t v = 0; v < body.positions().size(); ++v) {
    low = std::min(low, body.positions()[v].z() - body.rest().positions[v].z());
    right = std::max(right, body.rest().positions[v].x());
    held += body.is_fixed(static_cast<std::uint32_t>(v)) ? 1 : 0;
  }
  EXPECT_NEAR(right, 0.05, 1e-9);
  EXPECT_EQ(held, 9u);  // one side of it
  EXPECT_LT(low, -1e-3);
  EXPECT_EQ(body.inverted(), 0u);
  fs::remove(file);
}

TEST(BuiltInScenes, TheTwistedBarSpringsBack) {
  const Scene scene = scene_named("twist");
  const auto world = build_world(scene);
  SoftBody& body = world->soft(world->find("bar"));
  const double before = body.elastic_energy();
  go(*world, scene, 2);
  EXPECT_LT(body.elastic_energy(), 0.02 * before);
  EXPECT_EQ(body.inverted(), 0u);
}

// The scenes are the systems of the study.
TEST(BuiltInScenes, SpringCubesSwingAsTheyShould) {
  for (const SpringSystem& system : SpringSystem::all()) {
    const Scene scene = scene_named("spring-cubes-" + std::to_string(system.number));
    const auto world = build_world(scene);
    const std::vector<Vec3> exact = system.exact(scene.run.step, scene.run.steps);
    for (std::size_t i = 0; i <= 400; ++i) {
      const Vec3 between =
          world->rigid().centre(world->find("two")) - world->rigid().centre(world->find("one"));
      ASSERT_LT((between - exact[i]).norm(), 1e-3) << system.number << " at step " << i;
      world->step(scene.run.step);
    }
  }
}

TEST(BuiltInScenes, OnlyTheMiddleAxisFlips) {
  const Scene scene = scene_named("top");
  const auto world = build_world(scene);
  std::vector<int> flips(world->size(), 0);
  std::vector<double> last(world->size(), 0);
  const std::vector<Vec3> axes = {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  const double energy = world->energies().total();
  for (std::size_t i = 0; i < scene.run.steps; ++i) {
    world->step(scene.run.step);
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const double along = (world->state(world->bodies()[k]).pose.rotation * axes[k]).dot(axes[k]);
      if (i > 0 && (along > 0) != (last[k] > 0) && k == 1) ++flips[k];
      if (k != 1) {
        EXPECT_GT(along, 0.99) << k;
      }
      last[k] = along;
    }
  }
  EXPECT_GE(flips[1], 2);
  EXPECT_NEAR(world->energies().total() / energy, 1, 1e-9);
}

TEST(BuiltInScenes, JointsHoldInThePendulum) {
  const Scene scene = scene_named("pendulum");
  const auto world = build_world(scene);
  double worst = 0;
  for (int i = 0; i < 600; ++i) worst = std::max(worst, world->step(scene.run.step).rigid.violation);
  EXPECT_LT(worst, 1e-8);
  const RigidState sleigh = world->state(world->find("sleigh"));
  EXPECT_GT(sleigh.pose.position.x(), 0.1) << "it slides down";
  EXPECT_NEAR(sleigh.pose.position.z(), -0.2 * sleigh.pose.position.x(), 1e-9);
  const Vec3 welded = world->state(world->find("left"))
                          .pose.inverse()
                          .apply(world->state(world->find("right")).pose.position);
  EXPECT_LT((welded - Vec3(0.12, 0, 0)).norm(), 1e-8);
}

}  // namespace
}  // namespace palpate
