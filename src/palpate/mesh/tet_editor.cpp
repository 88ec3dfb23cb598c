#include <palpate/mesh/tet_editor.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include <palpate/mesh/boundary.h>
#include <palpate/mesh/degenerate.h>
#include <palpate/mesh/quality.h>

namespace palpate::detail {

namespace {

constexpr double margin = 1.001;  // what gets better by less is not worth it, and might go round in circles
constexpr std::size_t longest_ring = 10;
constexpr std::size_t largest_hole = 100;  // tetrahedra that a star may take the place of

bool has(const TetCorners& tet, std::uint32_t node) {
  return std::find(tet.begin(), tet.end(), node) != tet.end();
}

// The other two corners, such that (a, b, first, second) has the sense of the tetrahedron.
std::array<std::uint32_t, 2> opposite_edge(const TetCorners& tet, std::uint32_t a, std::uint32_t b) {
  std::array<std::size_t, 4> order{};
  std::size_t at = 2;
  for (std::size_t i = 0; i < 4; ++i) {
    if (tet[i] == a) {
      order[0] = i;
    } else if (tet[i] == b) {
      order[1] = i;
    } else {
      order[at++] = i;
    }
  }
  bool odd = false;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = i + 1; j < 4; ++j) odd ^= order[i] > order[j];
  return odd ? std::array{tet[order[3]], tet[order[2]]} : std::array{tet[order[2]], tet[order[3]]};
}

}  // namespace

TetEditor::TetEditor(TetMesh& mesh, Measure measure)
    : mesh_(mesh), measure_(measure), around_(mesh.positions.size()), boundary_(mesh.positions.size(), 0) {
  for (const std::uint32_t node : boundary_surface(mesh).nodes) boundary_[node] = 1;
  for (std::uint32_t t = 0; t < mesh.tets.size(); ++t) link(t);
}

bool TetEditor::alive(std::uint32_t tet) const { return !has_repeated_corner(mesh_.tets[tet]); }

void TetEditor::link(std::uint32_t tet) {
  if (has_repeated_corner(mesh_.tets[tet])) return;  // no tetrahedron: it takes no part
  for (const std::uint32_t v : mesh_.tets[tet]) around_[v].push_back(tet);
}

void TetEditor::unlink(std::uint32_t tet) {
  for (const std::uint32_t v : mesh_.tets[tet]) std::erase(around_[v], tet);
  mesh_.tets[tet] = {no_index, no_index, no_index, no_index};
}

double TetEditor::worst_of(std::span<const std::uint32_t> tets) const {
  double worst = std::numeric_limits<double>::infinity();
  for (const std::uint32_t t : tets) worst = std::min(worst, quality(t));
  return worst;
}

bool TetEditor::better(std::span<const std::uint32_t> old, std::span<const TetCorners> made) const {
  const double worst = std::max(worst_of(old), 0.0) * margin;
  return std::all_of(made.begin(), made.end(), [&](const TetCorners& t) {
    return !has_repeated_corner(t) && measure_(tet_at(mesh_.positions, t)) > worst;
  });
}

bool TetEditor::replace(std::span<const std::uint32_t> old, std::span<const TetCorners> made) {
  if (!better(old, made)) return false;
  put(old, made);
  return true;
}

void TetEditor::put(std::span<const std::uint32_t> old, std::span<const TetCorners> made) {
  const std::vector<std::uint32_t> gone(old.begin(), old.end());  // `old` may lie in what unlink() changes
  for (const std::uint32_t t : gone) unlink(t);
  for (std::size_t i = 0; i < made.size(); ++i) {
    std::uint32_t place = i < gone.size() ? gone[i] : static_cast<std::uint32_t>(mesh_.tets.size());
    if (i >= gone.size()) mesh_.tets.emplace_back();
    mesh_.tets[place] = made[i];
    link(place);
  }
}

