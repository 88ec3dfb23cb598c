#include "pair_cases.h"

#include <memory>
#include <span>

#include "contact_conclusions.h"
#include "peer_pairs.h"

namespace palpate::bench {

namespace {

// The same for the same pairs in any order.
std::uint64_t sum_of(std::span<const TrianglePair> pairs) {
  std::uint64_t sum = pairs.size();
  for (const TrianglePair& pair : pairs) {
    std::uint64_t x = (std::uint64_t{pair.first} << 32 | pair.second) + 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    sum += x ^ x >> 31;
  }
  return sum;
}

class OurPairs : public PairFinder {
 public:
  explicit OurPairs(const PairScene& scene) : scene_(scene) {
    search_.build(scene.frames[0], scene.triangles, std::span(scene.begins).first(scene.surfaces()));
  }
  std::span<const TrianglePair> step(const std::vector<Vec3>& positions) override {
    return search_.find(positions, scene_.distance,
                        scene_.self ? Among::everything : Among::different_surfaces);
  }

 private:
  const PairScene& scene_;
  TrianglePairs search_;
};

// A run is a step for each frame.
Method method(const std::string& name, Role role, const std::shared_ptr<const PairScene>& scene,
              std::unique_ptr<PairFinder> finder) {
  struct State {
    std::unique_ptr<PairFinder> finder;
    std::size_t pairs = 0;
  };
  const auto state = std::make_shared<State>();
  state->finder = std::move(finder);
  const auto run = [scene, state] {
    state->pairs = 0;
    for (const auto& frame : scene->frames) state->pairs += state->finder->step(frame).size();
  };
  const auto result = [scene, state] {
    std::uint64_t sum = 0;
    for (const auto& frame : scene->frames) sum = 3 * sum + sum_of(state->finder->step(frame));
    return sum;
  };
  const auto facts = [scene, state] {
    const auto frames = static_cast<double>(scene->frames.size());
    return std::vector<std::pair<std::string, double>>{
        {"triangles", static_cast<double>(scene->triangles.size())},
        {"frames", frames},
        {"pairs", static_cast<double>(state->pairs) / frames}};
  };
  return {name, role, run, {}, result, role == Role::ours, facts};
}

}  // namespace

Case pair_case(const ListedScene& listed) {
  const auto make = [listed] {
    const ContactScene meshes = listed.make();
    const auto scene = std::make_shared<const PairScene>(meshes, listed.edges * meshes.edge);
    std::vector<Method> all;
    all.push_back(method("triangle_pairs", Role::ours, scene, std::make_unique<OurPairs>(*scene)));
#ifdef PALPATE_EMBREE
    all.push_back(method("Embree", Role::peer, scene, make_embree_pairs(*scene)));
#endif
#ifdef PALPATE_CGAL
    all.push_back(method("CGAL", Role::peer, scene, make_cgal_pairs(*scene)));
#endif
#ifdef PALPATE_BULLET
    all.push_back(method("Bullet", Role::peer, scene, make_bullet_pairs(*scene)));
#endif
    return all;
  };
  return {pair_prefix + listed.name, listed.triangles, make};
}

std::optional<Method> cgal_boxes([[maybe_unused]] const ContactScene& scene,
                                 [[maybe_unused]] double distance) {
#ifdef PALPATE_CGAL
  const auto boxes = std::make_shared<const PairScene>(scene, distance);
  Method cgal = method("CGAL boxes", Role::peer, boxes, make_cgal_pairs(*boxes));
  cgal.result = {};  // nothing else in this case finds pairs of triangles
  return cgal;
#else
  return {};
#endif
}

}  // namespace palpate::bench
