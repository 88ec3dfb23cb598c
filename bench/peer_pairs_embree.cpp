// Embree's rtcCollide: a scene of user geometry for each surface (one for all where everything is compared
// with everything), refitted and collided; of many surfaces, those whose boxes overlap. Refitting was faster
// than building anew at low quality on the six scenes where both were tried (at medium quality: on cloth-ball
// alone), and a thousand scenes for a thousand balls faster than one, with pairs of the same ball dropped.
// Inside one scene each pair comes twice: the callback keeps one. Embree would call it from several threads,
// where the caller's arena has them.
#include <algorithm>

#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

#include <palpate/base/parallel.h>

#include "peer_pairs.h"

namespace palpate::bench {

namespace {

class EmbreePairs : public PairFinder {
 public:
  explicit EmbreePairs(const PairScene& scene) : scene_(scene) {
    grow_boxes(scene, scene.frames[0], boxes_);
    bodies_.resize(scene.self ? 1 : scene.surfaces());
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      Body& body = bodies_[i];
      const std::uint32_t end = scene.self ? scene.begins.back() : scene.begins[i + 1];
      body.boxes = &boxes_;
      body.first = scene.begins[i];
      body.geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_USER);
      rtcSetGeometryBuildQuality(body.geometry, RTC_BUILD_QUALITY_REFIT);
      rtcSetGeometryUserPrimitiveCount(body.geometry, end - body.first);
      rtcSetGeometryUserData(body.geometry, &body);
      rtcSetGeometryBoundsFunction(body.geometry, bounds, nullptr);
      rtcCommitGeometry(body.geometry);
      body.scene = rtcNewScene(device_);
      rtcSetSceneFlags(body.scene, RTC_SCENE_FLAG_DYNAMIC);
      rtcSetSceneBuildQuality(body.scene, RTC_BUILD_QUALITY_LOW);
      rtcAttachGeometry(body.scene, body.geometry);
      rtcCommitScene(body.scene);
    }
  }
  ~EmbreePairs() override {
    for (Body& body : bodies_) {
      rtcReleaseGeometry(body.geometry);
      rtcReleaseScene(body.scene);
    }
    rtcReleaseDevice(device_);
  }
  std::span<const TrianglePair> step(const std::vector<Vec3>& positions) override {
    one_thread_.run([&] { update_and_collide(positions); });
    return pairs_;
  }

 private:
  struct Body {
    const std::vector<GrownBox>* boxes = nullptr;  // of all bodies
    std::uint32_t first = 0;                       // triangle
    RTCScene scene = nullptr;
    RTCGeometry geometry = nullptr;
  };
  void update_and_collide(const std::vector<Vec3>& positions) {
    grow_boxes(scene_, positions, boxes_);
    for (Body& body : bodies_) {
      rtcCommitGeometry(body.geometry);
      rtcCommitScene(body.scene);
    }
    pairs_.clear();
    if (scene_.self) {
      collide(bodies_[0], bodies_[0]);
    } else {
      for (const auto& [a, b] : sweep_.find(scene_, boxes_)) collide(bodies_[a], bodies_[b]);
    }
  }
  static void bounds(const RTCBoundsFunctionArguments* arguments) {
    const auto& body = *static_cast<const Body*>(arguments->geometryUserPtr);
    const GrownBox& box = (*body.boxes)[body.first + arguments->primID];
    RTCBounds& out = *arguments->bounds_o;
    out.lower_x = box.lo[0], out.lower_y = box.lo[1], out.lower_z = box.lo[2];
    out.upper_x = box.hi[0], out.upper_y = box.hi[1], out.upper_z = box.hi[2];
  }
  void collide(const Body& a, const Body& b) {
    first_ = a.first;
    second_ = b.first;
    rtcCollide(a.scene, b.scene, add, this);
  }
  static void add(void* user, RTCCollision* collisions, unsigned count) {
    auto& peer = *static_cast<EmbreePairs*>(user);
    for (unsigned i = 0; i < count; ++i) {
      const std::uint32_t a = peer.first_ + collisions[i].primID0, b = peer.second_ + collisions[i].primID1;
      if (peer.scene_.self && a >= b) continue;
      if (peer.boxes_[a].overlaps(peer.boxes_[b])) peer.pairs_.push_back({std::min(a, b), std::max(a, b)});
    }
  }

  const PairScene& scene_;
  Threads one_thread_{1};
  RTCDevice device_ = rtcNewDevice(nullptr);
  std::vector<GrownBox> boxes_;
  std::vector<Body> bodies_;
  BodySweep sweep_;
  std::uint32_t first_ = 0, second_ = 0;
  std::vector<TrianglePair> pairs_;
};

}  // namespace

std::unique_ptr<PairFinder> make_embree_pairs(const PairScene& scene) {
  return std::make_unique<EmbreePairs>(scene);
}

}  // namespace palpate::bench
