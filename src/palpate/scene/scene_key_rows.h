// Rows of the table of keys: short ways to write them, and the parts the table is made of.
#pragma once

#include <utility>

#include <palpate/scene/scene_keys.h>

namespace palpate::detail {

std::vector<SceneSection> general_sections();  // all but those below
std::vector<SceneSection> body_sections();
std::vector<SceneSection> force_sections();  // and joints

inline KeyRange above(double least) { return {.least = least, .without_least = true}; }
inline KeyRange at_least(double least) { return {.least = least}; }
inline KeyRange from_to(double least, double most) { return {.least = least, .most = most}; }
inline KeyRange inside(double least, double most) { return {least, most, true, true}; }

std::string standard_text(double number);

using Kinds = std::vector<std::string_view>;

inline SceneKey flag(std::string_view name, std::string_view summary, std::string_view standard,
                     Kinds kinds = {}) {
  return {.name = name,
          .type = KeyType::flag,
          .summary = summary,
          .standard = std::string(standard),
          .kinds = std::move(kinds)};
}

inline SceneKey part(std::string_view name, KeyType type, std::string_view summary, std::string_view section,
                     Kinds kinds = {}, bool required = false) {
  return {.name = name,
          .type = type,
          .summary = summary,
          .section = section,
          .kinds = std::move(kinds),
          .required = required};
}

inline SceneKey value(std::string_view name, KeyType type, std::string_view unit, std::string standard,
                      KeyRange range, std::string_view summary, Kinds kinds = {}, bool required = false) {
  return {name, type, summary, unit, std::move(standard), range, {}, {}, std::move(kinds), required};
}

// A list of anything that has names.
template <class Range, class Name>
std::vector<std::string> names_of(const Range& range, Name&& name) {
  std::vector<std::string> names;
  for (const auto& one : range) names.emplace_back(name(one));
  return names;
}

}  // namespace palpate::detail
