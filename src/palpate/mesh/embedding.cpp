#include <palpate/mesh/embedding.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Geometry>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/geometry/nearest.h>
#include <palpate/geometry/predicates.h>
#include <palpate/mesh/box_tree.h>
#include <palpate/mesh/degenerate.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 256;
using Weights = std::array<double, 4>;

// The point's volume with each face over the whole: exact determinants, so slivers are as good as any.
Weights weights_in(std::array<Vec3, 4> tet, Vec3 p) {
  // Powers of two change no ratio, and keep products of tiny or huge coordinates in range.
  double size = p.cwiseAbs().maxCoeff();
  for (const Vec3& corner : tet) size = std::max(size, corner.cwiseAbs().maxCoeff());
  const double scale = std::ldexp(1.0, -std::clamp(std::ilogb(size), -1000, 1000));
  p *= scale;
  for (Vec3& corner : tet) corner *= scale;
  const double whole = orient3d_value(tet[0], tet[1], tet[2], tet[3]);
  Weights w{};
  for (std::size_t i = 0; i < 4; ++i) {
    std::array<Vec3, 4> with = tet;
    with[i] = p;
    w[i] = orient3d_value(with[0], with[1], with[2], with[3]) / whole;
  }
  return w;
}

// The least of them, in plain arithmetic: enough to tell most tetrahedra from the best.
double rough_least_weight(const std::array<Vec3, 4>& tet, const Vec3& p) {
  const Vec3 a = tet[1] - tet[0], b = tet[2] - tet[0], c = tet[3] - tet[0], to = p - tet[0];
  const Vec3 ab = a.cross(b), bc = b.cross(c), ca = c.cross(a);
  const double whole = ab.dot(c), one = to.dot(bc) / whole, two = to.dot(ca) / whole,
               three = to.dot(ab) / whole;
  return std::min(std::min(one, two), std::min(three, 1 - one - two - three));
}

bool holds(const std::array<Vec3, 4>& tet, int sign, const Vec3& p) {
  for (std::size_t i = 0; i < 4; ++i) {
    std::array<Vec3, 4> with = tet;
    with[i] = p;
    if (orient3d(with[0], with[1], with[2], with[3]) * sign < 0) return false;
  }
  return true;
}

double squared_distance_to(const std::array<Vec3, 4>& tet, const Vec3& p) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& face : tet_faces)
    least = std::min(least,
                     nearest_point_triangle(p, {tet[face[0]], tet[face[1]], tet[face[2]]}).squared_distance);
  return least;
}

// Finds tetrahedra for points; those without volume, and holes, carry nothing.
class Carrier {
 public:
  explicit Carrier(const TetMesh& mesh) : mesh_(mesh), signs_(mesh.tets.size()) {
    std::vector<Box> boxes(mesh.tets.size());
    std::vector<std::uint32_t> lengths(mesh.positions.size(), 0);
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
      if (is_hole(mesh.tets[t])) continue;
      const auto corners = tet_at(mesh.positions, mesh.tets[t]);
      signs_[t] = orient3d(corners[0], corners[1], corners[2], corners[3]);
      if (signs_[t] == 0) continue;
      boxes[t] = bounds(corners);
      for (const std::uint32_t v : mesh.tets[t]) ++lengths[v];
    }
    tree_ = BoxTree(boxes);
    begins_.assign(mesh.positions.size() + 1, 0);
    for (std::size_t v = 0; v < lengths.size(); ++v) begins_[v + 1] = begins_[v] + lengths[v];
    around_.resize(begins_.back());
    for (std::uint32_t t = 0; t < mesh.tets.size(); ++t)
      if (signs_[t] != 0)
        for (const std::uint32_t v : mesh.tets[t]) around_[begins_[v + 1] - lengths[v]--] = t;
    if (around_.empty())
      throw Error(Place::named("mesh", "to embed in"), "no tetrahedron in it has a volume",
                  "Embedding needs a tetrahedral mesh: see 'palpate mesh check'.");
  }

  // The lowest tetrahedron that holds the point, or no_index.
  std::uint32_t around(const Vec3& p) const {
    std::uint32_t found = no_index;
    tree_.overlapping(Box{p, p}, [&](std::uint32_t t) {
      if (t < found && holds(tet_at(mesh_.positions, mesh_.tets[t]), signs_[t], p)) found = t;
    });
    return found;
  }
  BoxTree::Nearest nearest(const Vec3& p) const {
    return tree_.nearest(
        p, [&](std::uint32_t t) { return squared_distance_to(tet_at(mesh_.positions, mesh_.tets[t]), p); });
  }
  // Of the tetrahedra that share a corner with `near`, the one whose least weight is largest.
  std::uint32_t least_stretched(std::uint32_t near, const Vec3& p) const {
    double rough = -std::numeric_limits<double>::infinity();
    each_around(near, [&](std::uint32_t t) {
      rough = std::max(rough, rough_least_weight(tet_at(mesh_.positions, mesh_.tets[t]), p));
    });
    std::uint32_t best = near;
    double best_weight = -std::numeric_limits<double>::infinity();
    const auto look = [&](std::uint32_t t) {
      const Weights w = weights_in(tet_at(mesh_.positions, mesh_.tets[t]), p);
      const double least = *std::min_element(w.begin(), w.end());
      if (least > best_weight || (least == best_weight && t < best)) best = t, best_weight = least;
    };
    const double worth = rough - 1e-6 * (1 + std::abs(rough));
    each_around(near, [&](std::uint32_t t) {
      if (!(rough_least_weight(tet_at(mesh_.positions, mesh_.tets[t]), p) < worth)) look(t);
    });
    if (!(best_weight > worth)) each_around(near, look);  // slivers, whose rough weights mean nothing
    return best;
  }

 private:
  template <class Do>
  void each_around(std::uint32_t near, Do&& work) const {
    for (const std::uint32_t v : mesh_.tets[near])
      for (std::uint32_t i = begins_[v]; i < begins_[v + 1]; ++i) work(around_[i]);
  }

  const TetMesh& mesh_;
  std::vector<int> signs_;
  BoxTree tree_;
  std::vector<std::uint32_t> begins_, around_;  // tetrahedra around each node
};

}  // namespace

