#include <palpate/mesh/check.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include <palpate/geometry/box.h>
#include <palpate/geometry/predicates.h>
#include <palpate/mesh/boundary.h>
#include <palpate/mesh/box_tree.h>
#include <palpate/mesh/degenerate.h>
#include <palpate/mesh/quality.h>
#include <palpate/mesh/same_place.h>
#include <palpate/mesh/self_intersections.h>
#include <palpate/mesh/topology.h>

namespace palpate {

namespace {

struct ProblemFacts {
  std::string_view name;
  Severity severity;
};

constexpr std::array<ProblemFacts, problem_count> problems = {{
    {"index out of range", Severity::error},
    {"coordinate not finite", Severity::error},
    {"no elements", Severity::error},
    {"unused vertex", Severity::warning},
    {"duplicate vertex", Severity::warning},
    {"degenerate element", Severity::warning},
    {"duplicate element", Severity::warning},
    {"non-manifold edge", Severity::warning},
    {"non-manifold vertex", Severity::warning},
    {"non-manifold face", Severity::error},
    {"inconsistent orientation", Severity::warning},
    {"inside out", Severity::warning},
    {"open border", Severity::note},
    {"self-intersection", Severity::warning},
    {"inverted tetrahedron", Severity::error},
    {"sliver tetrahedron", Severity::warning},
    {"suspicious unit", Severity::warning},
}};

constexpr std::size_t most_intersections = 1'000'000;

// Gathers findings: counts all, keeps some.
class Findings {
 public:
  explicit Findings(const CheckOptions& options) : options_(options) {}

  template <class Message>
  void add(Problem problem, ElementKind kind, std::size_t element, Message&& message) {
    if (result_.counts[static_cast<std::size_t>(problem)]++ < options_.most_each)
      result_.findings.push_back({problem, kind, static_cast<std::uint32_t>(element), message()});
  }
  void count_more(Problem problem, std::size_t more) {
    result_.counts[static_cast<std::size_t>(problem)] += more;
  }
  CheckResult take() {
    std::stable_sort(
        result_.findings.begin(), result_.findings.end(), [](const Finding& a, const Finding& b) {
          return a.severity() != b.severity() ? a.severity() > b.severity() : a.problem < b.problem;
        });
    return std::move(result_);
  }

