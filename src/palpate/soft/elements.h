// What tetrahedra and their materials come to, checked: where every term of a soft body begins.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Geometry>

#include <palpate/mesh/degenerate.h>
#include <palpate/mesh/mesh.h>
#include <palpate/soft/elasticity.h>
#include <palpate/solve/term.h>

namespace palpate {

// An element that was removed leaves a hole (mesh/degenerate.h), whose shape has no volume.
inline constexpr TetCorners hole = {no_index, no_index, no_index, no_index};

inline bool is_inverted(std::span<const Vec3> x, const TetCorners& t) {
  return !is_hole(t) && (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]).dot(x[t[3]] - x[t[0]]) <= 0;
}

// Throws Error for elements without volume or with vertices that are not there.
std::vector<TetShape> shapes_of(const TetMesh& rest);
TetShape shape_of(const TetMesh& rest, std::size_t element);  // also of a hole
// `materials`: one for all elements, or one for each. Throws Error for those that are not right.
std::vector<Elasticity> elasticities_of(const TetMesh& rest, std::span<const Material> materials);
// Of one element; materials that were checked before.
Elasticity elasticity_of(std::span<const Material> materials, std::size_t element);
// The mass that each node has of the elements around it [kg]. `materials` as above.
std::vector<double> node_masses(const TetMesh& rest, std::span<const Material> materials);

// Adds the Laplacian of one element, times a stiffness [Pa].
void add_laplacian(const TetCorners& corners, const TetShape& shape, double stiffness,
                   std::vector<MetricEntry>& entries);

// Of each node, where it is a corner: 4 * element + corner, ascending.
struct NodeCorners {
  std::vector<std::uint32_t> begin, corners;

  NodeCorners() = default;
  NodeCorners(std::size_t nodes, std::span<const TetCorners> tets);
  std::span<const std::uint32_t> of(std::size_t node) const {
    return std::span(corners).subspan(begin[node], begin[node + 1] - begin[node]);
  }
};

// The elements along a Morton curve through the box of all: neighbours on it are neighbours in space. Holes
// are left out.
std::vector<std::uint32_t> near_each_other(std::span<const Vec3> rest, std::span<const TetCorners> tets);

}  // namespace palpate
