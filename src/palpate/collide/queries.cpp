#include <palpate/collide/queries.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/collide/queries_checks.h>
#include <palpate/collide/winding.h>
#include <palpate/geometry/nearest.h>

namespace palpate {

namespace {

using Block = TriangleTree::Block;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t batch_grain = 64;

// Squared distances of a point to eight boxes.
struct PointBound {
  Vec3 point;
  void operator()(const Block& block, double* low) const {
    std::fill_n(low, TriangleTree::width, 0.0);
    for (int k = 0; k < 3; ++k)
      for (std::uint32_t i = 0; i < TriangleTree::width; ++i) {
        const double gap = std::max(0.0, std::max(block.lo[k][i] - point[k], point[k] - block.hi[k][i]));
        low[i] += gap * gap;
      }
  }
};

// Boxes on the way up from a point, and those that contain it.
struct OverBound {
  Vec3 point;
  bool only_here;
  void operator()(const Block& block, double* low) const {
    for (std::uint32_t i = 0; i < TriangleTree::width; ++i) {
      const bool over = block.lo[0][i] <= point.x() && point.x() <= block.hi[0][i] &&
                        block.lo[1][i] <= point.y() && point.y() <= block.hi[1][i] &&
                        point.z() <= block.hi[2][i] && (!only_here || block.lo[2][i] <= point.z());
      low[i] = over ? 0.0 : infinity;
    }
  }
};

// How much a distance of the kernel, and of a box, may be off: 16 units of rounding of the largest distance
// between the points involved (nearest.h).
double rounding_of(const Box& box, const Vec3& point) {
  const Vec3 far = (point - box.lo).cwiseAbs().cwiseMax((point - box.hi).cwiseAbs());
  return 0x1p-48 * (far.norm() + box.size().norm());
}
double squared_limit(double distance, double rounding) {
  const double limit = distance + rounding;
  return limit * limit * (1 + 0x1p-50);
}

}  // namespace

// --- following the surfaces ---------------------------------------------------------------------------

TriangleView Queries::view(std::uint32_t slot) const {
  const Surface& surface = (*surfaces_)[slot];
  return {surfaces_->positions().subspan(surface.first_vertex, surface.vertices),
          surface.topology.triangles()};
}

void Queries::update(std::uint32_t slot) {
  if (kept_.size() <= slot) kept_.resize(surfaces_->slots().size());
  const Surface& surface = (*surfaces_)[slot];
  Kept& kept = kept_[slot];
  const TriangleCorners* corners = surface.topology.triangles().data();
  if (kept.changes != surface.changes || kept.corners != corners) {
    kept.tree.build(view(slot));
    kept.closed_at = 0;
  } else if (kept.moves != surface.moves) {
    kept.tree.refit(view(slot));
  }
  kept.corners = corners;
  kept.changes = surface.changes;
  kept.moves = surface.moves;
}

Queries::Slots Queries::update_all() {
  const auto count = static_cast<std::uint32_t>(surfaces_->slots().size());
  for (std::uint32_t slot = 0; slot < count; ++slot) update(slot);
  return {0, count};
}
Queries::Slots Queries::update_one(SurfaceId id) {
  surfaces_->at(id);
  update(id.index);
  return {id.index, id.index + 1};
}

std::size_t Queries::memory() const {
  std::size_t bytes = features_.capacity() * sizeof(NearFeature) + meetings_.capacity() * sizeof(Meeting);
  for (const auto& part : parts_) bytes += part.capacity() * sizeof(Meeting);
  for (const Kept& kept : kept_) bytes += kept.tree.memory();
  return bytes;
}

// --- features -----------------------------------------------------------------------------------------

std::span<const NearFeature> Queries::features_within(const Vec3& point, double radius) {
  detail::check_point(point);
  detail::check_radius(radius);
  return collect_features(update_all(), point, radius);
}
std::span<const NearFeature> Queries::features_within(SurfaceId id, const Vec3& point, double radius) {
  detail::check_point(point);
  detail::check_radius(radius);
  return collect_features(update_one(id), point, radius);
}

std::span<const NearFeature> Queries::collect_features(Slots slots, const Vec3& point, double radius) {
  features_.clear();
  for (std::uint32_t slot = slots.begin; slot < slots.end; ++slot) search_features(slot, point, radius);
  std::sort(features_.begin(), features_.end(), [](const NearFeature& a, const NearFeature& b) {
    return std::tuple(a.surface.index, a.kind, a.number) < std::tuple(b.surface.index, b.kind, b.number);
  });
  return features_;
}

void Queries::search_features(std::uint32_t slot, const Vec3& point, double radius) {
  const TriangleTree& tree = kept_[slot].tree;
  const Surface& surface = (*surfaces_)[slot];
  const TriangleView triangles = view(slot);
  const auto add = [&](FeatureKind kind, std::uint32_t number, double squared) {
    if (const double distance = std::sqrt(squared); distance <= radius)
      features_.push_back({surface.id, kind, number, distance});
  };
  const double limit = squared_limit(radius, rounding_of(tree.box(), point));
  tree.search(
      PointBound{point}, [&] { return limit; },
      [&](std::uint32_t place, double) {
        const std::uint32_t t = tree.order()[place];
        const Triangle corners = triangles[t];
        add(FeatureKind::triangle, t, nearest_point_triangle(point, corners).squared_distance);
        const unsigned owned = surfaces_->owned()[surface.first_triangle + t];
        for (std::uint32_t k = 0; k < 3; ++k) {
          const Vec3 &a = corners[k], &b = corners[(k + 1) % 3];
          if ((owned >> k & 1u) != 0)
            add(FeatureKind::vertex, triangles.triangles[t][k], (a - point).squaredNorm());
          if ((owned >> (k + 3) & 1u) != 0)
            add(FeatureKind::edge, 3 * t + k, nearest_point_segment(point, {a, b}).squared_distance);
        }
      });
}

// --- nearest ------------------------------------------------------------------------------------------

struct Queries::Nearest {
  double squared = infinity;
  std::uint32_t slot = no_index, triangle = no_index;
};

std::optional<NearestPoint> Queries::nearest(const Vec3& point) {
  detail::check_point(point);
  return find_nearest(update_all(), point);
}
std::optional<NearestPoint> Queries::nearest(SurfaceId id, const Vec3& point) {
  detail::check_point(point);
  return find_nearest(update_one(id), point);
}
void Queries::nearest(std::span<const Vec3> points, std::span<std::optional<NearestPoint>> out) {
  detail::check_points(points, out.size());
  const Slots slots = update_all();
  parallel_for(points.size(), batch_grain, [&](std::size_t i) { out[i] = find_nearest(slots, points[i]); });
}

std::optional<NearestPoint> Queries::find_nearest(Slots slots, const Vec3& point) const {
  // The surface whose box is nearest first: it makes short work of the others.
  std::uint32_t first = slots.begin;
  double least = infinity;
  for (std::uint32_t slot = slots.begin; slot < slots.end; ++slot)
    if (const double low = squared_distance(kept_[slot].tree.box(), Box{point, point}); low < least) {
      least = low;
      first = slot;
    }
  Nearest best;
  if (first < slots.end) search_nearest(first, point, best);
  for (std::uint32_t slot = slots.begin; slot < slots.end; ++slot)
    if (slot != first) search_nearest(slot, point, best);
  if (best.slot == no_index) return std::nullopt;
  const NearestOnTriangle at = nearest_point_triangle(point, view(best.slot)[best.triangle]);
  return NearestPoint{(*surfaces_)[best.slot].id, best.triangle, at.weights, at.point,
                      std::sqrt(at.squared_distance)};
}

void Queries::search_nearest(std::uint32_t slot, const Vec3& point, Nearest& best) const {
  const TriangleTree& tree = kept_[slot].tree;
  if (tree.empty()) return;
  const TriangleView triangles = view(slot);
  const double rounding = rounding_of(tree.box(), point);
  double limit = squared_limit(std::sqrt(best.squared), rounding);
  tree.search(
      PointBound{point}, [&] { return limit; },
      [&](std::uint32_t place, double) {
        const std::uint32_t t = tree.order()[place];
        const double squared = nearest_point_triangle(point, triangles[t]).squared_distance;
        if (std::tuple(squared, slot, t) >= std::tuple(best.squared, best.slot, best.triangle)) return;
        best = {squared, slot, t};
        limit = squared_limit(std::sqrt(squared), rounding);
      });
}

// --- inside and outside -------------------------------------------------------------------------------

bool Queries::is_closed(SurfaceId id) {
  update_one(id);
  Kept& kept = kept_[id.index];
  if (kept.closed_at != kept.changes) {
    kept.open_edge = open_edge((*surfaces_)[id.index].topology);
    kept.closed_at = kept.changes;
  }
  return kept.open_edge == no_index;
}

std::uint32_t Queries::require_closed(SurfaceId id) {
  const Surface& surface = surfaces_->at(id);
  if (!is_closed(id)) {
    const std::uint32_t side = kept_[id.index].open_edge;
    const Topology& topology = surface.topology;
    throw Error(Place::named("surface", surface.name),
                fmt::format("it is not closed: {} the edge from vertex {} to vertex {}",
                            topology.is_border(side) ? "there is only one triangle at"
                                                     : "triangles face opposite ways at",
                            topology.vertex_at(side), topology.vertex_at(next_corner(side))),
                "Only a closed surface has an inside: repair the mesh, or ask for nearest().");
  }
  if (kept_[id.index].tree.empty())
    throw Error(Place::named("surface", surface.name), "it has no triangles, so nothing is near to it",
                "Ask for surfaces that have some.");
  return id.index;
}

int Queries::winding_number(SurfaceId id, const Vec3& point) {
  detail::check_point(point);
  return find_winding(require_closed(id), point);
}
NearestPoint Queries::signed_distance(SurfaceId id, const Vec3& point) {
  detail::check_point(point);
  return find_signed(require_closed(id), point);
}
void Queries::signed_distances(SurfaceId id, std::span<const Vec3> points, std::span<NearestPoint> out) {
  detail::check_points(points, out.size());
  const std::uint32_t slot = require_closed(id);
  parallel_for(points.size(), batch_grain, [&](std::size_t i) { out[i] = find_signed(slot, points[i]); });
}

NearestPoint Queries::find_signed(std::uint32_t slot, const Vec3& point) const {
  NearestPoint found = *find_nearest({slot, slot + 1}, point);
  if (found.distance <= rounding_of(kept_[slot].tree.box(), point) && is_on(slot, point)) {
    found.distance = 0;
  } else if (found.distance > 0 && find_winding(slot, point) != 0) {
    found.distance = -found.distance;
  }
  return found;
}

int Queries::find_winding(std::uint32_t slot, const Vec3& point) const {
  const TriangleTree& tree = kept_[slot].tree;
  const TriangleView triangles = view(slot);
  int sum = 0;
  tree.search(
      OverBound{point, false}, [] { return 0.0; },
      [&](std::uint32_t place, double) { sum += winding_over(point, triangles[tree.order()[place]]); });
  return sum;
}

bool Queries::is_on(std::uint32_t slot, const Vec3& point) const {
  const TriangleTree& tree = kept_[slot].tree;
  const TriangleView triangles = view(slot);
  bool on = false;
  tree.search(
      OverBound{point, true}, [&] { return on ? -1.0 : 0.0; },
      [&](std::uint32_t place, double) {
        on = on || intersects(Segment{point, point}, triangles[tree.order()[place]]);
      });
  return on;
}

}  // namespace palpate
