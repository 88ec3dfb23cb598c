// The tree against looking at every box.
#include <palpate/mesh/box_tree.h>

#include <set>

#include <support/cases.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

Vec3 random_point(Random& random, bool grid) {
  const auto coordinate = [&] { return grid ? static_cast<double>(random.below(5)) : random.uniform(-1, 1); };
  return {coordinate(), coordinate(), coordinate()};
}

std::vector<Box> random_boxes(Random& random) {
  const bool grid = random.chance(0.5);
  std::vector<Box> boxes(random.below(60));
  for (Box& box : boxes) {
    if (random.chance(0.1)) continue;  // empty
    box.add(random_point(random, grid));
    if (random.chance(0.7)) box.add(random_point(random, grid));
  }
  return boxes;
}

TEST(BoxTreeProperty, FindsWhatLookingAtAllFinds) {
  each_case(500, [](Random& random) {
    const std::vector<Box> boxes = random_boxes(random);
    const BoxTree tree(boxes);
    for (int i = 0; i < 10; ++i) {
      Box query;
      query.add(random_point(random, true));
      if (random.chance(0.5)) query.add(random_point(random, false));
      std::multiset<std::uint32_t> found, all;
      tree.overlapping(query, [&](std::uint32_t index) { found.insert(index); });
      for (std::uint32_t b = 0; b < boxes.size(); ++b)
        if (boxes[b].overlaps(query)) all.insert(b);
      ASSERT_EQ(found, all);

      const Vec3 point = random_point(random, random.chance(0.5));
      const auto distance = [&](std::uint32_t b) { return squared_distance(boxes[b], Box{point, point}); };
      BoxTree::Nearest best;
      for (std::uint32_t b = 0; b < boxes.size(); ++b)
        if (!boxes[b].empty() && distance(b) < best.squared_distance) best = {b, distance(b)};
      const BoxTree::Nearest nearest = tree.nearest(point, distance);
      ASSERT_EQ(nearest.index, best.index);
      ASSERT_EQ(nearest.squared_distance, best.squared_distance);
    }
  });
}

TEST(BoxTree, ManyEqualBoxes) {
  const std::vector<Box> boxes(10'000, Box{Vec3::Zero(), Vec3::Ones()});
  const BoxTree tree(boxes);
  std::size_t found = 0;
  tree.overlapping(boxes[0], [&](std::uint32_t) { ++found; });
  EXPECT_EQ(found, boxes.size());
  EXPECT_EQ(tree.nearest(Vec3(5, 5, 5), [](std::uint32_t) { return 48.0; }).index, 0u);
}

}  // namespace
}  // namespace palpate
