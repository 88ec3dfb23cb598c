// Sweep and prune against all pairs of boxes, call after call while things move, come and go.
#include <palpate/collide/sweep.h>

#include <algorithm>
#include <set>

#include <support/cases.h>
#include <support/contact_scenes.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

std::set<std::pair<std::uint32_t, std::uint32_t>> all_pairs(const Surfaces& surfaces, double reach) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t i = 0; i < surfaces.slots().size(); ++i)
    for (std::uint32_t k = i + 1; k < surfaces.slots().size(); ++k) {
      const Surface &a = surfaces[i], &b = surfaces[k];
      if (!surfaces.alive(i) || !surfaces.alive(k)) continue;
      if (a.motion == Motion::fixed && b.motion == Motion::fixed) continue;
      if (squared_distance(a.box, b.box) < reach * reach) pairs.insert({i, k});
    }
  return pairs;
}

TEST(SweepProperty, FindsWhatAllPairsFind) {
  each_case(100, [](Random& random) {
    Surfaces surfaces;
    Sweep sweep;
    std::vector<SurfaceId> ids;
    const double reach = random.uniform(0.01, 0.5), size = random.uniform(0.5, 4);
    for (int step = 0; step < 20; ++step) {
      if (ids.size() < 3 || random.chance(0.5)) {
        Surface surface;
        surface.motion = random.chance(0.2) ? Motion::fixed : Motion::deformable;
        const TriangleMesh mesh = testing::random_soup(random, 1 + random.below(3), size, 0.3);
        ids.push_back(surfaces.add(std::move(surface), mesh.positions, mesh.triangles));
      } else if (random.chance(0.2)) {
        const std::size_t i = random.below(ids.size());
        surfaces.remove(ids[i]);
        ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(i));
      }
      for (const SurfaceId id : ids) {
        const Surface& surface = surfaces.at(id);
        std::vector<Vec3> moved(surfaces.positions().begin() + surface.first_vertex,
                                surfaces.positions().begin() + surface.first_vertex + surface.vertices);
        const Vec3 by = testing::random_point(random, 0.2);
        for (Vec3& p : moved) p += by;
        surfaces.set_positions(id, moved);
      }
      std::vector<Sweep::Pair> pairs;
      sweep.find(surfaces, reach, pairs);
      std::set<std::pair<std::uint32_t, std::uint32_t>> found;
      for (const auto& [first, second] : pairs) {
        ASSERT_LT(first, second);
        ASSERT_TRUE(found.insert({first, second}).second) << "a pair came twice";
      }
      // Boxes are compared axis by axis: a few more than those nearer than the reach.
      const auto expected = all_pairs(surfaces, reach);
      ASSERT_TRUE(std::includes(found.begin(), found.end(), expected.begin(), expected.end()));
      const auto wider = all_pairs(surfaces, 2 * reach);
      ASSERT_TRUE(std::includes(wider.begin(), wider.end(), found.begin(), found.end()));
    }
  });
}

}  // namespace
}  // namespace palpate
