// Scenes that are played with.
#include <palpate/scene/live_world.h>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <support/cases.h>

#include <palpate/base/error.h>
#include <palpate/scene/build_world.h>
#include <palpate/scene/read_scene.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

Scene scene() {
  return parse_scene(R"(
[materials.gel]
density = 1000
young = 1e5
poisson = 0.4
[contact]
distance = 0.01
[[body]]
name = "floor"
kind = "static"
mesh = { shape = "box", size-x = 4, size-y = 4, size-z = 0.2 }
position = [0, 0, -0.1]
[[body]]
name = "stone"
kind = "rigid"
mesh = { shape = "box", size-x = 0.2, size-y = 0.2, size-z = 0.2 }
position = [1, 0, 0.12]
[[body]]
name = "jelly"
kind = "soft"
mesh = { shape = "solid-box", size-x = 0.2, size-y = 0.2, size-z = 0.2, cells-x = 2, cells-y = 2, cells-z = 2 }
material = "gel"
position = [0, 0, 0.12]
)",
                     "played.toml");
}

void perform(LiveWorld& live, std::string_view json) { live.perform(parse_command(json)); }
double height(LiveWorld& live, const char* name) {
  double sum = 0;
  const auto& positions = live.world().surface(live.world().find(name)).positions;
  for (const Vec3& p : positions) sum += p.z();
  return sum / static_cast<double>(positions.size());
}
constexpr const char* at = R"("vertices":[0,1,2],"weights":[0.5,0.25,0.25])";
std::string with_point(const char* begin, const char* end = "}") {
  return std::string(begin) + "," + at + end;
}

TEST(LiveWorld, WhatIsSetBackIsNotSet) {
  LiveWorld live(scene());
  const std::string before = live.scene().text;
  perform(live, R"({"do":"set","key":"contact.response","value":"penalty"})");
  EXPECT_NE(live.scene().text, before);
  perform(live, R"({"do":"set","key":"contact.response","value":"constraint"})");
  EXPECT_EQ(live.scene().text, before);
  // A solver that sweeps has another response of its own, as long as nobody has chosen one.
  perform(live, R"({"do":"set","key":"solver.name","value":"xpbd"})");
  EXPECT_EQ(live.scene().contact.response.name, "penalty");
}

TEST(LiveWorld, GrabbedThingsFollowAndAreLetGo) {
  for (const char* body : {"jelly", "stone"}) {
    LiveWorld live(scene());
    perform(live, std::string(R"({"do":"grab","hand":7,"body":")") + body + "\"," + at + "}");
    perform(live, R"({"do":"move","hand":7,"to":[0.5,0,1]})");
    for (int i = 0; i < 200; ++i) live.step();
    EXPECT_GT(height(live, body), 0.4) << body;
    perform(live, R"({"do":"release","hand":7})");
    for (int i = 0; i < 120; ++i) live.step();
    EXPECT_LT(height(live, body), 0.2) << body;
    EXPECT_THROW(perform(live, R"({"do":"move","hand":7,"to":[0,0,1]})"), Error);
  }
}

TEST(LiveWorld, WhatIsSetChangesTheSceneAndTheWorldGoesOn) {
  LiveWorld live(scene());
  for (int i = 0; i < 30; ++i) live.step();
  perform(live, with_point(R"({"do":"grab","hand":1,"body":"jelly")"));
  perform(live, with_point(R"({"do":"pin","body":"stone")"));
  perform(live, R"({"do":"probe","to":[0,0.5,0.5],"radius":0.05})");
  live.step();
  const auto before = live.world().surface(live.world().find("jelly")).positions;
  perform(live, R"({"do":"set","key":"materials.gel.young","value":2e6})");
  EXPECT_EQ(live.scene().materials.at("gel").young, 2e6);
  EXPECT_EQ(live.world().soft(live.world().find("jelly")).materials()[0].young, 2e6);
  EXPECT_EQ(live.world().surface(live.world().find("jelly")).positions, before);
  EXPECT_EQ(live.world().steps(), 31u);
  EXPECT_EQ(live.world().hands().size(), 1u);
  EXPECT_TRUE(live.world().find("probe"));
  EXPECT_EQ(live.world().rigid().joints(), 1u);
  perform(live, R"({"do":"set","key":"contact.response","value":"penalty"})");
  perform(live, R"({"do":"set","key":"contact.finder","value":"grid"})");
  perform(live, R"({"do":"set","key":"materials.gel.young","value":3e5})");
  EXPECT_EQ(live.scene().materials.at("gel").young, 3e5);
  EXPECT_EQ(live.scene().contact.response.name, "penalty");
  for (int i = 0; i < 10; ++i) live.step();
  // What cannot be changes nothing.
  const std::uint64_t hash = live.world().hash();
  EXPECT_THROW(perform(live, R"({"do":"set","key":"materials.gel.young","value":-1})"), Error);
  EXPECT_THROW(perform(live, R"({"do":"set","key":"contact.distnce","value":1})"), Error);
  EXPECT_EQ(live.world().hash(), hash);
  EXPECT_EQ(live.scene().materials.at("gel").young, 3e5);
}

