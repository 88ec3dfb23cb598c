// The table of keys: complete, consistent, and what the documentation says.
#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include <palpate/mesh/generate.h>
#include <palpate/scene/scene_keys.h>

#include "scene_checks.h"

namespace palpate {
namespace {

using testing::parsed;

std::string page() {
  std::ifstream in(std::filesystem::path(PALPATE_SOURCE_DIR) / "docs/scenes.md");
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(SceneKeys, TheDocumentationHasTheTable) {
  const std::string text = page(), begin = "<!-- keys: made by palpate scenes --keys -->\n",
                    end = "<!-- end -->";
  const std::size_t from = text.find(begin), to = text.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  EXPECT_TRUE(text.substr(from + begin.size(), to - from - begin.size()) == scene_keys_markdown())
      << "write it anew: palpate scenes --keys";
}

// The blocks of the page, one after the other, are a scene that grows.
TEST(SceneKeys, TheWorkedExampleCanBeReadAtEveryStage) {
  const std::string text = page(), begin = "```toml\n", end = "```\n";
  std::string scene;
  std::size_t blocks = 0;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1), ++blocks) {
    const std::size_t from = at + begin.size();
    scene += text.substr(from, text.find(end, from) - from);
    EXPECT_NO_THROW(testing::expect_round_trip(parsed(scene))) << scene;
  }
  EXPECT_GE(blocks, 4u);
}

TEST(SceneKeys, RowsAreSound) {
  std::set<std::string_view> sections;
  for (const SceneSection& section : scene_sections()) {
    EXPECT_TRUE(sections.insert(section.name).second) << section.name;
    std::set<std::string_view> keys;
    for (const SceneKey& key : section.keys) {
      EXPECT_TRUE(keys.insert(key.name).second) << section.name << " " << key.name;
      EXPECT_FALSE(key.summary.empty()) << key.name;
      EXPECT_EQ(key.type == KeyType::choice, !key.names.empty()) << key.name;
      EXPECT_LE(key.range.least, key.range.most) << key.name;
      EXPECT_FALSE(key.required && !key.standard.empty()) << key.name;
      if (!key.section.empty()) {
        EXPECT_NO_THROW(scene_section(key.section)) << key.name;
      }
    }
    for (const SceneChoice& choice : section.choices)
      for (const std::string_view key : choice.keys) EXPECT_TRUE(keys.contains(key)) << key;
  }
  EXPECT_THROW(scene_section("no such"), std::logic_error);
}

// A parameter of a shape must not hide a key of meshes.
TEST(SceneKeys, ShapesHaveNoKeyOfMeshes) {
  for (const Generator& one : generators())
    for (const SceneKey& key : shape_keys(one.name))
      EXPECT_EQ(scene_section("mesh").find(key.name), nullptr) << one.name << " " << key.name;
}

TEST(SceneKeys, TheSamplesHaveEveryKey) {
  std::string all;
  for (const std::string& sample : testing::scene_samples) all += sample;
  for (const SceneSection& section : scene_sections())
    for (const SceneKey& key : section.keys) {
      const std::string name(key.name);
      const bool there = all.find(name + " = ") != std::string::npos ||
                         all.find("[" + name) != std::string::npos ||
                         all.find("." + name) != std::string::npos;
      EXPECT_TRUE(there) << section.name << " " << key.name;
    }
}

// What the table says is the default makes no difference when it is written down.
void expect_standard(const std::string& scene, const std::string& section, const std::string& path,
                     std::string_view kind = {}) {
  Scene plain = parsed(scene);
  for (const SceneKey& key : scene_section(section).keys) {
    if (key.standard.empty() || !key.is_for(kind) || key.name == "step" ||
        key.standard.find(' ') < key.standard.find('['))
      continue;
    Scene told = parsed(scene, {path + std::string(key.name) + "=" + key.standard});
    told.text = plain.text;
    EXPECT_TRUE(told == plain) << path << key.name << " = " << key.standard;
  }
}

TEST(SceneKeys, DefaultsAreThoseOfTheStructs) {
  const std::string& small = testing::small_scene;
  for (const std::string name : {"run", "world", "contact", "solver"})
    expect_standard(small, name, name + ".");
  expect_standard(small, "acceleration", "solver.acceleration.");
  expect_standard(small, "body", "body.ball.", "rigid");
  const std::string soft = "[[body]]\nname = 'b'\nkind = 'soft'\nmesh = { shape = 'blob' }\nmaterial = {}\n";
  expect_standard(soft, "material", "body.b.material.");
  expect_standard(soft, "body", "body.b.", "soft");
  expect_standard(soft + "deform = {}\n", "deform", "body.b.deform.");
  expect_standard("[[body]]\nname = 'b'\nkind = 'string'\nradius = 1\npoints = [[0, 0, 0], [1, 0, 0]]\n",
                  "body", "body.b.", "string");
  expect_standard("[[body]]\nname = 'b'\nkind = 'kinematic'\nmesh = { file = '/a.ply' }\nmotion = {}\n",
                  "mesh", "body.b.mesh.", "file");
  expect_standard("[[body]]\nname = 'b'\nkind = 'kinematic'\nmesh = { file = '/a.ply' }\nmotion = {}\n",
                  "motion", "body.b.motion.");
  for (const auto& [kind, rest] :
       {std::pair("spring", "bodies = ['ball', 'world']\nstiffness = 1"), std::pair("drag", ""),
        std::pair("wind", "velocity = [1, 0, 0]"), std::pair("constant", "body = 'ball'\nforce = [1, 0, 0]")})
    expect_standard(small + "[[force]]\nkind = '" + kind + "'\n" + rest, "force", "force.0.", kind);
}

TEST(SceneKeys, Ranges) {
  EXPECT_EQ((KeyRange{}).text(), "");
  EXPECT_EQ((KeyRange{.least = 0}).text(), "at least 0");
  EXPECT_EQ((KeyRange{.least = 0, .most = 1}).text(), "from 0 to 1");
  EXPECT_EQ((KeyRange{0, 1, true, false}).text(), "above 0 and at most 1");
  EXPECT_FALSE((KeyRange{0, 1, true, true}).holds(0));
  EXPECT_FALSE((KeyRange{0, 1, true, true}).holds(1));
  EXPECT_TRUE((KeyRange{0, 1}).holds(1));
}

}  // namespace
}  // namespace palpate
