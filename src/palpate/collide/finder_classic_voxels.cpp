// One regular grid over the scene (Meseure, Hilde and Chaillou, about 1998).
//
// Every triangle is put into the list of every voxel that its box meets, and compared with those that are
// there. Surfaces that never move are put in once and for all, into lists of their own. The other lists are
// dated: one with an old date counts as empty, so that nothing has to be cleared. A pair is compared in the
// voxel that holds the larger of the low corners of the two boxes, axis by axis, and nowhere else.
#include <algorithm>
#include <array>
#include <cmath>

#include <palpate/collide/classic_pairs.h>
#include <palpate/collide/finder_list.h>

namespace palpate {

namespace {

constexpr std::uint32_t none = 0xffffffff;

using Voxel = std::array<std::int64_t, 3>;

class FinderClassicVoxels : public Finder {
 public:
  explicit FinderClassicVoxels(const FinderOptions& options) : options_(options) {}

  void find(const Search& search, Collector& out) override {
    const Surfaces& all = search.surfaces;
    std::vector<std::uint8_t> role(all.slots().size(), unused);
    Box scene;
    for (const SurfacePair& pair : search.pairs)
      for (const std::uint32_t slot : {pair.first, pair.second}) {
        // What is fixed and still searched with itself is put in anew like the others.
        const bool still = all[slot].motion == Motion::fixed && !(pair.first == pair.second);
        role[slot] = std::max<std::uint8_t>(role[slot], still ? fixed : moving);
        scene.add(all.box(slot));
      }
    if (scene.empty()) return;
    Batch batch(out);
    choose_voxels(search, scene);
    std::vector<std::uint64_t> now{all.layout(), static_cast<std::uint64_t>(role.size())};
    for (std::uint32_t slot = 0; slot < role.size(); ++slot)
      if (role[slot] == fixed) now.insert(now.end(), {slot, all[slot].changes, all[slot].moves});
    if (now != fixed_for_) {
      fixed_for_ = now;
      std::fill(fixed_first_.begin(), fixed_first_.end(), none);
      fixed_.clear();
      fixed_entries_.clear();
      each_triangle(search, role, fixed, [&](const ClassicTriangle& t, std::uint32_t slot) {
        fixed_.push_back({t, slot});
        each_voxel(t.box, [&](const Voxel&, std::size_t v) {
          fixed_entries_.push_back({static_cast<std::uint32_t>(fixed_.size() - 1), fixed_first_[v]});
          fixed_first_[v] = static_cast<std::uint32_t>(fixed_entries_.size() - 1);
        });
      });
    }
    ++date_;
    moving_.clear();
    entries_.clear();
    each_triangle(search, role, moving, [&](const ClassicTriangle& t, std::uint32_t slot) {
      moving_.push_back({t, slot});
      each_voxel(t.box, [&](const Voxel& voxel, std::size_t v) {
        ++batch.counters.cells;
        for (std::uint32_t e = fixed_first_[v]; e != none; e = fixed_entries_[e].next)
          compare(search, fixed_[fixed_entries_[e].triangle], moving_.back(), voxel, batch);
        if (dates_[v] != date_) {
          dates_[v] = date_;
          first_[v] = none;
        }
        for (std::uint32_t e = first_[v]; e != none; e = entries_[e].next)
          compare(search, moving_[entries_[e].triangle], moving_.back(), voxel, batch);
        entries_.push_back({static_cast<std::uint32_t>(moving_.size() - 1), first_[v]});
        first_[v] = static_cast<std::uint32_t>(entries_.size() - 1);
      });
    });
  }

  std::size_t memory() const override {
    return dates_.capacity() * 12 + (fixed_entries_.capacity() + entries_.capacity()) * sizeof(Entry) +
           (fixed_.capacity() + moving_.capacity()) * sizeof(Placed);
  }

 private:
  enum Role : std::uint8_t { unused, fixed, moving };
  struct Placed {
    ClassicTriangle triangle;
    std::uint32_t slot;
  };
  struct Entry {
    std::uint32_t triangle, next;
  };

