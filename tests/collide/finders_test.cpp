// Every finder against brute force: the same contacts, bit for bit, on scenes that are random or known to be
// hard, for any number of threads.
#include <palpate/collide/detector.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <support/cases.h>
#include <support/contact_scenes.h>

#include <palpate/base/parallel.h>

namespace palpate {
namespace {

using testing::ContactScene;
using testing::each_case;
using testing::Random;

struct Settings {
  std::optional<double> g;
  double margin = 0;
  bool rest = false;
  std::vector<std::vector<Vec3>> moved;  // the positions after the first; none: as loaded
};

std::vector<Contact> contacts_of(const ContactScene& scene, const Settings& settings,
                                 std::string_view finder) {
  Detector detector({scene.distance, settings.g, settings.margin, std::string(finder)});
  std::vector<SurfaceId> ids;
  for (const TriangleMesh& mesh : scene.meshes) {
    SurfaceOptions options;
    if (settings.rest) options.rest = mesh.positions;
    ids.push_back(detector.add(mesh, options));
  }
  for (std::size_t i = 0; i < settings.moved.size(); ++i) detector.set_positions(ids[i], settings.moved[i]);
  const ContactSet found = detector.detect();
  return {found.begin(), found.end()};
}

// Empty if the two are the same to the last bit.
std::string difference(std::span<const Contact> a, std::span<const Contact> b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].key != b[i].key)
      return "contact " + std::to_string(i) + " has key " + std::to_string(a[i].key) + " and " +
             std::to_string(b[i].key);
    if (!testing::same_bits(a[i], b[i])) return "contact " + std::to_string(i) + " has other values";
  }
  if (a.size() != b.size()) return std::to_string(a.size()) + " contacts and " + std::to_string(b.size());
  return {};
}

Settings random_settings(Random& random, const ContactScene& scene) {
  Settings settings;
  if (random.chance(0.3)) settings.g = random.chance(0.3) ? 0 : random.uniform(0, 6) * scene.distance;
  if (random.chance(0.3)) settings.margin = random.uniform(0, 1) * scene.distance;
  settings.rest = random.chance(0.3);
  if (random.chance(0.2)) {
    // A strip is squashed, or everything bent: what lies on either side comes near without changing its
    // shape.
    const double from = random.uniform(-0.5, 3), width = random.uniform(0, 6) * scene.distance;
    const double curve = random.uniform(0, 2);
    const bool bend = random.chance(0.4);
    for (const TriangleMesh& mesh : scene.meshes) {
      settings.moved.push_back(mesh.positions);
      for (Vec3& p : settings.moved.back()) {
        if (bend) {
          p = Vec3((1 + p.z()) * std::sin(curve * p.x()), p.y(), (1 + p.z()) * std::cos(curve * p.x()));
        } else {
          p.x() -= 0.95 * std::clamp(p.x() - from, 0.0, width);
        }
      }
    }
  } else if (random.chance(0.3))
    for (const TriangleMesh& mesh : scene.meshes) {
      settings.moved.push_back(mesh.positions);
      for (Vec3& p : settings.moved.back()) p += testing::random_point(random, 0.3 * scene.distance);
    }
  return settings;
}

TEST(FindersProperty, AllEqualBrute) {
  std::size_t contacts = 0;
  // A hundred times as many in a long run.
  each_case(testing::long_run() ? 20'000 : 2000, [&](Random& random) {
    const ContactScene scene = testing::random_scene(random);
    const Settings settings = random_settings(random, scene);
    SCOPED_TRACE(scene.name);
    const std::vector<Contact> expected = contacts_of(scene, settings, "brute");
    contacts += expected.size();
    for (const FinderEntry& entry : finders()) {
      if (entry.name == "brute") continue;  // it takes longer than all others together
      const std::vector<Contact> found = contacts_of(scene, settings, entry.name);
      ASSERT_EQ(difference(expected, found), "") << entry.name;
    }
  });
  EXPECT_GT(contacts, 1000u);
}

// What can be chosen in the classic finders: volumes change nothing, the papers' rules and cones only lose.
TEST(FindersProperty, OptionsOfTheClassicFinders) {
  std::size_t kept = 0, lost = 0;
  each_case(400, [&](Random& random) {
    const ContactScene scene = testing::random_scene(random);
    const auto found_with = [&](const char* finder, const FinderOptions& options) {
      Detector detector({.contact_distance = scene.distance, .finder = finder, .finder_options = options});
      for (const TriangleMesh& mesh : scene.meshes) detector.add(mesh);
      const ContactSet found = detector.detect();
      return std::vector<Contact>(found.begin(), found.end());
    };
    const std::vector<Contact> expected = found_with("brute", {});
    for (const char* finder : {"classic_grid", "classic_voxels", "classic_trees"})
      for (const bool spheres : {false, true})
        for (const bool boxes : {false, true})
          ASSERT_EQ(difference(expected, found_with(finder, {.spheres = spheres, .feature_boxes = boxes})),
                    "")
              << finder << " in " << scene.name;
    // Cones that lose nothing, for any number of threads.
    for (const int threads : {1, 2, 4})
      Threads(threads).run([&] {
        ASSERT_EQ(difference(expected, found_with("classic_grid", {.cones = true})), "")
            << "with cones in " << scene.name;
      });
    for (const bool rules : {false, true}) {
      const auto some = found_with("classic_grid", {.published_rules = rules, .published_cones = !rules});
      ASSERT_TRUE(std::includes(expected.begin(), expected.end(), some.begin(), some.end(),
                                [](const Contact& a, const Contact& b) { return a.key < b.key; }));
      kept += some.size();
      lost += expected.size() - some.size();
    }
  });
  if (std::getenv("PALPATE_SEED") != nullptr) return;  // one case need not lose anything
  EXPECT_GT(kept, 0u);
  EXPECT_GT(lost, 0u) << "as published they lose contacts: the switches do nothing";
}

}  // namespace
}  // namespace palpate
