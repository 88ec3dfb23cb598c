#include <palpate/mesh/formats/clean_text.h>

#include <algorithm>

namespace palpate::detail {

namespace {

// As on a Macintosh before 2001. A binary file may have no line feed either, by chance; but it has bytes that
// no text has.
bool has_carriage_returns_alone(std::string_view bytes) {
  return bytes.find('\n') == std::string_view::npos && bytes.find('\r') != std::string_view::npos &&
         std::none_of(bytes.begin(), bytes.end(),
                      [](char c) { return c >= 0 && c < ' ' && (c < '\t' || c > '\r'); });
}

}  // namespace

std::string_view clean_text(std::string_view bytes, std::string& copy) {
  // No binary format begins with these bytes.
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  if (!has_carriage_returns_alone(bytes)) return bytes;
  copy = bytes;
  std::replace(copy.begin(), copy.end(), '\r', '\n');
  return copy;
}

}  // namespace palpate::detail
