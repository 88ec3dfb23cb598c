// Scenes that something happened to: each is read, and then its text is the same scene, or refused.
#include <gtest/gtest.h>

#include <palpate/scene/scene_keys.h>
#include <support/cases.h>
#include <support/mangled.h>

#include "scene_checks.h"

namespace palpate {
namespace {

using testing::each_case;
using testing::expect_scene_or_error;
using testing::Random;
using testing::scene_samples;

TEST(ReadSceneProperty, MangledScenesAreReadOrRefused) {
  for (const std::string& sample : scene_samples)
    for (std::size_t size = 0; size < sample.size(); size += 7)
      expect_scene_or_error(std::string_view(sample).substr(0, size));
  each_case(4000, [](Random& random) {
    expect_scene_or_error(testing::mangled(random, scene_samples[random.below(scene_samples.size())]));
  });
}

// A key of any section gets a value that is often wrong for it.
std::string any_override(Random& random) {
  static const std::vector<std::string> values = {
      "1",     "-1",           "0.5",       "nan",
      "true",  "text",         "''",        "[]",
      "[1]",   "1e300",        "{}",        "[1, 2, 3]",
      "[[]]",  "[{}]",         "{ a = 1 }", "9223372036854775807",
      "['a']", "[['a', 'b']]", "muscle",    "[[0, 0, 0], [1, 1, 1]]"};
  static const std::vector<std::string> paths = {
      "",         "run.",     "world.",      "contact.",          "solver.",         "solver.acceleration.",
      "body.0.",  "body.1.",  "body.organ.", "body.0.mesh.",      "body.0.fix.0.",   "body.3.motion.",
      "force.0.", "joint.0.", "materials.",  "materials.tissue.", "body.0.material."};
  const auto sections = scene_sections();
  const std::vector<SceneKey>& keys = sections[random.below(sections.size())].keys;
  return paths[random.below(paths.size())] + std::string(keys[random.below(keys.size())].name) +
         (random.chance(0.1) ? ".0=" : "=") + values[random.below(values.size())];
}

TEST(ReadSceneProperty, AnyOverridesAreTakenOrRefused) {
  each_case(4000, [](Random& random) {
    testing::Overrides overrides;
    for (std::size_t i = 1 + random.below(3); i > 0; --i) overrides.push_back(any_override(random));
    expect_scene_or_error(scene_samples[random.below(scene_samples.size())], overrides);
  });
}

}  // namespace
}  // namespace palpate
