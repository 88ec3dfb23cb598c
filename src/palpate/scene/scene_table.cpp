#include <palpate/scene/scene_table.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <palpate/base/suggest.h>

namespace palpate::detail {

namespace {

using T = KeyType;

bool is_number(const SceneValue& value, const KeyRange& range) {
  if (const auto* whole = std::get_if<std::int64_t>(&value.data))
    return range.holds(static_cast<double>(*whole));
  const auto* number = std::get_if<double>(&value.data);
  return number != nullptr && std::isfinite(*number) && range.holds(*number);
}

bool is_whole(const SceneValue& value, const KeyRange& range) {
  return std::holds_alternative<std::int64_t>(value.data) && is_number(value, range);
}

bool is_name(const SceneValue& value) { return value.text() != nullptr && is_scene_name(*value.text()); }

// A list of so many items (0: any number), each of which is right.
template <class Test>
bool is_list(const SceneValue& value, std::size_t size, Test&& test) {
  const SceneValue::List* list = value.list();
  return list != nullptr && (size == 0 || list->size() == size) &&
         std::all_of(list->begin(), list->end(), test);
}

bool is_point(const SceneValue& value, const KeyRange& range) {
  return is_list(value, 3, [&](const SceneValue& one) { return is_number(one, range); });
}

bool is_not_zero(const SceneValue& value) {
  const std::vector<double> numbers = numbers_of(value);
  return std::any_of(numbers.begin(), numbers.end(), [](double x) { return x != 0; });
}

bool is_box(const SceneValue& value, const KeyRange& range) {
  return is_list(value, 2, [&](const SceneValue& one) { return is_point(one, range); }) &&
         (point_of((*value.list())[0]).array() <= point_of((*value.list())[1]).array()).all();
}

bool is_rotation(const SceneValue& value, const KeyRange& range) {
  return value.table() != nullptr ||
         (is_list(value, 4, [&](const SceneValue& one) { return is_number(one, range); }) &&
          is_not_zero(value));
}

bool fits(const SceneKey& key, const SceneValue& value) {
  const KeyRange& range = key.range;
  const auto number = [&](const SceneValue& one) { return is_number(one, range); };
  const auto point = [&](const SceneValue& one) { return is_point(one, range); };
  const auto whole = [&](const SceneValue& one) { return is_whole(one, range); };
  const auto table = [](const SceneValue& one) { return one.table() != nullptr; };
  switch (key.type) {
    case T::flag:
      return std::holds_alternative<bool>(value.data);
    case T::whole:
      return whole(value);
    case T::number:
      return number(value);
    case T::text:
      return value.text() != nullptr;
    case T::name:
      return is_name(value);
    case T::choice:
      return value.text() != nullptr &&
             std::find(key.names.begin(), key.names.end(), *value.text()) != key.names.end();
    case T::point:
      return point(value);
    case T::direction:
      return point(value) && is_not_zero(value);
    case T::box:
      return is_box(value, range);
    case T::scale:
      return number(value) || point(value);
    case T::inertia:
      return is_list(value, 3, number) || is_list(value, 6, number);
    case T::rotation:
      return is_rotation(value, range);
    case T::material:
      return is_name(value) || table(value);
    case T::points:
      return is_list(value, 0, point);
    case T::wholes:
      return is_list(value, 0, whole);
    case T::names:
      return is_list(value, 0, is_name);
    case T::pairs:
      return is_list(value, 0, [](const SceneValue& one) { return is_list(one, 2, is_name); });
    case T::tables:
      return is_list(value, 0, table);
    case T::table:
    case T::named_tables:
      return table(value);
  }
  return false;
}

std::vector<std::string> known_keys(const SceneSection& section, std::string_view kind) {
  std::vector<std::string> names;
  for (const SceneKey& key : section.keys)
    if (kind.empty() || key.is_for(kind)) names.emplace_back(key.name);
  return names;
}

// "at the top level", "in [[body]]", "in 'mesh'"
std::string within(const SceneSection& section) {
  if (section.name.empty()) return "at the top level";
  const bool plain = section.heading.starts_with("[") && section.heading.find(',') == std::string_view::npos;
  return plain ? fmt::format("in {}", section.heading) : fmt::format("in '{}'", section.noun);
}

Vec3 unit_length(const Vec3& direction) {
  return (direction / direction.cwiseAbs().maxCoeff()).normalized();  // squares of small ones would vanish
}

}  // namespace

bool is_scene_name(std::string_view text) {
  const auto bad = [](char c) { return (c >= 0 && c < 0x20) || std::string_view(".=\"'\x7f").find(c) < 5; };
  return !text.empty() && text.front() != ' ' && text.back() != ' ' &&
         std::none_of(text.begin(), text.end(), bad);
}

void require_value(const SceneKey& key, const SceneValue& value) {
  if (fits(key, value)) return;
  std::string remedy = fmt::format("It must be {}.", key.wanted());
  if (key.type == T::choice && value.text() != nullptr) remedy = did_you_mean(*value.text(), key.names);
  if (const auto* number = std::get_if<double>(&value.data);
      number != nullptr && std::abs(*number) > KeyRange::limit)
    remedy += " No number of a scene is larger than 1e15.";
  throw Error(value.spot.place(), fmt::format("{} is {}", key.name, shown(value)), remedy);
}

SceneTable::SceneTable(const SceneValue& table, const SceneSection& section, std::string_view kind)
    : table_(table), section_(section), kind_(kind) {
  const SceneKey* key = section.find("kind");
  if (const SceneValue* given = table.find("kind"); key != nullptr && given != nullptr) {
    require_value(*key, *given);
    kind_ = *given->text();
  }
  for (const SceneChoice& choice : section.choices) require_one_of(choice);
  for (const SceneEntry& entry : *table.table()) require_known(entry);
  require_complete();
}

void SceneTable::require_known(const SceneEntry& entry) const {
  const SceneKey* key = section_.find(entry.key);
  if (key == nullptr)
    throw Error(entry.spot.place(), fmt::format("there is no key '{}' {}", entry.key, within(section_)),
                did_you_mean(entry.key, known_keys(section_, kind_)));
  if (!kind_.empty() && !key->is_for(kind_))
    throw Error(entry.spot.place(), fmt::format("a {} {} has no '{}'", kind_, section_.noun, entry.key),
                fmt::format("It is for: {}.", fmt::join(key->kinds, ", ")));
  require_value(*key, entry.value);
}

void SceneTable::require_complete() const {
  for (const SceneKey& key : section_.keys)
    if (key.required && key.is_for(kind_) && !table_.find(key.name))
      throw Error(place(), fmt::format("this {} has no '{}'", section_.noun, key.name),
                  fmt::format("Give it, {}: {}.", key.wanted(), key.summary));
  for (const SceneChoice& choice : section_.choices)
    if (choice.required && given_of(choice).empty())
      throw Error(place(),
                  fmt::format("this {} has none of '{}'", section_.noun, fmt::join(choice.keys, "', '")),
                  "Give one of them.");
}

std::vector<std::string_view> SceneTable::given_of(const SceneChoice& choice) const {
  std::vector<std::string_view> given;
  for (const std::string_view key : choice.keys)
    if (table_.find(key) != nullptr) given.push_back(key);
  return given;
}

void SceneTable::require_one_of(const SceneChoice& choice) const {
  const std::vector<std::string_view> given = given_of(choice);
  if (given.size() > 1)
    throw Error(place(given[1]), fmt::format("'{}' and '{}' are both given", given[0], given[1]),
                "Give one of them.");
}

Place SceneTable::place(std::string_view key) const {
  const SceneValue* value = table_.find(key);
  return value != nullptr ? value->spot.place() : place();
}

const SceneValue* SceneTable::find(std::string_view key) const {
  if (section_.find(key) == nullptr)
    throw std::logic_error(fmt::format("key '{}' is not in the table of keys", key));
  return table_.find(key);
}

void SceneTable::get(std::string_view key, bool& out) const {
  if (const SceneValue* value = find(key)) out = std::get<bool>(value->data);
}

void SceneTable::get(std::string_view key, double& out) const {
  if (const SceneValue* value = find(key)) out = number_of(*value);
}

void SceneTable::get(std::string_view key, int& out) const {
  if (const SceneValue* value = find(key)) out = static_cast<int>(std::get<std::int64_t>(value->data));
}

void SceneTable::get(std::string_view key, std::size_t& out) const {
  if (const SceneValue* value = find(key))
    out = static_cast<std::size_t>(std::get<std::int64_t>(value->data));
}

void SceneTable::get(std::string_view key, std::string& out) const {
  if (const SceneValue* value = find(key)) out = *value->text();
}

void SceneTable::get(std::string_view key, Vec3& out) const {
  if (const SceneValue* value = find(key)) out = point_of(*value);
}

void SceneTable::get(std::string_view key, std::vector<Vec3>& out) const {
  const SceneValue* value = find(key);
  if (value == nullptr) return;
  out.clear();
  for (const SceneValue& one : *value->list()) out.push_back(point_of(one));
}

void SceneTable::get(std::string_view key, std::vector<std::uint32_t>& out) const {
  const SceneValue* value = find(key);
  if (value == nullptr) return;
  out.clear();
  for (const SceneValue& one : *value->list())
    out.push_back(static_cast<std::uint32_t>(std::get<std::int64_t>(one.data)));
}

void SceneTable::get(std::string_view key, std::vector<std::string>& out) const {
  const SceneValue* value = find(key);
  if (value == nullptr) return;
  out.clear();
  for (const SceneValue& one : *value->list()) out.push_back(*one.text());
}

void SceneTable::get_direction(std::string_view key, Vec3& out) const {
  if (const SceneValue* value = find(key)) out = unit_length(point_of(*value));
}

std::size_t SceneTable::choice(std::string_view key) const {
  const std::vector<std::string>& names = section_.find(key)->names;
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), *find(key)->text()) - names.begin());
}

double number_of(const SceneValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*whole);
  return std::get<double>(value.data);
}

std::vector<double> numbers_of(const SceneValue& list) {
  std::vector<double> numbers;
  for (const SceneValue& one : *list.list()) numbers.push_back(number_of(one));
  return numbers;
}

Vec3 point_of(const SceneValue& list) {
  const SceneValue::List& numbers = *list.list();
  return {number_of(numbers[0]), number_of(numbers[1]), number_of(numbers[2])};
}

}  // namespace palpate::detail
