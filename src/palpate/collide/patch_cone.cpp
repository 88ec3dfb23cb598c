#include <palpate/collide/patch_cone.h>

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

namespace palpate {

namespace {

// What rounding may do to places in the picture, and to areas, beside the size of the patch: far less.
constexpr double rounding = 1e-12;

double squared_distance(const std::array<double, 2>& p, const std::array<double, 2>& a,
                        const std::array<double, 2>& b) {
  const double ux = b[0] - a[0], uy = b[1] - a[1], wx = p[0] - a[0], wy = p[1] - a[1];
  const double length = ux * ux + uy * uy;
  const double t = length > 0 ? std::clamp((wx * ux + wy * uy) / length, 0.0, 1.0) : 0.0;
  const double x = wx - t * ux, y = wy - t * uy;
  return x * x + y * y;
}

// True only if a line separates the two: along the normal or the direction of one of them.
bool separated(const std::array<double, 2>& a, const std::array<double, 2>& b, const std::array<double, 2>& c,
               const std::array<double, 2>& d, double slack) {
  for (const bool first : {true, false}) {
    const std::array<double, 2>&from = first ? a : c, &to = first ? b : d;
    const double x = to[0] - from[0], y = to[1] - from[1];
    const double room = slack * (std::abs(x) + std::abs(y));
    for (const auto& axis : {std::array{-y, x}, std::array{x, y}}) {
      const auto place = [&](const std::array<double, 2>& p) {
        return axis[0] * (p[0] - from[0]) + axis[1] * (p[1] - from[1]);
      };
      const auto [low, high] = std::minmax({place(a), place(b)});
      const auto [other_low, other_high] = std::minmax({place(c), place(d)});
      if (high + room < other_low || other_high + room < low) return true;
    }
  }
  return false;
}

}  // namespace

// The sides that have no other; false if the patch is not as point 1 wants it.
bool PatchCone::find_outline(const Surfaces& all, std::span<const std::uint32_t> triangles) {
  sides_.clear();
  outline_.clear();
  for (const std::uint32_t t : triangles)
    for (std::uint32_t side = 3 * t; side < 3 * t + 3; ++side)
      sides_.emplace_back(all.side_begin(side), all.side_end(side));
  std::sort(sides_.begin(), sides_.end());
  if (std::adjacent_find(sides_.begin(), sides_.end()) != sides_.end()) return false;
  for (const auto& [from, to] : sides_)
    if (!std::binary_search(sides_.begin(), sides_.end(), std::pair(to, from)))
      outline_.emplace_back(from, to);
  // One loop: from each vertex one side goes on, and all are passed before the first comes again.
  if (outline_.empty()) return false;
  std::size_t passed = 0;
  std::uint32_t at = outline_[0].first;
  do {
    const auto next = std::lower_bound(outline_.begin(), outline_.end(), std::pair(at, std::uint32_t{0}));
    if (next == outline_.end() || next->first != at ||
        (next + 1 != outline_.end() && (next + 1)->first == at))
      return false;
    at = next->second;
    ++passed;
  } while (at != outline_[0].first && passed <= outline_.size());
  return passed == outline_.size();
}

std::uint32_t PatchCone::place_of(std::uint32_t vertex) const {
  return static_cast<std::uint32_t>(std::lower_bound(vertices_.begin(), vertices_.end(), vertex) -
                                    vertices_.begin());
}

// The picture along the mean normal; false if there is none.
bool PatchCone::project(const Surfaces& all, std::span<const std::uint32_t> triangles) {
  Vec3 axis = Vec3::Zero();
  vertices_.clear();
  for (const std::uint32_t t : triangles) {
    const auto [a, b, c] = all.triangle(t);
    axis += (b - a).cross(c - a);
    vertices_.insert(vertices_.end(), all.triangles()[t].begin(), all.triangles()[t].end());
  }
  std::sort(vertices_.begin(), vertices_.end());
  vertices_.erase(std::unique(vertices_.begin(), vertices_.end()), vertices_.end());
  const double length = axis.norm();
  if (!(length > 1e-200) || !(length < 1e200)) return false;
  axis /= length;
  const Vec3 x = axis.unitOrthogonal(), y = axis.cross(x);
  const Vec3& origin = all.positions()[vertices_[0]];
  picture_.clear();
  size_ = 0;
  for (const std::uint32_t v : vertices_) {
    const Vec3 from = all.positions()[v] - origin;
    size_ = std::max(size_, from.cwiseAbs().maxCoeff());
    picture_.push_back({x.dot(from), y.dot(from)});
  }
  return true;
}

bool PatchCone::keeps_apart(const Surfaces& all, std::span<const std::uint32_t> triangles, double reach) {
  if (triangles.empty()) return true;
  if (!project(all, triangles)) return false;
  const double r = reach * (1 + 1e-9) + 4 * rounding * size_;
  for (const std::uint32_t t : triangles) {
    const TriangleCorners& c = all.triangles()[t];
    const Point &p = picture_[place_of(c[0])], &q = picture_[place_of(c[1])], &s = picture_[place_of(c[2])];
    const auto squared = [](const Point& a, const Point& b) {
      return (b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]);
    };
    const double twice = (q[0] - p[0]) * (s[1] - p[1]) - (q[1] - p[1]) * (s[0] - p[0]);
    const double longest = std::sqrt(std::max({squared(p, q), squared(q, s), squared(s, p)}));
    // Twice the area is side times height.
    if (!(twice - rounding * size_ * longest > r * longest)) return false;
  }
  if (!find_outline(all, triangles)) return false;
  for (const auto& [from, to] : outline_) {
    const Point &a = picture_[place_of(from)], &b = picture_[place_of(to)];
    for (const auto& [vertex, next] : outline_) {
      // Two sides may cross with all their ends far away.
      const bool meet = vertex == from || vertex == to || next == from || next == to;
      if (!meet && !separated(a, b, picture_[place_of(vertex)], picture_[place_of(next)], rounding * size_))
        return false;
      if (vertex != from && vertex != to && !(squared_distance(picture_[place_of(vertex)], a, b) > r * r))
        return false;
    }
  }
  return true;
}

}  // namespace palpate
