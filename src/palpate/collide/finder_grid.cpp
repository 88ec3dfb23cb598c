// Ours: one sorted grid for the whole scene, made anew at every call.
//
// Triangles are sorted by the cell in which their box begins; cells are as large as the boxes in them and the
// reach, so whatever is near begins in a neighbouring cell. Sorted by z, y, x, the three neighbours of a row
// lie side by side: a triangle compares its box with five such stretches, eight boxes at a time, and meets
// every other triangle once. There are no lists of cells, no duplicates and nothing to keep from call to
// call.
//
// Triangles of very different size (a table of two, a fine cloth) go to levels of cells, each twice as large
// as the last; a cell compares its triangles with the nine stretches of every coarser level around it.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <palpate/base/parallel.h>
#include <palpate/base/radix_sort.h>
#include <palpate/collide/finder_list.h>
#include <palpate/collide/tree_boxes.h>

namespace palpate {

namespace {

constexpr unsigned axis_bits = 19, levels_most = 31;
constexpr std::uint32_t axis_most = (1u << axis_bits) - 2;

struct Cell {
  std::uint32_t level, x, y, z;
  std::uint64_t key() const {
    return std::uint64_t{level} << 3 * axis_bits | std::uint64_t{z} << 2 * axis_bits |
           std::uint64_t{y} << axis_bits | x;
  }
  static Cell of(std::uint64_t key) {
    const auto part = [&](unsigned shift) {
      return static_cast<std::uint32_t>(key >> shift) & ((1u << axis_bits) - 1);
    };
    return {static_cast<std::uint32_t>(key >> 3 * axis_bits), part(0), part(axis_bits), part(2 * axis_bits)};
  }
};

class FinderGrid : public Finder {
 public:
  void update(const Search& search) override {
    collect(search);
    choose_cells();
    make_keys();
    sort_.sort(keys_, order_);
    sort_boxes();
    find_runs();
  }

  void find(const Search& search, Collector& out) override {
    const std::size_t cells = runs_.empty() ? 0 : runs_.size() - 1;
    parallel_chunks(cells, 512, [&](Chunk chunk) {
      Batch batch(out);
      batch.counters.cells += chunk.end - chunk.begin;
      for (std::size_t c = chunk.begin; c < chunk.end; ++c) find_cell(search, c, batch);
    });
  }

  // Cells have no depth: all that hold a triangle.
  void show(std::size_t /*depth*/, std::vector<Box>& out) const override {
    const double edge = frame_.radius * frame_.scale;
    for (const std::uint64_t key : run_keys_) {
      const Cell cell = Cell::of(key);
      const double size = std::ldexp(cell_, static_cast<int>(cell.level));
      const Vec3 low = (Vec3(cell.x, cell.y, cell.z) - Vec3::Ones()) * size - Vec3::Constant(edge);
      Box all;
      for (const Vec3& corner : {low, Vec3(low + Vec3::Constant(size))})
        all.add(corner / frame_.scale + frame_.origin);
      out.push_back(all);
    }
  }

  std::size_t memory() const override {
    return boxes_.capacity() * sizeof(FloatBox) + sorted_.capacity() * sizeof(float) +
           keys_.capacity() * sizeof(std::uint64_t) + (order_.capacity() + triangles_.capacity()) * 8 +
           runs_.capacity() * 4;
  }

 private:
  struct Item {
    std::uint32_t triangle, slot;
  };
  struct Region {
    Box box;
    bool self = false;
  };

  // The triangles that may be near another surface, or all of a surface that is searched with itself.
  void collect(const Search& search) {
    const Surfaces& all = search.surfaces;
    regions_.assign(all.slots().size(), {});
    Box scene;
    for (const SurfacePair& pair : search.pairs) {
      const Box one = all.box(pair.first), two = all.box(pair.second);
      regions_[pair.first].box.add(grown(two, search.reach * (1 + 1e-9)));
      regions_[pair.second].box.add(grown(one, search.reach * (1 + 1e-9)));
      regions_[pair.first].self |= pair.first == pair.second;
      scene.add(one);
      scene.add(two);
    }
    frame_ = scene.empty() ? Frame{} : Frame::around(scene);
    reach_ = frame_.reach(search.reach);
    triangles_.clear();
    boxes_.clear();
    for (std::uint32_t slot = 0; slot < regions_.size(); ++slot) {
      const Box& region = regions_[slot].box;
      if (region.empty()) continue;
      for (std::uint32_t t = all[slot].first_triangle; t < all[slot].first_triangle + all[slot].triangles;
           ++t) {
        const TriangleCorners& c = all.triangles()[t];
        if (c[0] == no_index) continue;
        const auto [lo, hi] = all.triangle_box(t);
        if (!((lo.array() <= region.hi.array()) && (region.lo.array() <= hi.array())).all()) continue;
        triangles_.push_back({t, slot});
        FloatBox& box = boxes_.emplace_back();
        for (std::size_t k = 0; k < 3; ++k) {
          const auto axis = static_cast<Eigen::Index>(k);
          box.lo[k] = frame_.in_float(lo[axis], k);
          box.hi[k] = frame_.in_float(hi[axis], k);
        }
      }
    }
  }

