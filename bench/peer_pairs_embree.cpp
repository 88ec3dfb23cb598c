// Embree's rtcCollide: a scene of user geometry for each surface (one for all where everything is compared
// with everything), brought up to date and collided. It hands over pairs of triangles that lie in leaves
// which overlap, each pair twice inside one scene: the callback compares boxes and keeps one.
#include <cstdlib>

#include <embree3/rtcore.h>

#include "peer_pairs.h"

namespace palpate::bench {

namespace {

class EmbreePairs : public PairPeer {
 public:
  explicit EmbreePairs(const PairScene& scene) : scene_(scene) {
    grow_boxes(scene, scene.frames[0], boxes_);
    const char* q = std::getenv("EMBREE_Q");
    const int quality = q ? std::atoi(q) : 0;
    one_ = scene.self || std::getenv("EMBREE_ONE") != nullptr;
    surface_.resize(scene.triangles.size());
    for (std::uint32_t i = 0; i < scene.surfaces(); ++i)
      for (std::uint32_t t = scene.begins[i]; t < scene.begins[i + 1]; ++t) surface_[t] = i;
    for (std::size_t i = 0; i < (one_ ? 1 : scene.surfaces()); ++i) {
      Body body;
      body.peer = this;
      body.first = scene.begins[i];
      const std::uint32_t end = one_ ? scene.begins.back() : scene.begins[i + 1];
      body.scene = rtcNewScene(device_);
      rtcSetSceneFlags(body.scene, quality == 3 ? RTC_SCENE_FLAG_NONE : RTC_SCENE_FLAG_DYNAMIC);
      rtcSetSceneBuildQuality(body.scene, quality == 2 || quality == 3 ? RTC_BUILD_QUALITY_MEDIUM : RTC_BUILD_QUALITY_LOW);
      body.geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_USER);
      if (quality == 0) rtcSetGeometryBuildQuality(body.geometry, RTC_BUILD_QUALITY_REFIT);
      else if (quality == 1) rtcSetGeometryBuildQuality(body.geometry, RTC_BUILD_QUALITY_LOW);
      else rtcSetGeometryBuildQuality(body.geometry, RTC_BUILD_QUALITY_MEDIUM);
      rtcSetGeometryUserPrimitiveCount(body.geometry, end - body.first);
      bodies_.push_back(body);
    }
    for (Body& body : bodies_) {
      rtcSetGeometryUserData(body.geometry, &body);
      rtcSetGeometryBoundsFunction(body.geometry, bounds, nullptr);
      rtcCommitGeometry(body.geometry);
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
  void step(const std::vector<Vec3>& positions) override {
    grow_boxes(scene_, positions, boxes_);
    for (Body& body : bodies_) {
      rtcUpdateGeometryBuffer(body.geometry, RTC_BUFFER_TYPE_VERTEX, 0);
      rtcCommitGeometry(body.geometry);
      rtcCommitScene(body.scene);
    }
    pairs.clear();
    if (one_) {
      collide(bodies_[0], bodies_[0]);
    } else {
      for (const auto& [a, b] : sweep_.find(scene_, boxes_)) collide(bodies_[a], bodies_[b]);
    }
  }

 private:
  struct Body {
    EmbreePairs* peer;
    RTCScene scene;
    RTCGeometry geometry;
    std::uint32_t first;
  };
  static void bounds(const RTCBoundsFunctionArguments* arguments) {
    const auto& body = *static_cast<const Body*>(arguments->geometryUserPtr);
    const GrownBox& box = body.peer->boxes_[body.first + arguments->primID];
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
      if (peer.one_ && (a >= b || (!peer.scene_.self && peer.surface_[a] == peer.surface_[b]))) continue;
      if (peer.boxes_[a].overlaps(peer.boxes_[b])) peer.pairs.push_back({std::min(a, b), std::max(a, b)});
    }
  }

  const PairScene& scene_;
  RTCDevice device_ = rtcNewDevice(nullptr);
  bool one_;
  std::vector<GrownBox> boxes_;
  std::vector<std::uint32_t> surface_;
  std::vector<Body> bodies_;
  BodySweep sweep_;
  std::uint32_t first_ = 0, second_ = 0;
};

}  // namespace

std::unique_ptr<PairPeer> make_embree_pairs(const PairScene& scene) {
  return std::make_unique<EmbreePairs>(scene);
}

}  // namespace palpate::bench
