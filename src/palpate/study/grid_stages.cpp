#include <palpate/study/grid_stages.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/collide/classic_kernel.h>
#include <palpate/collide/classic_pairs.h>
#include <palpate/geometry/cone.h>
#include <palpate/study/thread_time.h>

namespace palpate {

namespace {

template <class T>
void put_together(std::vector<std::vector<T>>& parts, std::vector<T>& all) {
  all.clear();
  for (const std::vector<T>& part : parts) all.insert(all.end(), part.begin(), part.end());
}

// Each chunk with an empty list of its own; in the end all lists, in the order of the chunks.
template <class T, class Body>
void collect(std::size_t n, std::size_t grain, std::vector<std::vector<T>>& parts, std::vector<T>& all,
             Body&& body) {
  parts.resize(chunk_count(n, grain));
  parallel_chunks(n, grain, [&](Chunk chunk) {
    std::vector<T>& part = parts[chunk.index];
    part.clear();
    for (std::size_t i = chunk.begin; i < chunk.end; ++i) body(i, part);
  });
  put_together(parts, all);
}

constexpr double too_wide = std::numbers::pi / 2;

unsigned type_of(const std::array<std::uint64_t, 3>& cell) {
  return static_cast<unsigned>((cell[0] & 1) | (cell[1] & 1) << 1 | (cell[2] & 1) << 2);
}

bool share_vertex(const TriangleCorners& a, const TriangleCorners& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](std::uint32_t v) { return std::find(b.begin(), b.end(), v) != b.end(); });
}

bool meet(const Box& a, const Box& b) {
  return ((a.lo.array() <= b.hi.array()) && (b.lo.array() <= a.hi.array())).all();
}

}  // namespace

std::string_view name_of(GridStage stage) {
  static constexpr std::array<std::string_view, grid_stages> names = {"region", "grid",  "cells", "sort",
                                                                      "cones",  "pairs", "tests"};
  return names[static_cast<std::size_t>(stage)];
}

GridCounts& GridCounts::operator+=(const GridCounts& other) {
  triangles += other.triangles;
  entries += other.entries;
  dropped_entries += other.dropped_entries;
  cells += other.cells;
  dropped_cells += other.dropped_cells;
  triangle_pairs += other.triangle_pairs;
  feature_pairs += other.feature_pairs;
  culled_features += other.culled_features;
  return *this;
}

void GridStages::clear() {
  counts_ = {};
  nanoseconds_ = {};
}

void GridStages::find(const Search& search, Collector& out) {
  const Surfaces& all = search.surfaces;
  if (all.moving())
    throw Error(Place::named("finder", "grid stages"), "it finds contacts, not what touches in a step",
                "Use classic_grid for that.");
  // On one thread its own time, without what else the machine does.
  const bool own = available_threads() == 1;
  const auto now = [own] {
    return own ? static_cast<std::int64_t>(1e6 * thread_milliseconds())
               : std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
  };
  std::int64_t last = now();
  const auto ended = [&](GridStage stage) {
    const std::int64_t then = last;
    last = now();
    nanoseconds_[static_cast<std::size_t>(stage)] += last - then;
  };
  for (const SurfacePair& pair : search.pairs) {
    reach_ = pair.distance + search.margin;
    half_ = classic_half(reach_);
    const bool self = pair.first == pair.second, any = collect_region(all, pair);
    ended(GridStage::region);
    if (!any) continue;
    size_grid();
    ended(GridStage::grid);
    fill_cells();
    ended(GridStage::cells);
    sort_cells();
    ended(GridStage::sort);
    drop_cells(all, self);
    ended(GridStage::cones);
    find_pairs(all, self);
    ended(GridStage::pairs);
    test_pairs(all, out);
    ended(GridStage::tests);
  }
}

GridStages::Item GridStages::item_of(const Surfaces& all, std::uint32_t triangle, bool second) const {
  Item item{{}, {}, triangle, 0, 0, second, is_thin(all.triangle(triangle))};
  if (options_.spheres) {
    item.ball = Sphere::around(all.triangle(triangle));
    item.ball.radius += half_;
    item.box = {item.ball.center.array() - item.ball.radius, item.ball.center.array() + item.ball.radius};
  } else {
    item.box = grown(all.triangle_box(triangle), half_);
  }
  return item;
}

// False if there is nothing in the region.
bool GridStages::collect_region(const Surfaces& all, const SurfacePair& pair) {
  region_ = grown(all.box(pair.first), half_);
  const Box other = grown(all.box(pair.second), half_);
  region_.lo = region_.lo.cwiseMax(other.lo);
  region_.hi = region_.hi.cwiseMin(other.hi);
  items_.clear();
  if (region_.empty()) return false;
  const Surface &one = all[pair.first], &two = all[pair.second];
  const std::size_t in_first = one.triangles, n = in_first + (pair.first == pair.second ? 0 : two.triangles);
  collect(n, 512, item_parts_, items_, [&](std::size_t i, std::vector<Item>& part) {
    const bool second = i >= in_first;
    const auto t =
        static_cast<std::uint32_t>(second ? two.first_triangle + (i - in_first) : one.first_triangle + i);
    if (all.triangles()[t][0] == no_index) return;
    const Item item = item_of(all, t, second);
    if (meet(item.box, region_)) part.push_back(item);
  });
  counts_.triangles += items_.size();
  return !items_.empty();
}