  static float size_of(const FloatBox& box) {
    return std::max({box.hi[0] - box.lo[0], box.hi[1] - box.lo[1], box.hi[2] - box.lo[2]});
  }

  // The finest cells hold the mean box and the reach.
  void choose_cells() {
    double sum = 0;
    for (const FloatBox& box : boxes_) sum += size_of(box);
    cell_ =
        static_cast<float>(1.001 * (sum / std::max<double>(1, static_cast<double>(boxes_.size())) + reach_));
    const auto width = static_cast<float>(2 * frame_.radius * frame_.scale);
    cell_ = std::max(cell_, 2 * width / static_cast<float>(axis_most));
    if (!(cell_ > 0)) cell_ = 1;
  }

  void make_keys() {
    keys_.resize(triangles_.size());
    order_.resize(triangles_.size());
    const auto edge = static_cast<float>(frame_.radius * frame_.scale);
    parallel_for(triangles_.size(), 4096, [&](std::size_t i) {
      const FloatBox& box = boxes_[i];
      const float needed = 1.001f * (size_of(box) + reach_);
      std::uint32_t level = 0;
      float size = cell_;
      while (size < needed && level < levels_most) size *= 2, ++level;
      const auto number = [&](float x) {
        return std::min(axis_most, 1 + static_cast<std::uint32_t>(std::max(0.0f, (x + edge) / size)));
      };
      keys_[i] = Cell{level, number(box.lo[0]), number(box.lo[1]), number(box.lo[2])}.key();
      order_[i] = static_cast<std::uint32_t>(i);
    });
  }

  // Boxes in the order of the keys, each coordinate for itself, with room for eight more.
  void sort_boxes() {
    const std::size_t n = triangles_.size();
    stride_ = n + 8;
    sorted_.resize(6 * stride_);
    numbers_.resize(n);
    parallel_for(n, 4096, [&](std::size_t i) {
      const FloatBox& box = boxes_[order_[i]];
      for (std::size_t k = 0; k < 3; ++k) {
        sorted_[k * stride_ + i] = box.lo[k];
        sorted_[(k + 3) * stride_ + i] = box.hi[k];
      }
      numbers_[i] = triangles_[order_[i]];
    });
    for (std::size_t k = 0; k < 6; ++k)
      std::fill_n(sorted_.begin() + static_cast<std::ptrdiff_t>(k * stride_ + n), 8, k < 3 ? 1e38f : -1e38f);
  }

  void find_runs() {
    runs_.clear();
    run_keys_.clear();
    for (std::uint32_t i = 0; i < keys_.size(); ++i)
      if (i == 0 || keys_[i] != keys_[i - 1]) {
        runs_.push_back(i);
        run_keys_.push_back(keys_[i]);
      }
    runs_.push_back(static_cast<std::uint32_t>(keys_.size()));
    coarser_.fill(false);
    for (const std::uint64_t key : run_keys_) coarser_[Cell::of(key).level] = true;
  }

  // The first triangle in a cell that is not before this one.
  std::uint32_t first_at(std::uint64_t key) const {
    return runs_[static_cast<std::size_t>(std::lower_bound(run_keys_.begin(), run_keys_.end(), key) -
                                          run_keys_.begin())];
  }
  struct Stretch {
    std::uint32_t begin, end;
  };
  Stretch row(std::uint32_t level, std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return {first_at(Cell{level, x - 1, y, z}.key()), first_at(Cell{level, x + 2, y, z}.key())};
  }

