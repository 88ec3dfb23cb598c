#include <palpate/report/safe_name.h>

#include <iterator>

#include <fmt/format.h>

#include <palpate/base/hash.h>

namespace palpate {

namespace {

constexpr std::size_t longest = 100;  // with numbers and endings still far below the 255 of most disks

// In front a dot would hide the file, and a dash would look like an option.
bool is_plain(char c, bool in_front) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_') return true;
  return !in_front && (c == '-' || c == '.');
}

}  // namespace

std::string safe_name(std::string_view name) {
  if (name.empty()) return "unnamed";
  std::string safe;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (safe.size() >= longest) {
      StateHash hash;
      hash.add(name);
      return fmt::format("{}-{:016x}", safe, hash.value());
    }
    const char c = name[i];
    if (is_plain(c, i == 0))
      safe += c;
    else
      fmt::format_to(std::back_inserter(safe), "%{:02X}", static_cast<unsigned char>(c));
  }
  return safe;
}

}  // namespace palpate
