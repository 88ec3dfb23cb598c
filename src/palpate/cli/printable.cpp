#include <palpate/cli/printable.h>

#include <cstddef>
#include <cstdint>

#include <fmt/core.h>

namespace palpate::cli {

namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: these are not UTF-8
};

// The first character. Longer spellings than needed, halves of pairs and what lies beyond Unicode are
// refused.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0u) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
  return {code, bytes};
}

bool obeyed(std::uint32_t code) {
  const auto between = [&](std::uint32_t first, std::uint32_t last) { return code >= first && code <= last; };
  return code < 0x20 || between(0x7f, 0x9f) ||                  // control characters
         between(0x200e, 0x200f) || between(0x2028, 0x202e) ||  // directions, separators of lines
         between(0x2066, 0x2069);
}

std::string escape(std::uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  return code < 0x80 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_of(text);
    if (next.bytes == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(text[0])));
    } else if (obeyed(next.code)) {
      out += escape(next.code);
    } else {
      out += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes == 0 ? 1 : next.bytes);
  }
  return out;
}

}  // namespace palpate::cli
