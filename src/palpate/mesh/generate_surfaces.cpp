// Surfaces made of grids: tori, boxes, planes, and everything that turns about an axis.
#include <cmath>

#include <fmt/core.h>

#include <palpate/mesh/generate_parts.h>

namespace palpate {

using detail::as_double;
using detail::as_index;
using detail::pi;
using detail::ShapeDoor;

namespace detail {

void refuse_bad_sizes(const TorusShape& shape) {
  const ShapeDoor door("torus");
  door.size("major", shape.major);
  door.size("minor", shape.minor);
  if (shape.minor >= shape.major)
    door.refuse(
        fmt::format("minor is {} m and major {} m: the tube would cross itself", shape.minor, shape.major),
        "Make minor smaller than major.");
}
void refuse_bad_sizes(const SphereShape& shape) { ShapeDoor("sphere").size("radius", shape.radius); }
void refuse_bad_sizes(const BoxShape& shape) {
  const ShapeDoor door("box");
  door.size("size-x", shape.size_x);
  door.size("size-y", shape.size_y);
  door.size("size-z", shape.size_z);
}
void refuse_bad_sizes(const PlaneShape& shape) {
  const ShapeDoor door("plane");
  door.size("size-x", shape.size_x);
  door.size("size-y", shape.size_y);
}
void refuse_bad_sizes(const ClothShape& shape) {
  const ShapeDoor door("cloth");
  door.size("size-x", shape.size_x);
  door.size("size-y", shape.size_y);
}
void refuse_bad_sizes(const CylinderShape& shape) {
  const ShapeDoor door("cylinder");
  door.size("radius", shape.radius);
  door.size("length", shape.length);
}
void refuse_bad_sizes(const CapsuleShape& shape) {
  const ShapeDoor door("capsule");
  door.size("radius", shape.radius);
  door.size("length", shape.length);
}
void refuse_bad_sizes(const BowlShape& shape) {
  const ShapeDoor door("bowl");
  door.size("radius", shape.radius);
  door.size("thickness", shape.thickness);
  if (shape.thickness >= shape.radius)
    door.refuse(
        fmt::format("thickness is {} m and radius {} m: nothing is hollow", shape.thickness, shape.radius),
        "Make thickness smaller than radius.");
}

}  // namespace detail

namespace {

template <class Shape>
MeshCounts grid_counts(const ShapeDoor& door, const Shape& shape) {
  door.count("cells-x", shape.cells_x, 1);
  door.count("cells-y", shape.cells_y, 1);
  const double x = as_double(shape.cells_x), y = as_double(shape.cells_y);
  return door.counts((x + 1) * (y + 1), 2 * x * y);
}

template <class Shape>
MeshCounts capped_counts(const ShapeDoor& door, const Shape& shape) {
  door.count("around", shape.around, 3);
  door.count("along", shape.along, 1);
  door.count("rings", shape.rings, 1);
  const double circles = as_double(shape.along) + 2 * as_double(shape.rings) - 1;
  const double vertices = as_double(shape.around) * circles;
  return door.counts(vertices + 2, 2 * vertices);
}

// Where point i of n + 1 lies on [-size / 2, size / 2]; mirrored points are exact opposites.
double across_middle(double size, std::size_t i, std::size_t n) {
  return size * ((as_double(i) - as_double(n - i)) / (2 * as_double(n)));
}

enum class Diagonals { parallel, alternating };

template <class Shape>
TriangleMesh make_grid(const Shape& shape, Diagonals diagonals) {
  TriangleMesh mesh;
  const std::size_t nx = shape.cells_x, ny = shape.cells_y;
  mesh.positions.reserve((nx + 1) * (ny + 1));
  mesh.triangles.reserve(2 * nx * ny);
  for (std::size_t j = 0; j <= ny; ++j)
    for (std::size_t i = 0; i <= nx; ++i)
      mesh.positions.emplace_back(across_middle(shape.size_x, i, nx), across_middle(shape.size_y, j, ny), 0);
  for (std::size_t j = 0; j < ny; ++j)
    for (std::size_t i = 0; i < nx; ++i) {
      const auto a = as_index(j * (nx + 1) + i), b = a + 1, d = as_index((j + 1) * (nx + 1) + i), c = d + 1;
      if (diagonals == Diagonals::parallel || (i + j) % 2 == 0) {
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
      } else {
        mesh.triangles.push_back({a, b, d});
        mesh.triangles.push_back({b, c, d});
      }
    }
  return mesh;
}

// The points of the lattice 0..n on the boundary of a box, without the inside that nobody needs: the bottom
// and top layers whole, of the others the rim. In a rim: the row j = 0, then both ends of each row, the last
// row.
class BoxLattice {
 public:
  BoxLattice(std::size_t nx, std::size_t ny, std::size_t nz) : nx_(nx), ny_(ny), nz_(nz) {}

