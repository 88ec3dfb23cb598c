#include <palpate/mesh/formats/polygon.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include <palpate/geometry/predicates.h>

namespace palpate::detail {

namespace {

constexpr std::size_t longest_for_ears = 1000;

void fan(std::span<const std::uint32_t> corners, std::vector<TriangleCorners>& triangles) {
  for (std::size_t i = 2; i < corners.size(); ++i)
    triangles.push_back({corners[0], corners[i - 1], corners[i]});
}

// The power of two that brings the largest of these numbers near 1.
int power_for(double largest) { return largest > 0 ? -std::ilogb(largest) : 0; }

// Newell's: twice the vector of the area, times a power of two. Coordinates are scaled before differences are
// taken and these again before products, so that nothing overflows and little is lost.
Vec3 normal_of(std::span<const Vec3> positions, std::span<const std::uint32_t> corners) {
  double largest = 0, longest = 0;
  for (const std::uint32_t c : corners) largest = std::max(largest, positions[c].lpNorm<Eigen::Infinity>());
  const int power = power_for(largest);
  // In two halves: 2^1074, which the smallest numbers ask for, is not a double.
  const double half = std::ldexp(1.0, power / 2), rest = std::ldexp(1.0, power - power / 2);
  const auto scaled = [&](std::uint32_t c) -> Vec3 { return positions[c] * half * rest; };
  const Vec3 origin = scaled(corners[0]);
  for (const std::uint32_t c : corners)
    longest = std::max(longest, (scaled(c) - origin).lpNorm<Eigen::Infinity>());
  const int again = power_for(longest);
  const double fine = std::ldexp(1.0, std::min(again, 1000));
  Vec3 sum = Vec3::Zero(), last = Vec3::Zero();
  for (const std::uint32_t c : corners) {
    const Vec3 next = (scaled(c) - origin) * fine;
    sum += last.cross(next);
    last = next;
  }
  return sum;
}

}  // namespace

void PolygonCutter::cut(std::span<const Vec3> positions, std::span<const std::uint32_t> corners,
                        std::vector<TriangleCorners>& triangles) {
  if (corners.size() <= 3) return fan(corners, triangles);
  if (corners.size() > longest_for_ears) {
    ++fanned_;
    return fan(corners, triangles);
  }
  if (!flatten(positions, corners) || seen_whole_from_first()) return fan(corners, triangles);
  cut_ears(corners, triangles);
}

// Drops the coordinate along which the polygon is widest open, so that it turns to the left; false if it has
// no area to speak of.
bool PolygonCutter::flatten(std::span<const Vec3> positions, std::span<const std::uint32_t> corners) {
  const Vec3 normal = normal_of(positions, corners);
  int axis = 0;
  const double size = normal.cwiseAbs().maxCoeff(&axis);
  if (!(size > 0)) return false;
  int x = (axis + 1) % 3, y = (axis + 2) % 3;
  if (normal[axis] < 0) std::swap(x, y);
  flat_.clear();
  for (const std::uint32_t c : corners) flat_.emplace_back(positions[c][x], positions[c][y]);
  return true;
}

// If all triangles of the fan turn to the left, their number over a point is how often the polygon winds
// around it: for a simple polygon 0 or 1, so the fan is right.
bool PolygonCutter::seen_whole_from_first() const {
  for (std::size_t i = 2; i < flat_.size(); ++i)
    if (orient2d(flat_[0], flat_[i - 1], flat_[i]) <= 0) return false;
  return true;
}

void PolygonCutter::cut_ears(std::span<const std::uint32_t> corners,
                             std::vector<TriangleCorners>& triangles) {
  const auto n = static_cast<std::uint32_t>(corners.size());
  ring_.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) ring_[i] = {i + 1 == n ? 0 : i + 1, i == 0 ? n - 1 : i - 1, 0, false};
  for (std::uint32_t i = 0; i < n; ++i)
    ring_[i].turn = orient2d(flat_[ring_[i].before], flat_[i], flat_[ring_[i].next]);
  for (std::uint32_t i = 0; i < n; ++i) ring_[i].ear = is_ear(i);
  std::uint32_t at = 0;
  int searches = 3;
  for (std::size_t left = n; left > 3; --left) {
    const std::uint32_t ear = corner_to_cut(at, left, searches);
    const auto [next, before, turn, was] = ring_[ear];
    triangles.push_back({corners[before], corners[ear], corners[next]});
    ring_[before].next = next;
    ring_[next].before = before;
    ring_[ear].turn = 1;  // it is in nobody's way any more
    look_at(before);
    look_at(next);
    at = ring_[next].next;  // not the neighbour: cutting all round gives rounder triangles than a fan
  }
  triangles.push_back({corners[ring_[at].before], corners[at], corners[ring_[at].next]});
}

