// Bullet's btDbvt: a tree for each surface (one for all where everything is compared with everything), made
// top-down once. Each step refits it from the leaves up, as btSoftBody does. Not
// tried: btDbvt::update, which takes each leaf out and puts it in again.
#include <BulletCollision/BroadphaseCollision/btDbvt.h>

#include "peer_pairs.h"

namespace palpate::bench {

namespace {

btDbvtVolume volume_of(const GrownBox& box) {
  return btDbvtVolume::FromMM(btVector3(box.lo[0], box.lo[1], box.lo[2]),
                              btVector3(box.hi[0], box.hi[1], box.hi[2]));
}

class BulletPairs : public PairFinder {
 public:
  explicit BulletPairs(const PairScene& scene)
      : scene_(scene), trees_(scene.self ? 1 : scene.surfaces()), collector_(pairs_) {
    grow_boxes(scene, scene.frames[0], boxes_);
    for (std::size_t i = 0; i < trees_.size(); ++i) {
      const std::uint32_t end = scene.self ? scene.begins.back() : scene.begins[i + 1];
      for (std::uint32_t t = scene.begins[i]; t < end; ++t)
        trees_[i].insert(volume_of(boxes_[t]), nullptr)->dataAsInt = static_cast<int>(t);
      trees_[i].optimizeTopDown();
    }
  }
  std::span<const TrianglePair> step(const std::vector<Vec3>& positions) override {
    grow_boxes(scene_, positions, boxes_);
    for (btDbvt& tree : trees_)
      if (tree.m_root != nullptr) refit(tree.m_root);
    pairs_.clear();
    if (scene_.self) {
      trees_[0].collideTTpersistentStack(trees_[0].m_root, trees_[0].m_root, collector_);
    } else {
      for (const auto& [a, b] : sweep_.find(scene_, boxes_))
        trees_[a].collideTTpersistentStack(trees_[a].m_root, trees_[b].m_root, collector_);
    }
    return pairs_;
  }

 private:
  struct Collector : btDbvt::ICollide {
    explicit Collector(std::vector<TrianglePair>& to) : out(to) {}
    void Process(const btDbvtNode* a, const btDbvtNode* b) override {
      const auto x = static_cast<std::uint32_t>(a->dataAsInt), y = static_cast<std::uint32_t>(b->dataAsInt);
      out.push_back({std::min(x, y), std::max(x, y)});
    }
    std::vector<TrianglePair>& out;
  };
  void refit(btDbvtNode* node) {
    if (node->isleaf()) {
      node->volume = volume_of(boxes_[static_cast<std::size_t>(node->dataAsInt)]);
      return;
    }
    refit(node->childs[0]);
    refit(node->childs[1]);
    Merge(node->childs[0]->volume, node->childs[1]->volume, node->volume);
  }

  const PairScene& scene_;
  std::vector<btDbvt> trees_;
  std::vector<GrownBox> boxes_;
  BodySweep sweep_;
  std::vector<TrianglePair> pairs_;
  Collector collector_;
};

}  // namespace

std::unique_ptr<PairFinder> make_bullet_pairs(const PairScene& scene) {
  return std::make_unique<BulletPairs>(scene);
}

}  // namespace palpate::bench