 private:
  const CheckOptions& options_;
  CheckResult result_;
};

template <std::size_t n>
constexpr ElementKind kind_of() {
  return n == 3 ? ElementKind::triangle : ElementKind::tet;
}

// Indices and coordinates; false if what follows could not be trusted.
template <std::size_t n>
bool check_values(const std::vector<Vec3>& positions,
                  const std::vector<std::array<std::uint32_t, n>>& elements, Findings& findings) {
  bool good = true;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    if (positions[v].allFinite()) continue;
    good = false;
    findings.add(Problem::not_finite, ElementKind::vertex, v, [&] {
      return fmt::format("its position is ({}, {}, {})", positions[v].x(), positions[v].y(),
                         positions[v].z());
    });
  }
  for (std::size_t e = 0; e < elements.size(); ++e)
    for (const std::uint32_t v : elements[e]) {
      if (v < positions.size()) continue;
      good = false;
      findings.add(Problem::index_out_of_range, kind_of<n>(), e, [&] {
        return fmt::format("it has corner {}, but there are {} vertices", v, positions.size());
      });
    }
  if (elements.empty()) {
    good = false;
    findings.add(Problem::no_elements, ElementKind::mesh, 0,
                 [&] { return fmt::format("there are {} vertices and no elements", positions.size()); });
  }
  return good;
}

template <std::size_t n>
void check_vertices(const std::vector<Vec3>& positions,
                    const std::vector<std::array<std::uint32_t, n>>& elements, Findings& findings) {
  std::vector<char> used(positions.size(), 0);
  for (const auto& element : elements)
    for (const std::uint32_t v : element) used[v] = 1;
  const std::vector<std::uint32_t> first = first_at_same_place(positions);
  for (std::size_t v = 0; v < positions.size(); ++v) {
    if (!used[v])
      findings.add(Problem::unused_vertex, ElementKind::vertex, v, [] { return "no element uses it"; });
    if (first[v] != v)
      findings.add(Problem::duplicate_vertex, ElementKind::vertex, v,
                   [&] { return fmt::format("it lies where vertex {} lies", first[v]); });
  }
}

template <std::size_t n>
void check_duplicates(const std::vector<std::array<std::uint32_t, n>>& elements, Findings& findings) {
  const std::vector<std::uint32_t> first = first_with_same_corners<n>(elements);
  for (std::size_t e = 0; e < elements.size(); ++e)
    if (first[e] != e)
      findings.add(Problem::duplicate_element, kind_of<n>(), e,
                   [&] { return fmt::format("it has the same corners as number {}", first[e]); });
}

void check_unit(const std::vector<Vec3>& positions, const CheckOptions& options, Findings& findings) {
  const double size = bounds(positions).size().maxCoeff();
  if (size > options.most_size)
    findings.add(Problem::suspicious_unit, ElementKind::mesh, 0, [&] {
      return fmt::format("it is {:.4g} m large: are its coordinates millimetres or centimetres?", size);
    });
  if (size < options.least_size)
    findings.add(Problem::suspicious_unit, ElementKind::mesh, 0, [&] {
      return fmt::format("it is {:.3g} m large: are its coordinates in another unit?", size);
    });
}

void check_edges(const Topology& topology, Findings& findings) {
  for (std::uint32_t side = 0; side < 3 * topology.triangle_count(); ++side) {
    if (topology.edge_of(side) != side) continue;
    const std::uint32_t a = topology.vertex_at(side), b = topology.vertex_at(next_corner(side));
    const std::uint32_t second = topology.next_side(side);
    if (second == side) {
      findings.add(Problem::open_border, ElementKind::edge, side, [&] {
        return fmt::format("between vertices {} and {} there is one triangle only, {}", a, b, side / 3);
      });
    } else if (topology.next_side(second) != side) {
      findings.add(Problem::nonmanifold_edge, ElementKind::edge, side, [&] {
        return fmt::format("between vertices {} and {} there are more than two triangles", a, b);
      });
    } else if (runs_same_way(topology, side, second)) {
      findings.add(Problem::inconsistent_orientation, ElementKind::edge, side, [&] {
        return fmt::format("triangles {} and {} face opposite ways", side / 3, second / 3);
      });
    }
  }
}

// Closed, consistent parts with their outside in. A part inside another's box may be a cavity: it is left
// alone.
void check_inside_out(const TriangleMesh& mesh, const Topology& topology, Findings& findings) {
  const Components parts = components(topology);
  struct Part {
    Box box;
    double volume = 0;
    std::uint32_t triangle = no_index;
    bool closed = true;
  };
  std::vector<Part> all(parts.count);
  const double scale = unit_scale(mesh.positions);
  const Vec3 origin = scale * bounds(mesh.positions).center();
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    Part& part = all[parts.of_triangle[t]];
    const auto [a, b, c] = triangle_at(mesh.positions, mesh.triangles[t]);
    part.box.add(bounds(triangle_at(mesh.positions, mesh.triangles[t])));
    part.volume += (scale * a - origin).cross(scale * b - origin).dot(scale * c - origin);
    part.triangle = std::min(part.triangle, t);
    for (std::uint32_t side = 3 * t; side < 3 * t + 3; ++side) {
      const std::uint32_t other = topology.next_side(side);
      part.closed &= topology.edge_of(side) != no_index && other != side &&
                     topology.next_side(other) == side && !runs_same_way(topology, side, other);
    }
  }
  std::vector<Box> hulls(all.size());  // of the parts that others may lie in
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].closed && all[i].volume > 0) hulls[i] = all[i].box;
  const BoxTree tree(hulls);
  for (const Part& part : all) {
    if (!part.closed || !(part.volume < 0)) continue;
    bool inside = false;
    tree.overlapping(part.box, [&](std::uint32_t other) { inside |= hulls[other].contains(part.box); });
    if (!inside)
      findings.add(Problem::inside_out, ElementKind::triangle, part.triangle,
                   [] { return "the closed part it belongs to has its outside in"; });
  }
}

