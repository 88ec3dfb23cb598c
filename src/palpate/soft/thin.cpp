#include <palpate/soft/thin.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Geometry>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/mesh/topology.h>

namespace palpate {

namespace {

void require_size(std::string_view what, std::string_view of, double size) {
  if (!(size > 0) || !std::isfinite(size))
    throw Error(Place::named("soft body", what), fmt::format("its {} is {} m", of, size),
                "It must be above 0, in metres.");
}

double area(const TriangleMesh& mesh, std::uint32_t triangle) {
  const Triangle t = triangle_at(mesh.positions, mesh.triangles[triangle]);
  return 0.5 * (t[1] - t[0]).cross(t[2] - t[0]).norm();
}

double spring_length(std::span<const Vec3> points, std::uint32_t a, std::uint32_t b) {
  const double length = (points[b] - points[a]).norm();
  if (!(length > 0))
    throw Error(Place::named("soft body", "string").element("point", a), "it is where the next one is",
                "Leave one of the two out.");
  return length;
}

}  // namespace

ThinParts shell_parts(const TriangleMesh& rest, double thickness, const Material& material) {
  require_size("shell", "thickness", thickness);
  require(material, "of a shell");
  ThinParts parts{rest.positions, std::vector<double>(rest.positions.size(), 0)};
  const Topology topology(rest.positions.size(), rest.triangles);
  std::vector<double> areas(rest.triangles.size());
  for (std::uint32_t t = 0; t < rest.triangles.size(); ++t) {
    areas[t] = area(rest, t);
    if (!(areas[t] > 0))
      throw Error(Place::named("soft body", "shell").element("triangle", t), "it has no area",
                  "Run `palpate mesh repair` on the file: it drops such triangles.");
    for (const std::uint32_t v : rest.triangles[t])
      parts.masses[v] += material.density * thickness * areas[t] / 3;
  }
  const double stretch = material.young * thickness;
  const double bend = stretch * thickness * thickness / (12 * (1 - material.poisson * material.poisson));
  for (std::uint32_t side = 0; side < 3 * rest.triangles.size(); ++side) {
    if (topology.edge_of(side) != side) continue;  // once for each edge
    const std::uint32_t a = topology.vertex_at(side), b = topology.vertex_at(next_corner(side));
    const double square = (rest.positions[b] - rest.positions[a]).squaredNorm();
    double around = 0;
    std::uint32_t at = side;
    do {
      around += areas[triangle_of(at)];
      at = topology.next_side(at);
    } while (at != side);
    parts.springs.push_back({{a, b}, stretch * around / square, {std::sqrt(square)}});
    // Where more than two triangles meet, each with the next.
    for (std::uint32_t next = topology.next_side(at); next != side; next = topology.next_side(next)) {
      const std::uint32_t c = topology.vertex_at(previous_corner(at)),
                          d = topology.vertex_at(previous_corner(next));
      if (c != d)
        parts.hinges.push_back(
            {{a, b, c, d},
             bend * square / (areas[triangle_of(at)] + areas[triangle_of(next)]),
             HingeRule({rest.positions[a], rest.positions[b], rest.positions[c], rest.positions[d]})});
      at = next;
    }
  }
  return parts;
}

ThinParts string_parts(std::span<const Vec3> points, double radius, const Material& material, bool closed) {
  require_size("string", "radius", radius);
  require(material, "of a string");
  const auto n = static_cast<std::uint32_t>(points.size());
  if (n < (closed ? 3 : 2))
    throw Error(Place::named("soft body", "string"), fmt::format("it has {} points", n),
                closed ? "A ring needs at least 3." : "It needs at least 2.");
  ThinParts parts{{points.begin(), points.end()}, std::vector<double>(n, 0)};
  const double section = std::numbers::pi * radius * radius;
  const double stretch = material.young * section, bend = 0.25 * stretch * radius * radius;
  for (std::uint32_t i = 0; i + (closed ? 0 : 1) < n; ++i) {
    const std::uint32_t j = (i + 1) % n;
    const double length = spring_length(points, i, j);
    parts.springs.push_back({{i, j}, stretch / length, {length}});
    for (const std::uint32_t v : {i, j}) parts.masses[v] += 0.5 * material.density * section * length;
    const std::uint32_t k = (i + 2) % n;
    if (k == i || (!closed && i + 2 >= n)) continue;
    parts.turns.push_back({{i, j, k},
                           2 * bend / (length + spring_length(points, j, k)),
                           TurnRule({points[i], points[j], points[k]})});
  }
  return parts;
}

std::vector<Term*> ThinTerms::all() {
  std::vector<Term*> terms;
  if (!springs_.elements().empty()) terms.push_back(&springs_);
  if (!hinges_.elements().empty()) terms.push_back(&hinges_);
  if (!turns_.elements().empty()) terms.push_back(&turns_);
  return terms;
}

void ThinTerms::begin_step(std::span<const Vec3> x, double times) {
  springs_.begin_step(x, times);
  hinges_.begin_step(x, times);
  turns_.begin_step(x, times);
}

void ThinTerms::add_energies(std::span<const Vec3> x, std::span<double> nodes) const {
  springs_.add_energies(x, nodes);
  hinges_.add_energies(x, nodes);
  turns_.add_energies(x, nodes);
}

}  // namespace palpate
