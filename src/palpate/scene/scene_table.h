// A table of a scene file, held against the table of keys: what comes out of it is right.
//
// The constructor refuses whatever a row can tell: keys that are not known or not for this kind, values of
// another type, out of range or not finite, keys that are missing or stand for the same. After that get()
// cannot fail, and a reader is a list of members.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <palpate/geometry/vec.h>
#include <palpate/scene/scene_keys.h>
#include <palpate/scene/scene_value.h>

namespace palpate::detail {

// Names that bodies, materials, forces and joints may have: overrides can address them.
bool is_scene_name(std::string_view text);

// Throws Error unless the value is what the key wants.
void require_value(const SceneKey& key, const SceneValue& value);

class SceneTable {
 public:
  // The section must live as long. `kind`: for sections without a key of this name.
  SceneTable(const SceneValue& table, const SceneSection& section, std::string_view kind = {});

  const std::string& kind() const { return kind_; }
  Place place() const { return table_.spot.place(); }
  Place place(std::string_view key) const;  // of the value; of the table if there is none
  bool has(std::string_view key) const { return find(key) != nullptr; }
  const SceneValue* find(std::string_view key) const;

  // All leave `out` as it is if the key is not given.
  void get(std::string_view key, bool& out) const;
  void get(std::string_view key, double& out) const;
  void get(std::string_view key, int& out) const;
  void get(std::string_view key, std::size_t& out) const;
  void get(std::string_view key, std::string& out) const;
  void get(std::string_view key, Vec3& out) const;
  void get(std::string_view key, std::vector<Vec3>& out) const;
  void get(std::string_view key, std::vector<std::uint32_t>& out) const;
  void get(std::string_view key, std::vector<std::string>& out) const;
  template <class Value>
  void get(std::string_view key, std::optional<Value>& out) const {
    if (has(key)) get(key, out.emplace());
  }
  // Of unit length.
  void get_direction(std::string_view key, Vec3& out) const;
  // One of several, in the order of the key's names.
  template <class Enum>
  void get_choice(std::string_view key, Enum& out) const {
    if (has(key)) out = static_cast<Enum>(choice(key));
  }

 private:
  void require_known(const SceneEntry& entry) const;
  void require_complete() const;
  std::vector<std::string_view> given_of(const SceneChoice& choice) const;
  void require_one_of(const SceneChoice& choice) const;
  std::size_t choice(std::string_view key) const;

  const SceneValue& table_;
  const SceneSection& section_;
  std::string kind_;
};

double number_of(const SceneValue& value);
std::vector<double> numbers_of(const SceneValue& list);
Vec3 point_of(const SceneValue& list);

}  // namespace palpate::detail
