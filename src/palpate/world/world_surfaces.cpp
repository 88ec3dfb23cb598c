// Surfaces of a world: they follow their bodies, through changes of these, too. The detector knows them by
// the same numbers, so what is done to one is done to the other.
#include <algorithm>

#include <fmt/format.h>

#include <palpate/base/parallel.h>
#include <palpate/mesh/boundary.h>
#include <palpate/mesh/degenerate.h>
#include <palpate/world/surface_change.h>
#include <palpate/world/world.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 1024;

}  // namespace

void World::add_surface(Body& one, bool collides, std::optional<bool> self_contacts) {
  if (!collides || one.surface.triangles.empty()) return;
  const bool moves = one.kind != BodyKind::fixed, deforms = one.kind == BodyKind::soft;
  SurfaceOptions options{.name = one.name,
                         .motion = deforms ? Motion::deformable
                                   : moves ? Motion::rigid
                                           : Motion::fixed,
                         .self_contacts = self_contacts};
  if (deforms) options.rest = one.local.positions;
  one.touching = detector_.add(deforms || !moves ? one.surface : one.local, options);
  if (moves && !deforms) detector_.set_pose(one.touching, rigid_.state(one.id).pose);
  if (response_) response_->forget();  // features may be numbered anew
  one.area = 0;
  for (const TriangleCorners& t : one.local.triangles) {
    const Triangle at = triangle_at(one.local.positions, t);
    one.area += 0.5 * (at[1] - at[0]).cross(at[2] - at[0]).norm();
  }
}

void World::place_surface(Body& one) {
  const Pose pose = rigid_.state(one.id).pose;
  parallel_for(one.local.positions.size(), grain,
               [&](std::size_t i) { one.surface.positions[i] = pose.apply(one.local.positions[i]); });
}

std::vector<double> World::energy_densities(BodyId id) const {
  const Body& one = body(id);
  std::vector<double> nodes(soft(id).positions().size()), out(one.surface.positions.size());
  soft(id).energy_densities(nodes);
  if (is_string(one)) return nodes;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (one.embedding.size() == 0) {
      out[i] = nodes[one.nodes[i]];
    } else {  // outside of its element, weights may be negative
      for (std::size_t k = 0; k < 4; ++k)
        out[i] += one.embedding.weights()[i][k] * nodes[one.embedding.corners()[i][k]];
      out[i] = std::max(0.0, out[i]);
    }
  }
  return out;
}

void World::follow_nodes(Body& one) {
  const std::span<const Vec3> x = one.soft->positions();
  one.placings = one.soft->placings();
  if (one.embedding.size() > 0)
    one.embedding.map(x, one.surface.positions);
  else
    parallel_for(one.nodes.size(), grain, [&](std::size_t i) { one.surface.positions[i] = x[one.nodes[i]]; });
  if (one.touching) detector_.set_positions(one.touching, one.surface.positions);
}

// Elements were removed or added since the surface saw them last.
void World::follow_changes(Body& one) {
  if (one.changes == one.soft->changes()) return;
  contacts_ = {};  // they name what may be gone
  if (one.surface_is_boundary)
    change_boundary(one);
  else if (one.embedding.size() > 0)
    embed_again(one);
  one.changes = one.soft->changes();
  follow_nodes(one);
  if (one.pulls_of_hands) hold_soft(one);  // by the nodes that carry the points now
}

void World::change_boundary(Body& one) {
  const TetMesh& rest = one.soft->rest();
  const SurfaceChange change = surface_change(one.surface.triangles, one.nodes, boundary_surface(rest));
  std::vector<Vec3> positions, rest_positions;
  for (const std::uint32_t node : change.nodes) {
    positions.push_back(one.soft->positions()[node]);
    rest_positions.push_back(rest.positions[node]);
  }
  one.nodes.insert(one.nodes.end(), change.nodes.begin(), change.nodes.end());
  one.surface.positions.insert(one.surface.positions.end(), positions.begin(), positions.end());
  one.local.positions.insert(one.local.positions.end(), rest_positions.begin(), rest_positions.end());
  apply(change, one.surface.triangles);
  one.local.triangles = one.surface.triangles;
  if (!one.touching) return;
  std::vector<std::uint32_t> places;  // the same as those of apply()
  detector_.remove_triangles(one.touching, change.removed);
  detector_.add_vertices(one.touching, positions, rest_positions);
  detector_.add_triangles(one.touching, change.added, places);
}

// Its points are carried by what is there now, at rest. Where nothing is left, they stay with the nodes.
void World::embed_again(Body& one) {
  const TetMesh& rest = one.soft->rest();
  const Embedding& old = one.embedding;
  const bool gone = std::all_of(rest.tets.begin(), rest.tets.end(),
                                [](const TetCorners& corners) { return is_hole(corners); });
  one.embedding = gone ? Embedding(rest.positions.size(), {old.corners().begin(), old.corners().end()},
                                   {old.weights().begin(), old.weights().end()})
                       : Embedding(rest, one.local.positions);
}

// Of many bodies that are alike, the first is named.
std::vector<std::string> World::remarks() const {
  constexpr double large = 5, small = 1e-3;  // in mean edges
  struct Found {
    std::string_view name = {};
    std::size_t count = 0;
    double edges = 0;  // how many the contact distance is
    void note(const std::string& body, double many) {
      if (count++ > 0) return;
      name = body;
      edges = many;
    }
    std::string who() const {
      return count > 1 ? fmt::format("body '{}' and {} more", name, count - 1)
                       : fmt::format("body '{}'", name);
    }
  } far, near;
  std::vector<std::string> result;
  if (!options_.detects) return result;
  const double d = detector_.contact_distance();
  for (const BodyId id : order_) {
    const Body& one = body(id);
    if (!one.touching || one.kind == BodyKind::fixed || one.kind == BodyKind::kinematic) continue;
    double sum = 0;
    std::size_t count = 0;
    for (const TriangleCorners& t : one.local.triangles) {
      if (is_hole(t)) continue;
      for (std::size_t k = 0; k < 3; ++k, ++count)
        sum += (one.local.positions[t[(k + 1) % 3]] - one.local.positions[t[k]]).norm();
    }
    if (count == 0) continue;
    const double edges = d * static_cast<double>(count) / sum;
    if (edges > large) far.note(one.name, edges);
    if (edges < small) near.note(one.name, edges);
  }
  if (far.count > 0)
    result.push_back(
        fmt::format("{}: the contact distance, {:.3g} m, is {:.3g} times the mean edge: what is many "
                    "triangles away touches; a smaller distance is faster",
                    far.who(), d, far.edges));
  if (near.count > 0)
    result.push_back(
        fmt::format("{}: the contact distance, {:.3g} m, is {:.2g} of the mean edge: what touches is "
                    "hard to tell from what crosses; a larger distance is faster",
                    near.who(), d, near.edges));
  return result;
}

}  // namespace palpate
