#include <support/contact_oracle.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <sstream>

namespace palpate::testing {

namespace {

using Real = long double;
using Point = Eigen::Matrix<Real, 3, 1>;
constexpr Real tolerance = 1e-12L;

Point point(const Vec3& p) { return p.cast<Real>(); }

Real point_segment(const Point& p, const Point& a, const Point& b) {
  const Point d = b - a, r = p - a;
  const Real length = d.dot(d);
  const Real t = length > 0 ? std::clamp<Real>(r.dot(d) / length, 0, 1) : 0;
  return (r - t * d).norm();
}

// The nearest point is on a side, or where the perpendicular through p meets the triangle.
Real point_triangle(const Point& p, const Point& a, const Point& b, const Point& c) {
  const Real sides = std::min({point_segment(p, a, b), point_segment(p, b, c), point_segment(p, c, a)});
  const Point n = (b - a).cross(c - a);
  const Point w(n.dot((c - b).cross(p - b)), n.dot((a - c).cross(p - c)), n.dot((b - a).cross(p - a)));
  if (!(n.dot(n) > 0) || !(w.minCoeff() > 0)) return sides;
  const Point from_a = (w[1] * (b - a) + w[2] * (c - a)) / w.sum();
  return std::min(sides, (p - a - from_a).norm());
}

// The nearest points are an end of one of them, or the feet of the common perpendicular.
Real segment_segment(const Point& a, const Point& b, const Point& c, const Point& d) {
  const Real ends = std::min(
      {point_segment(a, c, d), point_segment(b, c, d), point_segment(c, a, b), point_segment(d, a, b)});
  const Point u = b - a, v = d - c, r = c - a, n = u.cross(v);
  const Real s = r.cross(v).dot(n), t = r.cross(u).dot(n), whole = n.dot(n);
  if (!(s > 0 && s < whole && t > 0 && t < whole)) return ends;
  return std::min(ends, (r + t / whole * v - s / whole * u).norm());
}

template <class Index>
auto bounds_of(std::span<const Vec3> positions, const Index& corners) {
  std::pair<Vec3, Vec3> bounds{positions[corners[0]], positions[corners[0]]};
  for (const std::uint32_t v : corners) {
    bounds.first = bounds.first.cwiseMin(positions[v]);
    bounds.second = bounds.second.cwiseMax(positions[v]);
  }
  return bounds;
}

// Boxes only save time: no distance is below the gap between them.
bool apart(const Vec3& low, const Vec3& high, const Vec3& other_low, const Vec3& other_high, double reach) {
  for (int k = 0; k < 3; ++k)
    if (low[k] - other_high[k] > reach || other_low[k] - high[k] > reach) return true;
  return false;
}

bool is_hole(const TriangleCorners& t) { return t[0] == no_index; }

EdgeEnds ends(std::uint32_t a, std::uint32_t b) { return {std::min(a, b), std::max(a, b)}; }

template <class T>
void sort_once(std::vector<T>& all) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

}  // namespace

OracleSurface oracle_surface(const TriangleMesh& mesh, bool rest_declared) {
  OracleSurface surface{mesh, mesh.positions, rest_declared, mesh.positions.size(), {}};
  surface.is_loaded.assign(mesh.triangles.size(), 1);
  return surface;
}

std::string to_string(const PairName& name) {
  std::ostringstream out;
  const auto feature = [&](std::uint32_t surface, const EdgeEnds& f, const char* kind) {
    out << kind << ' ' << f[0];
    if (name.kind == ContactKind::edge_edge) out << '-' << f[1];
    out << " of surface " << surface;
  };
  const bool edges = name.kind == ContactKind::edge_edge;
  feature(name.first_surface, name.first, edges ? "edge" : "vertex");
  out << " and ";
  feature(name.second_surface, name.second, edges ? "edge" : "triangle");
  return out.str();
}

ContactOracle::ContactOracle(std::vector<OracleSurface> surfaces, OracleRules rules)
    : surfaces_(std::move(surfaces)), rules_(std::move(rules)), parts_(surfaces_.size()) {
  for (std::size_t s = 0; s < surfaces_.size(); ++s) {
    const TriangleMesh& mesh = surfaces_[s].mesh;
    Parts& parts = parts_[s];
    parts.used.assign(mesh.positions.size(), 0);
    parts.around.resize(mesh.positions.size());
    parts.triangle_bounds.resize(mesh.triangles.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      const TriangleCorners& corners = mesh.triangles[t];
      if (is_hole(corners)) continue;
      const auto [low, high] = bounds_of(mesh.positions, corners);
      parts.triangle_bounds[t] = {low, high};
      for (std::size_t k = 0; k < 3; ++k) {
        const EdgeEnds edge = ends(corners[k], corners[(k + 1) % 3]);
        parts.used[corners[k]] = 1;
        if (edge[0] == edge[1]) continue;
        parts.edges.push_back(edge);
        if (surfaces_[s].is_loaded[t] != 0) parts.loaded_edges.push_back(edge);
      }
    }
    sort_once(parts.edges);
    sort_once(parts.loaded_edges);
    for (const EdgeEnds& edge : parts.edges) {
      const auto [low, high] = bounds_of(mesh.positions, edge);
      parts.edge_bounds.push_back({low, high});
      parts.around[edge[0]].push_back(edge[1]);
      parts.around[edge[1]].push_back(edge[0]);
    }
  }
}

std::optional<double> ContactOracle::distance_of(std::uint32_t a, std::uint32_t b) const {
  if (a == b ? !surfaces_[a].self_contacts : surfaces_[a].fixed && surfaces_[b].fixed) return {};
  for (const OracleRules::Pair& pair : rules_.pairs)
    if (std::minmax(pair.first, pair.second) == std::minmax(a, b)) {
      if (pair.excluded) return {};
      return pair.distance.value_or(rules_.distance);
    }
  return rules_.distance;
}

std::vector<ExpectedContact> ContactOracle::all() {
  std::vector<ExpectedContact> found;
  for (std::uint32_t s = 0; s < surfaces_.size(); ++s) {
    for (std::uint32_t v = 0; v < parts_[s].used.size(); ++v) add_vertex(s, v, found);
    for (const EdgeEnds& edge : parts_[s].edges) add_edge(s, edge, true, found);
  }
  std::sort(found.begin(), found.end(), [](const auto& x, const auto& y) { return x.name < y.name; });
  return found;
}

std::vector<ExpectedContact> ContactOracle::of(std::uint32_t surface, std::span<const std::uint32_t> vertices,
                                               std::span<const EdgeEnds> edges) {
  std::vector<ExpectedContact> found;
  for (const std::uint32_t v : vertices) add_vertex(surface, v, found);
  for (const EdgeEnds& edge : edges) add_edge(surface, edge, false, found);
  std::sort(found.begin(), found.end(), [](const auto& x, const auto& y) { return x.name < y.name; });
  const auto same = [](const auto& x, const auto& y) { return x.name == y.name; };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  return found;
}

void ContactOracle::add_vertex(std::uint32_t surface, std::uint32_t vertex,
                               std::vector<ExpectedContact>& out) {
  if (parts_[surface].used[vertex] == 0) return;  // a vertex without triangles is not of the surface
  const Vec3& p = surfaces_[surface].mesh.positions[vertex];
  for (std::uint32_t other = 0; other < surfaces_.size(); ++other) {
    const std::optional<double> d = distance_of(surface, other);
    if (!d) continue;
    const auto& triangles = surfaces_[other].mesh.triangles;
    for (std::uint32_t t = 0; t < triangles.size(); ++t) {
      const Bounds& box = parts_[other].triangle_bounds[t];
      if (is_hole(triangles[t]) || apart(p, p, box.low, box.high, reach(*d))) continue;
      judge({ContactKind::vertex_triangle, surface, other, {vertex, 0}, {t, 0}}, *d, out);
    }
  }
}

void ContactOracle::add_edge(std::uint32_t surface, const EdgeEnds& edge, bool above,
                             std::vector<ExpectedContact>& out) {
  const auto [low, high] = bounds_of(surfaces_[surface].mesh.positions, edge);
  for (std::uint32_t other = above ? surface : 0; other < surfaces_.size(); ++other) {
    const std::optional<double> d = distance_of(surface, other);
    if (!d) continue;
    const Parts& parts = parts_[other];
    for (std::size_t i = 0; i < parts.edges.size(); ++i) {
      if (apart(low, high, parts.edge_bounds[i].low, parts.edge_bounds[i].high, reach(*d))) continue;
      const bool is_first = std::pair(surface, edge) < std::pair(other, parts.edges[i]);
      if (is_first) judge({ContactKind::edge_edge, surface, other, edge, parts.edges[i]}, *d, out);
      if (!is_first && !above) judge({ContactKind::edge_edge, other, surface, parts.edges[i], edge}, *d, out);
    }
  }
}

std::vector<std::uint32_t> ContactOracle::corners(const PairName& name, bool second) const {
  const EdgeEnds& f = second ? name.second : name.first;
  if (name.kind == ContactKind::edge_edge) return {f[0], f[1]};
  if (!second) return {f[0]};
  const TriangleCorners& t = surfaces_[name.second_surface].mesh.triangles[f[0]];
  return {t.begin(), t.end()};
}

long double ContactOracle::distance(const PairName& name, bool at_rest) const {
  std::vector<Point> points;
  for (const bool second : {false, true}) {
    const OracleSurface& s = surfaces_[second ? name.second_surface : name.first_surface];
    for (const std::uint32_t v : corners(name, second))
      points.push_back(point(at_rest ? s.rest[v] : s.mesh.positions[v]));
  }
  return name.kind == ContactKind::edge_edge ? segment_segment(points[0], points[1], points[2], points[3])
                                             : point_triangle(points[0], points[1], points[2], points[3]);
}

// An edge was loaded if a triangle that was loaded, and is still there, has it.
bool ContactOracle::is_loaded(const PairName& name) const {
  const OracleSurface& s = surfaces_[name.first_surface];
  const std::vector<EdgeEnds>& edges = parts_[name.first_surface].loaded_edges;
  if (name.kind == ContactKind::vertex_triangle)
    return name.first[0] < s.loaded_vertices && s.is_loaded[name.second[0]] != 0;
  return std::binary_search(edges.begin(), edges.end(), name.first) &&
         std::binary_search(edges.begin(), edges.end(), name.second);
}

long double ContactOracle::along(std::uint32_t surface, std::uint32_t from, std::uint32_t to, double limit) {
  auto& known = parts_[surface].along;
  auto found = known.find(from);
  if (found == known.end()) {
    found = known.try_emplace(from).first;
    using Entry = std::pair<long double, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    open.emplace(0, from);
    while (!open.empty()) {
      const auto [length, v] = open.top();
      open.pop();
      if (!found->second.try_emplace(v, length).second) continue;
      const std::vector<Vec3>& rest = surfaces_[surface].rest;
      for (const std::uint32_t w : parts_[surface].around[v])
        if (const long double sum = length + (point(rest[w]) - point(rest[v])).norm(); sum <= limit)
          open.emplace(sum, w);
    }
  }
  const auto at = found->second.find(to);
  return at == found->second.end() ? std::numeric_limits<long double>::infinity() : at->second;
}

// The definition, word for word.
void ContactOracle::judge(const PairName& name, double d, std::vector<ExpectedContact>& out) {
  const bool inside = name.first_surface == name.second_surface;
  Threshold threshold{d, d};
  const long double distance = this->distance(name, false);
  if (distance > reach(d)) return;
  bool certain = true;
  if (inside) {
    const double g = rules_.neighbour_distance.value_or(2 * d);
    long double least = std::numeric_limits<long double>::infinity();
    for (const std::uint32_t v : corners(name, false))
      for (const std::uint32_t w : corners(name, true)) {
        if (v == w) return;
        least = std::min(least, along(name.first_surface, v, w, g * 1.001));
      }
    if (least < g * (1 - tolerance)) return;
    certain = least >= g * (1 + tolerance) || g == 0;
    if (surfaces_[name.first_surface].rest_declared && is_loaded(name)) {
      const long double rest = this->distance(name, true);
      if (rest < d * (1 + tolerance)) threshold.low = rest / 2;
      if (rest < d * (1 - tolerance)) threshold.high = rest / 2;
    }
  }
  const auto below = [&](long double limit, int side) { return distance < limit * (1 + side * tolerance); };
  const double m = rules_.margin;
  if (!below(threshold.high + m, 1)) return;
  certain = certain && below(threshold.low + m, -1);
  out.push_back({name, static_cast<double>(distance), static_cast<double>(threshold.low), certain,
                 below(threshold.high, 1), !below(threshold.low, -1)});
}

}  // namespace palpate::testing
