// The rows of what holds for the whole scene, and of materials.
#include <palpate/collide/finder.h>
#include <palpate/scene/scene.h>
#include <palpate/scene/scene_key_rows.h>
#include <palpate/solve/solver.h>

namespace palpate::detail {

namespace {

using T = KeyType;

SceneSection top() {
  return {"",
          "top level",
          "scene",
          "What the scene is, and its parts.",
          {{"title", T::text, "for lists and reports"},
           {"description", T::text, "a sentence or more on what there is to see"},
           {"folder", T::text, "what the names of mesh files are relative to", {}, "that of the scene file"},
           {.name = "run", .type = T::table, .summary = "how long, and in what steps", .section = "run"},
           {.name = "world", .type = T::table, .summary = "what holds for all bodies", .section = "world"},
           {.name = "contact", .type = T::table, .summary = "what counts as touching", .section = "contact"},
           {.name = "solver", .type = T::table, .summary = "how steps are solved", .section = "solver"},
           {.name = "materials",
            .type = T::named_tables,
            .summary = "materials for several bodies",
            .section = "material"},
           {.name = "body",
            .type = T::tables,
            .summary = "the things in the scene",
            .section = "body",
            .required = true},
           {.name = "force", .type = T::tables, .summary = "what pulls at them", .section = "force"},
           {.name = "joint", .type = T::tables, .summary = "what links them", .section = "joint"}}};
}

SceneSection run() {
  const SceneRun r;
  return {"run",
          "[run]",
          "run",
          "How long the scene runs, and in what steps.",
          {{"step", T::number, "length of a step; 1/60 if not given", "s", standard_text(r.step), above(0)},
           {"substeps",
            T::whole,
            "parts of a step, each with its own search for contacts",
            {},
            standard_text(r.substeps),
            from_to(1, 10000)},
           {"duration", T::number, "of the whole run; in place of `steps`", "s", {}, above(0)},
           {"steps",
            T::whole,
            "of the whole run; in place of `duration`",
            {},
            standard_text(static_cast<double>(r.steps)),
            from_to(1, 1e9)},
           {"seed",
            T::whole,
            "of whatever is random",
            {},
            standard_text(static_cast<double>(r.seed)),
            at_least(0)},
           {"threads",
            T::whole,
            "0: all there are; results do not depend on it",
            {},
            standard_text(static_cast<double>(r.threads)),
            from_to(0, 1024)},
           {"record_every",
            T::whole,
            "steps between exported frames; 0: none unless asked for",
            {},
            standard_text(static_cast<double>(r.record_every)),
            from_to(0, 1e9)}},
          {{{"duration", "steps"}}}};
}

SceneSection world() {
  const SceneWorld w;
  return {"world",
          "[world]",
          "world",
          "What holds for all bodies.",
          {{"gravity", T::point, "acceleration of whatever falls", "m/s^2", "[0, 0, -9.81]"},
           {"linear_damping", T::number, "slows rigid bodies that do not say otherwise", "1/s",
            standard_text(w.linear_damping), at_least(0)},
           {"angular_damping", T::number, "the same for their turning", "1/s",
            standard_text(w.angular_damping), at_least(0)},
           {"sleep_speed", T::number, "what stays slower may sleep until it is touched; 0: nothing sleeps",
            "m/s", standard_text(w.sleep_speed), at_least(0)}}};
}

SceneSection contact() {
  const SceneContact c;
  const ResponseOptions& r = c.response;
  return {"contact",
          "[contact]",
          "contact",
          "What counts as touching (docs/contacts.md), and what it does (docs/response.md).",
          {{"enabled", T::flag, "false: nothing touches anything", {}, "true"},
           {"distance", T::number, "what is nearer touches", "m", standard_text(c.distance), above(0)},
           {"neighbour_distance", T::number, "along a surface, what is nearer does not touch itself", "m",
            "2 distance", at_least(0)},
           {"margin", T::number, "pairs farther than the distance by so much are looked at too", "m",
            standard_text(c.margin), at_least(0)},
           {.name = "finder",
            .type = T::choice,
            .summary = "how pairs are found",
            .standard = c.finder,
            .names = names_of(finders(), [](const FinderEntry& f) { return f.name; })},
           {"exclude", T::pairs, "bodies that pass through each other: `[[\"a\", \"b\"], ...]`", {}, "[]"},
           {.name = "response",
            .type = T::choice,
            .summary = "what contacts do (docs/response.md)",
            .standard = "constraint; penalty with solvers that sweep",
            .names = names_of(response_names(), [](std::string_view name) { return name; })},
           value("friction", T::number, {}, standard_text(c.touch.friction), from_to(0, 1000),
                 "of what slides, of bodies that do not say otherwise"),
           value("static_friction", T::number, {}, "as `friction`", from_to(0, 1000),
                 "of what sticks; not below `friction`"),
           value("restitution", T::number, {}, standard_text(c.touch.restitution), from_to(0, 1),
                 "of hits of rigid bodies: how much of the speed comes back"),
           value("stiffness", T::number, {}, standard_text(r.stiffness), above(0),
                 "of the layer that touching bodies press: of their own material's"),
           value("compliance", T::number, "m/Pa", standard_text(r.compliance), at_least(0),
                 "how far the layer gives way besides that, per pressure"),
           value("damping", T::number, {}, standard_text(r.damping), at_least(0),
                 "of the layer: in how many more steps what is pressed comes out"),
           value("easing_speed", T::number, "m/s", standard_text(r.easing_speed), at_least(0),
                 "at which bodies that overlap come apart"),
           value("iterations", T::whole, {}, standard_text(r.iterations), from_to(1, 1e6),
                 "of each pass of a solve with contacts, at most")}};
}

SceneSection solver() {
  const SceneSolver s;
  return {
      "solver",
      "[solver]",
      "solver",
      "How the equations of a step are solved (docs/soft.md).",
      {{.name = "name",
        .type = T::choice,
        .summary =
            "which solver; the first is the fastest, and the only one that contacts are solved together with",
        .standard = s.name,
        .names = names_of(solver_names(), [](std::string_view name) { return name; })},
       {"substeps",
        T::whole,
        "of the solver alone, between two searches for contacts",
        {},
        standard_text(s.substeps),
        from_to(1, 10000)},
       {"iterations",
        T::whole,
        "of each substep of what touches nothing, at most",
        {},
        standard_text(s.iterations),
        from_to(1, 1e6)},
       {"tolerance", T::number, "enough when the residual is below", "m", standard_text(s.tolerance),
        at_least(0)},
       {"budget", T::number,
        "enough when this much time is gone; 0: never. Results depend on the machine then", "s",
        standard_text(s.budget), at_least(0)},
       {"untangle", T::flag, "bring back what is turned inside out", {}, "true"},
       {.name = "acceleration",
        .type = T::table,
        .summary = "of the solvers that sweep",
        .section = "acceleration"}}};
}

SceneSection acceleration() {
  const Acceleration a;
  return {
      "acceleration",
      "solver.acceleration = { ... }",
      "acceleration",
      "What makes sweeps converge faster; `quasi_newton` has its own and takes none.",
      {{.name = "kind",
        .type = T::choice,
        .summary = "what makes them converge faster",
        .standard = std::string(name_of(a.kind)),
        .names = names_of(all_accelerations(), [](Acceleration::Kind kind) { return name_of(kind); })},
       {"omega",
        T::number,
        "how many times as far SOR goes, and Anderson's steps; 1 with chebyshev",
        {},
        standard_text(a.omega),
        {0, 100, true, false}},
       {"radius",
        T::number,
        "spectral radius that Chebyshev reckons with",
        {},
        standard_text(a.radius),
        inside(0, 1)},
       {"window",
        T::whole,
        "how many steps Anderson looks back",
        {},
        standard_text(static_cast<double>(a.window)),
        from_to(2, static_cast<double>(Anderson::most))},
       {"condition_limit", T::number, "of Anderson's matrix", {}, standard_text(a.condition_limit), above(1)},
       {"safeguard", T::flag, "take a plain sweep where it is better", {}, "true"}}};
}

SceneSection material() {
  const Material m;
  return {
      "material",
      "[materials.NAME], or body.material = { ... }",
      "material",
      "What deforms is made of. The names of docs/soft.md (\"muscle\", \"rubber\", ...) are there already.",
      {{"like", T::name, "begin with the values of this material"},
       {"density", T::number, "mass of a volume", "kg/m^3", standard_text(m.density), above(0)},
       {"young", T::number, "Young's modulus: how hard it is to stretch", "Pa", standard_text(m.young),
        above(0)},
       {"poisson",
        T::number,
        "Poisson's ratio: how much it thins when stretched",
        {},
        standard_text(m.poisson),
        inside(-1, 0.5)},
       {"damping", T::number, "viscous stress for a rate of the elastic one", "s", standard_text(m.damping),
        at_least(0)},
       {.name = "model",
        .type = T::choice,
        .summary = "what it does far from rest",
        .standard = "neo_hookean",
        .names = {"neo_hookean", "corotated", "stvk"}}}};
}

}  // namespace

std::vector<SceneSection> general_sections() {
  return {top(), run(), world(), contact(), solver(), acceleration(), material()};
}

}  // namespace palpate::detail
