#include <palpate/base/ids.h>

#include <map>
#include <vector>

#include "support/cases.h"

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

struct Thing;
using ThingId = Id<Thing>;

TEST(Ids, ZeroIsNull) {
  EXPECT_FALSE(ThingId{});
  EXPECT_EQ(ThingId{}, (ThingId{0, 0}));
  IdPool<Thing> pool;
  EXPECT_FALSE(pool.alive({}));
  const ThingId first = pool.create();
  EXPECT_TRUE(first);
  EXPECT_EQ(first.index, 0u);
  EXPECT_FALSE(pool.alive({}));
}

TEST(Ids, AnOldIdIsDeadWhenItsSlotIsReused) {
  IdPool<Thing> pool;
  const ThingId old = pool.create();
  EXPECT_TRUE(pool.release(old));
  EXPECT_FALSE(pool.release(old));
  const ThingId next = pool.create();
  EXPECT_EQ(next.index, old.index);
  EXPECT_NE(next, old);
  EXPECT_FALSE(pool.alive(old));
  EXPECT_TRUE(pool.alive(next));
  EXPECT_EQ(pool.at(0), next);
}

TEST(Ids, StrangersAreDead) {
  IdPool<Thing> pool;
  pool.create();
  EXPECT_FALSE(pool.alive({7, 1}));
  EXPECT_FALSE(pool.alive({0, 2}));
  EXPECT_FALSE(pool.release({7, 1}));
  EXPECT_FALSE(pool.at(7));
}

TEST(IdsProperty, BehavesLikeAMap) {
  each_case(200, [](Random& random) {
    IdPool<Thing> pool;
    std::map<ThingId, bool> alive;  // every id ever handed out
    std::vector<ThingId> all;
    for (int step = 0; step < 300; ++step) {
      if (all.empty() || random.chance(0.55)) {
        const ThingId id = pool.create();
        ASSERT_FALSE(alive.contains(id)) << "an id lives twice";
        alive[id] = true;
        all.push_back(id);
      } else {
        const ThingId id = all[random.below(all.size())];
        ASSERT_EQ(pool.release(id), alive[id]);
        alive[id] = false;
      }
    }
    std::size_t living = 0;
    for (const auto& [id, lives] : alive) {
      ASSERT_EQ(pool.alive(id), lives);
      living += lives;
    }
    ASSERT_EQ(pool.size(), living);
    std::size_t walked = 0;
    for (std::size_t i = 0; i < pool.slots(); ++i) walked += static_cast<bool>(pool.at(i));
    ASSERT_EQ(walked, living);
  });
}

}  // namespace
}  // namespace palpate
