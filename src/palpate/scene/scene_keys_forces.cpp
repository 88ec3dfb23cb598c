// The rows of [[force]] and [[joint]].
#include <palpate/scene/scene_key_rows.h>

namespace palpate::detail {

namespace {

using T = KeyType;

SceneSection force() {
  const Kinds springs = {"spring"}, drag = {"drag"}, wind = {"wind"}, single = {"constant", "torque"};
  return {
      "force",
      "[[force]]",
      "force",
      "What pulls besides gravity, contacts and elasticity.",
      {{.name = "kind",
        .type = T::choice,
        .summary = "which one",
        .names = {"spring", "drag", "wind", "constant", "torque"},
        .required = true},
       {.name = "name", .type = T::name, .summary = "of its own, if it has one"},
       {.name = "body", .type = T::name, .summary = "that it pulls at", .kinds = single, .required = true},
       {.name = "bodies",
        .type = T::names,
        .summary =
            "two rigid ones that a spring joins, the second may be \"world\"; those that feel drag or wind",
        .standard = "all rigid bodies (drag, wind)",
        .kinds = {"spring", "drag", "wind"}},
       value("points", T::points, "m", "[[0, 0, 0], [0, 0, 0]]", {},
             "where the spring is attached, each in its body's coordinates", springs),
       value("stiffness", T::number, "N/m", {}, at_least(0), "of the spring", springs, true),
       value("damping", T::number, "N s/m", "0", at_least(0), "of the spring, along it", springs),
       value("length", T::number, "m", "as placed", at_least(0), "of the spring at rest", springs),
       value("linear", T::number, "N s/m", "0", at_least(0), "slows a body with linear v + quadratic v^2",
             drag),
       value("quadratic", T::number, "N s^2/m^2", "0", at_least(0), "the same", drag),
       value("velocity", T::point, "m/s", {}, {}, "of the wind, at the beginning", wind, true),
       value("period", T::number, "s", "0", at_least(0), "its direction turns once in this time; 0: never",
             wind),
       value("axis", T::direction, {}, "[0, 0, 1]", {}, "that it turns about", wind),
       value("coefficient", T::number, "N s/m", "1", at_least(0),
             "pulls a body with so many times the wind's speed past it", wind),
       value("force", T::point, "N", {}, {}, "in the world's directions", {"constant"}, true),
       value("point", T::point, "m", "[0, 0, 0]", {},
             "where it pulls, in the body's coordinates; at what deforms, it pulls by mass, without a point",
             {"constant"}),
       value("torque", T::point, "N m", {}, {}, "in the world's directions", {"torque"}, true)}};
}

SceneSection joint() {
  const Kinds distance = {"distance"};
  return {
      "joint",
      "[[joint]]",
      "joint",
      "Two bodies, or a body and the world, that belong together. Places and directions are the world's, "
      "with "
      "the bodies as they are placed.",
      {{.name = "kind",
        .type = T::choice,
        .summary =
            "what is left free: nothing, turning, turning about an axis, sliding along it, all but the "
            "distance",
        .names = {"fixed", "ball", "hinge", "slider", "distance"},
        .required = true},
       {.name = "name", .type = T::name, .summary = "of its own, if it has one"},
       {.name = "bodies", .type = T::names, .summary = "two; the second may be \"world\"", .required = true},
       value("point", T::point, "m", {}, {}, "of the joint; of a distance, on the first body", {}, true),
       value("other_point", T::point, "m", {}, {}, "of a distance, on the second body", distance, true),
       value("axis", T::direction, {}, {}, {}, "of any length", {"hinge", "slider"}, true),
       value("length", T::number, "m", "as placed", at_least(0), "of a distance", distance),
       value("compliance", T::number, "m/N", "0", at_least(0),
             "how much it gives way; of turns in rad/(N m)"),
       flag("collide", "the two bodies touch each other", "false")}};
}

}  // namespace

std::vector<SceneSection> force_sections() { return {force(), joint()}; }

}  // namespace palpate::detail