  // So many mean triangles (two, unless asked for otherwise), within a few million voxels; kept while the
  // scene stays inside and the reach does not change.
  void choose_voxels(const Search& search, const Box& scene) {
    const double half = classic_half(search.reach);
    if (half == half_ && bounds_.contains(scene)) return;
    half_ = half;
    bounds_ = grown(scene, scene.size().maxCoeff() / 8 + search.reach);
    double sum = 0;
    std::size_t count = 0;
    for (const SurfacePair& pair : search.pairs)
      for (const std::uint32_t slot : {pair.first, pair.second}) {
        const Surface& surface = search.surfaces[slot];
        for (std::uint32_t t = 0; t < surface.triangles; t += 7)
          if (!surface.topology.is_hole(t)) {
            sum += classic_triangle(search.surfaces, surface.first_triangle + t, half).box.size().maxCoeff();
            ++count;
          }
      }
    size_ = count == 0 ? 1 : options_.voxel_size * sum / static_cast<double>(count);
    const Vec3 extent = bounds_.size();
    const auto voxels = [&] { return ((extent / size_).array().floor() + 1).prod(); };
    size_ = std::max(size_, extent.maxCoeff() / 4096);
    // No more than a few for each triangle (every seventh was counted).
    const double most = std::clamp<double>(100.0 * static_cast<double>(count), 4096, 1 << 22);
    while (voxels() > most) size_ *= 1.25;
    for (std::size_t k = 0; k < 3; ++k)
      dims_[k] = static_cast<std::int64_t>(extent[static_cast<Eigen::Index>(k)] / size_) + 1;
    const auto n = static_cast<std::size_t>(dims_[0] * dims_[1] * dims_[2]);
    dates_.assign(n, 0);
    first_.assign(n, none);
    fixed_first_.assign(n, none);
    date_ = 0;
    fixed_for_.clear();
  }

  Voxel voxel_of(const Vec3& p) const {
    Voxel voxel{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = static_cast<Eigen::Index>(k);
      voxel[k] = std::clamp<std::int64_t>(
          static_cast<std::int64_t>(std::floor((p[axis] - bounds_.lo[axis]) / size_)), 0, dims_[k] - 1);
    }
    return voxel;
  }

  template <class Visit>
  void each_voxel(const Box& box, Visit&& visit) const {
    const Voxel lo = voxel_of(box.lo), hi = voxel_of(box.hi);
    for (std::int64_t z = lo[2]; z <= hi[2]; ++z)
      for (std::int64_t y = lo[1]; y <= hi[1]; ++y)
        for (std::int64_t x = lo[0]; x <= hi[0]; ++x)
          visit(Voxel{x, y, z}, static_cast<std::size_t>((z * dims_[1] + y) * dims_[0] + x));
  }

  template <class Visit>
  void each_triangle(const Search& search, const std::vector<std::uint8_t>& role, Role wanted,
                     Visit&& visit) const {
    for (std::uint32_t slot = 0; slot < role.size(); ++slot) {
      if (role[slot] != wanted) continue;
      const Surface& surface = search.surfaces[slot];
      for (std::uint32_t t = 0; t < surface.triangles; ++t)
        if (!surface.topology.is_hole(t))
          visit(classic_triangle(search.surfaces, surface.first_triangle + t, half_, options_.spheres), slot);
    }
  }

  void compare(const Search& search, const Placed& a, const Placed& b, const Voxel& here,
               Batch& batch) const {
    const Box &one = a.triangle.box, &two = b.triangle.box;
    if (!((one.lo.array() <= two.hi.array()) && (two.lo.array() <= one.hi.array())).all()) return;
    if (voxel_of(one.lo.cwiseMax(two.lo)) != here) return;
    const SurfacePair* pair = search.find(a.slot, b.slot);
    if (pair == nullptr) return;
    ++batch.counters.candidates;
    test_triangles(search.surfaces, a.triangle, b.triangle, pair->distance + search.margin,
                   options_.feature_boxes, batch);
  }

  FinderOptions options_;
  Box bounds_;
  double half_ = -1, size_ = 1;
  Voxel dims_{};
  std::vector<std::uint32_t> dates_, first_, fixed_first_;  // by voxel
  std::uint32_t date_ = 0;
  std::vector<std::uint64_t> fixed_for_;  // what the lists of fixed triangles hold
  std::vector<Placed> fixed_, moving_;
  std::vector<Entry> fixed_entries_, entries_;
};

}  // namespace

std::unique_ptr<Finder> make_finder_classic_voxels(const FinderOptions& options) {
  return std::make_unique<FinderClassicVoxels>(options);
}

}  // namespace palpate
