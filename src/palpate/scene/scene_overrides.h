// Values that are set from outside a scene: "run.step=0.01", "body.liver.material.young=1e4".
//
// They change the tree of the file before it is checked, so that whatever is wrong with them is found by the
// same checks, in the name of the override. The value is TOML; what is none is taken as a text, so that
// "contact.finder=grid" needs no quotes.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include <palpate/scene/scene_value.h>

namespace palpate::detail {

// One after the other. Bodies, forces and joints go by their names or by their numbers from 0, items of lists
// by their numbers. Setting one of several keys that stand for each other takes the others away; setting a
// part of a named material makes one of the body's own that is like it.
void apply_overrides(SceneValue& root, std::span<const std::string> overrides);

// Names of files and folders that were set from outside, and are not absolute, are put behind this folder:
// whoever sets them does not stand where the scene is.
void place_files_of_overrides(SceneValue& root, const std::filesystem::path& folder);

}  // namespace palpate::detail
