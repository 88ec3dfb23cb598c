// The rows of [[body]] and of what stands in it.
#include <palpate/mesh/generate.h>
#include <palpate/scene/scene.h>
#include <palpate/scene/scene_key_rows.h>

namespace palpate::detail {

namespace {

using T = KeyType;

SceneSection body() {
  const Kinds rigid = {"rigid"}, soft = {"soft"}, string = {"string"};
  const Kinds meshed = {"static", "kinematic", "rigid", "soft", "shell"};
  const Kinds deforming = {"soft", "shell", "string"}, moving = {"rigid", "soft", "shell", "string"};
  return {
      "body",
      "[[body]]",
      "body",
      "One for each thing in the scene.",
      {{.name = "name", .type = T::name, .summary = "of its own", .required = true},
       {.name = "kind",
        .type = T::choice,
        .summary = "how it moves: not at all, by script, as a whole, or deforming",
        .names = {"static", "kinematic", "rigid", "soft", "shell", "string"},
        .required = true},
       part("mesh", T::table, "its shape; tetrahedra for soft bodies, triangles for others", "mesh", meshed,
            true),
       value("points", T::points, "m", {}, {}, "that a string goes through", string, true),
       value("segments", T::whole, {}, "0", from_to(0, 1e6), "equal parts of a string; 0: cut at its points",
             string),
       flag("closed", "the string is a ring", "false", string),
       value("position", T::point, "m", "[0, 0, 0]", {}, "where its mesh's origin is"),
       part("rotation", T::rotation, "how it is turned, about its mesh's origin", "rotation"),
       value("velocity", T::point, "m/s", "[0, 0, 0]", {}, "of its centre of mass, at the beginning", moving),
       value("angular_velocity", T::point, "rad/s", "[0, 0, 0]", {},
             "about its centre of mass, at the beginning", moving),
       value("density", T::number, "kg/m^3", "1000", above(0), "of its volume; in place of `mass`", rigid),
       value("mass", T::number, "kg", {}, above(0), "in place of `density`", rigid),
       value("inertia", T::inertia, "kg m^2", "from the mesh", {},
             "about the centre of mass, in the mesh's axes; needs `mass`", rigid),
       value("linear_damping", T::number, "1/s", "that of [world]", at_least(0), "slows it", rigid),
       value("angular_damping", T::number, "1/s", "that of [world]", at_least(0), "slows its turning", rigid),
       flag("self_contacts", "it can touch itself", "true for what deforms"),
       flag("collide", "it touches others and itself", "true"),
       flag("gravity", "it falls", "true", moving),
       value("friction", T::number, {}, "that of [contact]", from_to(0, 1000),
             "of what slides on it; of two bodies, the root of the product"),
       value("static_friction", T::number, {}, "that of [contact], or `friction`", from_to(0, 1000),
             "of what sticks to it"),
       value("restitution", T::number, {}, "that of [contact]", from_to(0, 1),
             "how much of the speed of a hit comes back; of two bodies, the larger"),
       part("material", T::material, "what it is made of: a name, or a table of its own", "material",
            deforming),
       value("thickness", T::number, "m", {}, above(0), "of a shell", {"shell"}, true),
       value("radius", T::number, "m", {}, above(0), "of a string", string, true),
       part("surface", T::table, "a finer surface that it carries, which then is what touches", "mesh", soft),
       part("deform", T::table, "how it is deformed at the beginning", "deform", soft),
       part("fix", T::tables, "nodes that are held", "fix", deforming),
       part("motion", T::table, "how it is moved", "motion", {"kinematic"}),
       part("copies", T::table, "many of it, in rows; they are called `NAME 1`, `NAME 2`, ...", "copies")},
      {{{"density", "mass"}}}};
}

SceneSection mesh() {
  const Kinds file = {"file"}, shapes = {"surface", "solid"};
  return {"mesh",
          "body.mesh = { ... }, body.surface = { ... }",
          "mesh",
          "A mesh from a file, or a shape with the parameters listed below.",
          {{.name = "file",
            .type = T::text,
            .summary = "relative to `folder`; may begin with `${PALPATE_DATA}` or another variable",
            .kinds = file},
           {.name = "unit",
            .type = T::choice,
            .summary = "of the file's coordinates",
            .standard = "m",
            .names = {"m", "dm", "cm", "mm", "um", "in", "ft"},
            .kinds = file},
           {.name = "shape",
            .type = T::choice,
            .summary = "made from a few numbers",
            .names = names_of(generators(), [](const Generator& one) { return one.name; }),
            .kinds = shapes},
           value("triangles", T::whole, {}, {}, from_to(1, 4294967294.0),
                 "cut it into about as many, in place of its own subdivision", {"surface"}),
           value("tets", T::whole, {}, {}, from_to(1, 4294967294.0),
                 "cut it into about as many, in place of its own subdivision", {"solid"}),
           value("scale", T::scale, {}, "1", above(0), "larger by so much, along all axes or each")},
          {{{"file", "shape"}, true}}};
}

std::vector<SceneSection> places() {
  const SceneDeform d;
  return {
      {"rotation",
       "rotation = { ... }",
       "rotation",
       "A turn about an axis; a quaternion `[w, x, y, z]` of any length can stand in its place.",
       {value("axis", T::direction, {}, {}, {}, "of any length", {}, true),
        value("angle", T::number, "degrees", {}, {}, "counter-clockwise, seen from the axis' tip", {},
              true)}},
      {"copies",
       "body.copies = { ... }",
       "copies",
       "Many of a body, in rows along the axes; the first is where the body is placed.",
       {value("counts", T::wholes, {}, {}, from_to(1, 1e6), "three: along x, y and z", {}, true),
        value("spacing", T::point, "m", {}, {}, "from one to the next, along each axis", {}, true),
        value("shake", T::number, "m", "0", at_least(0),
              "each is off by as much at most, along each axis, at random")}},
      {"deform",
       "body.deform = { ... }",
       "deform",
       "How a soft body is deformed before it is let go, about the middle of its box.",
       {value("stretch", T::number, {}, standard_text(d.stretch), {0, 1000, true, false},
              "times as long along the axis"),
        value("twist", T::number, "degrees", standard_text(d.twist), {}, "about the axis, from end to end"),
        {.name = "axis",
         .type = T::choice,
         .summary = "of the mesh",
         .standard = "x",
         .names = {"x", "y", "z"}},
        value("shake", T::number, {}, standard_text(d.shake), from_to(0, 1000),
              "of the mean edge: every coordinate by as much at most, at random")}},
      {"fix",
       "[[body.fix]]",
       "fix",
       "Nodes that are held. Places are in the mesh's own coordinates, with unit and scale, before the body "
       "is "
       "placed.",
       {flag("all", "all nodes; only `true` makes sense", {}),
        value("box", T::box, "m", {}, {}, "nodes in it, its sides included"),
        part("plane", T::table, "nodes in it or behind it", "plane"),
        part("sphere", T::table, "nodes in it, its surface included", "sphere"),
        value("vertices", T::wholes, {}, {}, from_to(0, 4294967294.0), "by their numbers, from 0"),
        part("motion", T::table, "what holds them moves", "motion")},
       {{{"all", "box", "plane", "sphere", "vertices"}, true}}},
      {"plane",
       "plane = { ... }",
       "plane",
       "A plane and what lies behind it.",
       {value("point", T::point, "m", {}, {}, "of the plane", {}, true),
        value("normal", T::direction, {}, {}, {}, "points away from what is held", {}, true)}},
      {"sphere",
       "sphere = { ... }",
       "sphere",
       "A ball.",
       {value("centre", T::point, "m", {}, {}, "of the ball", {}, true),
        value("radius", T::number, "m", {}, above(0), "of the ball", {}, true)}}};
}

std::vector<SceneSection> motions() {
  return {
      {"motion",
       "[body.motion], or motion = { ... } of a fix",
       "motion",
       "How a kinematic body or held nodes are moved: by keyframes or with velocities that stay. Of a body, "
       "keyframes are where it is; of nodes, they are moves away from where the nodes begin.",
       {part("keyframes", T::tables, "in order of time; in place of the velocities", "keyframe"),
        {.name = "interpolation",
         .type = T::choice,
         .summary = "between keyframes: straight, or with speeds that do not jump",
         .standard = "linear",
         .names = {"linear", "smooth"}},
        flag("repeat", "begin at time 0 again when the last keyframe is reached", "false"),
        value("velocity", T::point, "m/s", "[0, 0, 0]", {}, "in place of keyframes"),
        value("angular_velocity", T::point, "rad/s", "[0, 0, 0]", {}, "in place of keyframes"),
        value("centre", T::point, "m", "the body's position", {},
              "what turns are about, as the body is placed; of a body, not with keyframes")},
       {{{"keyframes", "velocity"}}, {{"keyframes", "angular_velocity"}}}},
      {"keyframe",
       "keyframes = [{ ... }, ...]",
       "keyframe",
       "A moment of a motion. Before the first and after the last, nothing moves.",
       {value("time", T::number, "s", {}, at_least(0), "later than that of the one before", {}, true),
        value("position", T::point, "m", "[0, 0, 0]", {}, "at that time"),
        part("rotation", T::rotation, "at that time", "rotation")}}};
}

}  // namespace

std::vector<SceneSection> body_sections() {
  std::vector<SceneSection> all = {body(), mesh()};
  for (const std::vector<SceneSection>& part : {places(), motions()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace palpate::detail