// The tetrahedra around an inner edge form a ring; its polygon is triangulated in the best way (Klincsek
// 1980), each triangle with the two ends of the edge.
bool TetEditor::remove_edge(std::uint32_t a, std::uint32_t b) {
  if (crowded(a) && crowded(b)) return false;
  const std::vector<std::uint32_t> old = around_edge(a, b);
  const std::size_t n = old.size();
  if (a == b || n < 3 || n > longest_ring) return false;
  std::vector<std::array<std::uint32_t, 2>> sides;
  for (const std::uint32_t t : old) sides.push_back(opposite_edge(mesh_.tets[t], a, b));
  std::vector<std::uint32_t> ring{sides[0][0]};
  for (std::uint32_t at = sides[0][1]; at != ring[0];) {
    ring.push_back(at);
    const auto next =
        std::find_if(sides.begin(), sides.end(), [&](const auto& side) { return side[0] == at; });
    if (next == sides.end() || ring.size() > n) return false;  // the edge lies on the boundary
    at = (*next)[1];
  }
  if (ring.size() != n) return false;

  const auto upper = [&](std::size_t i, std::size_t j, std::size_t k) {
    return TetCorners{ring[i], ring[j], ring[k], b};
  };
  const auto lower = [&](std::size_t i, std::size_t j, std::size_t k) {
    return TetCorners{ring[i], ring[k], ring[j], a};
  };
  const auto value = [&](std::size_t i, std::size_t j, std::size_t k) {
    return std::min(measure_(tet_at(mesh_.positions, upper(i, j, k))),
                    measure_(tet_at(mesh_.positions, lower(i, j, k))));
  };
  std::array<std::array<double, longest_ring>, longest_ring> best{};
  std::array<std::array<std::size_t, longest_ring>, longest_ring> apex{};
  for (std::size_t i = 0; i + 1 < n; ++i) best[i][i + 1] = std::numeric_limits<double>::infinity();
  for (std::size_t span = 2; span < n; ++span)
    for (std::size_t i = 0; i + span < n; ++i) {
      const std::size_t k = i + span;
      best[i][k] = -std::numeric_limits<double>::infinity();
      for (std::size_t j = i + 1; j < k; ++j)
        if (const double q = std::min({best[i][j], best[j][k], value(i, j, k)}); q > best[i][k])
          best[i][k] = q, apex[i][k] = j;
    }
  std::vector<TetCorners> made;
  std::vector<std::array<std::size_t, 2>> open{{0, n - 1}};
  while (!open.empty()) {
    const auto [i, k] = open.back();
    open.pop_back();
    if (k < i + 2) continue;
    const std::size_t j = apex[i][k];
    made.push_back(upper(i, j, k));
    made.push_back(lower(i, j, k));
    open.push_back({i, j});
    open.push_back({j, k});
  }
  return replace(old, made);
}

std::uint32_t TetEditor::neighbour(std::uint32_t tet, unsigned face) const {
  const TetCorners& corners = mesh_.tets[tet];
  const auto& f = tet_faces[face];
  std::array<std::uint32_t, 3> at = {corners[f[0]], corners[f[1]], corners[f[2]]};
  for (std::size_t i = 1; i < 3; ++i)
    if (around_[at[i]].size() < around_[at[0]].size()) std::swap(at[0], at[i]);
  for (const std::uint32_t t : around_[at[0]])
    if (t != tet && has(mesh_.tets[t], at[1]) && has(mesh_.tets[t], at[2])) return t;
  return no_index;
}

// Two tetrahedra on a common face become three around the edge between their tips.
bool TetEditor::swap_face(std::uint32_t tet, unsigned face) {
  const std::uint32_t other = neighbour(tet, face);
  if (other == no_index) return false;
  const TetCorners corners = mesh_.tets[tet];
  const std::uint32_t tip = corners[face];
  const std::array<std::uint32_t, 3> f = {corners[tet_faces[face][0]], corners[tet_faces[face][1]],
                                          corners[tet_faces[face][2]]};
  std::uint32_t far = no_index;
  for (const std::uint32_t v : mesh_.tets[other])
    if (v != f[0] && v != f[1] && v != f[2]) far = v;
  if (far == no_index) return false;
  const std::uint32_t old[] = {tet, other};
  // Seen from outside the face runs counter-clockwise, and `far` is outside: (f0, f1, far, tip) turns inside
  // out.
  const TetCorners made[] = {{f[0], f[1], tip, far}, {f[1], f[2], tip, far}, {f[2], f[0], tip, far}};
  return replace(old, made);
}

double TetEditor::worst_around(std::uint32_t node, const Vec3& at) const {
  double worst = std::numeric_limits<double>::infinity();
  for (const std::uint32_t t : around_[node]) {
    std::array<Vec3, 4> corners = tet_at(mesh_.positions, mesh_.tets[t]);
    for (std::size_t i = 0; i < 4; ++i)
      if (mesh_.tets[t][i] == node) corners[i] = at;
    worst = std::min(worst, measure_(corners));
  }
  return worst;
}

// Uphill in the worst quality, by differences.
Vec3 TetEditor::climb_direction(std::uint32_t node) const {
  const Vec3 here = mesh_.positions[node];
  double size = 0;
  for (const std::uint32_t t : around_[node])
    for (const std::uint32_t v : mesh_.tets[t]) size = std::max(size, (mesh_.positions[v] - here).norm());
  const double step = 1e-4 * size;
  Vec3 direction;
  for (Eigen::Index k = 0; k < 3; ++k)
    direction[k] =
        worst_around(node, here + step * Vec3::Unit(k)) - worst_around(node, here - step * Vec3::Unit(k));
  const double length = direction.norm();
  return length > 0 ? Vec3(direction * (0.5 * size / length)) : Vec3(Vec3::Zero());
}

