// `palpate scenes`: the scenes that come with Palpate, and the keys that scenes have.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <palpate/base/error.h>
#include <palpate/cli/commands.h>
#include <palpate/cli/exit_codes.h>
#include <palpate/cli/scene_files.h>
#include <palpate/scene/read_scene.h>
#include <palpate/scene/scene_keys.h>

namespace palpate::cli {

namespace {

void list_scenes(bool as_json) {
  const std::vector<std::string> names = scene_names();
  if (names.empty())
    throw Error(Place::named("scenes", scenes_folder()), "there are none here",
                "Set PALPATE_SCENES to the folder that has them.");
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  nlohmann::json all = nlohmann::json::array();
  for (const std::string& name : names) {
    const std::string file = (std::filesystem::path(scenes_folder()) / (name + ".toml")).string();
    std::string title;
    try {
      title = read_scene(file).title;
    } catch (const Error& error) {
      title = fmt::format("(cannot be read: {})", error.what());
    }
    all.push_back({{"name", name}, {"title", title}, {"file", file}});
    if (!as_json) print("{}{}  {}\n", name, std::string(width - name.size(), ' '), title);
  }
  if (as_json) std::fputs((all.dump(2) + "\n").c_str(), stdout);
}

}  // namespace

void add_scenes(CLI::App& app) {
  CLI::App* scenes = app.add_subcommand("scenes", "List the scenes that come with Palpate");
  struct Settings {
    bool keys = false, json = false;
  };
  auto settings = std::make_shared<Settings>();
  scenes->add_flag("--keys", settings->keys, "All keys that a scene file may have, as in docs/scenes.md");
  scenes->add_flag("--json", settings->json, "As JSON");
  scenes->callback([settings] {
    if (settings->keys)
      std::fputs(scene_keys_markdown().c_str(), stdout);
    else
      list_scenes(settings->json);
  });
}

}  // namespace palpate::cli
