#include <palpate/scene/read_scene.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <palpate/base/suggest.h>
#include <palpate/mesh/formats/disk.h>
#include <palpate/scene/read_parts.h>
#include <palpate/scene/scene_overrides.h>
#include <palpate/solve/solver.h>

namespace palpate {

namespace fs = std::filesystem;

namespace {

using namespace detail;

SceneRun read_run(const SceneValue& value) {
  const SceneTable table(value, scene_section("run"));
  SceneRun run;
  table.get("step", run.step);
  table.get("substeps", run.substeps);
  table.get("steps", run.steps);
  table.get("seed", run.seed);
  table.get("threads", run.threads);
  table.get("record_every", run.record_every);
  if (double duration = 0; table.has("duration")) {
    table.get("duration", duration);
    const double steps = std::max(1.0, std::round(duration / run.step));
    if (!(steps <= 1e9))
      throw Error(table.place("duration"),
                  fmt::format("{} s are {:.3g} steps of {} s", duration, steps, run.step),
                  "Take at most 1e9 steps.");
    run.steps = static_cast<std::size_t>(steps);
  }
  return run;
}

SceneWorld read_world(const SceneValue& value) {
  const SceneTable table(value, scene_section("world"));
  SceneWorld world;
  table.get("gravity", world.gravity);
  table.get("linear_damping", world.linear_damping);
  table.get("angular_damping", world.angular_damping);
  table.get("sleep_speed", world.sleep_speed);
  return world;
}

// Contacts are solved together with what the default solver solves, and push by themselves with others.
std::string response_for(const SceneSolver& solver) {
  return solver.name == SceneSolver{}.name ? "constraint" : "penalty";
}

// What bodies that say nothing are like; they are read later.
SceneContact read_contact(const SceneValue& value, const SceneSolver& solver) {
  const SceneTable table(value, scene_section("contact"));
  SceneContact contact;
  table.get("enabled", contact.enabled);
  table.get("distance", contact.distance);
  table.get("neighbour_distance", contact.neighbour_distance);
  table.get("margin", contact.margin);
  table.get("finder", contact.finder);
  ResponseOptions& response = contact.response;
  table.get("response", response.name);
  if (!table.has("response")) response.name = response_for(solver);
  table.get("stiffness", response.stiffness);
  table.get("compliance", response.compliance);
  table.get("damping", response.damping);
  table.get("easing_speed", response.easing_speed);
  table.get("iterations", response.iterations);
  contact.touch = read_touch(table, contact.touch);
  return contact;
}

// Pairs of bodies, when those are known.
void read_excluded(const SceneValue& value, Scene& scene) {
  const SceneTable table(value, scene_section("contact"));
  const SceneValue* exclude = table.find("exclude");
  if (exclude == nullptr) return;
  for (const SceneValue& pair : *exclude->list()) {
    const SceneValue &a = (*pair.list())[0], &b = (*pair.list())[1];
    require_body(scene, *a.text(), a.spot.place());
    require_body(scene, *b.text(), b.spot.place());
    if (*a.text() == *b.text())
      throw Error(pair.spot.place(), fmt::format("exclude has '{}' twice in a pair", *a.text()),
                  "Give the body self_contacts = false instead.");
    scene.contact.exclude.push_back({*a.text(), *b.text()});
  }
}

Acceleration read_acceleration(const SceneValue& value) {
  const SceneTable table(value, scene_section("acceleration"));
  Acceleration acceleration;
  table.get_choice("kind", acceleration.kind);
  table.get("omega", acceleration.omega);
  table.get("radius", acceleration.radius);
  table.get("window", acceleration.window);
  table.get("condition_limit", acceleration.condition_limit);
  table.get("safeguard", acceleration.safeguard);
  return acceleration;
}

SceneSolver read_solver(const SceneValue& value) {
  const SceneTable table(value, scene_section("solver"));
  SceneSolver solver;
  table.get("name", solver.name);
  table.get("substeps", solver.substeps);
  table.get("iterations", solver.iterations);
  table.get("tolerance", solver.tolerance);
  table.get("budget", solver.budget);
  table.get("untangle", solver.untangle);
  const SceneValue* acceleration = table.find("acceleration");
  if (acceleration == nullptr) return solver;
  solver.acceleration = read_acceleration(*acceleration);
  try {
    make_solver(solver.name, solver.acceleration);
  } catch (const Error& error) {
    throw Error(table.place("acceleration"), fmt::format("{}: {}", error.where(), error.problem()),
                error.remedy());
  }
  return solver;
}

// Every table of a list, with names that differ where they have one. A table may be read as several parts.
template <class Part, class Read>
void read_all(const SceneValue* list, std::string_view noun, std::vector<Part>& out, Read&& read) {
  if (list == nullptr) return;
  std::set<std::string> names;
  for (const SceneValue& value : *list->list()) {
    const std::size_t before = out.size();
    if constexpr (std::is_same_v<decltype(read(value)), Part>)
      out.push_back(read(value));
    else
      for (Part& part : read(value)) out.push_back(std::move(part));
    for (std::size_t i = before; i < out.size(); ++i)
      if (const std::string& name = out[i].name; !name.empty() && !names.insert(name).second)
        throw Error(value.find("name")->spot.place(), fmt::format("there is a {} '{}' already", noun, name),
                    "Give each a name of its own.");
  }
}

// Without a separator at its end.
fs::path whole_path(const fs::path& folder) {
  std::error_code ignored;
  const fs::path found = fs::absolute(folder.empty() ? "." : folder, ignored).lexically_normal();
  return found.has_filename() ? found : found.parent_path();
}

// In the order in which they need each other.
Scene read_tree(const SceneValue& root, SceneFolder& folder) {
  const SceneTable table(root, scene_section(""));
  Scene scene;
  table.get("title", scene.title);
  table.get("description", scene.description);
  if (const SceneValue* given = table.find("folder")) {
    require_file_name(*given);
    folder.path = whole_path(folder.path / *given->text());
  }
  if (const SceneValue* run = table.find("run")) scene.run = read_run(*run);
  if (const SceneValue* world = table.find("world")) scene.world = read_world(*world);
  if (const SceneValue* solver = table.find("solver")) scene.solver = read_solver(*solver);
  scene.materials = read_materials(table.find("materials"));
  const SceneValue* contact = table.find("contact");
  if (contact != nullptr)
    scene.contact = read_contact(*contact, scene.solver);
  else
    scene.contact.response.name = response_for(scene.solver);
  read_all(table.find("body"), "body", scene.bodies,
           [&](const SceneValue& value) { return read_bodies(value, scene, folder); });
  if (contact != nullptr) read_excluded(*contact, scene);
  read_all(table.find("force"), "force", scene.forces,
           [&](const SceneValue& value) { return read_force(value, scene); });
  read_all(table.find("joint"), "joint", scene.joints,
           [&](const SceneValue& value) { return read_joint(value, scene); });
  if (scene.bodies.empty())
    throw Error(table.place("body"), "there is no body in it",
                "Add one: [[body]], with a name, a kind and a mesh.");
  return scene;
}

// The text of the scene that was read. Where names of files are relative it says to what, so that it can be
// read from anywhere.
std::string text_of(std::string_view text, SceneValue& root, bool changed, const SceneFolder& folder) {
  const SceneValue* given = root.find("folder");
  const bool says_where = given != nullptr && fs::path(*given->text()).is_absolute();
  if (!folder.was_asked_for || says_where) return changed ? toml_text(root) : std::string(text);
  SceneValue where;
  where.data = folder.path.string();
  if (!changed && given == nullptr) return fmt::format("folder = {}\n{}", value_text(where), text);
  SceneValue::Table& entries = std::get<SceneValue::Table>(root.data);
  std::erase_if(entries, [](const SceneEntry& entry) { return entry.key == "folder"; });
  entries.insert(entries.begin(), SceneEntry{"folder", {}, std::move(where)});
  return toml_text(root);
}

// `here`: what names of files in overrides are relative to; empty: to the same as those of the text.
Scene parse(std::string_view text, std::string_view name, std::span<const std::string> overrides,
            const fs::path& folder, const fs::path& here) {
  constexpr std::size_t most = std::size_t{1} << 26;
  if (text.size() > most)
    throw Error(Place::file(name), "it has more than 64 MB", "Keep meshes in files of their own.");
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  SceneValue root = parse_toml(text, std::make_shared<const SceneSource>(SceneSource{std::string(name)}));
  apply_overrides(root, overrides);
  if (!here.empty()) place_files_of_overrides(root, here);
  SceneFolder where{whole_path(folder)};
  Scene scene = read_tree(root, where);
  scene.text = text_of(text, root, !overrides.empty(), where);
  scene.origin.place = Place::file(name);
  return scene;
}

}  // namespace

bool operator==(const SceneSolver& a, const SceneSolver& b) {
  const auto parts = [](const SceneSolver& s) {
    return std::tie(s.name, s.substeps, s.iterations, s.tolerance, s.budget, s.untangle);
  };
  const auto numbers = [](const Acceleration& x) {
    return std::tie(x.kind, x.omega, x.radius, x.window, x.condition_limit, x.safeguard);
  };
  return parts(a) == parts(b) && numbers(a.acceleration) == numbers(b.acceleration);
}

const SceneBody* Scene::find_body(std::string_view name) const {
  const auto at =
      std::find_if(bodies.begin(), bodies.end(), [&](const SceneBody& b) { return b.name == name; });
  return at == bodies.end() ? nullptr : &*at;
}

Scene read_scene(const fs::path& file, std::span<const std::string> overrides) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
    throw Error(Place::file(file.string()), "this is a folder, not a file", "Name a scene file in it.");
  return parse(read_bytes(file.string()), file.string(), overrides, file.parent_path(), whole_path({}));
}

Scene parse_scene(std::string_view text, std::string_view name, std::span<const std::string> overrides,
                  const fs::path& folder) {
  return parse(text, name, overrides, folder, {});
}

}  // namespace palpate
