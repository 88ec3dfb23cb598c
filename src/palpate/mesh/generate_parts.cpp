#include <palpate/mesh/generate_parts.h>

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include <Eigen/Geometry>

#include <palpate/base/error.h>
#include <palpate/geometry/predicates.h>

namespace palpate::detail {

namespace {
constexpr double least_size = 1e-9, largest_size = 1e9;  // [m]
constexpr double most_indices = 4294967294.0;            // no_index stays free
}  // namespace

void ShapeDoor::refuse(const std::string& problem, const std::string& remedy) const {
  throw Error(Place::named("shape", shape_), problem, remedy);
}

void ShapeDoor::size(std::string_view name, double value) const {
  if (value >= least_size && value <= largest_size) return;  // NaN is not
  refuse(fmt::format("{} is {} m", name, value),
         fmt::format("Give a length from {} to {} m.", least_size, largest_size));
}

void ShapeDoor::between(std::string_view name, double value, double least, double most) const {
  if (value >= least && value <= most) return;
  refuse(fmt::format("{} is {}", name, value), fmt::format("Give a number from {} to {}.", least, most));
}

void ShapeDoor::count(std::string_view name, std::size_t value, std::size_t least) const {
  if (value < least)
    refuse(fmt::format("{} is {}", name, value), fmt::format("Give a whole number from {} on.", least));
}

void ShapeDoor::target(std::size_t elements) const {
  if (elements == 0) refuse("0 elements are asked for", "Ask for at least one.");
  if (as_double(elements) > most_indices)
    refuse(fmt::format("{} elements are asked for", elements),
           fmt::format("Ask for at most {:.0f}.", most_indices));
}

MeshCounts ShapeDoor::counts(double vertices, double elements) const {
  if (vertices > most_indices || elements > most_indices)
    refuse(fmt::format("it would have about {:.4g} vertices and {:.4g} elements", vertices, elements),
           fmt::format("Subdivide less: at most {:.0f} of each have an index.", most_indices));
  return {static_cast<std::size_t>(vertices), static_cast<std::size_t>(elements)};
}

void ShapeDoor::finished(const TriangleMesh& mesh) const {
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const auto [a, b, c] = triangle_at(mesh.positions, mesh.triangles[i]);
    // Below 1e-12 rounding decides what the triangle looks like.
    const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    if (!((b - a).cross(c - a).norm() > 1e-12 * longest * longest))
      refuse(fmt::format("triangle {} has no area", i),
             "The sizes are too different for this subdivision; bring them nearer together.");
  }
}

void ShapeDoor::finished(const TetMesh& mesh) const {
  for (std::size_t i = 0; i < mesh.tets.size(); ++i) {
    const auto [a, b, c, d] = tet_at(mesh.positions, mesh.tets[i]);
    if (orient3d(a, b, c, d) <= 0)
      refuse(fmt::format("tetrahedron {} is flat or inverted", i),
             "The sizes are too different for this subdivision; bring them nearer together.");
  }
}

std::vector<Frame> circle_frames(double radius, std::size_t around) {
  std::vector<Frame> frames;
  frames.reserve(around);
  for (std::size_t i = 0; i < around; ++i) {
    const double angle = 2 * pi * as_double(i) / as_double(around);
    const Vec3 outward(std::cos(angle), std::sin(angle), 0);
    frames.push_back({radius * outward, outward, -Vec3::UnitZ()});
  }
  return frames;
}

TriangleMesh tube_surface(std::span<const Frame> frames, double radius, std::size_t across) {
  TriangleMesh mesh;
  mesh.positions.reserve(frames.size() * across);
  mesh.triangles.reserve(2 * frames.size() * across);
  std::vector<Vec2> section;
  for (std::size_t j = 0; j < across; ++j) {
    const double angle = 2 * pi * as_double(j) / as_double(across);
    section.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
  }
  for (const Frame& frame : frames)
    for (const Vec2& p : section)
      mesh.positions.emplace_back(frame.centre + p.x() * frame.first + p.y() * frame.second);
  for (std::size_t i = 0; i < frames.size(); ++i)
    for (std::size_t j = 0; j < across; ++j) {
      const std::size_t here = i * across, ahead = (i + 1) % frames.size() * across, next = (j + 1) % across;
      const auto a = as_index(here + j), b = as_index(here + next), c = as_index(ahead + next),
                 d = as_index(ahead + j);
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({a, c, d});
    }
  return mesh;
}

