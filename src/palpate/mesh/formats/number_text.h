// Numbers as text that reads back to the same bits: the shortest there is.
#pragma once

#include <charconv>
#include <string>

namespace palpate::detail {

template <class T>
void append_number(std::string& out, T value) {
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// Several, with blanks between them.
template <class Values>
void append_numbers(std::string& out, const Values& values) {
  bool first = true;
  for (const auto& value : values) {
    if (!first) out += ' ';
    append_number(out, value);
    first = false;
  }
}

}  // namespace palpate::detail
