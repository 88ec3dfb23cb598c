// The published grid (Leonard 2021) taken apart: stage after stage, each timed and counted.
//
// The finder classic_grid mixes what a cell asks for: a pair is found and tested at once. To set figures
// beside the published ones, here every stage goes over the whole scene before the next begins, as published:
//
//   region   triangles whose volume meets the region where the surfaces' boxes overlap
//   grid     the size of the cells, from the largest of them
//   cells    each triangle in the cells that its volume meets
//   sort     by cell (on one thread, as published)
//   cones    inside one surface: cells that are left alone for their normals
//   pairs    of triangles in a cell whose volumes meet, each in one cell alone
//   tests    of the vertices and edges that the two own
//
// Region, cells, cones, pairs and tests use all threads. The options are those of classic_grid; here spheres
// are compared as spheres. What is not asked for as published loses nothing: the tests compare it with brute
// force.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <palpate/collide/finder.h>
#include <palpate/collide/patch_cone.h>
#include <palpate/geometry/sphere.h>

namespace palpate {

enum class GridStage : std::uint8_t { region, grid, cells, sort, cones, pairs, tests };
inline constexpr std::size_t grid_stages = 7;
std::string_view name_of(GridStage stage);

// Of all calls since clear().
struct GridCounts {
  std::uint64_t triangles = 0;                           // in regions
  std::uint64_t entries = 0, dropped_entries = 0;        // triangles in cells; of those, in cells left alone
  std::uint64_t cells = 0, dropped_cells = 0;            // that hold something; of those, left alone
  std::uint64_t triangle_pairs = 0;                      // whose features are tested
  std::uint64_t feature_pairs = 0, culled_features = 0;  // of those triangles; apart by their own volumes

  GridCounts& operator+=(const GridCounts& other);
};

class GridStages final : public Finder {
 public:
  explicit GridStages(const FinderOptions& options = {}) : options_(options) {}

  // For contacts alone: throws Error for a step that is looked at for crossings.
  void find(const Search& search, Collector& out) override;

  const GridCounts& counts() const { return counts_; }
  double milliseconds(GridStage stage) const {
    return static_cast<double>(nanoseconds_[static_cast<std::size_t>(stage)]) * 1e-6;
  }
  void clear();

 private:
  struct Item {   // a triangle
    Box box;      // grown by half the reach; of the sphere, where there is one
    Sphere ball;  // the same
    std::uint32_t triangle;
    std::uint8_t home_type, types;  // of cells: parities of the home cell; bits of all it meets
    bool second, thin;
  };
  struct Entry {
    std::uint64_t cell;
    std::uint32_t item, starts;  // bits of the axes along which its box begins in this cell
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.cell != b.cell ? a.cell < b.cell : a.item < b.item;
    }
  };
  struct NormalCone {
    Vec3 axis;
    double angle;
  };
  struct ItemPair {
    std::uint32_t first, second;
  };

  bool collect_region(const Surfaces& all, const SurfacePair& pair);
  void size_grid();
  void fill_cells();
  void sort_cells();
  void drop_cells(const Surfaces& all, bool self);
  void find_pairs(const Surfaces& all, bool self);
  void test_pairs(const Surfaces& all, Collector& out);

  Item item_of(const Surfaces& all, std::uint32_t triangle, bool second) const;
  std::array<std::uint64_t, 3> cell_of(const Vec3& p) const;
  std::span<const Entry> cell(std::size_t c) const {
    return std::span(entries_).subspan(cells_[c], cells_[c + 1] - cells_[c]);
  }
  NormalCone normals_of(const Surfaces& all, std::span<const Entry> part) const;
  bool is_flat(const Surfaces& all, std::span<const Entry> cell, PatchCone& cone) const;
  bool treated_here(const Entry& a, const Entry& b) const;
  bool volumes_meet(const Item& a, const Item& b) const;
  void find_in_cell(const Surfaces& all, bool self, std::span<const Entry> cell,
                    std::vector<ItemPair>& found) const;
  void test_vertices(const Surfaces& all, const Item& one, const Item& other, Batch& batch,
                     GridCounts& counts) const;
  void test_edges(const Surfaces& all, const Item& a, const Item& b, Batch& batch, GridCounts& counts) const;
  bool edges_meet(const Segment& a, const Segment& b) const;

  FinderOptions options_;
  double reach_ = 0, half_ = 0;  // of the pair of surfaces [m]; half, and a little more for rounding
  Box region_;
  double cell_size_ = 1;
  std::vector<Item> items_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> cells_;  // where their entries begin
  std::vector<std::uint8_t> dropped_;
  std::vector<ItemPair> pairs_;
  // What chunks find, before it is put together.
  std::vector<std::vector<Item>> item_parts_;
  std::vector<std::vector<Entry>> entry_parts_;
  std::vector<std::vector<ItemPair>> pair_parts_;
  std::vector<GridCounts> count_parts_;
  GridCounts counts_;
  std::array<std::int64_t, grid_stages> nanoseconds_{};
};

}  // namespace palpate
