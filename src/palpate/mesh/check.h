// What is unusual about a mesh, before anything is built on it.
//
// Nothing here refuses: the findings say what was found, where, how grave it is and what it means for whoever
// uses the mesh. An error makes the mesh unusable; a warning is something most users want mended (repair.h
// mends most); a note may well be intended. Each problem has one line in the table of check.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <palpate/mesh/mesh.h>

namespace palpate {

enum class Severity { note, warning, error };
std::string_view name_of(Severity severity);

enum class Problem {
  index_out_of_range,
  not_finite,
  no_elements,
  unused_vertex,
  duplicate_vertex,
  degenerate_element,
  duplicate_element,
  nonmanifold_edge,
  nonmanifold_vertex,
  nonmanifold_face,
  inconsistent_orientation,
  inside_out,
  open_border,
  self_intersection,
  inverted_tet,
  sliver_tet,
  suspicious_unit,
};
inline constexpr std::size_t problem_count = static_cast<std::size_t>(Problem::suspicious_unit) + 1;
// "self-intersection"
std::string_view name_of(Problem problem);
Severity severity_of(Problem problem);

enum class ElementKind { mesh, vertex, edge, triangle, tet };
std::string_view name_of(ElementKind kind);

struct Finding {
  Problem problem;
  ElementKind kind;
  std::uint32_t
      element;  // vertex, triangle or tetrahedron; of an edge its lowest side (topology.h); 0 for the mesh
  std::string message;  // one sentence
  Severity severity() const { return severity_of(problem); }
};

struct CheckOptions {
  std::size_t most_each = 100;     // findings of each problem; all are counted
  bool self_intersections = true;  // the slowest part
  double sliver_quality = 0.01;  // tetrahedra with a smaller radius ratio (1 for the regular one) are slivers
  double least_size = 1e-3, most_size = 5;  // largest extent [m] outside of which the unit is suspicious
  std::function<void(double fraction)> progress = {};  // called now and then
};

struct CheckResult {
  std::vector<Finding> findings;  // the gravest first, then in the order of Problem and of elements
  std::array<std::size_t, problem_count>
      counts{};  // self-intersections: 1,000,001 stands for more than a million

  std::size_t count(Problem problem) const { return counts[static_cast<std::size_t>(problem)]; }
  std::size_t count(Severity severity) const;
};

// After an index out of range or a coordinate that is not finite, only what does not depend on them is looked
// at.
CheckResult check(const TriangleMesh& mesh, const CheckOptions& options = {});
// A tetrahedral mesh, and its boundary surface (boundary.h), whose triangles the findings number.
CheckResult check(const TetMesh& mesh, const CheckOptions& options = {});

}  // namespace palpate