TEST(LiveWorld, PinsHold) {
  LiveWorld live(scene());
  perform(live, with_point(R"({"do":"pin","body":"jelly")"));
  perform(live, with_point(R"({"do":"pin","body":"stone")"));
  perform(live, R"({"do":"set","key":"world.gravity","value":[0,0,5]})");
  for (int i = 0; i < 120; ++i) live.step();
  EXPECT_LT(height(live, "jelly"), 1);
  EXPECT_LT(height(live, "stone"), 1);
  perform(live, with_point(R"({"do":"unpin","body":"stone")"));
  for (int i = 0; i < 120; ++i) live.step();
  EXPECT_GT(height(live, "stone"), 2);
  EXPECT_LT(height(live, "jelly"), 1);
}

TEST(LiveWorld, PokesPush) {
  for (const char* body : {"jelly", "stone"}) {
    LiveWorld live(scene());
    const double before = height(live, body);
    perform(live, std::string(R"({"do":"poke","push":[0,0,24],"body":")") + body + "\"," + at + "}");
    for (int i = 0; i < 12; ++i) live.step();
    EXPECT_GT(height(live, body), before + 0.1) << body;
  }
}

TEST(LiveWorld, AProbePushesWithoutHaste) {
  LiveWorld live(scene());
  for (int i = 0; i < 60; ++i) live.step();
  perform(live, R"({"do":"probe","to":[-0.5,0,0.1],"radius":0.08})");
  live.step();
  perform(live, R"({"do":"probe","to":[0.3,0,0.1]})");  // a jump
  live.step();
  const BodyId probe = live.world().find("probe");
  EXPECT_LT(live.world().state(probe).pose.position.x(), -0.44);
  for (int i = 0; i < 60; ++i) live.step();
  EXPECT_NEAR(live.world().state(probe).pose.position.x(), 0.3, 1e-9);
  double x = 0;
  for (const Vec3& p : live.world().soft(live.world().find("jelly")).positions()) x += p.x() / 27;
  EXPECT_GT(x, 0.3);  // it was pushed along
  perform(live, R"({"do":"unprobe"})");
  EXPECT_FALSE(live.world().find("probe"));
  live.step();
}

TEST(LiveWorld, ResetIsTheBeginning) {
  LiveWorld live(scene());
  const std::uint64_t begin = live.world().hash();
  perform(live, with_point(R"({"do":"pin","body":"jelly")"));
  perform(live, with_point(R"({"do":"grab","hand":1,"body":"stone")"));
  for (int i = 0; i < 20; ++i) live.step();
  live.reset();
  EXPECT_EQ(live.world().hash(), begin);
  EXPECT_TRUE(live.world().hands().empty());
}