namespace {

// A disc in rings, ring j of 6 j vertices: all triangles are nearly regular.
struct Disc {
  std::vector<Vec2> positions;
  std::vector<TriangleCorners> triangles;  // counter-clockwise
};

Disc make_disc(double radius, std::size_t rings) {
  Disc disc;
  disc.positions.emplace_back(0, 0);
  for (std::size_t ring = 1; ring <= rings; ++ring) {
    const double r = radius * as_double(ring) / as_double(rings);
    for (std::size_t i = 0; i < 6 * ring; ++i) {
      const double angle = 2 * pi * as_double(i) / as_double(6 * ring);
      disc.positions.emplace_back(r * std::cos(angle), r * std::sin(angle));
    }
    const auto vertex = [](std::size_t of_ring, std::size_t i) {
      return of_ring == 0 ? 0 : as_index(1 + 3 * of_ring * (of_ring - 1) + i % (6 * of_ring));
    };
    for (std::size_t sector = 0; sector < 6; ++sector)
      for (std::size_t i = 0; i < ring; ++i) {
        const std::size_t outer = sector * ring + i, inner = sector * (ring - 1) + i;
        disc.triangles.push_back({vertex(ring - 1, inner), vertex(ring, outer), vertex(ring, outer + 1)});
        if (i + 1 < ring)
          disc.triangles.push_back(
              {vertex(ring - 1, inner), vertex(ring, outer + 1), vertex(ring - 1, inner + 1)});
      }
  }
  return disc;
}

}  // namespace

void split_prism(TriangleCorners bottom, TriangleCorners top, std::vector<TetCorners>& tets) {
  // Bring the lowest index to bottom[0]; upside down, the prism has its triangles swapped and turned.
  if (*std::min_element(top.begin(), top.end()) < *std::min_element(bottom.begin(), bottom.end())) {
    std::swap(bottom, top);
    std::swap(bottom[1], bottom[2]);
    std::swap(top[1], top[2]);
  }
  const auto turn = std::min_element(bottom.begin(), bottom.end()) - bottom.begin();
  std::rotate(bottom.begin(), bottom.begin() + turn, bottom.end());
  std::rotate(top.begin(), top.begin() + turn, top.end());
  const auto [a, b, c] = bottom;
  const auto [d, e, f] = top;
  // Two sides are cut through a; the third, b c f e, through its own lowest.
  tets.push_back({a, e, f, d});
  if (std::min(b, f) < std::min(c, e)) {
    tets.push_back({a, b, c, f});
    tets.push_back({a, b, f, e});
  } else {
    tets.push_back({a, b, c, e});
    tets.push_back({a, c, f, e});
  }
}

TetMesh tube_solid(std::span<const Frame> frames, double radius, std::size_t rings) {
  const Disc disc = make_disc(radius, rings);
  TetMesh mesh;
  mesh.positions.reserve(frames.size() * disc.positions.size());
  mesh.tets.reserve(3 * frames.size() * disc.triangles.size());
  for (const Frame& frame : frames)
    for (const Vec2& p : disc.positions)
      mesh.positions.emplace_back(frame.centre + p.x() * frame.first + p.y() * frame.second);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto here = as_index(i * disc.positions.size());
    const auto ahead = as_index((i + 1) % frames.size() * disc.positions.size());
    for (const auto& [a, b, c] : disc.triangles)
      split_prism({here + a, here + b, here + c}, {ahead + a, ahead + b, ahead + c}, mesh.tets);
  }
  return mesh;
}

}  // namespace palpate::detail
