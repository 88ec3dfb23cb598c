// Text of others made safe to show: names of files and what stands in them may hold bytes that a terminal
// obeys.
#pragma once

#include <string>
#include <string_view>

namespace palpate::cli {

// Control characters, marks that turn the direction of writing, and bytes that are not UTF-8 are shown as
// escapes (\n, \x1b, \xff, \u202e); everything else stays as it is.
std::string printable(std::string_view text);

}  // namespace palpate::cli
