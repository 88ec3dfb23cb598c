// Solids made of grids: boxes, beams, and the torus. Balls and knots have files of their own.
#include <array>

#include <fmt/core.h>

#include <palpate/mesh/generate_parts.h>

namespace palpate {

using detail::as_double;
using detail::as_index;
using detail::ShapeDoor;

namespace detail {

void refuse_bad_sizes(const SolidBoxShape& shape) {
  const ShapeDoor door("solid-box");
  door.size("size-x", shape.size_x);
  door.size("size-y", shape.size_y);
  door.size("size-z", shape.size_z);
}
void refuse_bad_sizes(const BeamShape& shape) { ShapeDoor("beam").size("cell", shape.cell); }
void refuse_bad_sizes(const SolidTorusShape& shape) {
  const ShapeDoor door("solid-torus");
  door.size("major", shape.major);
  door.size("minor", shape.minor);
  if (shape.minor >= shape.major)
    door.refuse(
        fmt::format("minor is {} m and major {} m: the tube would cross itself", shape.minor, shape.major),
        "Make minor smaller than major.");
}

}  // namespace detail

namespace {

struct Cells {
  std::size_t x, y, z;
};

MeshCounts cube_counts(const ShapeDoor& door, const Cells& n) {
  const double x = as_double(n.x), y = as_double(n.y), z = as_double(n.z);
  return door.counts((x + 1) * (y + 1) * (z + 1), 5 * x * y * z);
}

// Corner i of a cube lies at (i & 1, i >> 1 & 1, i >> 2). One tetrahedron stands on four corners of which no
// two are neighbours, the others cut off the rest. In a mirrored cube the other four corners are taken, so
// that the diagonals of common faces agree.
constexpr std::array<TetCorners, 5> cube_tets = {
    {{0, 5, 3, 6}, {1, 3, 0, 5}, {2, 0, 3, 6}, {4, 5, 0, 6}, {7, 5, 6, 3}}};

TetMesh make_cubes(const Vec3& size, const Cells& n) {
  TetMesh mesh;
  mesh.positions.reserve((n.x + 1) * (n.y + 1) * (n.z + 1));
  mesh.tets.reserve(5 * n.x * n.y * n.z);
  // Mirrored points are exact opposites.
  const auto place = [](double length, std::size_t i, std::size_t cells) {
    return length * ((as_double(i) - as_double(cells - i)) / (2 * as_double(cells)));
  };
  for (std::size_t k = 0; k <= n.z; ++k)
    for (std::size_t j = 0; j <= n.y; ++j)
      for (std::size_t i = 0; i <= n.x; ++i)
        mesh.positions.emplace_back(place(size.x(), i, n.x), place(size.y(), j, n.y),
                                    place(size.z(), k, n.z));
  for (std::size_t k = 0; k < n.z; ++k)
    for (std::size_t j = 0; j < n.y; ++j)
      for (std::size_t i = 0; i < n.x; ++i) {
        const bool mirrored = (i + j + k) % 2 == 1;
        const auto corner = [&](std::uint32_t c) {
          const std::size_t x = i + ((c & 1) ^ (mirrored ? 1 : 0)), y = j + (c >> 1 & 1), z = k + (c >> 2);
          return as_index((z * (n.y + 1) + y) * (n.x + 1) + x);
        };
        for (auto [a, b, c, d] : cube_tets) {
          if (mirrored) std::swap(c, d);
          mesh.tets.push_back({corner(a), corner(b), corner(c), corner(d)});
        }
      }
  return mesh;
}

}  // namespace

MeshCounts counts_of(const SolidBoxShape& shape) {
  const ShapeDoor door("solid-box");
  door.count("cells-x", shape.cells_x, 1);
  door.count("cells-y", shape.cells_y, 1);
  door.count("cells-z", shape.cells_z, 1);
  return cube_counts(door, {shape.cells_x, shape.cells_y, shape.cells_z});
}
MeshCounts counts_of(const BeamShape& shape) {
  const ShapeDoor door("beam");
  door.count("along", shape.along, 1);
  door.count("across", shape.across, 1);
  return cube_counts(door, {shape.along, shape.across, shape.across});
}
MeshCounts counts_of(const SolidTorusShape& shape) {
  const ShapeDoor door("solid-torus");
  door.count("around", shape.around, 3);
  door.count("rings", shape.rings, 1);
  const double around = as_double(shape.around), rings = as_double(shape.rings);
  return door.counts(around * (1 + 3 * rings * (rings + 1)), 18 * around * rings * rings);
}

TetMesh make(const SolidBoxShape& shape) {
  detail::refuse_bad_sizes(shape);
  counts_of(shape);
  TetMesh mesh =
      make_cubes({shape.size_x, shape.size_y, shape.size_z}, {shape.cells_x, shape.cells_y, shape.cells_z});
  ShapeDoor("solid-box").finished(mesh);
  return mesh;
}

TetMesh make(const BeamShape& shape) {
  detail::refuse_bad_sizes(shape);
  counts_of(shape);
  const double length = as_double(shape.along) * shape.cell, thickness = as_double(shape.across) * shape.cell;
  TetMesh mesh = make_cubes({length, thickness, thickness}, {shape.along, shape.across, shape.across});
  ShapeDoor("beam").finished(mesh);
  return mesh;
}

TetMesh make(const SolidTorusShape& shape) {
  detail::refuse_bad_sizes(shape);
  counts_of(shape);
  TetMesh mesh =
      detail::tube_solid(detail::circle_frames(shape.major, shape.around), shape.minor, shape.rings);
  ShapeDoor("solid-torus").finished(mesh);
  return mesh;
}

}  // namespace palpate
