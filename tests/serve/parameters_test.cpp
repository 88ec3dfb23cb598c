// Whatever the panel sets, the server runs: the world goes on as one that was built from the changed scene
// and took over, and begins anew as one that was built from it.
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <serve/played.h>
#include <nlohmann/json.hpp>

#include <palpate/scene/build_world.h>
#include <palpate/scene/live_parameters.h>
#include <palpate/scene/read_scene.h>

namespace palpate::testing {
namespace {

constexpr int steps_before = 6, steps_after = 12;

// Things that slide, hit and are pressed at once, so that all numbers matter.
constexpr const char* stones = R"(
[contact]
distance = 0.01
restitution = 0.2
[[body]]
name = "floor"
kind = "static"
mesh = { shape = "box", size-x = 4, size-y = 4, size-z = 0.2, triangles = 12 }
position = [0, 0, -0.1]
[[body]]
name = "stone"
kind = "rigid"
mesh = { shape = "box", size-x = 0.2, size-y = 0.2, size-z = 0.2, triangles = 12 }
position = [1, 0, 0.14]
velocity = [0.5, 0, -1]
)";
constexpr const char* jelly = R"(
[[body]]
name = "jelly"
kind = "soft"
mesh = { shape = "solid-box", size-x = 0.2, size-y = 0.2, size-z = 0.2, cells-x = 2, cells-y = 2, cells-z = 2 }
material = { density = 1000, young = 1e5, poisson = 0.4 }
position = [0, 0, 0.105]
velocity = [0.5, 0, -1]
)";

Scene scene_of(const std::string& text, const std::vector<std::string>& with = {}) {
  return parse_scene(text, "everything.toml", with);
}

std::string hash_after(World& world, const Scene& scene, int steps) {
  for (int i = 0; i < steps; ++i) world.step(scene.run.step);
  return fmt::format("{:016x}", world.hash());
}

// The values to try in place of one that a parameter has: of choices all others, of numbers one that is
// moved.
std::vector<json> other_values(const json& one) {
  const json& value = one.at("value");
  if (one.at("type") == "flag") return {!value.get<bool>()};
  std::vector<json> others;
  if (one.at("type") == "choice") {
    for (const json& name : one.at("choices"))
      if (name != value) others.push_back(name);
    return others;
  }
  const bool whole = one.at("type") == "whole";
  const double now = value, step = whole ? 1 : now != 0 ? 0.25 * now : 0.125;
  const auto within = [&](double x) {
    const json &least = one.at("least"), &most = one.at("most");
    return (least.is_null() || x > least.get<double>() || (whole && x == least.get<double>())) &&
           (most.is_null() || x < most.get<double>());
  };
  for (const double x : {now - step, now + step})
    if (within(x)) return {whole ? json(static_cast<std::int64_t>(x)) : json(x)};
  return {};
}

class Tuned : public Played {
 protected:
  void take_steps(int count) {
    const std::uint64_t end = step() + static_cast<std::uint64_t>(count);
    ask({{"do", "step"}, {"steps", count}});
    for (int i = 0; i < 4000 && step() < end; ++i) std::this_thread::sleep_for(1ms);
    ASSERT_EQ(step(), end);
  }
  // Whether the run from the beginning is another one with this value than without.
  bool acts(const Scene& before, const std::string& key, const json& value) {
    SCOPED_TRACE(fmt::format("{} = {}", key, value.dump()));
    begin(false, before);
    const auto mirror = build_world(before);
    take_steps(steps_before);
    EXPECT_EQ(hash(), hash_after(*mirror, before, steps_before));

    const json answer = ask({{"do", "set"}, {"key", key}, {"value", value}});
    EXPECT_TRUE(answer.at("ok")) << answer;
    EXPECT_EQ(parameter(key).at("value"), value);
    const Scene after = scene_of(parameters().at("toml"));
    expect_has(after, key, value);
    const auto next = build_world(after);
    next->go_on_from(*mirror);
    take_steps(steps_after);
    EXPECT_EQ(hash(), hash_after(*next, after, steps_after)) << "it goes on";

    ask({{"do", "reset"}});
    take_steps(steps_after);
    const std::string anew = hash_after(*build_world(after), after, steps_after);
    EXPECT_EQ(hash(), anew) << "it begins anew";
    return anew != hash_after(*build_world(before), before, steps_after);
  }
  static void expect_has(const Scene& scene, const std::string& key, const json& value) {
    for (const LiveParameter& one : live_parameters(scene))
      if (one.key == key)
        return std::visit([&](const auto& has) { EXPECT_EQ(json(has), value) << "in the TOML"; }, one.value);
    ADD_FAILURE() << "the TOML has no " << key;
  }
};

// Numbers of what is not at work act where it is.
const std::map<std::string, std::vector<std::string>> needed = {
    {"contact.iterations", {"contact.iterations=1"}},
    {"solver.substeps", {"contact.response=penalty"}},
    {"solver.iterations", {"contact.response=penalty", "solver.iterations=2"}},
    {"solver.tolerance", {"contact.response=penalty", "solver.iterations=50", "solver.tolerance=1e-4"}},
    {"solver.acceleration.kind", {"solver.name=xpbd"}},
    {"solver.acceleration.omega", {"solver.name=xpbd", "solver.acceleration.kind=sor_positions"}},
    {"solver.acceleration.window", {"solver.name=xpbd", "solver.acceleration.kind=anderson_both"}},
    {"solver.acceleration.safeguard",
     {"solver.name=xpbd", "solver.acceleration.kind=sor_positions", "solver.acceleration.omega=1.9"}},
};
// Results do not depend on them.
const std::set<std::string> free_to_choose = {"run.threads", "contact.finder"};

TEST_F(Tuned, WhatIsSetIsWhatRuns) {
  const std::string text = std::string(stones) + jelly;
  begin(false, scene_of(text));
  const json all = parameters();
  EXPECT_GE(all.at("parameters").size(), 25u);
  for (const json& listed : all.at("parameters")) {
    const std::string key = listed.at("key");
    const Scene before = scene_of(text, needed.contains(key) ? needed.at(key) : std::vector<std::string>());
    begin(false, before);
    const std::vector<json> values = other_values(parameter(key));
    EXPECT_FALSE(values.empty()) << key;
    bool any = false;
    for (const json& value : values)
      if (value != "impulse") any |= acts(before, key, value);  // which moves nothing that bends
    EXPECT_NE(any, free_to_choose.contains(key)) << key;
  }
}

TEST_F(Tuned, WhatIsRigidCanBeAnsweredInEveryWay) {
  for (const char* response : {"none", "penalty", "impulse"})
    EXPECT_TRUE(acts(scene_of(stones), "contact.response", response)) << response;
  EXPECT_TRUE(acts(scene_of(stones, std::vector<std::string>{"contact.response=impulse"}),
                   "contact.restitution", 0.7));
}

}  // namespace
}  // namespace palpate::testing
