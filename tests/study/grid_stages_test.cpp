// The published grid, taken apart, against brute force: what is not as published loses nothing.
#include <palpate/study/grid_stages.h>

#include <memory>

#include <support/cases.h>
#include <support/contact_scenes.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/collide/detector.h>

namespace palpate {
namespace {

using testing::ContactScene;
using testing::each_case;
using testing::Random;

struct Found {
  std::vector<Contact> contacts;
  GridCounts counts;
};

Found found_with(const ContactScene& scene, const FinderOptions& options) {
  Detector detector({.contact_distance = scene.distance});
  auto stages = std::make_unique<GridStages>(options);
  const GridStages& kept = *stages;
  detector.set_finder(std::move(stages));
  for (const TriangleMesh& mesh : scene.meshes) detector.add(mesh);
  const ContactSet found = detector.detect();
  return {{found.begin(), found.end()}, kept.counts()};
}

std::vector<Contact> brute(const ContactScene& scene) {
  Detector detector({.contact_distance = scene.distance, .finder = "brute"});
  for (const TriangleMesh& mesh : scene.meshes) detector.add(mesh);
  const ContactSet found = detector.detect();
  return {found.begin(), found.end()};
}

bool same(const std::vector<Contact>& a, const std::vector<Contact>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), testing::same_bits);
}

TEST(GridStagesProperty, LoseNothingUnlessAsPublished) {
  std::size_t contacts = 0, lost = 0;
  each_case(300, [&](Random& random) {
    const ContactScene scene = testing::random_scene(random);
    SCOPED_TRACE(scene.name);
    const std::vector<Contact> expected = brute(scene);
    contacts += expected.size();
    for (const bool spheres : {false, true})
      for (const bool features : {false, true})
        for (const bool cones : {false, true})
          ASSERT_TRUE(same(
              expected,
              found_with(scene, {.spheres = spheres, .feature_boxes = features, .cones = cones}).contacts))
              << spheres << features << cones;
    // As published: fewer, and never others.
    for (const FinderOptions& options : {FinderOptions{.published_rules = true}, {.published_cones = true}}) {
      const std::vector<Contact> found = found_with(scene, options).contacts;
      lost += expected.size() - found.size();
      ASSERT_TRUE(std::includes(expected.begin(), expected.end(), found.begin(), found.end(),
                                [](const Contact& a, const Contact& b) { return a.key < b.key; }));
    }
  });
  EXPECT_GT(contacts, 1000u);
  if (std::getenv("PALPATE_SEED") == nullptr) {
    EXPECT_GT(lost, 0u);
  }
}

TEST(GridStages, CountTheSameForAnyNumberOfThreads) {
  ContactScene scene{"sheets", {testing::sheet(40, 40), testing::sheet(40, 40)}, 0.4};
  for (Vec3& p : scene.meshes[1].positions) p += Vec3(0.3, 0.2, 0.25);
  for (const FinderOptions& options : {FinderOptions{},
                                       {.spheres = true, .feature_boxes = true},
                                       {.cones = true},
                                       {.published_cones = true}}) {
    Found one, four;
    Threads(1).run([&] { one = found_with(scene, options); });
    Threads(4).run([&] { four = found_with(scene, options); });
    EXPECT_TRUE(same(one.contacts, four.contacts));
    EXPECT_GT(one.contacts.size(), 1000u);
    EXPECT_EQ(one.counts.triangle_pairs, four.counts.triangle_pairs);
    EXPECT_EQ(one.counts.feature_pairs, four.counts.feature_pairs);
    EXPECT_EQ(one.counts.culled_features, four.counts.culled_features);
    EXPECT_EQ(one.counts.dropped_cells, four.counts.dropped_cells);
    EXPECT_GE(one.counts.entries, one.counts.triangles);
    EXPECT_LE(one.counts.dropped_entries, one.counts.entries);
  }
}

TEST(GridStages, AreTimedAndNamed) {
  const ContactScene scene{"sheet", {testing::sheet(20, 20)}, 0.4};
  Detector detector({.contact_distance = scene.distance});
  auto made = std::make_unique<GridStages>();
  GridStages& stages = *made;
  detector.set_finder(std::move(made));
  detector.add(scene.meshes[0]);
  detector.detect();
  EXPECT_GT(stages.milliseconds(GridStage::sort), 0);
  EXPECT_GT(stages.counts().cells, 0u);
  EXPECT_GT(detector.search_nanoseconds(), 0);
  EXPECT_EQ(name_of(GridStage::tests), "tests");
  stages.clear();
  EXPECT_EQ(stages.milliseconds(GridStage::sort), 0);
  EXPECT_EQ(stages.counts().cells, 0u);
  EXPECT_THROW(detector.crossings(), Error);
  EXPECT_THROW(detector.set_finder(std::unique_ptr<Finder>()), Error);
}

}  // namespace
}  // namespace palpate
