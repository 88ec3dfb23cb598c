// How a scene has to be refused, and what has to hold for one that is read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <palpate/base/error.h>
#include <palpate/scene/read_scene.h>

#include "scene_samples.h"

namespace palpate::testing {

using Overrides = std::vector<std::string>;

inline Scene parsed(std::string_view text, const Overrides& overrides = {}) {
  return parse_scene(text, "s", overrides);
}

// The whole message.
inline std::string scene_refusal(std::string_view text, const Overrides& overrides = {}) {
  try {
    parsed(text, overrides);
  } catch (const Error& error) {
    EXPECT_FALSE(error.problem().empty());
    EXPECT_FALSE(error.remedy().empty()) << error.what();
    return error.what();
  }
  return "was read";
}

// Read again, from another folder and without what was set from outside, it is the same scene.
inline void expect_round_trip(const Scene& scene) {
  const Scene again = parse_scene(scene.text, "again", {}, "/somewhere/else");
  EXPECT_TRUE(again == scene) << scene.text;
  EXPECT_EQ(again.text, scene.text);
}

// A scene that comes back, or an Error; whatever else is thrown is a failure of the test.
inline void expect_scene_or_error(std::string_view text, const Overrides& overrides = {}) {
  try {
    expect_round_trip(parsed(text, overrides));
  } catch (const Error& error) {
    EXPECT_FALSE(error.problem().empty());
    EXPECT_FALSE(error.remedy().empty()) << error.what();
  }
}

}  // namespace palpate::testing
