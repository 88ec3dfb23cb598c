// The scenes in which things touch. In all of them nothing crosses, nothing explodes, and what should come to
// rest does; the number of threads makes no difference.
//
// A few hundred steps normally; under PALPATE_LONG all of the scene, ten times over where it rests, on 1, 2
// and 4 threads.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include <gtest/gtest.h>

#include <palpate/base/parallel.h>
#include <palpate/collide/detector.h>
#include <palpate/collide/edges_through.h>
#include <palpate/collide/queries.h>
#include <palpate/mesh/topology.h>
#include <palpate/scene/build_world.h>
#include <palpate/scene/read_scene.h>

#include "support/cases.h"

namespace palpate {
namespace {

namespace fs = std::filesystem;
using testing::fewer_cases;
using testing::long_run;

Scene scene_named(const std::string& name, std::span<const std::string> overrides = {}) {
  return read_scene(fs::path(PALPATE_SOURCE_DIR) / "scenes" / (name + ".toml"), overrides);
}

Box box_of(const TriangleMesh& mesh) {
  Box box;
  for (const Vec3& p : mesh.positions) box.add(p);
  return box;
}

// By exact signs: no edge meets a triangle of another body, or of its own; and no vertex of one body is
// inside of another one. All but sheets are closed.
void expect_no_crossing(const World& world) {
  Detector surfaces;
  std::vector<SurfaceId> solid;
  for (const BodyId id : world.bodies()) {
    const TriangleMesh& mesh = world.surface(id);
    const bool closed = describe(Topology(mesh.positions.size(), mesh.triangles)).closed();
    solid.push_back(closed ? surfaces.add(mesh) : SurfaceId{});
    EXPECT_TRUE(closed || world.name(id) == "sheet") << world.name(id);
    if (world.kind(id) == BodyKind::soft) {
      EXPECT_TRUE(edges_through_triangles(mesh).empty()) << world.name(id);
    }
  }
  Queries queries(surfaces.surfaces());
  for (const BodyId a : world.bodies())
    for (std::size_t i = 0; i < world.bodies().size(); ++i) {
      const BodyId b = world.bodies()[i];
      const auto moves = [&](BodyId id) {
        return world.kind(id) == BodyKind::soft || world.kind(id) == BodyKind::rigid;
      };
      if (a == b || (!moves(a) && !moves(b)) || !box_of(world.surface(a)).overlaps(box_of(world.surface(b))))
        continue;
      EXPECT_TRUE(edges_through_triangles(world.surface(a), world.surface(b)).empty())
          << world.name(a) << " through " << world.name(b);
      if (!solid[i]) continue;
      for (const Vec3& p : world.surface(a).positions)
        ASSERT_EQ(queries.winding_number(solid[i], p), 0) << world.name(a) << " in " << world.name(b);
    }
}

struct Watch {
  int steps = 200;     // normally
  int long_steps = 0;  // under PALPATE_LONG
  // Energy may come from outside: from scripts, or from layers between bodies that begin nearer than the
  // contact distance.
  bool driven = false;
  // Of the energy that moved so far: how much may come from nowhere in a step, and in all since it was least.
  double noise = 3e-4, sum = 0.01;
  int rest = 0;     // step from which on nothing goes anywhere any more; 0: none
  int settled = 0;  // step from which on energy may rise no more, however driven it was; 0: none
};

Vec3 middle_of(const World& world, BodyId id) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : world.surface(id).positions) sum += p;
  return sum / static_cast<double>(world.surface(id).positions.size());
}

// Runs it; energies never rise from nowhere, all stays finite.
std::unique_ptr<World> watched(const Scene& scene, const Watch& watch, int threads = 2) {
  auto world = build_world(scene);
  std::vector<Vec3> rested;
  const int steps =
      long_run() ? std::max(watch.steps, watch.long_steps) : (fewer_cases() ? watch.steps / 10 : watch.steps);
  Threads(threads).run([&] {
    Energies before = world->energies();
    double moved = before.kinetic, lost = 0, level = 0, lowest = 0;
    for (int i = 0; i < steps; ++i) {
      if (i % 50 == 49) expect_no_crossing(*world);
      if (watch.rest > 0 && i == watch.rest)
        for (const BodyId id : world->bodies()) rested.push_back(middle_of(*world, id));
      const StepReport& report = world->step(scene.run.step);
      ASSERT_EQ(report.failures, 0u) << i;
      lost += report.touching.lost;
      ASSERT_LT(lost, 0.1 * scene.run.step) << i;
      const Energies now = world->energies();
      ASSERT_TRUE(std::isfinite(now.total())) << i;
      const auto without_layers = [](const Energies& e) { return e.total() - e.contact; };
      const double rise = without_layers(now) - without_layers(before);
      moved = std::max({moved, now.kinetic, std::abs(rise)});
      if (!watch.driven || (watch.settled > 0 && i > watch.settled)) {
        const double from_nowhere = rise - std::max(0.0, before.contact - now.contact);
        level += from_nowhere;
        lowest = std::min(lowest, level);
        ASSERT_LT(from_nowhere, watch.noise * moved + 1e-9) << i;
        ASSERT_LT(level - lowest, watch.sum * moved + 1e-9) << i;
      }
      before = now;
    }
  });
  for (const BodyId id : world->bodies())
    if (world->kind(id) == BodyKind::soft) {
      EXPECT_EQ(world->soft(id).inverted(), 0u) << world->name(id);
    }
  for (std::size_t i = 0; i < rested.size(); ++i)
    EXPECT_LT((middle_of(*world, world->bodies()[i]) - rested[i]).norm(), 1e-3)
        << world->name(world->bodies()[i]) << " has drifted";
  expect_no_crossing(*world);
  return world;
}

