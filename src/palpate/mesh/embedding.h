// A fine surface carried by a coarser tetrahedral mesh.
//
// Every point gets a tetrahedron and four weights (barycentric coordinates) such that the weighted corners
// give its position. A point inside the mesh takes the tetrahedron that holds it, by exact signs. A point
// outside is extrapolated: among the tetrahedra around the nearest one, the one that has to reach least far
// beyond itself is taken, so that a sliver at the surface, whose weights would be enormous, is not. Forces go
// back to the nodes by the transpose of the same weights, summed in a fixed order.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <palpate/mesh/mesh.h>

namespace palpate {

class Embedding {
 public:
  Embedding() = default;
  // Refuses a mesh without a tetrahedron that has volume, and points farther outside than `most_outside` [m].
  Embedding(const TetMesh& mesh, std::span<const Vec3> points,
            double most_outside = std::numeric_limits<double>::infinity());

  // Of weights that are known already; of each point they sum up to 1. Refuses others, and nodes that are not
  // there.
  Embedding(std::size_t nodes, std::vector<TetCorners> corners, std::vector<std::array<double, 4>> weights);

  std::size_t size() const { return corners_.size(); }
  std::size_t nodes() const { return begins_.empty() ? 0 : begins_.size() - 1; }
  std::span<const std::uint32_t> tets() const { return tets_; }  // of each point; none if weights were given
  std::span<const TetCorners> corners() const { return corners_; }
  std::span<const std::array<double, 4>> weights() const { return weights_; }
  std::size_t outside_count() const { return outside_; }
  double farthest_outside() const { return farthest_; }  // [m]

  struct Share {
    std::uint32_t point;
    double weight;
  };
  // The points that a node carries a part of, ascending.
  std::span<const Share> shares(std::uint32_t node) const {
    return std::span(shares_).subspan(begins_[node], begins_[node + 1] - begins_[node]);
  }

  // points[i] = sum of weights times nodes.
  void map(std::span<const Vec3> nodes, std::span<Vec3> points) const;
  // node_forces[n] += sum of weights times point_forces: the transpose of map().
  void map_back(std::span<const Vec3> point_forces, std::span<Vec3> node_forces) const;

 private:
  void transpose(std::size_t nodes);
  void check_sizes(std::size_t nodes, std::size_t points) const;

  std::vector<std::uint32_t> tets_;
  std::vector<TetCorners> corners_;
  std::vector<std::array<double, 4>> weights_;
  std::size_t outside_ = 0;
  double farthest_ = 0;
  std::vector<Share> shares_;          // node by node, points ascending
  std::vector<std::uint32_t> begins_;  // of each node's shares, and the end of the last
};

}  // namespace palpate
