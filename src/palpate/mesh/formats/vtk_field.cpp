#include <palpate/mesh/formats/vtk_field.h>

#include <array>

#include <fmt/format.h>

namespace palpate::detail {

namespace {

constexpr std::int64_t any_count = std::int64_t{1} << 60;
const std::string cut_off = "It was cut off, or a count in it is wrong: get the file again.";

struct TypeName {
  std::string_view name;
  NumberType type;
};
// vtkIdType is written as an int whatever the program that wrote it was compiled with.
constexpr std::array type_names = {TypeName{"char", NumberType::int8},
                                   TypeName{"signed_char", NumberType::int8},
                                   TypeName{"unsigned_char", NumberType::uint8},
                                   TypeName{"short", NumberType::int16},
                                   TypeName{"unsigned_short", NumberType::uint16},
                                   TypeName{"int", NumberType::int32},
                                   TypeName{"unsigned_int", NumberType::uint32},
                                   TypeName{"vtkidtype", NumberType::int32},
                                   TypeName{"long", NumberType::int64},
                                   TypeName{"unsigned_long", NumberType::uint64},
                                   TypeName{"vtktypeint64", NumberType::int64},
                                   TypeName{"vtktypeuint64", NumberType::uint64},
                                   TypeName{"float", NumberType::float32},
                                   TypeName{"double", NumberType::float64}};

void skip_strings(MixedCursor& in, std::uint64_t strings) {
  in.need(in.binary() ? strings : strings / 2, NumberType::uint8, "strings");
  for (std::uint64_t i = 0; i < strings; ++i) {
    if (!in.binary()) {
      if (in.text().at_end()) in.refuse("the file ends where a string should be", cut_off);
      in.text().skip_line();
      continue;
    }
    // The two highest bits of the first byte say how many bytes the length has; it fills the other bits.
    const auto first = static_cast<std::uint8_t>(in.whole(NumberType::uint8, "length of a string", 0, 255));
    const int more = first >= 0xc0 ? 0 : first >= 0x80 ? 1 : first >= 0x40 ? 3 : 7;
    std::uint64_t length = first & 0x3f;
    for (int k = 0; k < more; ++k)
      length = length << 8 | static_cast<std::uint64_t>(in.whole(NumberType::uint8, "length", 0, 255));
    in.skip_bytes(length, "a string");
  }
}

// False, with the cursor at the type, if that is one that cannot be skipped.
bool skip_array(MixedCursor& in) {
  const std::int64_t components = in.text().integer("number of components", 0, 1 << 20);
  const std::int64_t tuples = in.text().integer("number of tuples", 0, any_count >> 20);
  const auto values = static_cast<std::uint64_t>(components * tuples);
  in.text().skip_blanks();
  const std::size_t at = in.offset();
  const std::string_view type = in.text().word();
  in.text().expect_line_end("the type");
  if (skip_vtk_values(in, type, values)) return true;
  in.text().move_to(at);
  return false;
}

}  // namespace

std::string in_capitals(std::string_view word) {
  std::string text(word);
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::optional<NumberType> vtk_number_type(std::string_view name) {
  const std::string capitals = in_capitals(name);
  for (const TypeName& one : type_names)
    if (in_capitals(one.name) == capitals) return one.type;
  return std::nullopt;
}

bool skip_vtk_values(MixedCursor& in, std::string_view type, std::uint64_t count) {
  if (type == "string")
    skip_strings(in, count);
  else if (type == "bit" && in.binary())
    in.skip_bytes((count + 7) / 8, "an array of bits");
  else if (const auto number = type == "bit" ? NumberType::uint8 : vtk_number_type(type))
    in.skip_numbers(count, *number, "value");
  else
    return false;
  return true;
}

// Arrays of anything: NAME COMPONENTS TUPLES TYPE and the values, with METADATA among them.
bool skip_vtk_field(MixedCursor& in) {
  in.text().word();
  const std::int64_t arrays = in.text().integer("number of arrays", 0, any_count);
  for (std::int64_t i = 0; i < arrays;) {
    in.text().skip_space();
    const std::string_view name = in.text().word();
    if (name.empty()) in.refuse("the file ends within FIELD", cut_off);
    if (name == "METADATA") {
      skip_vtk_metadata(in);
      continue;
    }
    ++i;
    if (name == "NULL_ARRAY") continue;
    if (!skip_array(in)) return false;
  }
  return true;
}

// Ends with an empty line.
void skip_vtk_metadata(MixedCursor& in) {
  in.text().skip_line();
  while (!in.text().at_end() && !in.text().at_line_end()) in.text().skip_line();
}

}  // namespace palpate::detail