  std::uint32_t index(std::size_t i, std::size_t j, std::size_t k) const {
    const std::size_t layer = (nx_ + 1) * (ny_ + 1), rim = 2 * (nx_ + ny_);
    if (k == 0) return as_index(j * (nx_ + 1) + i);
    const std::size_t start = layer + (k - 1) * rim;
    if (k == nz_) return as_index(start + j * (nx_ + 1) + i);
    if (j == 0) return as_index(start + i);
    if (j == ny_) return as_index(start + nx_ + 1 + 2 * (ny_ - 1) + i);
    return as_index(start + nx_ + 1 + 2 * (j - 1) + (i == 0 ? 0 : 1));
  }
  // In the order of index().
  template <class Visit>
  void each(Visit&& visit) const {
    for (std::size_t k = 0; k <= nz_; ++k)
      for (std::size_t j = 0; j <= ny_; ++j) {
        const bool whole = k == 0 || k == nz_ || j == 0 || j == ny_;
        for (std::size_t i = 0; i <= nx_; i += whole ? 1 : nx_) visit(i, j, k);
      }
  }

 private:
  std::size_t nx_, ny_, nz_;
};

// Both sides of the box along the third of three axes in cyclic order; vertex(u, v, far) gives their corners.
template <class Vertex>
void add_sides(std::size_t nu, std::size_t nv, Vertex&& vertex, std::vector<TriangleCorners>& triangles) {
  for (const bool far : {false, true})
    for (std::size_t v = 0; v < nv; ++v)
      for (std::size_t u = 0; u < nu; ++u) {
        auto a = vertex(u, v, far), b = vertex(u + 1, v, far), c = vertex(u + 1, v + 1, far),
             d = vertex(u, v + 1, far);
        if (!far) std::swap(b, d);  // seen from the other side
        triangles.push_back({a, b, c});
        triangles.push_back({a, c, d});
      }
}

struct ProfilePoint {
  double radius, z;  // [m]
};

// A closed surface about the z axis: the lower pole, circles from bottom to top, the upper pole.
TriangleMesh revolve(double bottom, const std::vector<ProfilePoint>& circles, double top,
                     std::size_t around) {
  TriangleMesh mesh;
  mesh.positions.reserve(circles.size() * around + 2);
  mesh.triangles.reserve(2 * circles.size() * around);
  mesh.positions.emplace_back(0, 0, bottom);
  for (const ProfilePoint& p : circles)
    for (std::size_t i = 0; i < around; ++i) {
      const double angle = 2 * pi * as_double(i) / as_double(around);
      mesh.positions.emplace_back(p.radius * std::cos(angle), p.radius * std::sin(angle), p.z);
    }
  mesh.positions.emplace_back(0, 0, top);
  const std::uint32_t upper_pole = as_index(mesh.positions.size() - 1);
  for (std::size_t k = 0; k < circles.size(); ++k)
    for (std::size_t i = 0; i < around; ++i) {
      const std::size_t circle = 1 + k * around, next = (i + 1) % around;
      const auto a = as_index(circle + i), b = as_index(circle + next);
      if (k == 0) mesh.triangles.push_back({0, b, a});
      if (k + 1 == circles.size()) {
        mesh.triangles.push_back({a, b, upper_pole});
      } else {
        const auto c = as_index(circle + around + next), d = as_index(circle + around + i);
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
      }
    }
  return mesh;
}

}  // namespace

MeshCounts counts_of(const TorusShape& shape) {
  const ShapeDoor door("torus");
  door.count("around", shape.around, 3);
  door.count("across", shape.across, 3);
  const double vertices = as_double(shape.around) * as_double(shape.across);
  return door.counts(vertices, 2 * vertices);
}
MeshCounts counts_of(const SphereShape& shape) {
  const ShapeDoor door("sphere");
  door.count("around", shape.around, 3);
  door.count("bands", shape.bands, 2);
  const double vertices = as_double(shape.around) * (as_double(shape.bands) - 1);
  return door.counts(vertices + 2, 2 * vertices);
}
MeshCounts counts_of(const BoxShape& shape) {
  const ShapeDoor door("box");
  door.count("cells-x", shape.cells_x, 1);
  door.count("cells-y", shape.cells_y, 1);
  door.count("cells-z", shape.cells_z, 1);
  const double x = as_double(shape.cells_x), y = as_double(shape.cells_y), z = as_double(shape.cells_z);
  const double sides = x * y + y * z + z * x;
  return door.counts(2 * sides + 2, 4 * sides);
}
MeshCounts counts_of(const PlaneShape& shape) { return grid_counts(ShapeDoor("plane"), shape); }
MeshCounts counts_of(const ClothShape& shape) { return grid_counts(ShapeDoor("cloth"), shape); }
MeshCounts counts_of(const CylinderShape& shape) { return capped_counts(ShapeDoor("cylinder"), shape); }
MeshCounts counts_of(const CapsuleShape& shape) { return capped_counts(ShapeDoor("capsule"), shape); }
MeshCounts counts_of(const BowlShape& shape) {
  const ShapeDoor door("bowl");
  door.count("around", shape.around, 3);
  door.count("rings", shape.rings, 1);
  const double vertices = 2 * as_double(shape.around) * as_double(shape.rings);
  return door.counts(vertices + 2, 2 * vertices);
}

namespace {

// Checks before and after what `build` makes of the shape.
template <class Shape, class Build>
TriangleMesh checked(const char* name, const Shape& shape, Build&& build) {
  detail::refuse_bad_sizes(shape);
  counts_of(shape);
  TriangleMesh mesh = build();
  ShapeDoor(name).finished(mesh);
  return mesh;
}

}  // namespace

TriangleMesh make(const TorusShape& shape) {
  return checked("torus", shape, [&] {
    return detail::tube_surface(detail::circle_frames(shape.major, shape.around), shape.minor, shape.across);
  });
}

TriangleMesh make(const PlaneShape& shape) {
  return checked("plane", shape, [&] { return make_grid(shape, Diagonals::parallel); });
}
TriangleMesh make(const ClothShape& shape) {
  return checked("cloth", shape, [&] { return make_grid(shape, Diagonals::alternating); });
}

TriangleMesh make(const BoxShape& shape) {
  return checked("box", shape, [&] {
    const std::size_t nx = shape.cells_x, ny = shape.cells_y, nz = shape.cells_z;
    const BoxLattice lattice(nx, ny, nz);
    TriangleMesh mesh;
    mesh.positions.reserve(counts_of(shape).vertices);
    mesh.triangles.reserve(counts_of(shape).elements);
    lattice.each([&](std::size_t i, std::size_t j, std::size_t k) {
      mesh.positions.emplace_back(across_middle(shape.size_x, i, nx), across_middle(shape.size_y, j, ny),
                                  across_middle(shape.size_z, k, nz));
    });
    using Number = std::size_t;
    const auto xy = [&](Number u, Number v, bool far) { return lattice.index(u, v, far ? nz : 0); };
    const auto yz = [&](Number u, Number v, bool far) { return lattice.index(far ? nx : 0, u, v); };
    const auto zx = [&](Number u, Number v, bool far) { return lattice.index(v, far ? ny : 0, u); };
    add_sides(nx, ny, xy, mesh.triangles);
    add_sides(ny, nz, yz, mesh.triangles);
    add_sides(nz, nx, zx, mesh.triangles);
    return mesh;
  });
}

TriangleMesh make(const SphereShape& shape) {
  return checked("sphere", shape, [&] {
    std::vector<ProfilePoint> circles;
    for (std::size_t k = 1; k < shape.bands; ++k) {
      const double angle = pi * as_double(k) / as_double(shape.bands);
      circles.push_back({shape.radius * std::sin(angle), -shape.radius * std::cos(angle)});
    }
    return revolve(-shape.radius, circles, shape.radius, shape.around);
  });
}

TriangleMesh make(const CylinderShape& shape) {
  return checked("cylinder", shape, [&] {
    const double end = shape.length / 2, rings = as_double(shape.rings);
    std::vector<ProfilePoint> circles;
    for (std::size_t k = 1; k < shape.rings; ++k)
      circles.push_back({shape.radius * as_double(k) / rings, -end});
    for (std::size_t k = 0; k <= shape.along; ++k)
      circles.push_back({shape.radius, across_middle(shape.length, k, shape.along)});
    for (std::size_t k = shape.rings - 1; k > 0; --k)
      circles.push_back({shape.radius * as_double(k) / rings, end});
    return revolve(-end, circles, end, shape.around);
  });
}

TriangleMesh make(const CapsuleShape& shape) {
  return checked("capsule", shape, [&] {
    const double end = shape.length / 2, r = shape.radius;
    const auto angle = [&](std::size_t k) { return pi / 2 * as_double(k) / as_double(shape.rings); };
    std::vector<ProfilePoint> circles;
    for (std::size_t k = 1; k < shape.rings; ++k)
      circles.push_back({r * std::sin(angle(k)), -end - r * std::cos(angle(k))});
    for (std::size_t k = 0; k <= shape.along; ++k)
      circles.push_back({r, across_middle(shape.length, k, shape.along)});
    for (std::size_t k = shape.rings - 1; k > 0; --k)
      circles.push_back({r * std::sin(angle(k)), end + r * std::cos(angle(k))});
    return revolve(-end - r, circles, end + r, shape.around);
  });
}

TriangleMesh make(const BowlShape& shape) {
  return checked("bowl", shape, [&] {
    const auto angle = [&](std::size_t k) { return pi / 2 * as_double(k) / as_double(shape.rings); };
    const auto circle = [&](double radius, std::size_t k) {
      const double height = k == shape.rings ? 0 : -radius * std::cos(angle(k));
      return ProfilePoint{radius * std::sin(angle(k)), height};
    };
    const double inside = shape.radius - shape.thickness;
    std::vector<ProfilePoint> circles;
    for (std::size_t k = 1; k <= shape.rings; ++k) circles.push_back(circle(shape.radius, k));
    for (std::size_t k = shape.rings; k > 0; --k) circles.push_back(circle(inside, k));
    return revolve(-shape.radius, circles, -inside, shape.around);
  });
}

}  // namespace palpate