void expect_same_for_all_threads(const std::string& name, int steps) {
  const Scene scene = scene_named(name);
  std::vector<std::uint64_t> hashes;
  for (const int threads : {1, 2, 4}) {
    const auto world = build_world(scene);
    Threads(threads).run([&] {
      for (int i = 0; i < steps; ++i) world->step(scene.run.step);
    });
    hashes.push_back(world->hash());
  }
  EXPECT_EQ(hashes[0], hashes[1]) << name;
  EXPECT_EQ(hashes[0], hashes[2]) << name;
}

void expect_tetrahedra(const World& world, const std::string& body, std::size_t least) {
  EXPECT_GE(world.soft(world.find(body)).rest().tets.size(), least) << body;
}

void run_tori(const std::string& name, int steps) {
  const Scene scene = scene_named(name);
  const auto world = watched(scene, {.steps = steps, .long_steps = 1500, .rest = long_run() ? 1200 : 0});
  if (fewer_cases()) return;
  for (const char* body : {"lower", "upper"}) expect_tetrahedra(*world, body, 2000);
  EXPECT_LT(middle_of(*world, world->find("upper")).z(), 0.05) << "it slid off";
  EXPECT_GT(box_of(world->surface(world->find("upper"))).lo.z(), -0.15) << "and lies on the floor";
  if (long_run()) {
    EXPECT_LT(world->energies().kinetic, 1e-5) << "and came to rest";
  }
  if (long_run()) expect_same_for_all_threads(name, name == "tori-3200" ? 300 : 60);
}

TEST(TouchingScenesProperty, ToriCoarse) { run_tori("tori-3200", 200); }
TEST(TouchingScenesProperty, Tori) { run_tori("tori", 150); }
TEST(TouchingScenesProperty, ToriFine) { run_tori("tori-51200", 120); }

TEST(TouchingScenesProperty, TheKnotComesToRestOnItself) {
  const auto world = watched(scene_named("knot"), {.steps = 250, .long_steps = 2000});
  if (fewer_cases()) return;
  EXPECT_GT(world->contact_forces().size(), 10u);
  EXPECT_LT(world->energies().kinetic, long_run() ? 1e-5 : 0.002);
  expect_tetrahedra(*world, "knot", 2000);
  if (long_run()) expect_same_for_all_threads("knot", 500);
}

// In a fold there are edges that seem to say nothing, and yet would be crossed. What the guard had to add in
// one step is there from the start in the next: not found anew, after a whole solve, in every step of a
// second.
TEST(TouchingScenes, WhatTheGuardFoundIsKept) {
  if (fewer_cases()) return;
  const std::vector<std::string> changes = {"materials.gel.damping=0"};
  const Scene scene = scene_named("knot", changes);
  const auto world = build_world(scene);
  int again = 0;
  for (int i = 0; i < 80; ++i) {
    const StepReport& report = world->step(scene.run.step);
    if (i >= 40) again += report.touching.solves > 1 ? 1 : 0;
    EXPECT_LT(report.touching.solves, 5) << i;
  }
  EXPECT_LT(again, 6);
}

