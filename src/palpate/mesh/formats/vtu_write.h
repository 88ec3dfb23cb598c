// Writing .vtu with more than a mesh: quantities at points and cells, and lines.
//
// write_vtu() of formats.h is what `convert` needs. Frames of a simulation carry velocities and the like, and
// strings are made of lines, which no mesh of ours holds; ParaView shows both.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <palpate/mesh/files.h>

namespace palpate::detail {

// `components` values for each point or cell, one after the other.
struct VtuField {
  std::string_view name;
  std::span<const double> values;
  std::size_t components = 1;
};

struct VtuExtras {
  std::span<const std::array<std::uint32_t, 2>> lines;
  std::span<const VtuField> point_data;
  std::span<const VtuField> cell_data;  // triangles first, then tetrahedra, then lines
};

// The bytes of a file. As for all writers, indices are in range and coordinates finite; fields are checked
// here: they have a plain name and a value for everything.
std::string write_vtu(const MeshView& mesh, const WriteOptions& options, const VtuExtras& extras);

}  // namespace palpate::detail
