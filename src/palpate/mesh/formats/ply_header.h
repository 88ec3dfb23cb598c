// The header of a PLY file: which elements follow, and what each is made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <palpate/mesh/formats/formats.h>

namespace palpate::detail {

enum class PlyType : std::uint8_t { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

inline std::size_t size_of(PlyType type) {
  constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}
inline bool is_integer(PlyType type) { return type < PlyType::float32; }

// Names are views into the file.
struct PlyProperty {
  std::string_view name;
  PlyType type;
  std::optional<PlyType> count_type;  // of a list; an integer type
};

struct PlyElement {
  std::string_view name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;

  const PlyProperty* find(std::string_view property) const;
  bool has_lists() const;
  std::size_t least_bytes() const;  // in a binary file; exact if there are no lists
};

// What of an element makes triangles: the list of its corners.
const PlyProperty* corner_list(const PlyElement& element);

struct PlyHeader {
  enum class Encoding { ascii, little_endian, big_endian };
  Encoding encoding = Encoding::ascii;
  std::vector<PlyElement> elements;
  std::size_t end = 0;  // the first byte of the data

  const PlyElement& vertices() const;  // there are some, with scalars x, y and z
};

// Reads it and checks what can be seen from it alone.
PlyHeader read_ply_header(const FileBytes& file);

// "binary big-endian, float", "ASCII".
std::string encoding_for_people(const PlyHeader& header);

}  // namespace palpate::detail
