// Reading what a body is made of: its mesh and its material.
#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include <palpate/base/suggest.h>
#include <palpate/mesh/generate.h>
#include <palpate/scene/read_parts.h>

namespace palpate::detail {

namespace fs = std::filesystem;

namespace {

// In the order of the key's names.
constexpr std::array unit_sizes = {1.0, 0.1, 0.01, 1e-3, 1e-6, 0.0254, 0.3048};
constexpr std::array models = {Model::neo_hookean, Model::corotated, Model::stvk};

// What an environment variable says; real meshes lie beside the project if nothing else is said.
std::string variable(const std::string& name, const Place& place) {
  if (const char* value = std::getenv(name.c_str()); value != nullptr && *value != '\0') return value;
  if (name == "PALPATE_DATA") return "../shared/data";
  throw Error(place, fmt::format("the environment variable {} is not set", name),
              fmt::format("Set it to the folder meant: export {}=...", name));
}

// The file that a name stands for. A variable may begin it; what that gives is relative to the current
// folder.
fs::path file_of(const SceneValue& value, SceneFolder& folder) {
  const std::string& name = *value.text();
  const Place place = value.spot.place();
  const auto refuse = [&](const char* remedy) {
    throw Error(place, fmt::format("file is {}", shown(value)), remedy);
  };
  require_file_name(value);
  if (name.empty()) refuse("Name a mesh file.");
  const std::size_t end = name.find('}');
  if (name.front() == '$' && (!name.starts_with("${") || end == std::string::npos || end == 2))
    refuse("Write a variable as ${NAME}.");
  if (name.find("${", 1) != std::string::npos) refuse("A variable can only begin the name.");
  if (name.front() == '$') {
    const fs::path found = variable(name.substr(2, end - 2), place) + name.substr(end + 1);
    std::error_code ignored;
    return fs::absolute(found, ignored).lexically_normal();
  }
  const fs::path path = name;
  if (!path.is_absolute()) folder.was_asked_for = true;
  return (folder.path / path).lexically_normal();
}

void read_shape(const SceneTable& table, MeshSource& source) {
  const Generator& made = generator(source.shape);
  source.values = made.standard_values();
  for (std::size_t i = 0; i < made.parameters.size(); ++i)
    table.get(made.parameters[i].name, source.values[i]);
  table.get(made.kind == GeneratedKind::solid ? "tets" : "triangles", source.elements);
}

// The section of meshes with the parameters of a shape.
SceneSection section_with(std::string_view shape) {
  SceneSection section = scene_section("mesh");
  for (SceneKey& key : shape_keys(shape)) section.keys.push_back(std::move(key));
  return section;
}

// The name of a shape, if it has one that is right.
std::optional<std::string> shape_of(const SceneValue& value) {
  const SceneValue* shape = value.find("shape");
  if (shape == nullptr) return std::nullopt;
  require_value(*scene_section("mesh").find("shape"), *shape);
  return *shape->text();
}

using Known = std::map<std::string, Material>;

// One of the file, or else one that is always there.
Material named(const std::string& name, const Known& known, const Place& place) {
  if (const auto at = known.find(name); at != known.end()) return at->second;
  std::vector<std::string> names;
  for (const auto& [one, material] : known) names.push_back(one);
  for (const NamedMaterial& one : named_materials()) {
    if (one.name == name) return one.material;
    names.emplace_back(one.name);
  }
  throw Error(place, fmt::format("there is no material '{}'", name), did_you_mean(name, names));
}

Material material_of(const SceneValue& value, const Known& known) {
  const SceneTable table(value, scene_section("material"));
  Material material;
  if (const SceneValue* like = table.find("like")) material = named(*like->text(), known, like->spot.place());
  table.get("density", material.density);
  table.get("young", material.young);
  table.get("poisson", material.poisson);
  table.get("damping", material.damping);
  std::size_t model = models.size();
  table.get_choice("model", model);
  if (model < models.size()) material.model = models[model];
  return material;
}

void require_tables(const SceneValue::Table& materials) {
  const SceneKey name{.name = "the name of a material", .type = KeyType::name};
  for (const SceneEntry& entry : materials) {
    require_value(name, {entry.key, entry.spot});
    if (entry.value.table() == nullptr)
      throw Error(entry.value.spot.place(), fmt::format("{} is {}", entry.key, shown(entry.value)),
                  fmt::format("Write a table: [materials.{}], then its values.", entry.key));
  }
}

// The material of the file that this one is like, if it is not known yet. A material may be like the one that
// is always there and whose name it takes over.
const SceneEntry* needed_by(const SceneEntry& entry, const SceneValue::Table& materials, const Known& known) {
  const SceneValue* like = entry.value.find("like");
  if (like == nullptr || like->text() == nullptr || *like->text() == entry.key) return nullptr;
  const std::string& name = *like->text();
  const auto at = std::find_if(materials.begin(), materials.end(),
                               [&](const SceneEntry& one) { return one.key == name; });
  return at == materials.end() || known.contains(name) ? nullptr : &*at;
}

// This material, after all that it needs.
void add_material(const SceneEntry& entry, const SceneValue::Table& materials, Known& known) {
  std::vector<const SceneEntry*> chain;
  for (const SceneEntry* one = &entry; one != nullptr; one = needed_by(*one, materials, known)) {
    if (chain.size() == materials.size())
      throw Error(entry.value.spot.place(),
                  fmt::format("material '{}' is like others that are like it", entry.key),
                  "Give one of them values of its own.");
    chain.push_back(one);
  }
  for (; !chain.empty(); chain.pop_back()) known[chain.back()->key] = material_of(chain.back()->value, known);
}

}  // namespace

std::map<std::string, Material> read_materials(const SceneValue* tables) {
  Known known;
  if (tables == nullptr) return known;
  const SceneValue::Table& materials = *tables->table();
  require_tables(materials);
  for (const SceneEntry& entry : materials)
    if (!known.contains(entry.key)) add_material(entry, materials, known);
  return known;
}

Material read_material(const SceneValue& value, const std::map<std::string, Material>& known) {
  return value.text() != nullptr ? named(*value.text(), known, value.spot.place())
                                 : material_of(value, known);
}

void require_file_name(const SceneValue& text) {
  const std::string& name = *text.text();
  if (std::any_of(name.begin(), name.end(), [](char c) { return c >= 0 && c < 0x20; }))
    throw Error(text.spot.place(), fmt::format("there are control characters in {}", shown(text)),
                "Names of files and folders have none.");
}

MeshSource read_mesh_source(const SceneValue& value, SceneFolder& folder) {
  MeshSource source;
  source.origin.place = value.spot.place();
  const std::optional<std::string> shape = shape_of(value);
  const SceneSection section = shape ? section_with(*shape) : scene_section("mesh");
  std::string_view kind = value.find("file") != nullptr ? "file" : "";
  if (shape) kind = generator(*shape).kind == GeneratedKind::solid ? "solid" : "surface";
  const SceneTable table(value, section, kind);
  if (shape) {
    source.shape = *shape;
    read_shape(table, source);
  } else {
    source.file = file_of(*table.find("file"), folder);
    std::size_t unit = 0;
    table.get_choice("unit", unit);
    source.unit = unit_sizes[unit];
  }
  if (const SceneValue* scale = table.find("scale"))
    source.scale = scale->list() != nullptr ? point_of(*scale) : Vec3::Constant(number_of(*scale));
  return source;
}

}  // namespace palpate::detail
