// Pairs kept from call to call: the same contacts as without, and used where things move little.
#include <palpate/collide/kept_pairs.h>

#include <algorithm>
#include <cmath>
#include <string>

#include <support/allocation_counter.h>
#include <support/cases.h>
#include <support/contact_scenes.h>

#include <palpate/base/parallel.h>
#include <palpate/collide/detector.h>
#include <palpate/collide/finder.h>
#include <palpate/mesh/generate.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

std::vector<Contact> copy(const ContactSet& set) { return {set.begin(), set.end()}; }

bool same(const std::vector<Contact>& a, const std::vector<Contact>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), testing::same_bits);
}

// The default and brute force, with the same surfaces.
struct Both {
  Detector kept, brute;
  std::vector<SurfaceId> ids;
  std::vector<std::vector<Vec3>> positions;

  Both(const testing::ContactScene& scene, const DetectorOptions& options, bool rest) : kept(options) {
    DetectorOptions plain = options;
    plain.finder = "brute";
    brute = Detector(plain);
    for (const TriangleMesh& mesh : scene.meshes) {
      SurfaceOptions of;
      if (rest) of.rest = mesh.positions;
      ids.push_back(kept.add(mesh, of));
      brute.add(mesh, of);
      positions.push_back(mesh.positions);
    }
  }
  template <class Work>
  void each(Work&& work) {
    work(kept);
    work(brute);
  }
  // Until the default has made its trees.
  bool warm_up() {
    for (int i = 0; i < 800; ++i)
      if (kept.detect().remark.starts_with("tree:")) return true;
    return false;
  }
  void move(Random& random, double by) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (random.chance(0.2)) continue;  // this one rests
      const Vec3 all = testing::random_point(random, by / 2);
      for (Vec3& p : positions[i]) p += all + testing::random_point(random, by / 4);
      each([&](Detector& detector) { detector.set_positions(ids[i], positions[i]); });
    }
  }
};

// The list itself, whether it pays or not.
TEST(KeptPairsProperty, AListThatHoldsHasAllPairs) {
  std::size_t held = 0, filled = 0;
  const std::size_t cases = each_case(300, [&](Random& random) {
    const testing::ContactScene scene = testing::random_scene(random);
    Surfaces surfaces;
    std::vector<SurfaceId> ids;
    std::vector<SurfacePair> pairs;
    for (std::uint32_t i = 0; i < scene.meshes.size(); ++i) {
      const TriangleMesh& mesh = scene.meshes[i];
      Surface surface;
      surface.has_rest = random.chance(0.3);
      if (surface.has_rest) surface.rest = mesh.positions;
      ids.push_back(surfaces.add(std::move(surface), mesh.positions, mesh.triangles));
    }
    for (std::uint32_t i = 0; i < scene.meshes.size(); ++i) {
      surfaces.make_near(i, scene.distance * random.uniform(0.1, 4));
      for (std::uint32_t j = i; j < scene.meshes.size(); ++j)
        pairs.push_back({i, j, scene.distance * (random.chance(0.7) ? 1 : random.uniform(0.5, 1))});
    }
    double margin = random.chance(0.5) ? 0 : random.uniform(0, 1) * scene.distance;
    KeptPairs list;
    Collector found, out, expected_out;
    const auto tree = make_finder("tree"), brute = make_finder("brute");
    const double pace = random.uniform(0, 0.1) * scene.distance;
    const double skin = random.uniform(0, 0.5) * scene.distance + 1e-9;
    for (int call = 0; call < 8; ++call) {
      if (random.chance(0.05)) margin *= random.uniform(0.5, 2);
      for (std::uint32_t i = 0; i < ids.size(); ++i) {
        const Surface& surface = surfaces[i];
        std::vector<Vec3> moved(surfaces.positions().begin() + surface.first_vertex,
                                surfaces.positions().begin() + surface.first_vertex + surface.vertices);
        for (Vec3& p : moved) p += testing::random_point(random, pace);
        surfaces.set_positions(ids[i], moved);
      }
      const Search search{surfaces, pairs, margin, scene.distance + margin, false};
      const bool known = std::all_of(pairs.begin(), pairs.end(),
                                     [&](const SurfacePair& pair) { return list.knows(search, pair); });
      if (known && list.hold(search, pairs)) {
        ++held;
      } else {
        const Search wider = KeptPairs::widened(search, pairs, skin);
        found.begin(wider);
        tree->update(wider);
        tree->find(wider, found);
        list.fill(search, pairs, skin, found);
        ++filled;
      }
      out.begin(search);
      list.bring(out);
      expected_out.begin(search);
      brute->find(search, expected_out);
      const auto got = out.order(), expected = expected_out.order();
      ASSERT_TRUE(std::equal(got.begin(), got.end(), expected.begin(), expected.end(), testing::same_bits))
          << scene.name << ", call " << call << ": " << got.size() << " of " << expected.size();
    }
  });
  EXPECT_GT(held, cases);
  EXPECT_GT(filled, cases);
}