bool TetEditor::move_node(std::uint32_t node) {
  if (on_boundary(node) || around_[node].empty() || crowded(node)) return false;
  bool moved = false;
  for (int round = 0; round < 10; ++round) {
    const Vec3 here = mesh_.positions[node];
    const double worst = worst_of(around_[node]);
    Vec3 centre = Vec3::Zero();
    for (const std::uint32_t t : around_[node])
      for (const std::uint32_t v : mesh_.tets[t]) centre += mesh_.positions[v];
    centre /= 4.0 * static_cast<double>(around_[node].size());
    double best = std::max(worst * margin, worst + 1e-9);
    Vec3 target = here;
    for (const Vec3& direction : {climb_direction(node), Vec3(centre - here)})
      for (int halvings = 0; halvings < 10; ++halvings) {
        const Vec3 there = here + std::ldexp(1.0, -halvings) * direction;
        if (const double q = worst_around(node, there); q > best) best = q, target = there;
      }
    if (target == here) break;
    mesh_.positions[node] = target;
    moved = true;
  }
  return moved;
}

// The edge between the two shrinks to `into`: the tetrahedra around it vanish, the others of the node are
// stretched.
bool TetEditor::merge_node(std::uint32_t node, std::uint32_t into, double most) {
  if (node == into || crowded(node)) return false;
  if (on_boundary(node) && !may_merge_on_surface(node, into, most)) return false;
  const std::vector<std::uint32_t> old = around_[node];
  std::vector<TetCorners> made;
  for (const std::uint32_t t : old) {
    if (has(mesh_.tets[t], into)) continue;
    TetCorners corners = mesh_.tets[t];
    std::replace(corners.begin(), corners.end(), node, into);
    made.push_back(corners);
  }
  return !made.empty() && replace(old, made);
}

// Along an edge of the surface that is short beside the longest of the tetrahedra around the node, if the
// triangles of the surface around the two have nothing in common but the edge's own two.
bool TetEditor::may_merge_on_surface(std::uint32_t node, std::uint32_t into, double most) const {
  if (!on_surface(node, into)) return false;
  const double length = (mesh_.positions[node] - mesh_.positions[into]).norm();
  double longest = 0;
  std::vector<std::uint32_t> common;
  for (const std::uint32_t t : around_[node])
    for (const std::uint32_t v : mesh_.tets[t]) {
      longest = std::max(longest, (mesh_.positions[v] - mesh_.positions[node]).norm());
      if (v != node && v != into && std::find(common.begin(), common.end(), v) == common.end() &&
          on_surface(node, v) && on_surface(into, v))
        common.push_back(v);
    }
  return length < most * longest && common.size() == 2;
}

std::vector<std::uint32_t> TetEditor::around_edge(std::uint32_t a, std::uint32_t b) const {
  std::vector<std::uint32_t> tets;
  if (around_[b].size() < around_[a].size()) std::swap(a, b);
  for (const std::uint32_t t : around_[a])
    if (has(mesh_.tets[t], b)) tets.push_back(t);
  return tets;
}

std::vector<TriangleCorners> TetEditor::shell_of(std::span<const std::uint32_t> tets) const {
  std::vector<TriangleCorners> shell;
  for (const std::uint32_t t : tets)
    for (unsigned face = 0; face < 4; ++face) {
      const std::uint32_t other = neighbour(t, face);
      if (other != no_index && std::find(tets.begin(), tets.end(), other) != tets.end()) continue;
      const auto& f = tet_faces[face];
      shell.push_back({mesh_.tets[t][f[0]], mesh_.tets[t][f[1]], mesh_.tets[t][f[2]]});
    }
  return shell;
}

TetEditor::StarPoint TetEditor::best_star(std::span<const TriangleCorners> shell) const {
  const auto worst_at = [&](const Vec3& p) {
    double worst = std::numeric_limits<double>::infinity();
    for (const TriangleCorners& t : shell) {
      const auto [a, b, c] = triangle_at(mesh_.positions, t);
      worst = std::min(worst, measure_({a, c, b, p}));
    }
    return worst;
  };
  StarPoint best{Vec3::Zero(), 0};
  for (const TriangleCorners& t : shell)
    for (const std::uint32_t v : t) best.at += mesh_.positions[v];
  best.at /= 3.0 * static_cast<double>(shell.size());
  best.worst = worst_at(best.at);
  double size = 0;
  for (const TriangleCorners& t : shell) size = std::max(size, (mesh_.positions[t[0]] - best.at).norm());
  // Uphill by differences, with steps that shrink when none of them climbs.
  double step = 0.3 * size;
  for (int climbs = 0; climbs < 30 && step > 0.01 * size; ++climbs) {
    const double h = 1e-4 * size;
    Vec3 up;
    for (Eigen::Index k = 0; k < 3; ++k)
      up[k] = worst_at(best.at + h * Vec3::Unit(k)) - worst_at(best.at - h * Vec3::Unit(k));
    const double length = up.norm();
    if (!(length > 0)) break;
    const Vec3 there = best.at + step / length * up;
    if (const double q = worst_at(there); q > best.worst) {
      best = {there, q};
    } else {
      step /= 2;
    }
  }
  return best;
}

