// VTK's cell types by number: the same in legacy and in XML files.
#pragma once

#include <string>
#include <vector>

#include <palpate/mesh/formats/element_sink.h>

namespace palpate::detail {

// Cells as VTK files have them: the corners one after the other, and where each cell's corners end.
struct VtkCells {
  std::vector<std::uint32_t> corners;
  std::vector<std::size_t> ends;
};

// Never null: numbers without a name of their own are kinds that are skipped.
const ElementKind& vtk_kind(std::int64_t type);

// Puts cell `i` into the mesh. Returns what is wrong with it, or nothing.
std::string add_vtk_cell(ElementSink& sink, const VtkCells& cells, std::size_t i, std::int64_t type);

}  // namespace palpate::detail
