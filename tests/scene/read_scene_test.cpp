// Scenes that are right: every value arrives, in SI units, with its default where it is not given.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numbers>

#include <gtest/gtest.h>

#include <palpate/mesh/generate.h>

#include "scene_checks.h"

namespace palpate {
namespace {

namespace fs = std::filesystem;
using testing::parsed;

constexpr double pi = std::numbers::pi;

TEST(ReadScene, ASmallSceneHasTheDefaults) {
  const Scene scene = parsed(testing::small_scene);
  EXPECT_EQ(scene.title, "A ball");
  EXPECT_TRUE(scene.run == SceneRun{});
  EXPECT_TRUE(scene.world == SceneWorld{});
  EXPECT_TRUE(scene.contact == SceneContact{});
  EXPECT_TRUE(scene.solver == SceneSolver{});
  ASSERT_EQ(scene.bodies.size(), 1u);
  SceneBody ball;
  ball.name = "ball";
  ball.mesh.shape = "icosphere";
  ball.mesh.values = {0.1, 10};
  EXPECT_TRUE(scene.bodies[0] == ball);
  EXPECT_EQ(scene.bodies[0].origin.place.text(), "s:2:1");
  EXPECT_EQ(scene.text, testing::small_scene);
  EXPECT_EQ(scene.run.steps, 300u);
}

TEST(ReadScene, RunWorldAndContact) {
  const Scene scene = parsed(testing::rigid_scene);
  EXPECT_EQ(scene.description, "Several lines,\nwith \"quotes\" and a \\ in them.");
  EXPECT_EQ(scene.run.step, 0.01);
  EXPECT_EQ(scene.run.substeps, 2);
  EXPECT_EQ(scene.run.steps, 300u);  // 3 s of 0.01 s
  EXPECT_EQ(scene.run.seed, 7u);
  EXPECT_EQ(scene.run.threads, 2u);
  EXPECT_EQ(scene.run.record_every, 10u);
  EXPECT_EQ(scene.world.gravity, Vec3(0, 0, -1.62));
  EXPECT_EQ(scene.world.sleep_speed, 0);
  EXPECT_EQ(scene.contact.distance, 0.002);
  EXPECT_EQ(scene.contact.neighbour_distance, 0.01);
  EXPECT_EQ(scene.contact.margin, 0.001);
  EXPECT_EQ(scene.contact.finder, "grid");
  ASSERT_EQ(scene.contact.exclude.size(), 1u);
  EXPECT_EQ(scene.contact.exclude[0][1], "door");
  EXPECT_EQ(scene.contact.response.name, "constraint");
  EXPECT_EQ(scene.contact.response.stiffness, 2);
  EXPECT_EQ(scene.contact.response.compliance, 1e-9);
  EXPECT_EQ(scene.contact.response.damping, 1);
  EXPECT_EQ(scene.contact.response.easing_speed, 0.02);
  EXPECT_EQ(scene.contact.response.iterations, 20);
  EXPECT_EQ(scene.contact.touch, (ContactMaterial{0.4, 0.5, 0.1}));
  EXPECT_EQ(scene.find_body("floor")->touch, (ContactMaterial{0.9, 0.9, 0.25})) << "friction goes for both";
  EXPECT_EQ(scene.find_body("door")->touch, scene.contact.touch);
  EXPECT_EQ(scene.find_body("pebble"), nullptr);
  ASSERT_NE(scene.find_body("pebble 6"), nullptr);
  EXPECT_EQ(scene.find_body("pebble 7"), nullptr);
  const Vec3 second = scene.find_body("pebble 2")->position, last = scene.find_body("pebble 6")->position;
  EXPECT_LT((second - Vec3(5.1, 0, 0)).cwiseAbs().maxCoeff(), 0.01);
  EXPECT_LT((last - Vec3(5.1, 0, 0.4)).cwiseAbs().maxCoeff(), 0.01);
  EXPECT_NE(second, Vec3(5.1, 0, 0));
}

TEST(ReadScene, ADurationIsRoundedToSteps) {
  EXPECT_EQ(parsed(testing::small_scene, {"run.duration=1"}).run.steps, 60u);
  EXPECT_EQ(parsed(testing::small_scene, {"run.duration=1e-9"}).run.steps, 1u);
  EXPECT_EQ(parsed(testing::small_scene, {"run.duration=1", "run.step=0.3"}).run.steps, 3u);
}

TEST(ReadScene, RigidBodies) {
  const Scene scene = parsed(testing::rigid_scene);
  const SceneBody& door = *scene.find_body("door");
  EXPECT_EQ(door.kind, SceneBodyKind::rigid);
  EXPECT_FALSE(door.deforms());
  EXPECT_EQ(door.mesh.shape, "box");
  EXPECT_EQ(door.mesh.values, (std::vector<double>{0.05, 0.1, 0.1, 1, 10, 10}));
  EXPECT_EQ(door.mesh.scale, Vec3(1, 2, 3));
  EXPECT_LT((door.pose().apply(Vec3::UnitX()) - Vec3(0, 1, 1)).norm(), 1e-15);
  EXPECT_EQ(door.velocity, Vec3(1, 0, 0));
  EXPECT_EQ(door.angular_velocity, Vec3(0, 0, 3));
  EXPECT_EQ(door.density, 700);
  EXPECT_EQ(door.linear_damping, 0);
  EXPECT_EQ(door.angular_damping, 0.5);
  EXPECT_FALSE(door.gravity);
  const SceneBody& cube = *scene.find_body("cube");
  EXPECT_EQ(cube.mesh.unit, 1e-3);
  EXPECT_EQ(cube.mesh.scale, Vec3(2, 2, 2));
  EXPECT_EQ(cube.rotation.w(), 1);
  EXPECT_EQ(cube.mass, 2);
  EXPECT_EQ((*cube.inertia)(1, 0), 0.1);
  EXPECT_EQ(cube.linear_damping, 0.1) << "that of the world";
  EXPECT_EQ(scene.find_body("floor")->mesh.elements, 200u);
  EXPECT_EQ(scene.find_body("floor")->self_contacts, false);
  EXPECT_EQ(scene.find_body("nobody"), nullptr);
}

TEST(ReadScene, Motions) {
  const Scene scene = parsed(testing::rigid_scene);
  const SceneMotion& mixer = *scene.find_body("mixer")->motion;
  ASSERT_EQ(mixer.keyframes.size(), 2u);
  EXPECT_EQ(mixer.keyframes[1].time, 0.5);
  EXPECT_EQ(mixer.keyframes[1].position, Vec3(0, 0, 1));
  EXPECT_NEAR(mixer.keyframes[1].rotation.x(), 1, 1e-15);
  EXPECT_EQ(mixer.interpolation, SceneMotion::Interpolation::smooth);
  EXPECT_TRUE(mixer.repeat);
  const SceneMotion& wheel = *scene.find_body("wheel")->motion;
  EXPECT_TRUE(wheel.keyframes.empty());
  EXPECT_EQ(wheel.velocity, Vec3(0.1, 0, 0));
  EXPECT_EQ(wheel.angular_velocity, Vec3(0, 1, 0));
}

TEST(ReadScene, ForcesAndJoints) {
  const Scene scene = parsed(testing::rigid_scene);
  ASSERT_EQ(scene.forces.size(), 5u);
  const SceneForce& spring = scene.forces[0];
  EXPECT_EQ(spring.bodies, (std::vector<std::string>{"door", "cube"}));
  EXPECT_EQ(spring.points[1], Vec3(-0.5, 0, 0));
  EXPECT_EQ(spring.length, 0.8);
  EXPECT_EQ(scene.forces[1].kind, SceneForceKind::drag);
  EXPECT_EQ(scene.forces[1].quadratic, 0.2);
  EXPECT_TRUE(scene.forces[1].bodies.empty());
  EXPECT_EQ(scene.forces[2].velocity, Vec3(3, 0, 0));
  EXPECT_EQ(scene.forces[2].period, 4);
  EXPECT_EQ(scene.forces[2].coefficient, 1.2);
  EXPECT_EQ(scene.forces[3].force, Vec3(0, 0, 1));
  EXPECT_EQ(scene.forces[3].points[0], Vec3(0.1, 0, 0));
  EXPECT_EQ(scene.forces[3].bodies, std::vector<std::string>{"cube"});
  EXPECT_EQ(scene.forces[4].torque, Vec3(0, 0, 1));
  ASSERT_EQ(scene.joints.size(), 2u);
  EXPECT_EQ(scene.joints[0].kind, SceneJointKind::hinge);
  EXPECT_EQ(scene.joints[0].bodies[1], world_name);
  EXPECT_EQ(scene.joints[0].compliance, 1e-6);
  EXPECT_TRUE(scene.joints[0].collide);
  EXPECT_FALSE(scene.joints[1].collide);
  EXPECT_EQ(scene.joints[1].other_point, Vec3(0, 0, 1));
  EXPECT_EQ(scene.joints[1].length, 1.5);
}

TEST(ReadScene, SoftBodies) {
  const Scene scene = parsed(testing::soft_scene);
  const SceneBody& organ = *scene.find_body("organ");
  EXPECT_TRUE(organ.deforms());
  EXPECT_EQ(organ.mesh.elements, 500u);
  EXPECT_EQ(organ.surface->file, "/meshes/liver.obj");
  EXPECT_EQ(organ.surface->unit, 0.01);
  EXPECT_EQ(organ.deform->stretch, 1.5);
  EXPECT_NEAR(organ.deform->twist, pi / 2, 1e-15);
  EXPECT_EQ(organ.deform->axis, 1);
  ASSERT_EQ(organ.fixes.size(), 4u);
  EXPECT_EQ(organ.fixes[0].high, Vec3(0, 1, 1));
  EXPECT_EQ(organ.fixes[0].motion->keyframes[0].position, Vec3(0, 0, 0.1));
  EXPECT_EQ(organ.fixes[1].kind, SceneFix::Kind::plane);
  EXPECT_EQ(organ.fixes[1].normal, Vec3::UnitZ());
  EXPECT_EQ(organ.fixes[2].radius, 0.1);
  EXPECT_EQ(organ.fixes[3].vertices, (std::vector<std::uint32_t>{0, 5, 7}));
  const SceneBody& sheet = *scene.find_body("sheet");
  EXPECT_EQ(sheet.thickness, 0.001);
  EXPECT_EQ(sheet.fixes[0].kind, SceneFix::Kind::all);
  const SceneBody& thread = *scene.find_body("thread");
  EXPECT_EQ(thread.points.size(), 3u);
  EXPECT_EQ(thread.segments, 20u);
  EXPECT_TRUE(thread.closed);
  EXPECT_EQ(thread.radius, 0.002);
}

TEST(ReadScene, MaterialsBeginWithWhatTheyAreLike) {
  const Scene scene = parsed(testing::soft_scene);
  const Material tissue = scene.find_body("organ")->material;
  EXPECT_EQ(tissue.young, 5e3);
  EXPECT_EQ(tissue.density, named_material("muscle").material.density);
  EXPECT_EQ(scene.find_body("organ")->material_name, "tissue");
  const Material sheet = scene.find_body("sheet")->material;
  EXPECT_TRUE(sheet == (Material{1200, 1e6, 0.3, 0.02, Model::corotated}));
  EXPECT_EQ(scene.find_body("sheet")->material_name, "");
  EXPECT_TRUE(scene.find_body("thread")->material == named_material("nylon").material);
  // Also of one that comes later, and of the one whose name is taken over.
  const Scene chain = parsed(testing::small_scene +
                             "[materials.a]\nlike = 'b'\n[materials.b]\nlike = 'muscle'\npoisson = 0.3\n"
                             "[materials.muscle]\nlike = 'muscle'\ndamping = 1\n");
  EXPECT_EQ(chain.materials.at("a").poisson, 0.3);
  EXPECT_EQ(chain.materials.at("a").young, named_material("muscle").material.young);
  EXPECT_EQ(chain.materials.at("a").damping, 1);
}

TEST(ReadScene, Solvers) {
  const SceneSolver solver = parsed(testing::soft_scene).solver;
  EXPECT_EQ(solver.name, "xpbd_coloured");
  EXPECT_EQ(solver.substeps, 4);
  EXPECT_EQ(solver.iterations, 20);
  EXPECT_EQ(solver.tolerance, 1e-6);
  EXPECT_EQ(solver.budget, 0.01);
  EXPECT_FALSE(solver.untangle);
  EXPECT_EQ(solver.acceleration.kind, Acceleration::Kind::chebyshev);
  EXPECT_EQ(solver.acceleration.radius, 0.9);
  EXPECT_EQ(solver.acceleration.window, 3u);
  EXPECT_FALSE(solver.acceleration.safeguard);
}

TEST(ReadScene, FilesAreRelativeToTheScene) {
  const fs::path folder = fs::path(::testing::TempDir()) / "scene test";
  fs::create_directories(folder);
  std::ofstream(folder / "a.toml")
      << "[[body]]\nname = 'a'\nkind = 'static'\nmesh = { file = '../x/a.ply' }\n";
  const Scene scene = read_scene(folder / "a.toml");
  EXPECT_EQ(scene.bodies[0].mesh.file, fs::path(::testing::TempDir()) / "x/a.ply");
  testing::expect_round_trip(scene);
  fs::remove_all(folder);
  EXPECT_THROW(read_scene(folder / "a.toml"), Error);
  EXPECT_THROW(read_scene(fs::path(::testing::TempDir())), Error);
}

TEST(ReadScene, FilesMayBeginWithAVariable) {
  ::setenv("PALPATE_TEST_FOLDER", "/meshes/test", 1);
  const auto file = [](const std::string& name) {
    return parsed("[[body]]\nname = 'a'\nkind = 'static'\nmesh = { file = '" + name + "' }\n")
        .bodies[0]
        .mesh.file;
  };
  EXPECT_EQ(file("${PALPATE_TEST_FOLDER}/a.ply"), "/meshes/test/a.ply");
  EXPECT_EQ(file("/x/./a.ply"), "/x/a.ply");
  ::unsetenv("PALPATE_TEST_FOLDER");
  EXPECT_THROW(file("${PALPATE_TEST_FOLDER}/a.ply"), Error);
  const char* const data = std::getenv("PALPATE_DATA");
  const std::string kept = data != nullptr ? data : "";
  ::unsetenv("PALPATE_DATA");
  EXPECT_EQ(file("${PALPATE_DATA}/a.ply"), (fs::current_path() / "../shared/data/a.ply").lexically_normal());
  if (data != nullptr) ::setenv("PALPATE_DATA", kept.c_str(), 1);
}

TEST(ReadScene, TheTextIsTheSameScene) {
  for (const std::string& sample : testing::scene_samples) {
    testing::expect_round_trip(parsed(sample));
    testing::expect_round_trip(parsed(sample, {"title=another", "run.steps=5"}));
    testing::expect_round_trip(parse_scene("\xEF\xBB\xBF" + sample, "s", {}, "/base"));
  }
  // Comments stay where nothing is changed; a folder is named where files need it.
  const std::string text = "# why\n[[body]]\nname = 'a'\nkind = 'static'\nmesh = { file = 'a.ply' }\n";
  const Scene scene = parse_scene(text, "s", {}, "/base/folder/");
  EXPECT_EQ(scene.text, "folder = \"/base/folder\"\n" + text);
  testing::expect_round_trip(scene);
  const Scene moved = parse_scene("folder = 'sub'\n" + text, "s", {}, "/base");
  EXPECT_EQ(moved.bodies[0].mesh.file, "/base/sub/a.ply");
  testing::expect_round_trip(moved);
}

}  // namespace
}  // namespace palpate
