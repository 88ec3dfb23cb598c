// A grid for each pair of surfaces (Leonard 2021): the reference of all benchmarks.
//
//   region      where the surfaces' boxes, grown by half the distance, overlap; inside one surface, all of it
//   triangles   those whose own grown box meets the region; the largest box sizes the cells
//   cells       each triangle in the up to 2 x 2 x 2 cells that its box meets; sorted by cell
//   pairs       in each cell, all pairs whose boxes meet, each pair in one cell alone
//   tests       of the vertices and edges that the two triangles own, one after the other
//
// Two rules of the paper lose contacts, and are repaired here unless asked for: a pair is treated in the cell
// that holds the larger of the low corners of the two boxes, axis by axis (the paper's rule by types of cells
// misses pairs whose only common cell is home to neither); and of triangles with a common vertex, pairs of
// features with none are tested (the paper drops the triangles). The paper's test of normals in a cell is
// here for studies; it loses contacts as well.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <palpate/base/parallel.h>
#include <palpate/collide/classic_pairs.h>
#include <palpate/collide/finder_list.h>
#include <palpate/collide/patch_cone.h>
#include <palpate/geometry/cone.h>

namespace palpate {

namespace {

struct GridTriangle : ClassicTriangle {
  std::uint8_t home_type, types;  // of cells: parities of the home cell; bits of all it meets
  bool second;                    // of the second surface
};

struct CellEntry {
  std::uint64_t cell;
  std::uint32_t triangle;  // place among the grid's triangles
  std::uint32_t starts;    // bits of the axes along which its box begins in this cell

  friend bool operator<(const CellEntry& a, const CellEntry& b) {
    return a.cell != b.cell ? a.cell < b.cell : a.triangle < b.triangle;
  }
};

unsigned type_of(const std::array<std::uint64_t, 3>& cell) {
  return static_cast<unsigned>((cell[0] & 1) | (cell[1] & 1) << 1 | (cell[2] & 1) << 2);
}

class FinderClassicGrid : public Finder {
 public:
  explicit FinderClassicGrid(const FinderOptions& options) : options_(options) {}

  void find(const Search& search, Collector& out) override {
    for (const SurfacePair& pair : search.pairs) {
      const double reach = pair.distance + search.margin;
      if (!collect_triangles(search.surfaces, pair, reach)) continue;
      fill_cells();
      std::sort(entries_.begin(), entries_.end());
      find_cells();
      parallel_chunks(cells_.size() - 1, 256, [&](Chunk chunk) {
        Batch batch(out);
        PatchCone cone;
        batch.counters.cells += chunk.end - chunk.begin;
        for (std::size_t c = chunk.begin; c < chunk.end; ++c)
          find_pairs(search.surfaces, pair, reach,
                     std::span(entries_).subspan(cells_[c], cells_[c + 1] - cells_[c]), cone, batch);
      });
    }
  }

  std::size_t memory() const override {
    return triangles_.capacity() * sizeof(GridTriangle) + entries_.capacity() * sizeof(CellEntry) +
           cells_.capacity() * sizeof(std::size_t);
  }

 private:
  // The triangles in the region; false if there are none.
  bool collect_triangles(const Surfaces& all, const SurfacePair& pair, double reach) {
    // A little more than half: the sum of two roundings must not lose a pair.
    const double half = reach * (0.5 + 1e-9);
    const Box one = grown(all.box(pair.first), half), two = grown(all.box(pair.second), half);
    region_ = one;
    region_.lo = region_.lo.cwiseMax(two.lo);
    region_.hi = region_.hi.cwiseMin(two.hi);
    triangles_.clear();
    if (region_.empty()) return false;
    const Box wider = grown(region_, half);
    double largest = 0;
    for (const bool second : {false, true}) {
      if (second && pair.first == pair.second) break;
      const Surface& surface = all[second ? pair.second : pair.first];
      for (std::uint32_t t = surface.first_triangle; t < surface.first_triangle + surface.triangles; ++t) {
        if (all.triangles()[t][0] == no_index) continue;
        const Box box = all.triangle_box(t);
        if (!((box.lo.array() <= wider.hi.array()) && (wider.lo.array() <= box.hi.array())).all()) continue;
        triangles_.push_back({classic_triangle(all, t, half, options_.spheres), 0, 0, second});
        largest = std::max(largest, triangles_.back().box.size().maxCoeff());
      }
    }
    cell_size_ = largest * (1 + 1e-9) + 1e-300;
    // Cells are numbered with 21 bits an axis; triangles that are tiny beside the region get larger cells.
    cell_size_ = std::max(cell_size_, region_.size().maxCoeff() / (1 << 20));
    return !triangles_.empty();
  }

  std::array<std::uint64_t, 3> cell_of(const Vec3& p) const {
    std::array<std::uint64_t, 3> cell{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = static_cast<Eigen::Index>(k);
      // Triangles reach beyond the region: by less than a cell on the low side.
      cell[k] = static_cast<std::uint64_t>(
          std::max(0.0, std::floor((p[axis] - region_.lo[axis]) / cell_size_) + 2));
    }
    return cell;
  }

