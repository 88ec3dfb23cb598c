// Reading TOML: toml++'s tree becomes ours.
#include <palpate/scene/scene_value.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

namespace palpate::detail {

namespace {

constexpr std::size_t deepest = 32;  // parts of a key; lists and tables in each other

[[noreturn]] void refuse_depth(const std::shared_ptr<const SceneSource>& source, std::uint32_t line) {
  throw Error(SceneSpot{source, line, 1}.place(),
              fmt::format("keys, lists or tables are nested more than {} deep", deepest),
              "No scene needs that: is this the right file?");
}

// The number of characters of the string that begins here, with its quotes. An open one ends with the line,
// or with the text if it may have several lines: toml++ will say so.
std::size_t string_length(std::string_view text) {
  const char quote = text[0];
  const bool several = text.size() >= 3 && text[1] == quote && text[2] == quote;
  for (std::size_t i = several ? 3 : 1; i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"')
      ++i;
    else if (!several && (text[i] == quote || text[i] == '\n'))
      return i + (text[i] == quote ? 1 : 0);
    else if (several && text.substr(i, 3) == text.substr(0, 3))
      return i + 3;
  }
  return text.size();
}

// Trees are taken apart by functions that call themselves, in toml++ too: a hostile file could be so deep
// that the stack does not hold them. Counted are brackets that are open and the dots of a key.
void require_shallow(std::string_view text, const std::shared_ptr<const SceneSource>& source) {
  std::size_t open = 0, dots = 0;
  std::uint32_t line = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const std::size_t length = string_length(text.substr(i));
      line += static_cast<std::uint32_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                                                    text.begin() + static_cast<std::ptrdiff_t>(i + length),
                                                    '\n'));
      i += length - 1;
    } else if (c == '#') {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (c == '.') {
      if (++dots > deepest) refuse_depth(source, line);
    } else if (c == '[' || c == '{') {
      dots = 0;
      if (++open > deepest) refuse_depth(source, line);
    } else if (c == ']' || c == '}' || c == ',' || c == '=' || c == '\n') {
      dots = 0;
      if ((c == ']' || c == '}') && open > 0) --open;
      if (c == '\n') ++line;
    }
  }
}

SceneSpot spot_of(const toml::source_region& region, const std::shared_ptr<const SceneSource>& source) {
  return {source, region.begin.line, region.begin.column};
}

SceneValue converted(const toml::node& node, const std::shared_ptr<const SceneSource>& source);

SceneValue::Table converted_table(const toml::table& table,
                                  const std::shared_ptr<const SceneSource>& source) {
  SceneValue::Table entries;
  for (const auto& [key, value] : table)
    entries.push_back({std::string(key.str()), spot_of(key.source(), source), converted(value, source)});
  const auto in_file = [](const SceneEntry& a, const SceneEntry& b) {
    return std::pair(a.spot.line, a.spot.column) < std::pair(b.spot.line, b.spot.column);
  };
  std::stable_sort(entries.begin(), entries.end(), in_file);
  return entries;
}

template <class Moment>
SceneValue::Moment moment(const Moment& value) {
  std::ostringstream out;
  out << value;
  return {out.str()};
}

SceneValue converted(const toml::node& node, const std::shared_ptr<const SceneSource>& source) {
  SceneValue value;
  value.spot = spot_of(node.source(), source);
  if (const auto* table = node.as_table()) {
    value.data = converted_table(*table, source);
    value.in_line = table->is_inline();
  } else if (const auto* list = node.as_array()) {
    SceneValue::List items;
    for (const toml::node& item : *list) items.push_back(converted(item, source));
    const bool tables = !items.empty() && std::all_of(items.begin(), items.end(), [](const SceneValue& item) {
      return item.table() != nullptr && !item.in_line;
    });
    value.data = std::move(items);
    value.in_line = !tables;
  } else if (const auto* flag = node.as_boolean()) {
    value.data = flag->get();
  } else if (const auto* whole = node.as_integer()) {
    value.data = whole->get();
  } else if (const auto* number = node.as_floating_point()) {
    value.data = number->get();
  } else if (const auto* text = node.as_string()) {
    value.data = text->get();
  } else if (const auto* date = node.as_date()) {
    value.data = moment(*date);
  } else if (const auto* time = node.as_time()) {
    value.data = moment(*time);
  } else if (const auto* both = node.as_date_time()) {
    value.data = moment(*both);
  }
  return value;
}

}  // namespace

Place SceneSpot::place() const {
  if (!source) return {};
  if (source->is_override) return Place::named("override", source->name);
  return Place::file(source->name, line, column);
}

const SceneValue* SceneValue::find(std::string_view key) const {
  const Table* entries = table();
  if (entries == nullptr) return nullptr;
  const auto at =
      std::find_if(entries->begin(), entries->end(), [&](const SceneEntry& e) { return e.key == key; });
  return at == entries->end() ? nullptr : &at->value;
}

SceneValue* SceneValue::find(std::string_view key) {
  return const_cast<SceneValue*>(std::as_const(*this).find(key));
}

SceneEntry& SceneValue::entry(std::string_view key) {
  Table& entries = std::get<Table>(data);
  const auto at =
      std::find_if(entries.begin(), entries.end(), [&](const SceneEntry& e) { return e.key == key; });
  if (at != entries.end()) return *at;
  return entries.emplace_back(SceneEntry{std::string(key), {}, {}});
}

SceneValue parse_toml(std::string_view text, const std::shared_ptr<const SceneSource>& source) {
  require_shallow(text, source);
  try {
    return converted(toml::parse(text), source);
  } catch (const toml::parse_error& error) {
    std::string_view what = error.description();
    if (constexpr std::string_view start = "Error while parsing "; what.starts_with(start))
      what.remove_prefix(start.size());
    while (what.ends_with('.')) what.remove_suffix(1);
    throw Error(spot_of(error.source(), source).place(), fmt::format("this is no TOML: {}", what),
                "Scene files are TOML (https://toml.io); docs/scenes.md shows how they look.");
  }
}

}  // namespace palpate::detail
