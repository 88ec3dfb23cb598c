// Every key of a scene file, once: what it is, in which unit, from where to where, and what it is if not
// given.
//
// The reader is driven by this table (scene_table.h) and the documentation is written from it, so that
// neither can know a key that the other does not. Standard values are those of the structs in scene.h; names
// to choose from are those of the rooms that own them (finders(), solver_names(), generators(), ...).
//
// To add a key: a row here, a member in scene.h, a line in the reader, and `palpate scenes --keys` into
// docs/scenes.md; a test compares that page with the table.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace palpate {

enum class KeyType : std::uint8_t {
  flag,       // true or false
  whole,      // a number without a point
  number,     // any finite number
  text,       // in quotes
  name,       // of a body or a material: a text without dots, quotes and control characters
  choice,     // one of some names
  point,      // three numbers
  direction,  // three numbers, not all 0
  box,        // two points, the low corner and the high one
  scale,      // a number or three
  inertia,    // three or six numbers
  rotation,   // four numbers or a table
  material,   // a name or a table
  points,     // lists of the above
  wholes,
  names,
  pairs,         // of names
  table,         // a section of its own
  tables,        // several of them
  named_tables,  // several of them, each with a name
};

// From where to where a number may be. No number is larger than 1e15: squares stay finite.
struct KeyRange {
  static constexpr double limit = 1e15;
  double least = -limit, most = limit;
  bool without_least = false, without_most = false;

  bool holds(double value) const {
    return (without_least ? value > least : value >= least) && (without_most ? value < most : value <= most);
  }
  // "above 0 and at most 1"; empty for any number.
  std::string text() const;
};

struct SceneKey {
  std::string_view name;
  KeyType type = KeyType::text;
  std::string_view summary = {};
  std::string_view unit = {};
  std::string standard = {};                 // as it would be written, or told; empty: nothing
  KeyRange range = {};                       // of each number
  std::vector<std::string> names = {};       // of a choice
  std::string_view section = {};             // of tables
  std::vector<std::string_view> kinds = {};  // of bodies, meshes, forces or joints that have it; empty: all
  bool required = false;                     // by all that have it

  bool is_for(std::string_view kind) const;
  // "a number above 0 [s]": what its value must be.
  std::string wanted() const;
};

// Keys that stand for each other.
struct SceneChoice {
  std::vector<std::string_view> keys;  // at most one of them
  bool required = false;               // exactly one
};

struct SceneSection {
  std::string_view name;     // in this table: "fix"
  std::string_view heading;  // in a file: "[[body.fix]]"
  std::string_view noun;     // in messages: "a static body has no 'material'"
  std::string_view summary;
  std::vector<SceneKey> keys;
  std::vector<SceneChoice> choices = {};

  const SceneKey* find(std::string_view key) const;
};

std::span<const SceneSection> scene_sections();  // the top level, which has no name, first
const SceneSection& scene_section(std::string_view name);

// The keys of a shape: the parameters of a generator of mesh/generate.h.
std::vector<SceneKey> shape_keys(std::string_view shape);

// Tables of all sections and shapes, in Markdown: docs/scenes.md has them.
std::string scene_keys_markdown();

}  // namespace palpate