// An ear. A simple polygon always has one, and the flags are right; one that is not may have none. Then what
// is flat goes first, which harms nobody, then what turns to the left. The number of searches is limited, or
// a hostile polygon would cost n^3.
std::uint32_t PolygonCutter::corner_to_cut(std::uint32_t from, std::size_t left, int& searches) {
  const auto first = [&](auto&& wanted) {
    std::uint32_t at = from;
    for (std::size_t i = 0; i < left; ++i, at = ring_[at].next)
      if (wanted(ring_[at])) return at;
    return no_index;
  };
  const auto ear = [](const Corner& c) { return c.ear; };
  std::uint32_t found = first(ear);
  if (found == no_index && searches-- > 0) {
    std::uint32_t at = from;
    for (std::size_t i = 0; i < left; ++i, at = ring_[at].next) look_at(at);
    found = first(ear);
  }
  if (found == no_index) found = first([](const Corner& c) { return c.turn == 0; });
  if (found == no_index) found = first([](const Corner& c) { return c.turn > 0; });
  return found == no_index ? from : found;
}

void PolygonCutter::look_at(std::uint32_t corner) {
  Corner& c = ring_[corner];
  c.turn = orient2d(flat_[c.before], flat_[corner], flat_[c.next]);
  c.ear = is_ear(corner);
}

bool PolygonCutter::is_ear(std::uint32_t corner) const {
  const Corner& c = ring_[corner];
  if (c.turn <= 0) return false;
  const Vec2 &a = flat_[c.before], &b = flat_[corner], &d = flat_[c.next];
  const Vec2 low = a.cwiseMin(b).cwiseMin(d), high = a.cwiseMax(b).cwiseMax(d);
  for (std::uint32_t other = ring_[c.next].next; other != c.before; other = ring_[other].next) {
    const Vec2& p = flat_[other];
    // Where a polygon comes back to one of its own corners, that one may turn to the left and yet be in the
    // way; away from these only corners that do not turn to the left can be the first in the way.
    if (ring_[other].turn > 0 && p != b) continue;
    const bool far = p.x() < low.x() || p.x() > high.x() || p.y() < low.y() || p.y() > high.y();
    if (!far && blocks(corner, other)) return false;
  }
  return true;
}

// Whether another corner lies in the triangle of this one or on its border. One that coincides with an end of
// the cut is no hindrance; one that coincides with the corner itself is if its edges leave into the triangle.
bool PolygonCutter::blocks(std::uint32_t corner, std::uint32_t other) const {
  const Vec2 &a = flat_[ring_[corner].before], &b = flat_[corner], &c = flat_[ring_[corner].next];
  const Vec2& p = flat_[other];
  if (p == a || p == c) return false;
  if (p == b) {
    const auto leaves_inside = [&](std::uint32_t to) {
      return orient2d(a, b, flat_[to]) > 0 && orient2d(b, c, flat_[to]) > 0;
    };
    return leaves_inside(ring_[other].next) || leaves_inside(ring_[other].before);
  }
  return orient2d(a, b, p) >= 0 && orient2d(b, c, p) >= 0 && orient2d(c, a, p) >= 0;
}

void FaceList::add(std::span<const Vec3> known, std::span<const std::uint32_t> corners) {
  const auto is_known = [&](std::uint32_t c) { return c < known.size(); };
  if (waiting_.empty() && (corners.size() == 3 || std::all_of(corners.begin(), corners.end(), is_known))) {
    cutter_.cut(known, corners, triangles);
    return;
  }
  waiting_.push_back(static_cast<std::uint32_t>(corners.size()));
  waiting_.insert(waiting_.end(), corners.begin(), corners.end());
}

void FaceList::finish(std::span<const Vec3> positions, std::vector<std::string>& warnings) {
  const std::span<const std::uint32_t> all = waiting_;
  for (std::size_t i = 0; i < all.size(); i += all[i] + 1)
    cutter_.cut(positions, all.subspan(i + 1, all[i]), triangles);
  waiting_ = {};
  if (cutter_.fanned() > 0)
    warnings.push_back(fmt::format(
        "{} polygons have more than {} corners and became fans, which is right only where they are convex",
        cutter_.fanned(), longest_for_ears));
}

}  // namespace palpate::detail
