// Where scenes are: files that people name, and those that come with Palpate.
#pragma once

#include <string>
#include <vector>

namespace palpate::cli {

// PALPATE_SCENES, or beside the installed program, or scenes/ here; empty if there is none.
std::string scenes_folder();

// A file, or the name of a scene that comes with Palpate. Throws Error with what was looked for.
std::string scene_file(const std::string& given);

// The names of the scenes that come with Palpate, in order.
std::vector<std::string> scene_names();

}  // namespace palpate::cli