// The same commands before the same steps: the same world.
TEST(LiveWorldProperty, CanBeDoneAgain) {
  each_case(6, [](Random& random) {
    std::vector<std::pair<int, std::string>> done;
    LiveWorld first(scene());
    const auto number = [&] { return random.uniform(-0.5, 0.5); };
    std::vector<std::uint64_t> hashes;
    for (int i = 0; i < 60; ++i) {
      if (random.chance(0.3)) {
        const std::string body = fmt::format(R"("body":"{}",{})", random.chance(0.5) ? "jelly" : "stone", at),
                          hand = fmt::format(R"("hand":{})", random.below(3)),
                          place = fmt::format(R"("to":[{},{},0.4])", number(), number());
        const std::array<std::string, 8> all = {
            fmt::format(R"({{"do":"grab",{},{}}})", hand, body),
            fmt::format(R"({{"do":"move",{},{}}})", hand, place),
            fmt::format(R"({{"do":"release",{}}})", hand),
            fmt::format(R"({{"do":"pin",{}}})", body),
            fmt::format(R"({{"do":"unpin",{}}})", body),
            fmt::format(R"({{"do":"probe",{}}})", place),
            fmt::format(R"({{"do":"poke","push":[0.5,0,1],{}}})", body),
            fmt::format(R"({{"do":"set","key":"materials.gel.young","value":{}}})",
                        1e5 + 1e4 * random.uniform(0, 9))};
        const std::string& command = all[random.below(all.size())];
        try {
          perform(first, command);
          done.emplace_back(i, command);
        } catch (const Error&) {  // a hand that holds nothing: nobody was asked
        }
      }
      first.step();
      hashes.push_back(first.world().hash());
    }
    EXPECT_GT(done.size(), 3u);
    LiveWorld second(scene());
    std::size_t next = 0;
    for (int i = 0; i < 60; ++i) {
      for (; next < done.size() && done[next].first == i; ++next) perform(second, done[next].second);
      second.step();
      ASSERT_EQ(second.world().hash(), hashes[static_cast<std::size_t>(i)]) << "step " << i;
    }
  });
}

TEST(LiveCommand, BadOnesAreRefusedWithWords) {
  for (const char* bad : {"",
                          "{",
                          "[]",
                          "null",
                          "1",
                          R"({"do":1})",
                          R"({"do":"grap"})",
                          R"({"do":"grab"})",
                          R"({"do":"grab","hand":-1,"body":"a","vertices":[0,1,2],"weights":[1,0,0]})",
                          R"({"do":"grab","hand":1,"body":"a","vertices":[0,1],"weights":[1,0,0]})",
                          R"({"do":"grab","hand":1,"body":"a","vertices":[0,1,2.5],"weights":[1,0,0]})",
                          R"({"do":"grab","hand":1,"body":"a","vertices":[0,1,2],"weights":[1,1,0]})",
                          R"({"do":"grab","hand":1,"body":"a","vertices":[0,1,2],"weights":[2,-1,0]})",
                          R"({"do":"grab","hand":1,"body":7,"vertices":[0,1,2],"weights":[1,0,0]})",
                          R"({"do":"move","hand":1,"to":[0,0,1e300]})",
                          R"({"do":"move","hand":1,"to":[0,0,"1"]})",
                          R"({"do":"move","hand":4294967296,"to":[0,0,1]})",
                          R"({"do":"probe","to":[0,0,0],"radius":0})",
                          R"({"do":"set","key":"a=b","value":1})",
                          R"({"do":"set","key":"a","value":{}})",
                          R"({"do":"set","key":"a\nb","value":1})",
                          R"({"do":"set","key":"a","value":[[1]]})"}) {
    try {
      parse_command(bad);
      ADD_FAILURE() << bad;
    } catch (const Error& error) {
      EXPECT_FALSE(error.problem().empty());
      EXPECT_FALSE(error.remedy().empty());
    }
  }
  EXPECT_THROW(parse_command(std::string(longest_command + 1, ' ')), Error);
  EXPECT_THROW(parse_command(std::string(60000, '[')), Error);  // deep
  EXPECT_EQ(parse_command(R"({"do":"set","key":"a.b","value":"x\"y"})").change, R"(a.b="x\"y")");
}

TEST(LiveWorld, CommandsThatCannotBeDoneChangeNothing) {
  LiveWorld live(scene());
  live.step();
  const std::uint64_t hash = live.world().hash();
  for (const char* bad :
       {R"({"do":"grab","hand":1,"body":"floor","vertices":[0,1,2],"weights":[1,0,0]})",
        R"({"do":"grab","hand":1,"body":"none","vertices":[0,1,2],"weights":[1,0,0]})",
        R"({"do":"pin","body":"jelly","vertices":[0,1,99999],"weights":[1,0,0]})",
        R"({"do":"poke","push":[0,0,1],"body":"stone","vertices":[0,1,99999],"weights":[1,0,0]})",
        R"({"do":"release","hand":3})"})
    EXPECT_THROW(perform(live, bad), Error) << bad;
  EXPECT_EQ(live.world().hash(), hash);
  EXPECT_TRUE(live.world().hands().empty());
}

}  // namespace
}  // namespace palpate
