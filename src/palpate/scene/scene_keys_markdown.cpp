// The table of keys, as Markdown.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <palpate/mesh/generate.h>
#include <palpate/scene/scene_keys.h>

namespace palpate {

namespace {

std::string type_of(const SceneKey& key) {
  SceneKey plain = key;
  plain.range = {};
  if (key.type == KeyType::choice) return fmt::format("`\"{}\"`", fmt::join(key.names, "\"`, `\""));
  return plain.wanted();
}

std::string standard_of(const SceneKey& key) {
  if (key.required) return "*must be given*";
  return key.standard.empty() ? "" : fmt::format("{}", key.standard);
}

std::string summary_of(const SceneKey& key) {
  if (key.kinds.empty()) return std::string(key.summary);
  return fmt::format("{} (*{}*)", key.summary, fmt::join(key.kinds, ", "));
}

std::string rows(const std::vector<SceneKey>& keys) {
  std::string out = "| key | type and unit | default | range | what it is |\n|---|---|---|---|---|\n";
  for (const SceneKey& key : keys)
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", key.name, type_of(key), standard_of(key),
                       key.range.text(), summary_of(key));
  return out;
}

std::string choices(const SceneSection& section) {
  std::string out;
  for (const SceneChoice& choice : section.choices)
    out += fmt::format("\n{} of `{}`.\n", choice.required ? "Exactly one" : "At most one",
                       fmt::join(choice.keys, "`, `"));
  return out;
}

}  // namespace

std::string scene_keys_markdown() {
  std::string out;
  for (const SceneSection& section : scene_sections())
    out += fmt::format("### {}\n{}\n\n{}{}\n",
                       section.name.empty() ? "Top level" : fmt::format("`{}`", section.heading),
                       section.summary, rows(section.keys), choices(section));
  out += "### Shapes\nWhat `shape` can be, and its parameters; `palpate mesh make` has the same.\n";
  for (const Generator& one : generators())
    out += fmt::format("\n`{}`: {}\n\n{}", one.name, one.summary, rows(shape_keys(one.name)));
  return out;
}

}  // namespace palpate
