#include <palpate/cli/scene_files.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/suggest.h>

namespace palpate::cli {

namespace fs = std::filesystem;

std::string scenes_folder() {
  std::error_code ignored;
  if (const char* named = std::getenv("PALPATE_SCENES"); named != nullptr && *named != '\0') return named;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = program.parent_path().parent_path() / "share" / "palpate" / "scenes";
  if (fs::is_directory(installed, ignored)) return installed.string();
  if (fs::is_directory("scenes", ignored)) return "scenes";
  return {};
}

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(scenes_folder(), ignored))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string scene_file(const std::string& given) {
  std::error_code ignored;
  if (fs::exists(given, ignored) && !fs::is_directory(given, ignored)) return given;
  const bool is_name = given.find('/') == std::string::npos;
  if (is_name) {
    const fs::path built_in =
        fs::path(scenes_folder()) / (given.ends_with(".toml") ? given : given + ".toml");
    if (fs::exists(built_in, ignored)) return built_in.string();
  }
  const std::vector<std::string> names = scene_names();
  if (fs::is_directory(given, ignored))
    throw Error(Place::named("scene", given), "this is a folder", "Give the path of a TOML file.");
  throw Error(
      Place::named("scene", given),
      is_name ? "there is no such file, nor a scene of this name" : "there is no such file",
      names.empty() ? "Give the path of a TOML file." : did_you_mean(fs::path(given).stem().string(), names));
}

}  // namespace palpate::cli
