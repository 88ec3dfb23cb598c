#include <palpate/respond/overlaps.h>

#include <algorithm>

#include <palpate/collide/edges_through.h>
#include <palpate/geometry/predicates.h>

namespace palpate {

namespace {

TriangleMesh mesh_of(const Surfaces& surfaces, std::uint32_t slot) {
  const Surface& surface = surfaces[slot];
  TriangleMesh mesh;
  const auto positions = surfaces.positions().subspan(surface.first_vertex, surface.vertices);
  mesh.positions.assign(positions.begin(), positions.end());
  for (const TriangleCorners& t : surface.topology.triangles())
    if (t[0] != no_index) mesh.triangles.push_back(t);
  return mesh;
}

// Whether an edge goes through the inside of a triangle, from one side to the other. What only touches does
// not overlap.
bool goes_through(const Vec3& p, const Vec3& q, const Triangle& t) {
  if (orient3d(t[0], t[1], t[2], p) * orient3d(t[0], t[1], t[2], q) >= 0) return false;
  const int a = orient3d(p, q, t[0], t[1]), b = orient3d(p, q, t[1], t[2]), c = orient3d(p, q, t[2], t[0]);
  return a != 0 && a == b && b == c;
}

bool any_goes_through(const TriangleMesh& edges, const TriangleMesh& triangles) {
  const auto found = edges_through_triangles(edges, triangles);
  return std::any_of(found.begin(), found.end(), [&](const EdgeThroughTriangle& one) {
    return goes_through(edges.positions[one.begin], edges.positions[one.end],
                        triangle_at(triangles.positions, triangles.triangles[one.triangle]));
  });
}

}  // namespace

bool Overlaps::has(std::uint32_t a, std::uint32_t b) const {
  return std::binary_search(pairs_.begin(), pairs_.end(), OverlappingPair{std::min(a, b), std::max(a, b)});
}

bool Overlaps::cross(const Surfaces& surfaces, std::uint32_t a, std::uint32_t b) {
  const TriangleMesh one = mesh_of(surfaces, a), other = mesh_of(surfaces, b);
  return any_goes_through(one, other) || any_goes_through(other, one);
}

void Overlaps::update(const Detector& detector, std::span<const Participant> participants) {
  const Surfaces& surfaces = detector.surfaces();
  seen_.resize(participants.size());
  fresh_.assign(participants.size(), 0);
  bool any = !pairs_.empty();
  for (std::size_t slot = 0; slot < participants.size(); ++slot) {
    const Seen now{participants[slot].surface, participants[slot].placings};
    if (seen_[slot] == now) continue;
    seen_[slot] = now;
    fresh_[slot] = participants[slot].kind != Participant::Kind::none ? 1 : 0;
    any = any || fresh_[slot] != 0;
  }
  if (!any) return;
  const auto moves = [&](std::uint32_t slot) {
    const Participant::Kind kind = participants[slot].kind;
    return kind == Participant::Kind::rigid || kind == Participant::Kind::soft;
  };
  next_.clear();
  for (const OverlappingPair& pair : pairs_)
    if (fresh_[pair.first] == 0 && fresh_[pair.second] == 0 && cross(surfaces, pair.first, pair.second))
      next_.push_back(pair);
  for (std::uint32_t a = 0; a < participants.size(); ++a) {
    if (fresh_[a] == 0) continue;
    const Box box = surfaces.box(a);
    for (std::uint32_t b = 0; b < participants.size(); ++b) {
      // Of two that are both new, once.
      if (b == a || (b < a && fresh_[b] != 0) || participants[b].kind == Participant::Kind::none) continue;
      if ((!moves(a) && !moves(b)) || !box.overlaps(surfaces.box(b))) continue;
      if (detector.excludes(participants[a].surface, participants[b].surface) || !cross(surfaces, a, b))
        continue;
      next_.push_back({std::min(a, b), std::max(a, b)});
    }
  }
  std::sort(next_.begin(), next_.end());
  pairs_.swap(next_);
}

void Overlaps::forget() {
  seen_.clear();
  pairs_.clear();
}

void Overlaps::save(ByteWriter& to) const { to.put(std::span<const OverlappingPair>(pairs_)); }

void Overlaps::load(ByteReader& from) { from.get(pairs_); }

void Overlaps::hash(StateHash& hash) const {
  for (const OverlappingPair& pair : pairs_) hash.add(std::uint64_t{pair.first} << 32 | pair.second);
}

}  // namespace palpate