  void fill_cells() {
    entries_.clear();
    for (std::uint32_t i = 0; i < triangles_.size(); ++i) {
      GridTriangle& t = triangles_[i];
      const auto lo = cell_of(t.box.lo), hi = cell_of(t.box.hi);
      t.home_type = static_cast<std::uint8_t>(type_of(cell_of(t.box.center())));
      for (std::uint64_t z = lo[2]; z <= hi[2]; ++z)
        for (std::uint64_t y = lo[1]; y <= hi[1]; ++y)
          for (std::uint64_t x = lo[0]; x <= hi[0]; ++x) {
            const unsigned starts = (x == lo[0] ? 1u : 0u) | (y == lo[1] ? 2u : 0u) | (z == lo[2] ? 4u : 0u);
            t.types = static_cast<std::uint8_t>(t.types | 1u << type_of({x, y, z}));
            entries_.push_back({z << 42 | y << 21 | x, i, starts});
          }
    }
  }

  void find_cells() {
    cells_.clear();
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (i == 0 || entries_[i].cell != entries_[i - 1].cell) cells_.push_back(i);
    cells_.push_back(entries_.size());
  }

  bool treated_here(const CellEntry& a, const CellEntry& b) const {
    if (!options_.published_rules) return (a.starts | b.starts) == 7;
    const GridTriangle &one = triangles_[a.triangle], &two = triangles_[b.triangle];
    const unsigned type = type_of({a.cell & 0x1fffff, a.cell >> 21 & 0x1fffff, a.cell >> 42});
    if (one.home_type != type && two.home_type != type) return false;
    return !(one.home_type < type && (two.types >> one.home_type & 1) != 0) &&
           !(two.home_type < type && (one.types >> two.home_type & 1) != 0);
  }

  void find_pairs(const Surfaces& all, const SurfacePair& pair, double reach, std::span<const CellEntry> cell,
                  PatchCone& cone, Batch& batch) const {
    const bool self = pair.first == pair.second;
    if (self && ((options_.published_cones && normals_agree(all, cell)) ||
                 (options_.cones && is_flat(all, cell, reach, cone)))) {
      batch.counters.culled += cell.size() * (cell.size() - 1) / 2;
      return;
    }
    for (std::size_t i = 0; i < cell.size(); ++i) {
      const GridTriangle& a = triangles_[cell[i].triangle];
      for (std::size_t j = i + 1; j < cell.size(); ++j) {
        const GridTriangle& b = triangles_[cell[j].triangle];
        if ((!self && a.second == b.second) || !treated_here(cell[i], cell[j])) continue;
        if (!((a.box.lo.array() <= b.box.hi.array()) && (b.box.lo.array() <= a.box.hi.array())).all())
          continue;
        if (self && options_.published_rules &&
            share_vertex(all.triangles()[a.triangle], all.triangles()[b.triangle]))
          continue;
        ++batch.counters.candidates;
        test_triangles(all, a, b, reach, options_.feature_boxes, batch);
      }
    }
    // With itself a triangle has only neighbours.
  }

  static bool share_vertex(const TriangleCorners& a, const TriangleCorners& b) {
    return std::any_of(a.begin(), a.end(),
                       [&](std::uint32_t v) { return std::find(b.begin(), b.end(), v) != b.end(); });
  }

  // Whether no two features in the cell that have no common vertex are near: for certain.
  bool is_flat(const Surfaces& all, std::span<const CellEntry> cell, double reach, PatchCone& cone) const {
    constexpr std::size_t most = 64;  // beyond, the outline is long, and a cell that is flat unlikely
    if (cell.size() < 2 || cell.size() > most) return false;
    std::array<std::uint32_t, most> triangles;
    for (std::size_t i = 0; i < cell.size(); ++i) triangles[i] = triangles_[cell[i].triangle].triangle;
    return cone.keeps_apart(all, std::span(triangles).first(cell.size()), reach);
  }

  // The paper's cones: merged one after the other; the mean of two opposite axes has no direction and counts
  // as too wide.
  bool normals_agree(const Surfaces& all, std::span<const CellEntry> cell) const {
    Vec3 axis = Vec3::Zero();
    double angle = -1;
    for (const CellEntry& entry : cell) {
      const Triangle t = all.triangle(triangles_[entry.triangle].triangle);
      const Vec3 normal = (t[1] - t[0]).cross(t[2] - t[0]).normalized();
      if (angle < 0) {
        axis = normal;
        angle = 0;
        continue;
      }
      angle = angle_between(axis, normal) / 2 + angle;
      axis = (axis + normal).normalized();
      if (!(angle < std::numbers::pi / 2) || !(axis.squaredNorm() > 0.5)) return false;
    }
    return true;
  }

  FinderOptions options_;
  Box region_;
  double cell_size_ = 1;
  std::vector<GridTriangle> triangles_;
  std::vector<CellEntry> entries_;
  std::vector<std::size_t> cells_;
};

}  // namespace

std::unique_ptr<Finder> make_finder_classic_grid(const FinderOptions& options) {
  return std::make_unique<FinderClassicGrid>(options);
}

}  // namespace palpate