void GridStages::size_grid() {
  double largest = 0;
  for (const Item& item : items_) largest = std::max(largest, (item.box.hi - item.box.lo).maxCoeff());
  // Cells are numbered with 21 bits an axis; triangles that are tiny beside the region get larger cells.
  cell_size_ = std::max(largest * (1 + 1e-9) + 1e-300, region_.size().maxCoeff() / (1 << 20));
}

std::array<std::uint64_t, 3> GridStages::cell_of(const Vec3& p) const {
  std::array<std::uint64_t, 3> cell{};
  for (std::size_t k = 0; k < 3; ++k) {
    const auto axis = static_cast<Eigen::Index>(k);
    // Triangles reach beyond the region: by less than a cell on the low side.
    cell[k] =
        static_cast<std::uint64_t>(std::max(0.0, std::floor((p[axis] - region_.lo[axis]) / cell_size_) + 2));
  }
  return cell;
}

void GridStages::fill_cells() {
  collect(items_.size(), 512, entry_parts_, entries_, [&](std::size_t i, std::vector<Entry>& part) {
    Item& item = items_[i];
    const auto lo = cell_of(item.box.lo), hi = cell_of(item.box.hi);
    item.home_type = static_cast<std::uint8_t>(type_of(cell_of(item.box.center())));
    for (std::uint64_t z = lo[2]; z <= hi[2]; ++z)
      for (std::uint64_t y = lo[1]; y <= hi[1]; ++y)
        for (std::uint64_t x = lo[0]; x <= hi[0]; ++x) {
          const unsigned starts = (x == lo[0] ? 1u : 0u) | (y == lo[1] ? 2u : 0u) | (z == lo[2] ? 4u : 0u);
          item.types = static_cast<std::uint8_t>(item.types | 1u << type_of({x, y, z}));
          part.push_back({z << 42 | y << 21 | x, static_cast<std::uint32_t>(i), starts});
        }
  });
  counts_.entries += entries_.size();
}

void GridStages::sort_cells() {
  std::sort(entries_.begin(), entries_.end());
  cells_.clear();
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (i == 0 || entries_[i].cell != entries_[i - 1].cell) cells_.push_back(i);
  cells_.push_back(entries_.size());
  counts_.cells += cells_.size() - 1;
}

void GridStages::drop_cells(const Surfaces& all, bool self) {
  const std::size_t n = cells_.size() - 1;
  dropped_.assign(n, 0);
  if (!self || !(options_.cones || options_.published_cones)) return;
  parallel_chunks(n, 64, [&](Chunk chunk) {
    PatchCone cone;
    for (std::size_t c = chunk.begin; c < chunk.end; ++c)
      dropped_[c] = (options_.published_cones && normals_of(all, cell(c)).angle < too_wide) ||
                    (options_.cones && is_flat(all, cell(c), cone));
  });
  for (std::size_t c = 0; c < n; ++c) {
    if (dropped_[c] == 0) continue;
    ++counts_.dropped_cells;
    counts_.dropped_entries += cell(c).size();
  }
}

// The published cones: those of both halves of the list, merged; the mean of two opposite axes has no
// direction and counts as too wide. The angle is pi/2 or more where the cell must be searched.
GridStages::NormalCone GridStages::normals_of(const Surfaces& all, std::span<const Entry> part) const {
  if (part.size() == 1) {
    const Triangle t = all.triangle(items_[part[0].item].triangle);
    return {(t[1] - t[0]).cross(t[2] - t[0]).normalized(), 0};
  }
  NormalCone one = normals_of(all, part.first(part.size() / 2));
  if (!(one.angle < too_wide)) return one;
  NormalCone two = normals_of(all, part.subspan(part.size() / 2));
  if (!(two.angle < too_wide)) return two;
  const Vec3 axis = (one.axis + two.axis).normalized();
  if (!(axis.squaredNorm() > 0.5)) return {axis, too_wide};
  return {axis, angle_between(one.axis, two.axis) / 2 + std::max(one.angle, two.angle)};
}

// Our own test, which proves that nothing is near.
bool GridStages::is_flat(const Surfaces& all, std::span<const Entry> cell, PatchCone& cone) const {
  constexpr std::size_t most = 64;  // beyond, the outline is long, and a cell that is flat unlikely
  if (cell.size() < 2 || cell.size() > most) return cell.size() < 2;
  std::array<std::uint32_t, most> triangles;
  for (std::size_t i = 0; i < cell.size(); ++i) triangles[i] = items_[cell[i].item].triangle;
  return cone.keeps_apart(all, std::span(triangles).first(cell.size()), reach_);
}

