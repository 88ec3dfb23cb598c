#include <palpate/collide/kept_pairs.h>

#include <algorithm>
#include <cmath>

#include <palpate/base/parallel.h>

namespace palpate {

namespace {

// What rounding in the distances of two surfaces may come to [m].
double rounding(const Surfaces& all, const SurfacePair& pair) {
  Box both = all[pair.first].box;
  both.add(all[pair.second].box);
  return both.empty() ? 0 : 1e-12 * both.size().maxCoeff();
}

}  // namespace

bool KeptPairs::same_surface(const Surface& surface, std::uint32_t slot) const {
  const Kept& kept = surfaces_[slot];
  return kept.changes == surface.changes && kept.near == surface.neighbour_distance();
}

double KeptPairs::moved(const Surfaces& all, std::uint32_t slot) {
  const Surface& surface = all[slot];
  Kept& kept = surfaces_[slot];
  if (kept.seen == surface.moves) return kept.moved;
  const Vec3 *now = all.positions().data() + surface.first_vertex,
             *then = positions_.data() + surface.first_vertex;
  const double most = parallel_reduce(
      surface.vertices, 4096, 0.0, partial_,
      [&](Chunk chunk) {
        double farthest = 0;
        for (std::size_t i = chunk.begin; i < chunk.end; ++i)
          farthest = std::max(farthest, (now[i] - then[i]).squaredNorm());
        return farthest;
      },
      [](double a, double b) { return std::max(a, b); });
  kept.seen = surface.moves;
  kept.moved = std::sqrt(most);
  return kept.moved;
}

bool KeptPairs::knows(const Search& search, const SurfacePair& pair) const {
  const Surfaces& all = search.surfaces;
  if (layout_ != all.layout() || margin_ != search.margin) return false;
  const auto at =
      std::lower_bound(pairs_.begin(), pairs_.end(), pair, [](const SurfacePair& a, const SurfacePair& b) {
        return std::pair(a.first, a.second) < std::pair(b.first, b.second);
      });
  return at != pairs_.end() && at->first == pair.first && at->second == pair.second &&
         at->distance == pair.distance && same_surface(all[pair.first], pair.first) &&
         same_surface(all[pair.second], pair.second);
}

bool KeptPairs::hold(const Search& search, std::span<const SurfacePair> pairs) {
  const Surfaces& all = search.surfaces;
  // All of the list is brought, so all of it has to be of triangles that are there, and filtered as it
  // should.
  return layout_ == all.layout() &&
         std::all_of(pairs_.begin(), pairs_.end(),
                     [&](const SurfacePair& pair) {
                       return same_surface(all[pair.first], pair.first) &&
                              same_surface(all[pair.second], pair.second);
                     }) &&
         std::all_of(pairs.begin(), pairs.end(), [&](const SurfacePair& pair) {
           return moved(all, pair.first) + moved(all, pair.second) < skin_ * (1 - 1e-9) - rounding(all, pair);
         });
}

Search KeptPairs::widened(const Search& search, std::span<const SurfacePair> pairs, double skin) {
  Search wider = search;
  wider.pairs = pairs;
  wider.margin += skin;
  wider.reach += skin;
  return wider;
}

void KeptPairs::fill(const Search& search, std::span<const SurfacePair> pairs, double skin,
                     Collector& found) {
  const Surfaces& all = search.surfaces;
  layout_ = all.layout();
  margin_ = search.margin;
  skin_ = skin;
  pairs_.assign(pairs.begin(), pairs.end());
  surfaces_.resize(all.slots().size());
  for (std::uint32_t slot = 0; slot < surfaces_.size(); ++slot) {
    const Surface& surface = all[slot];
    surfaces_[slot] = {surface.moves, surface.changes, surface.moves, surface.neighbour_distance(), 0};
  }
  positions_.assign(all.positions().begin(), all.positions().end());
  keys_.clear();
  found.order_keys(keys_);
}

void KeptPairs::bring(Collector& out) const {
  parallel_chunks(keys_.size(), 8192, [&](Chunk chunk) {
    Batch batch(out, true);
    for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
      const auto first = static_cast<std::uint32_t>(keys_[i] >> 32) & 0x7fffffff;
      const auto second = static_cast<std::uint32_t>(keys_[i]);
      if (keys_[i] >> 63 == 0) {
        batch.vertex_triangle(first, second);
      } else {
        batch.edge_edge(first, second);
      }
    }
    batch.counters.kept += chunk.end - chunk.begin;
  });
}

std::size_t KeptPairs::memory() const {
  return positions_.capacity() * sizeof(Vec3) + keys_.capacity() * sizeof(std::uint64_t) +
         surfaces_.capacity() * sizeof(Kept);
}

}  // namespace palpate