  void find_cell(const Search& search, std::size_t c, Batch& batch) const {
    const Cell here = Cell::of(run_keys_[c]);
    std::array<Stretch, 4> rows;
    for (std::size_t i = 0; i < 4; ++i) {
      static constexpr std::array<std::array<int, 2>, 4> ahead = {{{1, 0}, {-1, 1}, {0, 1}, {1, 1}}};  // y, z
      rows[i] = row(here.level, here.x, here.y + static_cast<std::uint32_t>(ahead[i][0]),
                    here.z + static_cast<std::uint32_t>(ahead[i][1]));
    }
    const std::uint32_t after = first_at(Cell{here.level, here.x + 2, here.y, here.z}.key());
    for (std::uint32_t i = runs_[c]; i < runs_[c + 1]; ++i) {
      compare(search, i, {i + 1, after}, batch);
      for (const Stretch& stretch : rows) compare(search, i, stretch, batch);
    }
    for (std::uint32_t level = here.level + 1; level <= levels_most; ++level)
      if (coarser_[level]) find_coarser(search, c, here, level, batch);
  }

  // A box of this cell begins somewhere in it, so what is near it begins in the coarse cells around.
  void find_coarser(const Search& search, std::size_t c, const Cell& here, std::uint32_t level,
                    Batch& batch) const {
    const unsigned shift = level - here.level;
    const auto coarse = [&](std::uint32_t x) { return 1 + ((x - 1) >> shift); };
    for (std::uint32_t dz = 0; dz < 3; ++dz)
      for (std::uint32_t dy = 0; dy < 3; ++dy) {
        const Stretch stretch = row(level, coarse(here.x), coarse(here.y) + dy - 1, coarse(here.z) + dz - 1);
        for (std::uint32_t i = runs_[c]; i < runs_[c + 1] && stretch.begin < stretch.end; ++i)
          compare(search, i, stretch, batch);
      }
  }

  void compare(const Search& search, std::uint32_t i, const Stretch& stretch, Batch& batch) const {
    FloatBox box;
    for (std::size_t k = 0; k < 3; ++k) {
      box.lo[k] = sorted_[k * stride_ + i];
      box.hi[k] = sorted_[(k + 3) * stride_ + i];
    }
    for (std::uint32_t j = stretch.begin; j < stretch.end; j += 8) {
      unsigned bits = near_boxes(sorted_.data() + j, stride_, box, reach_);
      if (stretch.end - j < 8) bits &= (1u << (stretch.end - j)) - 1;
      for (; bits != 0; bits &= bits - 1)
        test(search, numbers_[i], numbers_[j + static_cast<std::uint32_t>(std::countr_zero(bits))], batch);
    }
  }

  // The features that the two triangles own.
  void test(const Search& search, const Item& first, const Item& second, Batch& batch) const {
    if (first.slot == second.slot && !regions_[first.slot].self) return;
    const Surfaces& all = search.surfaces;
    const std::uint32_t a = first.triangle, b = second.triangle;
    ++batch.counters.candidates;
    const TriangleCorners &one = all.triangles()[a], &two = all.triangles()[b];
    const unsigned owned_a = all.owned()[a], owned_b = all.owned()[b];
    const auto has = [](const TriangleCorners& t, std::uint32_t v) {
      return t[0] == v || t[1] == v || t[2] == v;
    };
    for (unsigned k = 0; k < 3; ++k) {
      if ((owned_a >> k & 1) != 0 && !has(two, one[k])) batch.vertex_triangle(one[k], b);
      if ((owned_b >> k & 1) != 0 && !has(one, two[k])) batch.vertex_triangle(two[k], a);
    }
    for (unsigned k = 0; k < 3; ++k) {
      if ((owned_a >> (3 + k) & 1) == 0) continue;
      const std::uint32_t e0 = one[k], e1 = one[k == 2 ? 0 : k + 1];
      for (unsigned l = 0; l < 3; ++l) {
        if ((owned_b >> (3 + l) & 1) == 0) continue;
        const std::uint32_t f0 = two[l], f1 = two[l == 2 ? 0 : l + 1];
        if (e0 != f0 && e0 != f1 && e1 != f0 && e1 != f1) batch.edge_edge(3 * a + k, 3 * b + l);
      }
    }
  }

  Frame frame_;
  float reach_ = 0, cell_ = 1;
  std::vector<Region> regions_;  // by slot: where others are
  std::vector<Item> triangles_;  // as collected
  std::vector<FloatBox> boxes_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> order_;
  std::vector<float> sorted_;  // six rows
  std::size_t stride_ = 0;
  std::vector<Item> numbers_;        // triangles in the order of the keys
  std::vector<std::uint32_t> runs_;  // where each cell begins, and the end of the last
  std::vector<std::uint64_t> run_keys_;
  std::array<bool, levels_most + 1> coarser_{};
  RadixSort sort_;
};

}  // namespace

std::unique_ptr<Finder> make_finder_grid(const FinderOptions& /*unused*/) {
  return std::make_unique<FinderGrid>();
}

}  // namespace palpate
