// What editors and old systems do to text, undone before a reader sees it.
#pragma once

#include <string>
#include <string_view>

namespace palpate::detail {

// The bytes without a byte order mark, and with line feeds where a text has carriage returns alone as its
// line ends. These take a copy, which `copy` keeps; nothing moves in it, so that places in messages stay
// right.
std::string_view clean_text(std::string_view bytes, std::string& copy);

}  // namespace palpate::detail