bool GridStages::treated_here(const Entry& a, const Entry& b) const {
  if (!options_.published_rules) return (a.starts | b.starts) == 7;
  const Item &one = items_[a.item], &two = items_[b.item];
  const unsigned type = type_of({a.cell & 0x1fffff, a.cell >> 21 & 0x1fffff, a.cell >> 42});
  if (one.home_type != type && two.home_type != type) return false;
  return !(one.home_type < type && (two.types >> one.home_type & 1) != 0) &&
         !(two.home_type < type && (one.types >> two.home_type & 1) != 0);
}

bool GridStages::volumes_meet(const Item& a, const Item& b) const {
  return options_.spheres ? overlap(a.ball, b.ball) : meet(a.box, b.box);
}

void GridStages::find_in_cell(const Surfaces& all, bool self, std::span<const Entry> cell,
                              std::vector<ItemPair>& found) const {
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const Item& a = items_[cell[i].item];
    for (std::size_t j = i + 1; j < cell.size(); ++j) {
      const Item& b = items_[cell[j].item];
      if ((!self && a.second == b.second) || !treated_here(cell[i], cell[j]) || !volumes_meet(a, b)) continue;
      if (self && options_.published_rules &&
          share_vertex(all.triangles()[a.triangle], all.triangles()[b.triangle]))
        continue;
      found.push_back({cell[i].item, cell[j].item});
    }
  }
}

void GridStages::find_pairs(const Surfaces& all, bool self) {
  collect(cells_.size() - 1, 64, pair_parts_, pairs_, [&](std::size_t c, std::vector<ItemPair>& part) {
    if (dropped_[c] == 0) find_in_cell(all, self, cell(c), part);
  });
  counts_.triangle_pairs += pairs_.size();
}

void GridStages::test_pairs(const Surfaces& all, Collector& out) {
  constexpr std::size_t grain = 1024;
  count_parts_.assign(chunk_count(pairs_.size(), grain), {});
  parallel_chunks(pairs_.size(), grain, [&](Chunk chunk) {
    Batch batch(out);
    GridCounts counts;
    for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
      const Item &a = items_[pairs_[i].first], &b = items_[pairs_[i].second];
      test_vertices(all, a, b, batch, counts);
      test_vertices(all, b, a, batch, counts);
      test_edges(all, a, b, batch, counts);
    }
    count_parts_[chunk.index] = counts;
  });
  for (const GridCounts& part : count_parts_) counts_ += part;
}

// The vertices that one owns against the other.
void GridStages::test_vertices(const Surfaces& all, const Item& one, const Item& other, Batch& batch,
                               GridCounts& counts) const {
  const unsigned owned = all.owned()[one.triangle] & 7u;
  if (owned == 0) return;
  const TriangleCorners &corners = all.triangles()[one.triangle], &others = all.triangles()[other.triangle];
  const Triangle t = all.triangle(other.triangle);
  for (unsigned k = 0; k < 3; ++k) {
    if ((owned >> k & 1) == 0 || std::find(others.begin(), others.end(), corners[k]) != others.end())
      continue;
    ++counts.feature_pairs;
    const Vec3& p = all.positions()[corners[k]];
    if (options_.feature_boxes && !(options_.spheres ? overlap(Sphere{p, half_}, other.ball)
                                                     : meet(grown(Box{p, p}, half_), other.box))) {
      ++counts.culled_features;
      continue;
    }
    if (other.thin || !plainly_apart(p, t, reach_ * reach_))
      batch.vertex_triangle(corners[k], other.triangle);
  }
}

bool GridStages::edges_meet(const Segment& a, const Segment& b) const {
  if (options_.spheres) {
    const auto ball = [&](const Segment& s) {
      return Sphere::around(Sphere{s[0], half_}, Sphere{s[1], half_});
    };
    return overlap(ball(a), ball(b));
  }
  const auto box = [&](const Segment& s) {
    return grown(Box{s[0].cwiseMin(s[1]), s[0].cwiseMax(s[1])}, half_);
  };
  return meet(box(a), box(b));
}

void GridStages::test_edges(const Surfaces& all, const Item& a, const Item& b, Batch& batch,
                            GridCounts& counts) const {
  const unsigned owned_a = all.owned()[a.triangle] >> 3u, owned_b = all.owned()[b.triangle] >> 3u;
  for (unsigned k = 0; k < 3; ++k) {
    if ((owned_a >> k & 1) == 0) continue;
    const std::uint32_t e = 3 * a.triangle + k, e0 = all.side_begin(e), e1 = all.side_end(e);
    const Segment edge = all.edge(e);
    for (unsigned l = 0; l < 3; ++l) {
      if ((owned_b >> l & 1) == 0) continue;
      const std::uint32_t f = 3 * b.triangle + l, f0 = all.side_begin(f), f1 = all.side_end(f);
      if (e0 == f0 || e0 == f1 || e1 == f0 || e1 == f1) continue;
      ++counts.feature_pairs;
      const Segment other = all.edge(f);
      if (options_.feature_boxes && !edges_meet(edge, other)) {
        ++counts.culled_features;
        continue;
      }
      if (!plainly_apart(edge, other, reach_ * reach_)) batch.edge_edge(e, f);
    }
  }
}

}  // namespace palpate
