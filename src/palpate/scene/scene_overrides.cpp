#include <palpate/scene/scene_overrides.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <palpate/base/suggest.h>
#include <palpate/scene/scene_keys.h>

namespace palpate::detail {

namespace {

using Source = std::shared_ptr<const SceneSource>;

constexpr const char* form = "Write KEY=VALUE, like run.step=0.01 or body.liver.material.young=1e4.";

[[noreturn]] void refuse(const Source& source, std::string what, std::string remedy) {
  throw Error(SceneSpot{source}.place(), std::move(what), std::move(remedy));
}

std::vector<std::string> parts_of(std::string_view path, const Source& source) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (std::any_of(parts.begin(), parts.end(), [](const std::string& part) { return part.empty(); }))
    refuse(source, "a part of its key is empty", form);
  if (parts.size() > 32) refuse(source, "its key has more than 32 parts", form);
  return parts;
}

SceneValue value_of(std::string_view text, const Source& source) {
  SceneValue value;
  try {
    SceneValue parsed = parse_toml(fmt::format("value = {}", text), source);
    SceneValue::Table& entries = std::get<SceneValue::Table>(parsed.data);
    if (entries.size() == 1 && entries[0].key == "value") return std::move(entries[0].value);
  } catch (const Error&) {
    // Then it is a text.
  }
  value.data = std::string(text);
  value.spot = {source};
  return value;
}

std::optional<std::size_t> index_of(std::string_view part) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
  if (error != std::errc() || end != part.data() + part.size()) return std::nullopt;
  return index;
}

// The item of a list with this name, or else with this number.
SceneValue& item_of(SceneValue& at, const std::string& part, const std::string& before,
                    const Source& source) {
  SceneValue::List& list = std::get<SceneValue::List>(at.data);
  std::vector<std::string> names;
  for (SceneValue& item : list)
    if (const SceneValue* name = item.find("name"); name != nullptr && name->text() != nullptr) {
      if (*name->text() == part) return item;
      names.push_back(*name->text());
    }
  if (const auto index = index_of(part); index && *index < list.size()) return list[*index];
  refuse(source, fmt::format("there is no {} '{}'", before, part),
         !names.empty() ? did_you_mean(part, names)
         : list.empty() ? "There is none at all."
                        : fmt::format("Their numbers go from 0 to {}.", list.size() - 1));
}

// Where a walk along the parts of a key has come to; the section tells what is in a table.
struct Walk {
  SceneValue* at;
  const SceneSection* section;
  std::string before = "scene";  // the last part
};

const SceneSection* section_of(const SceneKey* key) {
  return key == nullptr || key->section.empty() ? nullptr : &scene_section(key->section);
}

void into_table(Walk& walk, const std::string& part, const Source& source) {
  const SceneKey* key = walk.section != nullptr ? walk.section->find(part) : nullptr;
  const bool is_new = walk.at->find(part) == nullptr;
  SceneEntry& entry = walk.at->entry(part);
  if (is_new) {
    entry.spot = entry.value.spot = {source};
    if (key != nullptr && key->type == KeyType::tables)
      entry.value.data = SceneValue::List();
    else
      entry.value.data = SceneValue::Table();
  } else if (key != nullptr && key->type == KeyType::material && entry.value.text() != nullptr) {
    SceneValue like = std::exchange(entry.value, {SceneValue::Table(), {source}, true});
    const SceneSpot spot = like.spot;
    std::get<SceneValue::Table>(entry.value.data).push_back({"like", spot, std::move(like)});
  }
  if (key != nullptr && key->type == KeyType::named_tables) {
    walk.section = nullptr;  // the next part is a name
  } else {
    walk.section = section_of(key);
  }
  walk.at = &entry.value;
}

void go(Walk& walk, const std::string& part, const Source& source) {
  if (walk.at->list() != nullptr) {
    walk.at = &item_of(*walk.at, part, walk.before, source);
  } else if (walk.at->table() != nullptr) {
    const bool named = walk.before == "materials";
    into_table(walk, part, source);
    if (named) walk.section = &scene_section("material");
  } else {
    refuse(source, fmt::format("'{}' has no parts, and no '{}'", walk.before, part), form);
  }
  walk.before = part;
}

void set(Walk& walk, const std::string& part, SceneValue value, const Source& source) {
  if (walk.at->list() != nullptr) {
    item_of(*walk.at, part, walk.before, source) = std::move(value);
    return;
  }
  if (walk.at->table() == nullptr)
    refuse(source, fmt::format("'{}' has no parts, and no '{}'", walk.before, part), form);
  if (walk.section != nullptr)
    for (const SceneChoice& choice : walk.section->choices) {
      if (std::find(choice.keys.begin(), choice.keys.end(), part) == choice.keys.end()) continue;
      std::erase_if(std::get<SceneValue::Table>(walk.at->data), [&](const SceneEntry& entry) {
        return entry.key != part &&
               std::find(choice.keys.begin(), choice.keys.end(), entry.key) != choice.keys.end();
      });
    }
  SceneEntry& entry = walk.at->entry(part);
  entry.spot = {source};
  entry.value = std::move(value);
}

// What is wrong with a name is found where it is read; a variable brings a folder of its own.
void place_file(SceneValue& value, const std::filesystem::path& folder) {
  std::string* name = std::get_if<std::string>(&value.data);
  const bool is_ours = value.spot.source != nullptr && value.spot.source->is_override;
  if (name == nullptr || !is_ours || name->empty() || name->front() == '$') return;
  *name = (folder / *name).lexically_normal().string();
}

void place_mesh_files(SceneValue& value, const std::filesystem::path& folder) {
  if (auto* list = std::get_if<SceneValue::List>(&value.data))
    for (SceneValue& item : *list) place_mesh_files(item, folder);
  for (const char* key : {"mesh", "surface"})
    if (SceneValue* mesh = value.find(key))
      if (SceneValue* file = mesh->find("file")) place_file(*file, folder);
}

}  // namespace

void place_files_of_overrides(SceneValue& root, const std::filesystem::path& folder) {
  if (SceneValue* given = root.find("folder")) place_file(*given, folder);
  if (SceneValue* bodies = root.find("body")) place_mesh_files(*bodies, folder);
}

void apply_overrides(SceneValue& root, std::span<const std::string> overrides) {
  for (const std::string& one : overrides) {
    const auto source = std::make_shared<const SceneSource>(SceneSource{one, true});
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos) refuse(source, "there is no '=' in it", form);
    const std::vector<std::string> parts = parts_of(std::string_view(one).substr(0, equals), source);
    Walk walk{&root, &scene_section("")};
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) go(walk, parts[i], source);
    set(walk, parts.back(), value_of(std::string_view(one).substr(equals + 1), source), source);
  }
}

}  // namespace palpate::detail