Embedding::Embedding(const TetMesh& mesh, std::span<const Vec3> points, double most_outside) {
  for (std::size_t t = 0; t < mesh.tets.size(); ++t)
    for (const std::uint32_t v : mesh.tets[t])
      if (v >= mesh.positions.size() && !is_hole(mesh.tets[t]))
        throw Error(Place().element("tetrahedron", t), fmt::format("there is no node {}", v),
                    "Nodes are counted from 0: check how the tetrahedra were made.");
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite())
      throw Error(Place::named("surface", "to embed").element("vertex", i), "its position is not finite",
                  "Check where it comes from.");
  const Carrier carrier(mesh);
  tets_.resize(points.size());
  corners_.resize(points.size());
  weights_.resize(points.size());
  std::vector<double> outside(points.size(), 0);
  parallel_for(points.size(), grain, [&](std::size_t i) {
    std::uint32_t tet = carrier.around(points[i]);
    if (tet == no_index) {
      const BoxTree::Nearest nearest = carrier.nearest(points[i]);
      outside[i] = std::sqrt(nearest.squared_distance);
      tet = carrier.least_stretched(nearest.index, points[i]);
    }
    tets_[i] = tet;
    corners_[i] = mesh.tets[tet];
    weights_[i] = weights_in(tet_at(mesh.positions, mesh.tets[tet]), points[i]);
  });
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Weights& w = weights_[i];
    if (!(std::abs(w[0] + w[1] + w[2] + w[3] - 1) < 1e-6))
      throw Error(Place::named("surface", "to embed").element("vertex", i),
                  fmt::format("tetrahedron {} cannot carry it: its weights are not finite", tets_[i]),
                  "Do the surface and the tetrahedra have the same unit and place? Repair slivers first.");
    outside_ += outside[i] > 0;
    farthest_ = std::max(farthest_, outside[i]);
    if (!(outside[i] <= most_outside))
      throw Error(Place::named("surface", "to embed").element("vertex", i),
                  fmt::format("it lies {:.3g} m outside the tetrahedra, more than {:.3g} m", outside[i],
                              most_outside),
                  "Do the surface and the tetrahedra have the same unit and place?");
  }
  transpose(mesh.positions.size());
}

Embedding::Embedding(std::size_t nodes, std::vector<TetCorners> corners,
                     std::vector<std::array<double, 4>> weights)
    : corners_(std::move(corners)), weights_(std::move(weights)) {
  if (corners_.size() != weights_.size())
    throw Error(Place::named("embedding", fmt::format("of {} points", corners_.size())),
                fmt::format("there are {} times four weights", weights_.size()), "Give four for each point.");
  for (std::size_t i = 0; i < corners_.size(); ++i) {
    const Weights& w = weights_[i];
    const double sum = w[0] + w[1] + w[2] + w[3];
    if (!(std::abs(sum - 1) < 1e-6))
      throw Error(Place::named("embedding", "weights").element("point", i),
                  fmt::format("they sum up to {}", sum), "Give weights that sum up to 1.");
    for (const std::uint32_t v : corners_[i])
      if (v >= nodes)
        throw Error(Place::named("embedding", "corners").element("point", i),
                    fmt::format("it follows node {} of {}", v, nodes), "Nodes are counted from 0.");
  }
  transpose(nodes);
}

void Embedding::transpose(std::size_t nodes) {
  begins_.assign(nodes + 1, 0);
  for (const TetCorners& corners : corners_)
    for (const std::uint32_t v : corners) ++begins_[v + 1];
  for (std::size_t v = 0; v < nodes; ++v) begins_[v + 1] += begins_[v];
  shares_.resize(begins_[nodes]);
  std::vector<std::uint32_t> at(begins_.begin(), begins_.end() - 1);
  for (std::uint32_t i = 0; i < corners_.size(); ++i)
    for (std::size_t k = 0; k < 4; ++k) shares_[at[corners_[i][k]]++] = {i, weights_[i][k]};
}

void Embedding::check_sizes(std::size_t nodes, std::size_t points) const {
  if (points != corners_.size() || nodes != this->nodes())
    throw Error(Place::named("embedding", fmt::format("of {} points", corners_.size())),
                fmt::format("it was given {} nodes and {} points", nodes, points),
                fmt::format("It maps between {} nodes and {} points.", this->nodes(), corners_.size()));
}

void Embedding::map(std::span<const Vec3> nodes, std::span<Vec3> points) const {
  check_sizes(nodes.size(), points.size());
  parallel_for(points.size(), 4096, [&](std::size_t i) {
    const TetCorners& c = corners_[i];
    const Weights& w = weights_[i];
    points[i] = w[0] * nodes[c[0]] + w[1] * nodes[c[1]] + w[2] * nodes[c[2]] + w[3] * nodes[c[3]];
  });
}

void Embedding::map_back(std::span<const Vec3> point_forces, std::span<Vec3> node_forces) const {
  check_sizes(node_forces.size(), point_forces.size());
  parallel_for(nodes(), 4096, [&](std::size_t v) {
    Vec3 sum = Vec3::Zero();
    for (std::uint32_t i = begins_[v]; i < begins_[v + 1]; ++i)
      sum += shares_[i].weight * point_forces[shares_[i].point];
    node_forces[v] += sum;
  });
}

}  // namespace palpate
