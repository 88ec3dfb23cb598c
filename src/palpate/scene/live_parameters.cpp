#include <palpate/scene/live_parameters.h>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace palpate {

namespace {

using Value = std::variant<bool, double, std::string>;

// Which keys, and where their values are. To show another one: a row here.
struct Row {
  std::string_view section, prefix, group, key;
  Value (*value)(const Scene&);
};

// Numbers of any kind, texts, and flags.
template <class T>
Value as_value(const T& value) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>)
    return value;
  else
    return static_cast<double>(value);
}

const Row rows[] = {
    {"run", "run", "Run", "threads", [](const Scene& s) { return as_value(s.run.threads); }},
    {"run", "run", "Run", "step", [](const Scene& s) { return as_value(s.run.step); }},
    {"run", "run", "Run", "substeps", [](const Scene& s) { return as_value(s.run.substeps); }},
    {"contact", "contact", "Contacts", "enabled", [](const Scene& s) { return as_value(s.contact.enabled); }},
    {"contact", "contact", "Contacts", "distance",
     [](const Scene& s) { return as_value(s.contact.distance); }},
    {"contact", "contact", "Contacts", "finder", [](const Scene& s) { return as_value(s.contact.finder); }},
    {"contact", "contact", "Contacts", "response",
     [](const Scene& s) { return as_value(std::string(s.contact.response.name)); }},
    {"contact", "contact", "Contacts", "friction",
     [](const Scene& s) { return as_value(s.contact.touch.friction); }},
    {"contact", "contact", "Contacts", "restitution",
     [](const Scene& s) { return as_value(s.contact.touch.restitution); }},
    {"contact", "contact", "Contacts", "stiffness",
     [](const Scene& s) { return as_value(s.contact.response.stiffness); }},
    {"contact", "contact", "Contacts", "damping",
     [](const Scene& s) { return as_value(s.contact.response.damping); }},
    {"contact", "contact", "Contacts", "iterations",
     [](const Scene& s) { return as_value(s.contact.response.iterations); }},
    {"solver", "solver", "Solver", "name", [](const Scene& s) { return as_value(s.solver.name); }},
    {"solver", "solver", "Solver", "substeps", [](const Scene& s) { return as_value(s.solver.substeps); }},
    {"solver", "solver", "Solver", "iterations",
     [](const Scene& s) { return as_value(s.solver.iterations); }},
    {"solver", "solver", "Solver", "tolerance", [](const Scene& s) { return as_value(s.solver.tolerance); }},
    {"acceleration", "solver.acceleration", "Accelerator", "kind",
     [](const Scene& s) { return as_value(std::string(name_of(s.solver.acceleration.kind))); }},
    {"acceleration", "solver.acceleration", "Accelerator", "omega",
     [](const Scene& s) { return as_value(s.solver.acceleration.omega); }},
    {"acceleration", "solver.acceleration", "Accelerator", "window",
     [](const Scene& s) { return as_value(s.solver.acceleration.window); }},
    {"acceleration", "solver.acceleration", "Accelerator", "safeguard",
     [](const Scene& s) { return as_value(s.solver.acceleration.safeguard); }},
};

struct MaterialRow {
  std::string_view key;
  Value (*value)(const Material&);
};
const MaterialRow material_rows[] = {
    {"young", [](const Material& m) { return as_value(m.young); }},
    {"poisson", [](const Material& m) { return as_value(m.poisson); }},
    {"density", [](const Material& m) { return as_value(m.density); }},
    {"damping", [](const Material& m) { return as_value(m.damping); }},
    {"model", [](const Material& m) { return as_value(std::string(name_of(m.model))); }},
};

void add_material(std::vector<LiveParameter>& to, const std::string& prefix, const std::string& group,
                  const Material& material) {
  for (const MaterialRow& row : material_rows)
    to.push_back({fmt::format("{}.{}", prefix, row.key), group, scene_section("material").find(row.key),
                  row.value(material)});
}

}  // namespace

std::vector<LiveParameter> live_parameters(const Scene& scene) {
  std::vector<LiveParameter> all;
  for (const Row& row : rows)
    all.push_back({fmt::format("{}.{}", row.prefix, row.key), std::string(row.group),
                   scene_section(row.section).find(row.key), row.value(scene)});
  // One that several bodies are made of is changed for all of them.
  for (const auto& [name, material] : scene.materials)
    if (std::any_of(scene.bodies.begin(), scene.bodies.end(),
                    [&, &name = name](const SceneBody& b) { return b.deforms() && b.material_name == name; }))
      add_material(all, "materials." + name, "Material " + name, material);
  for (const SceneBody& body : scene.bodies)
    if (body.deforms() && !scene.materials.contains(body.material_name))
      add_material(all, fmt::format("body.{}.material", body.name), body.name, body.material);
  return all;
}

}  // namespace palpate
