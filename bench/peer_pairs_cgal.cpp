// CGAL's box_intersection_d: boxes are made anew and handed over, there is nothing to keep. Two surfaces are
// two sequences; of many surfaces all boxes are one sequence, and pairs of the same surface are dropped.
// Not tried: one call for each two bodies that come near, other cutoffs than CGAL's own.
#include <CGAL/box_intersection_d.h>

#include "peer_pairs.h"

namespace palpate::bench {

namespace {

// A box as the algorithm asks for it: smaller, and sooner made, than CGAL's own.
struct CgalBox {
  using NT = float;
  using ID = std::uint32_t;
  static int dimension() { return 3; }
  ID id() const { return triangle; }
  NT min_coord(int k) const { return box.lo[k]; }
  NT max_coord(int k) const { return box.hi[k]; }
  GrownBox box;
  std::uint32_t triangle, surface;
};

class CgalPairs : public PairFinder {
 public:
  explicit CgalPairs(const PairScene& scene) : scene_(scene), surface_(scene.triangles.size()) {
    for (std::uint32_t i = 0; i < scene.surfaces(); ++i)
      for (std::uint32_t t = scene.begins[i]; t < scene.begins[i + 1]; ++t) surface_[t] = i;
  }
  std::span<const TrianglePair> step(const std::vector<Vec3>& positions) override {
    grow_boxes(scene_, positions, grown_);
    boxes_.resize(grown_.size());
    pointers_.resize(grown_.size());
    for (std::uint32_t t = 0; t < boxes_.size(); ++t) {
      boxes_[t] = {grown_[t], t, surface_[t]};
      pointers_[t] = &boxes_[t];
    }
    pairs_.clear();
    const auto add = [&](const CgalBox* a, const CgalBox* b) {
      if (scene_.self || a->surface != b->surface)
        pairs_.push_back({std::min(a->triangle, b->triangle), std::max(a->triangle, b->triangle)});
    };
    if (!scene_.self && scene_.surfaces() == 2) {
      const auto middle = pointers_.begin() + scene_.begins[1];
      CGAL::box_intersection_d(pointers_.begin(), middle, middle, pointers_.end(), add);
    } else {
      CGAL::box_self_intersection_d(pointers_.begin(), pointers_.end(), add);
    }
    return pairs_;
  }

 private:
  const PairScene& scene_;
  std::vector<std::uint32_t> surface_;
  std::vector<GrownBox> grown_;
  std::vector<CgalBox> boxes_;
  std::vector<const CgalBox*> pointers_;
  std::vector<TrianglePair> pairs_;
};

}  // namespace

std::unique_ptr<PairFinder> make_cgal_pairs(const PairScene& scene) {
  return std::make_unique<CgalPairs>(scene);
}

}  // namespace palpate::bench
