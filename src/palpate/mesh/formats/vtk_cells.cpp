#include <palpate/mesh/formats/vtk_cells.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace palpate::detail {

namespace {

// Kinds above second order come with any number of nodes; their corners still come first.
constexpr std::array kinds = {
    ElementKind{0, "empty cells", Shape::skipped, 0},
    ElementKind{1, "points", Shape::skipped, 0},
    ElementKind{2, "sets of points", Shape::skipped, 0},
    ElementKind{3, "lines", Shape::skipped, 0},
    ElementKind{4, "polylines", Shape::skipped, 0},
    ElementKind{5, "triangles", Shape::triangle, 3},
    ElementKind{6, "triangle strips", Shape::strip, 0},
    ElementKind{7, "polygons", Shape::polygon, 0},
    ElementKind{8, "pixels", Shape::pixel, 4},
    ElementKind{9, "quadrilaterals", Shape::quad, 4},
    ElementKind{10, "tetrahedra", Shape::tet, 4},
    ElementKind{11, "voxels", Shape::skipped, 0},
    ElementKind{12, "hexahedra", Shape::skipped, 0},
    ElementKind{13, "wedges", Shape::skipped, 0},
    ElementKind{14, "pyramids", Shape::skipped, 0},
    ElementKind{15, "pentagonal prisms", Shape::skipped, 0},
    ElementKind{16, "hexagonal prisms", Shape::skipped, 0},
    ElementKind{21, "quadratic lines", Shape::skipped, 0},
    ElementKind{22, "quadratic triangles", Shape::triangle, 6, true},
    ElementKind{23, "quadratic quadrilaterals", Shape::quad, 8, true},
    ElementKind{24, "quadratic tetrahedra", Shape::tet, 10, true},
    ElementKind{25, "quadratic hexahedra", Shape::skipped, 0},
    ElementKind{26, "quadratic wedges", Shape::skipped, 0},
    ElementKind{27, "quadratic pyramids", Shape::skipped, 0},
    ElementKind{28, "biquadratic quadrilaterals", Shape::quad, 9, true},
    ElementKind{29, "triquadratic hexahedra", Shape::skipped, 0},
    ElementKind{30, "quadratic-linear quadrilaterals", Shape::quad, 6, true},
    ElementKind{31, "quadratic-linear wedges", Shape::skipped, 0},
    ElementKind{32, "biquadratic wedges", Shape::skipped, 0},
    ElementKind{33, "biquadratic hexahedra", Shape::skipped, 0},
    ElementKind{34, "biquadratic triangles", Shape::triangle, 7, true},
    ElementKind{35, "cubic lines", Shape::skipped, 0},
    ElementKind{36, "quadratic polygons", Shape::skipped, 0},
    ElementKind{37, "triquadratic pyramids", Shape::skipped, 0},
    ElementKind{41, "convex sets of points", Shape::skipped, 0},
    ElementKind{42, "polyhedra", Shape::skipped, 0},
    ElementKind{68, "Lagrange curves", Shape::skipped, 0},
    ElementKind{69, "Lagrange triangles", Shape::triangle, 0, true},
    ElementKind{70, "Lagrange quadrilaterals", Shape::quad, 0, true},
    ElementKind{71, "Lagrange tetrahedra", Shape::tet, 0, true},
    ElementKind{72, "Lagrange hexahedra", Shape::skipped, 0},
    ElementKind{73, "Lagrange wedges", Shape::skipped, 0},
    ElementKind{74, "Lagrange pyramids", Shape::skipped, 0},
    ElementKind{75, "Bezier curves", Shape::skipped, 0},
    ElementKind{76, "Bezier triangles", Shape::triangle, 0, true},
    ElementKind{77, "Bezier quadrilaterals", Shape::quad, 0, true},
    ElementKind{78, "Bezier tetrahedra", Shape::tet, 0, true},
    ElementKind{79, "Bezier hexahedra", Shape::skipped, 0},
    ElementKind{80, "Bezier wedges", Shape::skipped, 0},
    ElementKind{81, "Bezier pyramids", Shape::skipped, 0},
};
constexpr ElementKind unknown{-1, "cells of unknown types", Shape::skipped, 0};

}  // namespace

const ElementKind& vtk_kind(std::int64_t type) {
  const auto kind = std::lower_bound(kinds.begin(), kinds.end(), type,
                                     [](const ElementKind& k, std::int64_t t) { return k.number < t; });
  return kind != kinds.end() && kind->number == type ? *kind : unknown;
}

std::string add_vtk_cell(ElementSink& sink, const VtkCells& cells, std::size_t i, std::int64_t type) {
  const std::size_t begin = i == 0 ? 0 : cells.ends[i - 1];
  const std::span nodes = std::span(cells.corners).subspan(begin, cells.ends[i] - begin);
  const ElementKind& kind = vtk_kind(type);
  if (kind.nodes != 0 && nodes.size() != kind.nodes)
    return fmt::format("cell {} has {} nodes, but its type {} ({}) has {}", i, nodes.size(), type, kind.name,
                       kind.nodes);
  sink.add(kind, nodes);
  return {};
}

}  // namespace palpate::detail