TEST(KeptPairsProperty, SlowMotionsEqualBrute) {
  std::size_t used = 0, rebuilt = 0, calls = 0;
  const std::size_t cases = each_case(20, [&](Random& random) {
    const testing::ContactScene scene = testing::random_scene(random);
    DetectorOptions options{.contact_distance = scene.distance};
    if (random.chance(0.3)) options.margin = random.uniform(0, 1) * scene.distance;
    if (random.chance(0.3)) options.neighbour_distance = random.uniform(0, 4) * scene.distance;
    Both both(scene, options, random.chance(0.3));
    if (!both.warm_up()) return;
    const double pace = random.uniform(0, 0.01) * scene.distance;
    for (int call = 0; call < 40; ++call) {
      // Now and then something else changes.
      if (random.chance(0.05)) both.move(random, random.uniform(0, 1) * scene.distance);
      if (random.chance(0.03)) {
        const double d = scene.distance * random.uniform(0.8, 1.2);
        both.each([&](Detector& detector) { detector.set_contact_distance(d); });
      }
      if (random.chance(0.03)) {
        const double m = scene.distance * random.uniform(0, 0.5);
        both.each([&](Detector& detector) { detector.set_margin(m); });
      }
      if (random.chance(0.03)) {
        const double g = scene.distance * random.uniform(0, 4);
        both.each([&](Detector& detector) { detector.set_neighbour_distance(g); });
      }
      if (random.chance(0.03)) {
        const SurfaceId a = both.ids[random.below(both.ids.size())];
        const bool excluded = random.chance(0.5);
        both.each([&](Detector& detector) { detector.exclude(a, both.ids[0], excluded); });
      }
      if (random.chance(0.02)) {
        both.each([&](Detector& detector) { detector.add(scene.meshes[0], {.name = "one more"}); });
      }
      if (random.chance(0.02)) {
        const std::size_t which = random.below(both.ids.size());
        const std::vector<std::uint32_t> cut{
            static_cast<std::uint32_t>(random.below(scene.meshes[which].triangles.size()))};
        const Topology& topology = both.kept.surfaces().at(both.ids[which]).topology;
        if (!topology.is_hole(cut[0]))
          both.each([&](Detector& detector) { detector.remove_triangles(both.ids[which], cut); });
      }
      both.move(random, pace);
      const ContactSet found = both.kept.detect();
      ASSERT_TRUE(same(copy(found), copy(both.brute.detect()))) << scene.name << ", call " << call;
      ++calls;
      used += found.counters.kept > 0 && found.counters.rebuilt == 0;
      rebuilt += found.counters.rebuilt;
    }
  });
  if (cases < 20) return;  // too few for all of it to come up
  EXPECT_GT(used, calls / 50);
  EXPECT_GT(rebuilt, calls / 100);
}

// Two surfaces that come from far away: what was not searched when the list was made has to be found.
TEST(KeptPairs, SurfacesThatComeLater) {
  for (const double speed : {0.004, 0.02, 0.3}) {
    testing::ContactScene scene{"three sheets", {}, 0.3};
    for (int i = 0; i < 3; ++i)
      scene.meshes.push_back(testing::bent(
          testing::sheet(3, 3), [&](const Vec3& p) { return Vec3(p + Vec3(0, 0, i == 2 ? 1 : 0.2 * i)); }));
    Both both(scene, {.contact_distance = scene.distance}, false);
    ASSERT_TRUE(both.warm_up());
    std::size_t most = 0;
    for (int call = 0; call < 250; ++call) {
      if (both.positions[2][0].z() > 0.3) {
        for (Vec3& p : both.positions[2]) p.z() -= speed;
        both.each([&](Detector& detector) { detector.set_positions(both.ids[2], both.positions[2]); });
      }
      const std::vector<Contact> found = copy(both.kept.detect());
      ASSERT_TRUE(same(found, copy(both.brute.detect()))) << "call " << call;
      most = std::max(most, found.size());
    }
    EXPECT_GT(most, both.kept.detect().size() / 2);
  }
}

TEST(KeptPairs, CountersSayWhenTheyWereRebuilt) {
  TriangleMesh knot = make(KnotShape{});
  for (Vec3& p : knot.positions) p.z() *= 0.2;  // pressed flat, so that it touches itself
  Detector detector({.contact_distance = 0.005});
  const SurfaceId id = detector.add(knot);
  std::vector<Vec3> positions = knot.positions;
  const auto call = [&](double by) {
    for (Vec3& p : positions) p.x() += by;
    detector.set_positions(id, positions);
    return detector.detect();
  };
  for (int i = 0; i < 20; ++i) call(1e-5);
  // Ten micrometres a call, five millimetres of distance: most calls need no search.
  std::size_t rebuilt = 0;
  for (int i = 0; i < 100; ++i) {
    const ContactSet found = call(1e-5);
    rebuilt += found.counters.rebuilt;
    EXPECT_GE(found.counters.kept, found.size());
    EXPECT_GT(found.size(), 1000u);
    EXPECT_NE(found.remark.find("kept"), std::string_view::npos);
  }
  EXPECT_GE(rebuilt, 1u);
  EXPECT_LE(rebuilt, 20u);
  // A millimetre a call is too fast.
  for (int i = 0; i < 3; ++i) call(1e-3);
  const ContactSet fast = call(1e-3);
  EXPECT_EQ(fast.counters.kept, 0u);
  EXPECT_EQ(fast.counters.rebuilt, 0u);
}

TEST(KeptPairs, AWarmCallAllocatesNothing) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "the sanitizers have their own allocator";
  TriangleMesh knot = make(KnotShape{});
  for (Vec3& p : knot.positions) p.z() *= 0.2;
  Detector detector({.contact_distance = 0.005});
  const SurfaceId id = detector.add(knot);
  std::vector<Vec3> positions = knot.positions;
  Threads(1).run([&] {
    const auto call = [&] {
      for (Vec3& p : positions) p.x() += 2e-5;
      detector.set_positions(id, positions);
      return detector.detect().counters;
    };
    for (int i = 0; i < 200; ++i) call();
    SearchCounters sum;
    EXPECT_EQ(testing::allocations_in([&] {
                for (int i = 0; i < 50; ++i) sum += call();
              }),
              0u);
    EXPECT_GT(sum.kept, 0u);
    EXPECT_GT(sum.rebuilt, 0u);
  });
}

}  // namespace
}  // namespace palpate
