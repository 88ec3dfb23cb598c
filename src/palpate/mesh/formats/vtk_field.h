// Parts of VTK legacy files that are not geometry but may come before or after it, and the names of their
// types.
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

// Skips so many values of a type. False, and nothing skipped, for a type whose values cannot be skipped.
bool skip_vtk_values(MixedCursor& in, std::string_view type, std::uint64_t count);

// What follows the words FIELD and METADATA; the cursor is behind them. A field is left at the name of a type
// whose values cannot be skipped: then false.
bool skip_vtk_field(MixedCursor& in);
void skip_vtk_metadata(MixedCursor& in);

}  // namespace palpate::detail