bool TetEditor::insert_node(std::uint32_t tet) {
  std::vector<std::vector<std::uint32_t>> holes(1, {tet});
  for (unsigned face = 0; face < 4; ++face)
    if (const std::uint32_t t = neighbour(tet, face); t != no_index) holes[0].push_back(t);
  const TetCorners corners = mesh_.tets[tet];
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = i + 1; j < 4; ++j) holes.push_back(around_edge(corners[i], corners[j]));
  const std::vector<std::uint32_t>* best_hole = nullptr;
  StarPoint best{Vec3::Zero(), 0};
  for (auto& hole : holes) {
    std::sort(hole.begin(), hole.end());
    hole.erase(std::unique(hole.begin(), hole.end()), hole.end());
    if (hole.size() > largest_hole) continue;
    const std::vector<TriangleCorners> shell = shell_of(hole);
    if (shell.empty()) continue;
    const StarPoint star = best_star(shell);
    if (star.worst > std::max(best.worst, margin * worst_of(hole))) best = star, best_hole = &hole;
  }
  if (best_hole == nullptr) return false;
  const auto node = static_cast<std::uint32_t>(mesh_.positions.size());
  std::vector<TetCorners> made;
  for (const TriangleCorners& t : shell_of(*best_hole)) made.push_back({t[0], t[2], t[1], node});
  mesh_.positions.push_back(best.at);
  around_.emplace_back();
  boundary_.push_back(0);
  put(*best_hole, made);
  return true;
}

bool TetEditor::peel(std::uint32_t tet, double most) {
  std::vector<unsigned> open;
  for (unsigned face = 0; face < 4; ++face)
    if (neighbour(tet, face) == no_index) open.push_back(face);
  const TetCorners corners = mesh_.tets[tet];
  const auto p = tet_at(mesh_.positions, corners);
  double longest = 0, thickness = 0;
  for (const Vec3& a : p)
    for (const Vec3& b : p) longest = std::max(longest, (a - b).norm());
  if (open.size() == 2) {
    // The two faces meet in an edge; the one between their opposite corners comes to the surface in its
    // place, and may not be there already.
    const std::uint32_t c = corners[open[0]], d = corners[open[1]];
    if (on_surface(c, d)) return false;
    const auto [a, b] = opposite_edge(corners, c, d);
    const Vec3 across =
        (mesh_.positions[b] - mesh_.positions[a]).cross(mesh_.positions[d] - mesh_.positions[c]);
    thickness = std::abs(across.normalized().dot(mesh_.positions[c] - mesh_.positions[a]));
  } else if (open.size() == 3) {
    // The three faces meet in a corner, which is left without a tetrahedron; the fourth face comes to the
    // surface.
    const unsigned base = 6 - open[0] - open[1] - open[2];
    const auto& f = tet_faces[base];
    if (around_[corners[base]].size() != 1) return false;
    const Vec3 normal = (p[f[1]] - p[f[0]]).cross(p[f[2]] - p[f[0]]).normalized();
    thickness = std::abs(normal.dot(p[base] - p[f[0]]));
  } else {
    return false;
  }
  if (!(thickness < most * longest)) return false;
  // What comes to the surface may not be shaped worse than what goes, or it spoils whatever stands on it.
  double gone = 1, come = 1;
  for (unsigned face = 0; face < 4; ++face) {
    const auto& f = tet_faces[face];
    double& worst = std::find(open.begin(), open.end(), face) == open.end() ? come : gone;
    worst = std::min(worst, radius_ratio(Triangle{p[f[0]], p[f[1]], p[f[2]]}));
  }
  if (come < gone) return false;
  unlink(tet);
  return true;
}

bool TetEditor::on_surface(std::uint32_t a, std::uint32_t b) const {
  if (crowded(a) && crowded(b)) return true;  // too many to look at: whoever asks then leaves the edge alone
  for (const std::uint32_t t : around_edge(a, b))
    for (unsigned face = 0; face < 4; ++face)
      if (mesh_.tets[t][face] != a && mesh_.tets[t][face] != b && neighbour(t, face) == no_index) return true;
  return false;
}

void TetEditor::finish() {
  std::erase_if(mesh_.tets, [](const TetCorners& t) { return t[0] == no_index; });
}

}  // namespace palpate::detail
