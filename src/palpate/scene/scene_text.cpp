// Writing TOML: plain values of a table first, then tables and lists of tables with their headers.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <palpate/scene/scene_value.h>

namespace palpate::detail {

namespace {

bool is_bare(std::string_view key) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !key.empty() && std::all_of(key.begin(), key.end(), plain);
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out.append(1, '\\').append(1, c);
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if ((c >= 0 && c < 0x20) || c == 0x7f)
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string key_text(std::string_view key) { return is_bare(key) ? std::string(key) : quoted(key); }

// With a point or an exponent, so that it stays a number that need not be whole.
std::string number_text(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string list_text(const SceneValue::List& list) {
  std::string out = "[";
  for (std::size_t i = 0; i < list.size(); ++i) out += (i == 0 ? "" : ", ") + value_text(list[i]);
  return out + "]";
}

std::string table_text(const SceneValue::Table& table) {
  std::string out = "{";
  for (std::size_t i = 0; i < table.size(); ++i)
    out += fmt::format("{}{} = {}", i == 0 ? " " : ", ", key_text(table[i].key), value_text(table[i].value));
  return out + (table.empty() ? "}" : " }");
}

// Has headers of its own.
bool has_headers(const SceneValue& value) {
  return !value.in_line && (value.table() != nullptr || value.list() != nullptr);
}

bool headed(const SceneEntry& entry) { return has_headers(entry.value); }

void write_table(const SceneValue::Table& table, const std::string& path, std::string& out) {
  for (const SceneEntry& entry : table)
    if (!has_headers(entry.value))
      out += fmt::format("{} = {}\n", key_text(entry.key), value_text(entry.value));
  for (const SceneEntry& entry : table) {
    if (!has_headers(entry.value)) continue;
    const std::string name = path.empty() ? key_text(entry.key) : path + "." + key_text(entry.key);
    if (const SceneValue::Table* inner = entry.value.table()) {
      // Tables that hold nothing but tables need no header of their own.
      if (inner->empty() || !std::all_of(inner->begin(), inner->end(), headed))
        out += fmt::format("\n[{}]\n", name);
      write_table(*inner, name, out);
    } else {
      for (const SceneValue& item : *entry.value.list()) {
        out += fmt::format("\n[[{}]]\n", name);
        write_table(*item.table(), name, out);
      }
    }
  }
}

}  // namespace

std::string value_text(const SceneValue& value) {
  struct Writer {
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t whole) const { return std::to_string(whole); }
    std::string operator()(double number) const { return number_text(number); }
    std::string operator()(const std::string& text) const { return quoted(text); }
    std::string operator()(const SceneValue::Moment& moment) const { return moment.text; }
    std::string operator()(const SceneValue::List& list) const { return list_text(list); }
    std::string operator()(const SceneValue::Table& table) const { return table_text(table); }
  };
  return std::visit(Writer{}, value.data);
}

std::string shown(const SceneValue& value) {
  constexpr std::size_t most = 60;
  std::string text = value_text(value);
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // whole characters
  return text.substr(0, end) + "...";
}

std::string toml_text(const SceneValue& table) {
  std::string out;
  write_table(*table.table(), "", out);
  return out;
}

}  // namespace palpate::detail
