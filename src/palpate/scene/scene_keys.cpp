#include <palpate/scene/scene_keys.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <palpate/mesh/generate.h>
#include <palpate/scene/scene_key_rows.h>

namespace palpate {

namespace detail {

std::string standard_text(double number) { return fmt::format("{:.6g}", number); }

}  // namespace detail

namespace {

using namespace detail;
using T = KeyType;

std::string_view type_text(KeyType type) {
  switch (type) {
    case T::flag:
      return "true or false";
    case T::whole:
      return "a whole number";
    case T::number:
      return "a number";
    case T::text:
      return "a text in quotes";
    case T::name:
      return "a name in quotes, without dots, quotes and '='";
    case T::choice:
      return "one of some names";
    case T::point:
      return "three numbers";
    case T::direction:
      return "three numbers, not all 0";
    case T::box:
      return "two points, [[low], [high]]";
    case T::scale:
      return "a number or three";
    case T::inertia:
      return "three numbers (xx, yy, zz) or six (and xy, xz, yz)";
    case T::rotation:
      return "{ axis, angle } or a quaternion [w, x, y, z]";
    case T::material:
      return "a name in quotes or a table";
    case T::points:
      return "a list of points of three numbers";
    case T::wholes:
      return "a list of whole numbers";
    case T::names:
      return "a list of names";
    case T::pairs:
      return "a list of pairs of names";
    case T::table:
      return "a table";
    case T::tables:
      return "a list of tables";
    case T::named_tables:
      return "a table of tables";
  }
  return {};
}

}  // namespace

std::string KeyRange::text() const {
  const std::string low = least > -limit
                              ? fmt::format("{} {:.15g}", without_least ? "above" : "at least", least)
                              : std::string(),
                    high = most < limit ? fmt::format("{} {:.15g}", without_most ? "below" : "at most", most)
                                        : std::string();
  if (low.empty() || high.empty()) return low + high;
  if (!without_least && !without_most) return fmt::format("from {:.15g} to {:.15g}", least, most);
  return fmt::format("{} and {}", low, high);
}

bool SceneKey::is_for(std::string_view kind) const {
  return kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

std::string SceneKey::wanted() const {
  if (type == T::choice) return fmt::format("one of {}", fmt::join(names, ", "));
  std::string text(type_text(type));
  if (const std::string range_text = range.text(); !range_text.empty())
    text += (type == T::number || type == T::whole ? " " : ", each ") + range_text;
  if (!unit.empty()) text += fmt::format(" [{}]", unit);
  return text;
}

const SceneKey* SceneSection::find(std::string_view key) const {
  const auto at =
      std::find_if(keys.begin(), keys.end(), [&](const SceneKey& one) { return one.name == key; });
  return at == keys.end() ? nullptr : &*at;
}

std::span<const SceneSection> scene_sections() {
  static const std::vector<SceneSection> all = [] {
    std::vector<SceneSection> sections = general_sections();
    for (std::vector<SceneSection>& part : std::array{body_sections(), force_sections()})
      std::move(part.begin(), part.end(), std::back_inserter(sections));
    return sections;
  }();
  return all;
}

const SceneSection& scene_section(std::string_view name) {
  for (const SceneSection& section : scene_sections())
    if (section.name == name) return section;
  throw std::logic_error(fmt::format("there is no section '{}' of scenes", name));
}

std::vector<SceneKey> shape_keys(std::string_view shape) {
  std::vector<SceneKey> keys;
  for (const GeneratorParameter& p : generator(shape).parameters)
    keys.push_back({p.name, p.integer ? T::whole : T::number, p.summary, p.unit, standard_text(p.standard),
                    p.integer ? from_to(0, 4294967294.0) : KeyRange{}});
  return keys;
}

}  // namespace palpate
