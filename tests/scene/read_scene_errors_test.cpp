// Scenes that are not right: each is refused at its place, with what is wrong and what to do.
#include <gtest/gtest.h>

#include <support/mangled.h>

#include "scene_checks.h"

namespace palpate {
namespace {

using testing::scene_refusal;
using testing::small_scene;
using testing::with;

struct Refused {
  std::string text, message;
};

void expect_messages(const std::vector<Refused>& all) {
  for (const Refused& one : all) EXPECT_EQ(scene_refusal(one.text), one.message) << one.text;
}

// Only the beginning, where the end is a long list.
void expect_beginnings(const std::vector<Refused>& all) {
  for (const Refused& one : all)
    EXPECT_EQ(scene_refusal(one.text).substr(0, one.message.size()), one.message) << one.text;
}

std::string body(const std::string& kind, const std::string& rest) {
  return "[[body]]\nname = 'a'\nkind = '" + kind + "'\n" + rest;
}
const std::string solid = "mesh = { shape = 'blob' }\n", surface = "mesh = { shape = 'torus' }\n";

TEST(ReadSceneErrors, UnknownKeysAreNamedWithTheNearest) {
  expect_messages({
      {"[run]\nstpe = 1\n",
       "s:1:1: this scene has no 'body'. Give it, a list of tables: the things in the scene."},
      {"[run]\nstpe = 1\n" + small_scene.substr(small_scene.find('[')),
       "s:2:1: there is no key 'stpe' in [run]. Did you mean 'step'?"},
      {"runn = 1\n" + small_scene, "s:1:1: there is no key 'runn' at the top level. Did you mean 'run'?"},
      {body("rigid", surface + "  positon = [0, 0, 0]"),
       "s:5:3: there is no key 'positon' in [[body]]. Did you mean 'position'?"},
      {body("rigid", "mesh = { shape = 'torus', mayor = 1 }"),
       "s:4:27: there is no key 'mayor' in 'mesh'. Did you mean 'major'?"},
      {body("rigid", "mesh = { fil = 'a.ply' }"),
       "s:4:10: there is no key 'fil' in 'mesh'. Did you mean 'file'?"},
      {body("rigid", "mesh = { shape = 'tours' }"), "s:4:18: shape is \"tours\". Did you mean 'torus'?"},
      {"[contact]\nfinder = 'gird'\n" + body("rigid", surface),
       "s:2:10: finder is \"gird\". Did you mean 'grid'?"},
  });
  expect_beginnings({{"[solver]\nname = 'magic'\n" + body("rigid", surface),
                      "s:2:8: name is \"magic\". There are: quasi_newton, xpbd, "},
                     {body("liquid", surface), "s:3:8: kind is \"liquid\". There are: static, kinematic, "}});
}

TEST(ReadSceneErrors, TypesAndRanges) {
  const std::string rest = body("rigid", surface);
  const auto run = [&](const std::string& line) { return "[run]\n" + line + "\n" + rest; };
  expect_messages({
      {run("step = -1"), "s:2:8: step is -1. It must be a number above 0 [s]."},
      {run("step = 0"), "s:2:8: step is 0. It must be a number above 0 [s]."},
      {run("step = 'fast'"), "s:2:8: step is \"fast\". It must be a number above 0 [s]."},
      {run("step = nan"), "s:2:8: step is nan. It must be a number above 0 [s]."},
      {run("step = inf"),
       "s:2:8: step is inf. It must be a number above 0 [s]. No number of a scene is larger than 1e15."},
      {run("step = 1e16"),
       "s:2:8: step is 1e+16. It must be a number above 0 [s]. No number of a scene is larger than 1e15."},
      {run("step = 2020-01-01"), "s:2:8: step is 2020-01-01. It must be a number above 0 [s]."},
      {run("substeps = 2.0"), "s:2:12: substeps is 2.0. It must be a whole number from 1 to 10000."},
      {run("seed = -1"), "s:2:8: seed is -1. It must be a whole number at least 0."},
      {run("duration = 1e14\nstep = 1e-3"),
       "s:2:12: 100000000000000 s are 1e+17 steps of 0.001 s. Take at most 1e9 steps."},
      {"world = 3\n" + rest, "s:1:9: world is 3. It must be a table."},
      {"[world]\ngravity = [0, 0]\n" + rest, "s:2:11: gravity is [0, 0]. It must be three numbers [m/s^2]."},
      {"[world]\ngravity = [0, 0, inf]\n" + rest,
       "s:2:11: gravity is [0, 0, inf]. It must be three numbers [m/s^2]."},
      {"[contact]\nenabled = 1\n" + rest, "s:2:11: enabled is 1. It must be true or false."},
      {"[contact]\nexclude = ['a', 'b']\n" + rest,
       "s:2:11: exclude is [\"a\", \"b\"]. It must be a list of pairs of names."},
      {"title = 3\n" + rest, "s:1:9: title is 3. It must be a text in quotes."},
      {"[materials.m]\npoisson = 0.5\n" + rest,
       "s:2:11: poisson is 0.5. It must be a number above -1 and below 0.5."},
      {"[materials]\nm = 3\n" + rest, "s:2:5: m is 3. Write a table: [materials.m], then its values."},
      {"[materials.'a.b']\n" + rest,
       "s:1:12: the name of a material is \"a.b\". It must be a name in quotes, without dots, quotes and "
       "'='."},
  });
}

TEST(ReadSceneErrors, Bodies) {
  expect_messages({
      {"", "s:1:1: this scene has no 'body'. Give it, a list of tables: the things in the scene."},
      {"body = []", "s:1:8: there is no body in it. Add one: [[body]], with a name, a kind and a mesh."},
      {"[[body]]\nkind = 'rigid'\n",
       "s:1:1: this body has no 'name'. Give it, a name in quotes, without dots, quotes and '=': of its "
       "own."},
      {"[[body]]\nname = 'a'\n",
       "s:1:1: this body has no 'kind'. Give it, one of static, kinematic, rigid, soft, shell, "
       "string: how it moves: not at all, by script, as a whole, or deforming."},
      {body("rigid", ""),
       "s:1:1: this body has no 'mesh'. Give it, a table: its shape; tetrahedra for soft bodies, "
       "triangles for others."},
      {with(small_scene, "\"ball\"", "\"a.b\""),
       "s:3:8: name is \"a.b\". It must be a name in quotes, without dots, quotes and '='."},
      {with(small_scene, "\"ball\"", "\"world\""),
       "s:3:8: name is \"world\", which stands for what never moves. Take another name."},
      {body("rigid", surface) + body("rigid", surface),
       "s:6:8: there is a body 'a' already. Give each a name of its own."},
      {body("static", surface + "material = 'muscle'"),
       "s:5:1: a static body has no 'material'. It is for: soft, shell, string."},
      {body("string", "radius = 1\npoints = [[0, 0, 0]]"),
       "s:5:10: points has 1 of them. A string needs at least 2."},
      {body("shell", surface),
       "s:1:1: this body has no 'thickness'. Give it, a number above 0 [m]: of a shell."},
      {body("soft", surface),
       "s:4:8: the shape 'torus' is a surface, and a soft body is solid. Take one of solid-box, "
       "beam, solid-torus, solid-knot, solid-sphere, blob, or make it a shell."},
      {body("rigid", surface + "rotation = { axis = [0, 0, 0], angle = 1 }"),
       "s:5:21: axis is [0, 0, 0]. It must be three numbers, not all 0."},
      {body("rigid", surface + "rotation = [0, 0, 0, 0]"),
       "s:5:12: rotation is [0, 0, 0, 0]. It must be { axis, angle } or a quaternion [w, x, y, z]."},
      {body("rigid", surface + "rotation = { axis = [0, 0, 1] }"),
       "s:5:12: this rotation has no 'angle'. Give it, a number [degrees]: counter-clockwise, seen from the "
       "axis' tip."},
      {body("rigid", surface + "mass = 1\ndensity = 1"),
       "s:5:8: 'density' and 'mass' are both given. Give one of them."},
      {body("rigid", surface + "inertia = [1, 1, 1]"),
       "s:5:11: inertia is given without a mass. Give mass [kg] too."},
      {body("rigid", surface + "mass = 1\ninertia = [1, 1, -1]"),
       "s:6:11: inertia has a moment of -1. All three principal moments must be above 0 [kg m^2]."},
      {body("rigid", surface + "mass = 1\ninertia = [1, 1, 3]"),
       "s:6:11: inertia has a moment, 3, that is larger than the two others together. No body has such: "
       "check the "
       "numbers and their order (xx, yy, zz, xy, xz, yz)."},
  });
}

TEST(ReadSceneErrors, Meshes) {
  const auto mesh = [](const std::string& inside) { return body("rigid", "mesh = { " + inside + " }"); };
  expect_messages({
      {mesh(""), "s:4:8: this mesh has none of 'file', 'shape'. Give one of them."},
      {mesh("file = 'a.ply', shape = 'torus'"),
       "s:4:34: 'file' and 'shape' are both given. Give one of them."},
      {mesh("shape = 'torus', unit = 'mm'"), "s:4:27: a surface mesh has no 'unit'. It is for: file."},
      {mesh("shape = 'torus', tets = 10"), "s:4:27: a surface mesh has no 'tets'. It is for: solid."},
      {mesh("shape = 'torus', around = 3.5"),
       "s:4:36: around is 3.5. It must be a whole number from 0 to 4294967294."},
      {mesh("file = 'a.ply', scale = 0"), "s:4:34: scale is 0. It must be a number or three, each above 0."},
      {mesh("file = ''"), "s:4:17: file is \"\". Name a mesh file."},
      {mesh("file = \"a\\u0000b\""),
       "s:4:17: there are control characters in \"a\\u0000b\". Names of files and folders have none."},
      {mesh("file = '$HOME/a.ply'"), "s:4:17: file is \"$HOME/a.ply\". Write a variable as ${NAME}."},
      {mesh("file = 'a/${HOME}'"), "s:4:17: file is \"a/${HOME}\". A variable can only begin the name."},
      {mesh("file = '${PALPATE_NO_SUCH}/a'"),
       "s:4:17: the environment variable PALPATE_NO_SUCH is not set. Set it to "
       "the folder meant: export PALPATE_NO_SUCH=..."},
      {mesh("file = 'a', unit = 'yd'"), "s:4:29: unit is \"yd\". There are: m, dm, cm, mm, um, in, ft."},
  });
}

TEST(ReadSceneErrors, FixesAndMotions) {
  const auto fix = [](const std::string& line) { return body("soft", solid + "[[body.fix]]\n" + line); };
  const auto motion = [](const std::string& line) {
    return body("kinematic", surface + "[body.motion]\n" + line);
  };
  expect_messages({
      {fix(""), "s:5:1: this fix has none of 'all', 'box', 'plane', 'sphere', 'vertices'. Give one of them."},
      {fix("all = false"), "s:6:7: all is false: nothing is held. Write all = true, or box, plane, ..."},
      {fix("all = true\nvertices = [1]"), "s:7:12: 'all' and 'vertices' are both given. Give one of them."},
      {fix("box = [[1, 0, 0], [0, 1, 1]]"),
       "s:6:7: box is [[1, 0, 0], [0, 1, 1]]. It must be two points, [[low], [high]] [m]."},
      {fix("vertices = [-1]"),
       "s:6:12: vertices is [-1]. It must be a list of whole numbers, each from 0 to 4294967294."},
      {fix("sphere = { centre = [0, 0, 0] }"),
       "s:6:10: this sphere has no 'radius'. Give it, a number above 0 [m]: of the ball."},
      {motion("keyframes = [{ time = 1 }, { time = 1 }]"),
       "s:6:37: time is 1, and the keyframe before has 1. Keyframes stand in order of their times."},
      {motion("keyframes = [{ time = 0 }]\ncentre = [1, 0, 0]"),
       "s:7:10: centre is given with keyframes, which say where the body is. Leave it out, or give "
       "angular_velocity in place of keyframes."},
      {motion("keyframes = []"),
       "s:6:13: there are no keyframes. Give at least one, and the last one a time above 0 [s] if "
       "the motion repeats."},
      {motion("keyframes = [{ time = 0 }]\nvelocity = [1, 0, 0]"),
       "s:7:12: 'keyframes' and 'velocity' are both given. Give one of them."},
      {motion("keyframes = [{ time = 0 }]\nrepeat = true"),
       "s:6:13: the motion repeats after 0 s. Give at least one, and "
       "the last one a time above 0 [s] if the motion repeats."},
      {body("rigid", surface + "motion = {}"), "s:5:1: a rigid body has no 'motion'. It is for: kinematic."},
  });
}

TEST(ReadSceneErrors, References) {
  const std::string ball = small_scene;
  const std::string floor = "[[body]]\nname = 'floor'\nkind = 'static'\nmesh = { shape = 'plane' }\n";
  expect_messages({
      {ball + "[contact]\nexclude = [['ball', 'wall']]",
       "s:7:21: there is no body 'wall'. Did you mean 'ball'?"},
      {ball + "[contact]\nexclude = [['ball', 'ball']]",
       "s:7:12: exclude has 'ball' twice in a pair. Give the body self_contacts = false instead."},
      {ball + "[[force]]\nkind = 'constant'\nbody = 'bal'\nforce = [0, 0, 1]",
       "s:8:8: there is no body 'bal'. Did you mean 'ball'?"},
      {ball + "[[force]]\nkind = 'spring'\nstiffness = 1\nbodies = ['ball']",
       "s:9:10: bodies has 1 names. Name two, like [\"a\", \"b\"] or [\"a\", \"world\"]."},
      {ball + "[[force]]\nkind = 'spring'\nbodies = ['ball', 'world']",
       "s:6:1: this force has no 'stiffness'. Give it, a number at least 0 [N/m]: of the spring."},
      {ball + "[[force]]\nkind = 'spring'\nstiffness = 1\nbodies = ['ball', 'world']\npoints = [[0, 0, 0]]",
       "s:10:10: points has 1 of them. Give two: one in the coordinates of each body."},
      {ball + floor + "[[force]]\nkind = 'torque'\nbody = 'floor'\ntorque = [0, 0, 1]",
       "s:12:8: body 'floor' does not move freely, and nothing can pull at it. Name a body that moves "
       "freely."},
      {ball + "[[body]]\nname = 'jelly'\nkind = 'soft'\nmesh = { shape = 'blob' }\nmaterial = "
              "'muscle'\n[[force]]\n"
              "kind = 'constant'\nbody = 'jelly'\nforce = [0, 0, 1]\npoint = [0, 0, 1]",
       "s:15:9: body 'jelly' bends: the force is shared out in it. Leave the point out."},
      {ball + "[[body]]\nname = 'jelly'\nkind = 'soft'\nmesh = { shape = 'blob' }\nmaterial = "
              "'muscle'\n[[force]]\n"
              "kind = 'spring'\nbodies = ['ball', 'jelly']\nstiffness = 1",
       "s:13:10: body 'jelly' bends: springs, torques and joints are for bodies that do not. Fix some of its "
       "nodes and move them, or name another body."},
      {ball + floor + "[[joint]]\nkind = 'ball'\nbodies = ['floor', 'world']\npoint = [0, 0, 0]",
       "s:12:10: neither of the two moves freely. Name at least one body that is rigid."},
      {ball + "[[joint]]\nkind = 'ball'\nbodies = ['ball', 'ball']\npoint = [0, 0, 0]",
       "s:8:10: body 'ball' is joined to itself. Name two bodies."},
      {ball + "[[joint]]\nkind = 'ball'\nbodies = ['ball', 'world']\npoint = [0, 0, 0]\naxis = [0, 0, 1]",
       "s:10:1: a ball joint has no 'axis'. It is for: hinge, slider."},
      {ball + "[[joint]]\nkind = 'ball'\nname = 'j'\nbodies = ['ball', 'world']\npoint = [0, 0, 0]\n"
              "[[joint]]\nkind = 'ball'\nname = 'j'\nbodies = ['ball', 'world']\npoint = [0, 0, 0]",
       "s:13:8: there is a joint 'j' already. Give each a name of its own."},
      {body("soft", solid + "material = 'mucsle'"),
       "s:5:12: there is no material 'mucsle'. Did you mean 'muscle'?"},
      {body("soft", solid + "material = { like = 'mucsle' }"),
       "s:5:21: there is no material 'mucsle'. Did you mean 'muscle'?"},
      {"[materials.x]\nlike = 'y'\n[materials.y]\nlike = 'x'\n" + ball.substr(ball.find('[')),
       "s:1:1: material 'x' is like others that are like it. Give one of them values of its own."},
      {body("soft", solid) + "[[force]]\nkind = 'torque'\nbody = 'a'\ntorque = [0, 0, 1]",
       "s:7:8: body 'a' bends: springs, torques and joints are for bodies that do not. Fix some of its nodes "
       "and "
       "move them, or name another body."},
      {"[solver]\nacceleration = { kind = 'chebyshev' }\n" + body("soft", solid),
       "s:2:16: solver 'quasi_newton': it cannot have the acceleration chebyshev. It has its own; leave the "
       "acceleration out."},
      {"[solver]\nname = 'xpbd'\nacceleration = { kind = 'chebyshev', omega = 1.5 }\n" + body("soft", solid),
       "s:3:16: acceleration 'chebyshev': omega is 1.5. It has a factor of its own for each sweep: leave "
       "omega "
       "at 1, or take another kind."},
  });
}

TEST(ReadSceneErrors, WhatIsNoToml) {
  const std::string deep = "keys, lists or tables are nested more than 32 deep";
  const std::string remedy = " Scene files are TOML (https://toml.io); docs/scenes.md shows how they look.";
  EXPECT_EQ(scene_refusal("[run"), "s:1:5: this is no TOML: table header: encountered end-of-file." + remedy);
  EXPECT_EQ(scene_refusal("a = 1\na = 2"),
            "s:2:5: this is no TOML: key-value pair: cannot redefine existing integer 'a'." + remedy);
  EXPECT_NE(scene_refusal("a = \"\xff\"").find("this is no TOML"), std::string::npos);
  std::string dots = "\na", brackets = "\na = ";
  for (int i = 0; i < 20000; ++i) {
    dots += ".a";
    brackets += '[';
  }
  EXPECT_NE(scene_refusal(dots + " = 1").find("s:2:1: " + deep), std::string::npos);
  EXPECT_NE(scene_refusal("\n[" + dots.substr(1) + "]").find("s:2:1: " + deep), std::string::npos);
  EXPECT_NE(scene_refusal(brackets).find("s:2:1: " + deep), std::string::npos);
  // Not in texts and comments.
  EXPECT_EQ(scene_refusal("description = '''" + dots + "''' # " + dots.substr(1) + "\n" + small_scene),
            "was read");
}

}  // namespace
}  // namespace palpate
