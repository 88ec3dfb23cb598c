// What a TOML file holds, as a tree that remembers where everything stood.
//
// toml++ reads; nothing else of it is used. Its tables are sorted by key and forget their places when they
// are copied, and its headers are slow to compile: here tables keep the order of the file, every key and
// value knows its place, and a value may also come from outside ("run.step=0.01"), which messages then name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <palpate/base/error.h>

namespace palpate::detail {

// A text that values come from: a file, or a value that was set from outside.
struct SceneSource {
  std::string name;
  bool is_override = false;
};

// A place in such a text; lines and columns count from 1.
struct SceneSpot {
  std::shared_ptr<const SceneSource> source = {};
  std::uint32_t line = 0, column = 0;
  Place place() const;
};

struct SceneEntry;

struct SceneValue {
  using List = std::vector<SceneValue>;
  using Table = std::vector<SceneEntry>;  // in the order of the file
  // A date or a time, which no key wants.
  struct Moment {
    std::string text;
  };
  std::variant<bool, std::int64_t, double, std::string, Moment, List, Table> data;
  SceneSpot spot = {};
  bool in_line = false;  // a table in braces, a list in brackets

  const List* list() const { return std::get_if<List>(&data); }
  const Table* table() const { return std::get_if<Table>(&data); }
  const std::string* text() const { return std::get_if<std::string>(&data); }
  // The value of a key; null if this is no table or has no such key.
  const SceneValue* find(std::string_view key) const;
  SceneValue* find(std::string_view key);
  // An entry of this table, new at its end if there is none.
  SceneEntry& entry(std::string_view key);
};

struct SceneEntry {
  std::string key;
  SceneSpot spot;  // of the key
  SceneValue value;
};

// Throws Error for what is no TOML, with its place.
SceneValue parse_toml(std::string_view text, const std::shared_ptr<const SceneSource>& source);

// A file with this table; reading it gives the same values.
std::string toml_text(const SceneValue& table);
// A value as it would stand in a file, on one line.
std::string value_text(const SceneValue& value);
// The same, short enough for a message.
std::string shown(const SceneValue& value);

}  // namespace palpate::detail
