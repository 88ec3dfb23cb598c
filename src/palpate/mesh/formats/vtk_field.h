// Parts of VTK legacy files that are not geometry but may come before it, and the names of their types.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <palpate/mesh/formats/mixed_cursor.h>

namespace palpate::detail {

// Keywords may be written in small letters.
std::string in_capitals(std::string_view word);
// A type of numbers by its name; nothing for other types (strings, bits) and other words.
std::optional<NumberType> vtk_number_type(std::string_view name);

// What follows the words FIELD and METADATA; the cursor is behind them.
void skip_vtk_field(MixedCursor& in);
void skip_vtk_metadata(MixedCursor& in);

}  // namespace palpate::detail
