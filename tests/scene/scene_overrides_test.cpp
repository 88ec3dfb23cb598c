// Values from outside: they reach every place, and what is wrong with them is told in their name.
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "scene_checks.h"

namespace palpate {
namespace {

namespace fs = std::filesystem;
using testing::Overrides;
using testing::parsed;
using testing::rigid_scene;
using testing::scene_refusal;
using testing::small_scene;
using testing::soft_scene;

TEST(SceneOverrides, ReachEveryPlace) {
  const Scene scene =
      parsed(soft_scene,
             {"run.step=0.01", "contact.distance=0.002", "contact.finder=grid", "title=A new title",
              "body.organ.position=[1, 2, 3]", "body.organ.position.2=4", "body.organ.mesh.layers=3",
              "body.organ.fix.0.box=[[0, 0, 0], [1, 1, 1]]", "body.organ.fix.2.sphere.radius=0.5",
              "body.sheet.material.young=2e6", "materials.stiff.poisson=0.1", "materials.new.young=5",
              "body.organ.rotation={ axis = [0, 0, 1], angle = 180 }", "solver.acceleration.radius=0.5"});
  EXPECT_EQ(scene.run.step, 0.01);
  EXPECT_EQ(scene.contact.distance, 0.002);
  EXPECT_EQ(scene.contact.finder, "grid");
  EXPECT_EQ(scene.title, "A new title");
  const SceneBody& organ = *scene.find_body("organ");
  EXPECT_EQ(organ.position, Vec3(1, 2, 4));
  EXPECT_EQ(organ.mesh.values.back(), 3);
  EXPECT_EQ(organ.fixes[0].high, Vec3(1, 1, 1));
  EXPECT_EQ(organ.fixes[2].radius, 0.5);
  EXPECT_NEAR(organ.rotation.z(), 1, 1e-15);
  EXPECT_EQ(scene.find_body("sheet")->material.young, 2e6);
  EXPECT_EQ(scene.find_body("sheet")->material.poisson, 0.1);
  EXPECT_EQ(scene.materials.at("new").young, 5);
  EXPECT_EQ(scene.solver.acceleration.radius, 0.5);
  testing::expect_round_trip(scene);
}

TEST(SceneOverrides, ForcesAndJointsGoByNameOrNumber) {
  const Scene scene =
      parsed(rigid_scene, {"force.pull.stiffness=8", "force.1.linear=9", "joint.hinge.compliance=1",
                           "body.mixer.motion.keyframes.1.time=7"});
  EXPECT_EQ(scene.forces[0].stiffness, 8);
  EXPECT_EQ(scene.forces[1].linear, 9);
  EXPECT_EQ(scene.joints[0].compliance, 1);
  EXPECT_EQ(scene.find_body("mixer")->motion->keyframes[1].time, 7);
  testing::expect_round_trip(scene);
}

TEST(SceneOverrides, APartOfANamedMaterialMakesOneOfItsOwn) {
  const Scene scene = parsed(soft_scene, {"body.organ.material.young=1e4", "body.thread.material.damping=1"});
  Material tissue = scene.materials.at("tissue");
  tissue.young = 1e4;
  EXPECT_TRUE(scene.find_body("organ")->material == tissue);
  EXPECT_EQ(scene.find_body("organ")->material_name, "");
  EXPECT_EQ(scene.find_body("thread")->material.young, named_material("nylon").material.young);
  testing::expect_round_trip(scene);
}

TEST(SceneOverrides, OneOfSeveralKeysTakesTheOthersAway) {
  const Scene scene =
      parsed(rigid_scene, {"run.steps=5", "body.door.mass=3", "body.mixer.motion.velocity=[0, 0, 1]",
                           "body.floor.mesh={ file = '/a.ply' }"});
  EXPECT_EQ(scene.run.steps, 5u);
  EXPECT_EQ(scene.find_body("door")->mass, 3);
  EXPECT_TRUE(scene.find_body("mixer")->motion->keyframes.empty());
  EXPECT_EQ(parsed(rigid_scene, {"run.steps=5", "run.duration=1"}).run.steps, 100u) << "the last one";
  testing::expect_round_trip(scene);
}

// Whoever sets a file stands somewhere else than the scene.
TEST(SceneOverrides, NameFilesFromTheCurrentFolder) {
  const fs::path folder =
      fs::path(::testing::TempDir()) / ("scene overrides test " + std::to_string(::getpid()));
  fs::create_directories(folder);
  const fs::path file = folder / "s.toml", here = fs::current_path();
  std::ofstream(file) << "[[body]]\nname = 'a'\nkind = 'soft'\nmesh = { file = 'own.vtk', unit = 'cm' }\n"
                         "[[body]]\nname = 'b'\nkind = 'soft'\nmesh = { file = 'own.vtk' }\n";
  const auto files = [&](const Overrides& overrides) {
    const Scene scene = read_scene(file, overrides);
    testing::expect_round_trip(scene);
    return std::array{scene.bodies[0].mesh.file, scene.bodies[1].mesh.file};
  };
  const fs::path own = folder / "own.vtk";
  EXPECT_EQ(files({}), (std::array{own, own}));
  EXPECT_EQ(files({"run.step=0.01", "body.a.mesh.unit=mm"}), (std::array{own, own}));
  EXPECT_EQ(files({"body.a.mesh={file=\"x/liver.vtk\", unit=\"cm\"}"}),
            (std::array{here / "x/liver.vtk", own}));
  EXPECT_EQ(files({"body.b.mesh.file=../liver.vtk"}), (std::array{own, here.parent_path() / "liver.vtk"}));
  EXPECT_EQ(files({"body.0.mesh.file=/all/liver.vtk"}), (std::array{fs::path("/all/liver.vtk"), own}));
  EXPECT_EQ(files({"folder=meshes", "body.b.mesh.file=b.vtk"}),
            (std::array{here / "meshes/own.vtk", here / "b.vtk"}));
  EXPECT_EQ(read_scene(file, Overrides{"body.a.surface={file=\"skin.obj\"}"}).bodies[0].surface->file,
            here / "skin.obj");
  const auto refusal = [&](const std::string& one) -> std::string {
    try {
      files({one});
    } catch (const Error& error) {
      return error.what();
    }
    return "was read";
  };
  EXPECT_EQ(refusal("body.a.mesh.file="), "override 'body.a.mesh.file=': file is \"\". Name a mesh file.");
  EXPECT_EQ(refusal("body.a.mesh.file=3").substr(0, 45), "override 'body.a.mesh.file=3': file is 3. It ");
  fs::remove_all(folder);
}

TEST(SceneOverrides, AreNamedWhenTheyAreWrong) {
  const std::string form = "Write KEY=VALUE, like run.step=0.01 or body.liver.material.young=1e4.";
  const struct {
    std::string given, message;
  } all[] = {
      {"run.step", "there is no '=' in it. " + form},
      {"=1", "a part of its key is empty. " + form},
      {"run..step=1", "a part of its key is empty. " + form},
      {"run.step=-1", "step is -1. It must be a number above 0 [s]."},
      {"run.step=", "step is \"\". It must be a number above 0 [s]."},
      {"run.step=nan", "step is nan. It must be a number above 0 [s]."},
      {"run.step=1\nx=2", "step is \"1\\nx=2\". It must be a number above 0 [s]."},
      {"run.stpe=1", "there is no key 'stpe' in [run]. Did you mean 'step'?"},
      {"rnu.step=1", "there is no key 'rnu' at the top level. Did you mean 'run'?"},
      {"run.step.x.y=1", "'step' has no parts, and no 'x'. " + form},
      {"run.step.x=1", "'step' has no parts, and no 'x'. " + form},
      {"body.flor.position=[0, 0, 0]", "there is no body 'flor'. Did you mean 'floor'?"},
      {"body.9.position=[0, 0, 0]",
       "there is no body '9'. There are: floor, door, cube, mixer, wheel, pebble."},
      {"body.door.position.3=1", "there is no position '3'. Their numbers go from 0 to 2."},
      {"body.floor.positon=[0, 0, 0]", "there is no key 'positon' in [[body]]. Did you mean 'position'?"},
      {"body.floor.material.young=1", "a static body has no 'material'. It is for: soft, shell, string."},
      {"body.floor.fix.0.all=true", "there is no fix '0'. There is none at all."},
      {"body.floor.mesh.shape=tours", "shape is \"tours\". Did you mean 'torus'?"},
      {"body.door.name=floor", "there is a body 'floor' already. Give each a name of its own."},
      {"title=3", "title is 3. It must be a text in quotes."},
  };
  for (const auto& one : all)
    EXPECT_EQ(scene_refusal(rigid_scene, {one.given}), "override '" + one.given + "': " + one.message);
}

TEST(SceneOverrides, MakeWhatIsMissing) {
  const Scene scene =
      parsed(small_scene, {"world.gravity=[0, 0, 0]", "solver.acceleration.kind=none",
                           "body.ball.rotation.axis=[0, 0, 1]", "body.ball.rotation.angle=90"});
  EXPECT_EQ(scene.world.gravity, Vec3::Zero());
  EXPECT_NEAR(scene.bodies[0].rotation.w(), std::sqrt(0.5), 1e-15);
  testing::expect_round_trip(scene);
}

}  // namespace
}  // namespace palpate
