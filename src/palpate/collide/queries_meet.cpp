// Where two surfaces meet, and where one passes through itself; and the queries for one use.
//
// Eight triangles of a leaf go together through the other surface's tree; boxes of triangles that overlap are
// decided by exact signs. Inside one surface the rules are those of mesh/self_intersections.h, where corners
// at the same place are common. Of triangles that repeat a lower one, pairs are left out in the end: by then
// every two such have come by, since their boxes overlap.
#include <algorithm>
#include <atomic>
#include <tuple>

#include <palpate/base/parallel.h>
#include <palpate/collide/queries.h>
#include <palpate/mesh/degenerate.h>
#include <palpate/mesh/self_intersections.h>

namespace palpate {

namespace {

using Block = TriangleTree::Block;
constexpr std::size_t grain = 64;  // leaves

struct OverlapBound {
  Box box;
  void operator()(const Block& block, double* low) const {
    for (std::uint32_t i = 0; i < TriangleTree::width; ++i) {
      bool overlaps = true;
      for (int k = 0; k < 3; ++k)
        overlaps = overlaps && block.lo[k][i] <= box.hi[k] && box.lo[k] <= block.hi[k][i];
      low[i] = overlaps ? 0.0 : std::numeric_limits<double>::infinity();
    }
  }
};

struct Side {
  const TriangleTree& tree;
  TriangleView triangles;
};

std::size_t leaves(const TriangleTree& tree) { return chunk_count(tree.order().size(), TriangleTree::width); }

// Calls found(place of a, place of b) for triangles whose boxes overlap, until it says that it is enough.
template <class Found>
void overlapping(const Side& a, const Side& b, std::size_t leaf, const Found& found) {
  const auto begin = static_cast<std::uint32_t>(leaf * TriangleTree::width);
  const std::uint32_t end =
      std::min(begin + TriangleTree::width, static_cast<std::uint32_t>(a.tree.order().size()));
  Box all;
  std::array<Box, TriangleTree::width> boxes;
  for (std::uint32_t i = begin; i < end; ++i) all.add(boxes[i - begin] = a.tree.box_at(i));
  bool enough = false;
  b.tree.search(
      OverlapBound{all}, [&] { return enough ? -1.0 : 0.0; },
      [&](std::uint32_t place, double) {
        const Box box = b.tree.box_at(place);
        for (std::uint32_t i = begin; i < end && !enough; ++i)
          if (boxes[i - begin].overlaps(box)) enough = found(i, place);
      });
}

enum class Relation { apart, meet, same_corners };

// Two triangles of one surface. Corners are renumbered so that equal positions have equal numbers.
Relation relation(const Triangle& a, const Box& box_a, const Triangle& b, const Box& box_b) {
  const std::array<Vec3, 6> at = {a[0], a[1], a[2], b[0], b[1], b[2]};
  std::array<std::uint32_t, 6> number{};
  for (std::uint32_t i = 0; i < 6; ++i)
    for (number[i] = 0; at[number[i]] != at[i];) ++number[i];
  const TriangleCorners one{number[0], number[1], number[2]}, two{number[3], number[4], number[5]};
  const bool same = std::all_of(two.begin(), two.end(), [](std::uint32_t n) { return n < 3; });
  if (!same && !cross(at, {one, box_a}, {two, box_b})) return Relation::apart;
  // Few come so far. Without area, `same` and `cross` mean nothing.
  if (is_degenerate(at, one) || is_degenerate(at, two)) return Relation::apart;
  return same ? Relation::same_corners : Relation::meet;
}

}  // namespace

bool Queries::intersect(SurfaceId a, SurfaceId b) {
  update_one(a);
  update_one(b);
  const Side one{kept_[a.index].tree, view(a.index)}, two{kept_[b.index].tree, view(b.index)};
  std::atomic<bool> met = false;
  parallel_for(leaves(one.tree), grain, [&](std::size_t leaf) {
    if (met.load(std::memory_order_relaxed)) return;
    overlapping(one, two, leaf, [&](std::uint32_t i, std::uint32_t j) {
      const std::uint32_t s = one.tree.order()[i], t = two.tree.order()[j];
      const bool meet = a != b ? intersects(one.triangles[s], two.triangles[t])
                               : s < t && relation(one.triangles[s], one.tree.box_at(i), two.triangles[t],
                                                   two.tree.box_at(j)) == Relation::meet;
      if (meet) met.store(true, std::memory_order_relaxed);
      return met.load(std::memory_order_relaxed);
    });
  });
  return met;
}

std::span<const Meeting> Queries::intersections(SurfaceId a, SurfaceId b) {
  update_one(a);
  update_one(b);
  const Side one{kept_[a.index].tree, view(a.index)}, two{kept_[b.index].tree, view(b.index)};
  const std::size_t chunks = chunk_count(leaves(one.tree), grain);
  if (parts_.size() < chunks) parts_.resize(chunks);
  if (twins_.size() < chunks) twins_.resize(chunks);
  for (auto& part : parts_) part.clear();
  for (auto& part : twins_) part.clear();
  parallel_chunks(leaves(one.tree), grain, [&](Chunk chunk) {
    const auto found = [&](std::uint32_t i, std::uint32_t j) {
      const std::uint32_t s = one.tree.order()[i], t = two.tree.order()[j];
      const Triangle first = one.triangles[s], second = two.triangles[t];
      if (a == b) {
        if (s >= t) return false;
        const Relation how = relation(first, one.tree.box_at(i), second, two.tree.box_at(j));
        if (how == Relation::same_corners) twins_[chunk.index].push_back(t);
        if (how != Relation::meet) return false;
      }
      if (const auto where = intersection(first, second)) parts_[chunk.index].push_back({s, t, *where});
      return false;
    };
    for (std::size_t leaf = chunk.begin; leaf < chunk.end; ++leaf) overlapping(one, two, leaf, found);
  });
  meetings_.clear();
  for (const auto& part : parts_) meetings_.insert(meetings_.end(), part.begin(), part.end());
  if (a == b) drop_twins(static_cast<std::uint32_t>(one.triangles.triangles.size()));
  std::sort(meetings_.begin(), meetings_.end(), [](const Meeting& x, const Meeting& y) {
    return std::tuple(x.first, x.second) < std::tuple(y.first, y.second);
  });
  return meetings_;
}

void Queries::drop_twins(std::uint32_t triangles) {
  is_twin_.assign(triangles, 0);
  for (const auto& part : twins_)
    for (const std::uint32_t t : part) is_twin_[t] = 1;
  std::erase_if(meetings_,
                [&](const Meeting& m) { return is_twin_[m.first] != 0 || is_twin_[m.second] != 0; });
}

// --- for one use --------------------------------------------------------------------------------------

namespace {

struct Once {
  Surfaces surfaces;
  SurfaceId a, b;
  explicit Once(const TriangleMesh& mesh) : a(add(mesh)) {}
  Once(const TriangleMesh& first, const TriangleMesh& second) : a(add(first)), b(add(second)) {}
  SurfaceId add(const TriangleMesh& mesh) { return surfaces.add({}, mesh.positions, mesh.triangles); }
};

}  // namespace

std::vector<NearFeature> features_within(const TriangleMesh& mesh, const Vec3& point, double radius) {
  const Once once(mesh);
  Queries queries(once.surfaces);
  const auto found = queries.features_within(point, radius);
  return {found.begin(), found.end()};
}
std::optional<NearestPoint> nearest_on(const TriangleMesh& mesh, const Vec3& point) {
  const Once once(mesh);
  return Queries(once.surfaces).nearest(point);
}
NearestPoint signed_distance_to(const TriangleMesh& mesh, const Vec3& point) {
  const Once once(mesh);
  return Queries(once.surfaces).signed_distance(once.a, point);
}
std::optional<RayHit> first_hit_on(const TriangleMesh& mesh, const Ray& ray, double most) {
  const Once once(mesh);
  return Queries(once.surfaces).first_hit(ray, most);
}
bool intersect(const TriangleMesh& a, const TriangleMesh& b) {
  const Once once(a, b);
  return Queries(once.surfaces).intersect(once.a, once.b);
}
std::vector<Meeting> intersections(const TriangleMesh& a, const TriangleMesh& b) {
  const Once once(a, b);
  Queries queries(once.surfaces);
  const auto found = queries.intersections(once.a, once.b);
  return {found.begin(), found.end()};
}

}  // namespace palpate