TEST(TouchingScenesProperty, TheToolOfTheLaparoscopyPushes) {
  const Scene scene = scene_named("laparoscopy");
  const auto world = build_world(scene);
  double most = 0;
  std::size_t faces = 0;
  for (const BodyId id : world->bodies())
    if (world->kind(id) != BodyKind::soft) faces += world->surface(id).triangles.size();
  EXPECT_EQ(faces, 3592u);
  EXPECT_EQ(world->surface(world->find("organ")).triangles.size(), 512u);
  EXPECT_EQ(world->surface(world->find("tool")).triangles.size(), 64u);
  const BodyId tool = world->find("tool");
  for (int i = 0; i < (long_run() ? 2000 : 200); ++i) {
    const StepReport& report = world->step(scene.run.step);
    ASSERT_EQ(report.failures, 0u);
    ASSERT_EQ(report.touching.lost, 0) << i;
    ASSERT_TRUE(std::isfinite(world->energies().total())) << i;
    // The tool pushes with a few newtons over millimetres: more would be an explosion.
    ASSERT_LT(world->energies().kinetic, 0.1) << i;
    for (const ContactForce& one : world->contact_forces())
      if (one.first == tool || one.second == tool) most = std::max(most, one.push);
    if (i % 50 == 49) expect_no_crossing(*world);
    if (fewer_cases() && i == 20) return;
  }
  EXPECT_GT(most, 0.05);
  if (long_run()) expect_same_for_all_threads("laparoscopy", 200);
  EXPECT_EQ(world->soft(world->find("organ")).inverted(), 0u);
  expect_no_crossing(*world);
}