void check_surface(const TriangleMesh& mesh, const CheckOptions& options, Findings& findings) {
  const Topology topology(mesh.positions.size(), mesh.triangles);
  check_edges(topology, findings);
  for (std::uint32_t v = 0; v < mesh.positions.size(); ++v)
    if (!is_fan(topology, v))
      findings.add(Problem::nonmanifold_vertex, ElementKind::vertex, v,
                   [] { return "the triangles around it hang together by this vertex alone"; });
  check_inside_out(mesh, topology, findings);
  // What came before takes about a third of the time.
  const auto report = [&](double fraction) {
    if (options.progress) options.progress(0.3 + 0.7 * fraction);
  };
  report(0);
  if (!options.self_intersections) return;
  const SelfIntersections crossing = self_intersections(mesh, most_intersections, report);
  for (const auto& pair : crossing.pairs)
    findings.add(Problem::self_intersection, ElementKind::triangle, pair[0],
                 [&] { return fmt::format("it passes through triangle {}, or touches it", pair[1]); });
  if (!crossing.complete) findings.count_more(Problem::self_intersection, 1);  // "a million and more"
}

void check_tets(const TetMesh& mesh, const CheckOptions& options, Findings& findings) {
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const auto corners = tet_at(mesh.positions, mesh.tets[t]);
    const int sign = orient3d(corners[0], corners[1], corners[2], corners[3]);
    if (sign == 0) {
      findings.add(Problem::degenerate_element, ElementKind::tet, t,
                   [] { return "it is flat: it has no volume"; });
    } else if (sign < 0) {
      findings.add(Problem::inverted_tet, ElementKind::tet, t, [] {
        return "its volume is negative: two of its corners are swapped, or the mesh is folded";
      });
    }
    const double quality = std::abs(radius_ratio(corners));
    if (sign != 0 && quality < options.sliver_quality)
      findings.add(Problem::sliver_tet, ElementKind::tet, t,
                   [&] { return fmt::format("it is nearly flat: its quality is {:.2g} of 1", quality); });
  }
}

}  // namespace

std::string_view name_of(Severity severity) {
  return std::array{"note", "warning", "error"}[static_cast<std::size_t>(severity)];
}
std::string_view name_of(Problem problem) { return problems[static_cast<std::size_t>(problem)].name; }
Severity severity_of(Problem problem) { return problems[static_cast<std::size_t>(problem)].severity; }
std::string_view name_of(ElementKind kind) {
  return std::array{"mesh", "vertex", "edge", "triangle", "tetrahedron"}[static_cast<std::size_t>(kind)];
}

std::size_t CheckResult::count(Severity severity) const {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < problem_count; ++i)
    if (problems[i].severity == severity) sum += counts[i];
  return sum;
}

CheckResult check(const TriangleMesh& mesh, const CheckOptions& options) {
  Findings findings(options);
  if (!check_values(mesh.positions, mesh.triangles, findings)) return findings.take();
  check_vertices(mesh.positions, mesh.triangles, findings);
  check_duplicates(mesh.triangles, findings);
  check_unit(mesh.positions, options, findings);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    if (is_degenerate(mesh.positions, mesh.triangles[t]))
      findings.add(Problem::degenerate_element, ElementKind::triangle, t, [] { return "it has no area"; });
  check_surface(mesh, options, findings);
  return findings.take();
}

CheckResult check(const TetMesh& mesh, const CheckOptions& options) {
  Findings findings(options);
  if (!check_values(mesh.positions, mesh.tets, findings)) return findings.take();
  check_vertices(mesh.positions, mesh.tets, findings);
  check_duplicates(mesh.tets, findings);
  check_unit(mesh.positions, options, findings);
  check_tets(mesh, options, findings);
  // The boundary, with its elements named by the tetrahedra's nodes.
  BoundarySurface boundary = boundary_surface(mesh);
  for (const std::uint32_t t : boundary.crowded_tets)
    findings.add(Problem::nonmanifold_face, ElementKind::tet, t,
                 [] { return "three or more tetrahedra share one of its faces"; });
  for (TriangleCorners& t : boundary.mesh.triangles)
    for (std::uint32_t& v : t) v = boundary.nodes[v];
  boundary.mesh.positions = mesh.positions;
  check_surface(boundary.mesh, options, findings);
  return findings.take();
}

}  // namespace palpate