TEST(TouchingScenesProperty, BallsComeToRestInTheBox) {
  // Ten minutes under PALPATE_LONG. A ball may lie where it hardly can, and roll from there after seconds.
  const auto world = watched(scene_named("spheres-box"),
                             {.steps = 400, .long_steps = 36'000, .rest = long_run() ? 1200 : 340});
  if (!fewer_cases()) {
    EXPECT_LT(world->energies().kinetic, 1e-6);
  }
  std::size_t balls = 0;
  for (const BodyId id : world->bodies()) balls += world->kind(id) == BodyKind::soft ? 1 : 0;
  EXPECT_EQ(balls, 50u);
  double mass = 0, carried = 0;
  for (const BodyId id : world->bodies()) {
    if (world->kind(id) != BodyKind::soft) continue;
    const Box box = box_of(world->surface(id));
    EXPECT_GT(box.lo.z(), 0) << world->name(id);
    EXPECT_LT(std::max(-box.lo.x(), box.hi.x()), 0.3) << world->name(id);
    EXPECT_LT(std::max(-box.lo.y(), box.hi.y()), 0.125) << world->name(id);
    for (const double m : world->soft(id).masses()) mass += m;
    carried += world->contact_force(id).z();
  }
  if (!fewer_cases()) {
    EXPECT_NEAR(carried, 9.81 * mass, 0.01 * 9.81 * mass);
  }
  if (long_run()) expect_same_for_all_threads("spheres-box", 200);
}

// What perturbs the start by a billionth of a metre is nowhere a millimetre later.
void expect_stable(const std::string& name, const std::string& body, const std::string& shifted, int steps) {
  const Scene plain = scene_named(name), other = scene_named(name, std::vector<std::string>{shifted});
  const auto one = build_world(plain), two = build_world(other);
  for (int i = 0; i < steps; ++i) {
    one->step(plain.run.step);
    two->step(plain.run.step);
  }
  for (const BodyId id : one->bodies()) {
    double most = 0;
    const auto &a = one->surface(id).positions, &b = two->surface(id).positions;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, (a[i] - b[i]).norm());
    EXPECT_LT(most, 1e-3) << body << ": " << one->name(id);
  }
}

TEST(TouchingScenesProperty, RigidBoxesStand) {
  const auto world =
      watched(scene_named("stack"), {.steps = 300, .long_steps = 3000, .driven = true, .settled = 100});
  if (fewer_cases()) return;
  EXPECT_LT(world->energies().kinetic, 1e-6);
  for (int k = 1; k <= 10; ++k)
    EXPECT_NEAR(world->contact_force(world->find("box " + std::to_string(k))).z(), 9.81, 0.0981) << k;
  EXPECT_NEAR(world->state(world->find("box 10")).pose.position.z(), 0.052 + 9 * 0.102, 0.003);
  // Each box a billionth of a metre farther from the one below.
  expect_stable("stack", "box", "body.box.copies.spacing=[0.001000001, 0.0005, 0.1019]",
                long_run() ? 1000 : 300);
  if (long_run()) expect_same_for_all_threads("stack", 1000);
}

TEST(TouchingScenesProperty, SoftBoxesStand) {
  const auto world =
      watched(scene_named("stack-soft"), {.steps = 300, .long_steps = 3000, .driven = true, .settled = 100});
  if (fewer_cases()) return;
  EXPECT_LT(world->energies().kinetic, 1e-5);
  for (int k = 1; k <= 10; ++k)
    EXPECT_NEAR(world->contact_force(world->find("box " + std::to_string(k))).z(), 9.81, 0.0981) << k;
  expect_stable("stack-soft", "box", "body.box.copies.spacing=[0.001000001, 0.0005, 0.1019]",
                long_run() ? 1000 : 300);
  if (long_run()) expect_same_for_all_threads("stack-soft", 300);
}

TEST(TouchingScenesProperty, TheBarIsSqueezedAndComesBack) {
  const Scene scene = scene_named("squeeze");
  const auto world = build_world(scene);
  const BodyId bar = world->find("bar");
  const auto height = [&] {
    const Box box = box_of(world->surface(bar));
    return box.size().z();
  };
  constexpr int still = 185;  // the plates stand still from here on
  double least = 1, moved = 0;
  Energies before;
  for (int i = 0; i < (long_run() ? 1500 : 360); ++i) {
    const StepReport& report = world->step(scene.run.step);
    const Energies now = world->energies();
    moved = std::max(moved, now.elastic);
    if (i > still) {
      ASSERT_LT(now.total() - before.total(), 3e-4 * moved + 1e-9) << i;
    }
    before = now;
    ASSERT_EQ(report.failures, 0u);
    ASSERT_EQ(report.touching.lost, 0) << i;
    ASSERT_TRUE(std::isfinite(world->energies().total())) << i;
    least = std::min(least, height());
    if (i % 60 == 0) expect_no_crossing(*world);
    if (fewer_cases() && i == 20) return;
  }
  EXPECT_LT(least, 0.032) << "pressed to 30 %";
  EXPECT_NEAR(height(), 0.1, 0.005) << "and back";
  EXPECT_EQ(world->soft(bar).inverted(), 0u);
  EXPECT_LT(world->energies().kinetic, 1e-4);
  expect_no_crossing(*world);
  expect_stable("squeeze", "bar", "body.bar.position=[1e-9, 0, 0.053]", 360);
  if (long_run()) expect_same_for_all_threads("squeeze", 1000);
}

TEST(TouchingScenesProperty, TheSheetLiesOnItself) {
  const auto world =
      watched(scene_named("sheet"),
              {.steps = 240, .long_steps = 1000, .driven = true, .noise = 0.01, .settled = 185});
  if (fewer_cases()) return;
  EXPECT_LT(world->energies().kinetic, 1e-5) << "it came to rest";
  std::size_t on_itself = 0;
  const BodyId sheet = world->find("sheet");
  for (const ContactForce& one : world->contact_forces())
    on_itself += one.first == sheet && one.second == sheet ? 1 : 0;
  EXPECT_GT(on_itself, 20u);
  if (long_run()) expect_same_for_all_threads("sheet", 500);
}

TEST(TouchingScenesProperty, OneBlockSticksAndOneSlides) {
  const Scene scene = scene_named("slope");
  const auto world = build_world(scene);
  const BodyId sticks = world->find("sticks"), slides = world->find("slides");
  const double angle = 25 * 3.14159265358979 / 180;
  const Vec3 down(std::cos(angle), 0, -std::sin(angle));
  for (int i = 0; i < 20; ++i) world->step(scene.run.step);
  const Vec3 from = world->state(sticks).pose.position;
  const double v0 = down.dot(world->state(slides).velocity);
  Energies before = world->energies();
  for (int i = 0; i < 60; ++i) {
    const StepReport& report = world->step(scene.run.step);
    ASSERT_EQ(report.failures, 0u);
    ASSERT_EQ(report.touching.lost, 0) << i;
    const Energies now = world->energies();
    ASSERT_LT(now.total(), before.total() + 1e-6) << i;  // of some joules; infinite ones neither
    before = now;
  }
  EXPECT_LT((world->state(sticks).pose.position - from).norm(), 1e-5);
  const double expected = 9.81 * (std::sin(angle) - 0.3 * std::cos(angle));
  EXPECT_NEAR(down.dot(world->state(slides).velocity) - v0, expected, 0.02 * expected);
  expect_no_crossing(*world);
  expect_stable("slope", "slides", "body.slides.position=[-1.326900001, 0.2, 0.7037]", 90);
  expect_stable("slope", "sticks", "body.sticks.position=[-1.3269, -0.2, 0.703700001]", 90);
  if (!long_run()) return;
  expect_same_for_all_threads("slope", 1000);
  for (int i = 0; i < 2000; ++i) world->step(scene.run.step);
  EXPECT_LT((world->state(sticks).pose.position - from).norm(), 1e-4) << "it still sticks";
}

TEST(TouchingScenesProperty, TheOrganLiesInTheBowl) {
  const auto world = watched(scene_named("bowl"), {.steps = 250, .long_steps = 2000});
  if (fewer_cases()) return;
  const BodyId organ = world->find("organ");
  double mass = 0;
  for (const double m : world->soft(organ).masses()) mass += m;
  EXPECT_NEAR(world->contact_force(organ).z(), 9.81 * mass, 0.01 * 9.81 * mass);
  EXPECT_LT(world->energies().kinetic, 1e-5);
  if (long_run()) expect_same_for_all_threads("bowl", 500);
}

}  // namespace
}  // namespace palpate
