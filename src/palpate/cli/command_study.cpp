// `palpate study`: published experiments re-run, theirs beside ours, ending in a page.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/cli/commands.h>
#include <palpate/cli/exit_codes.h>
#include <palpate/cli/mesh_commands.h>
#include <palpate/cli/progress.h>
#include <palpate/cli/scene_files.h>
#include <palpate/mesh/formats/disk.h>
#include <palpate/study/study_grid.h>
#include <palpate/study/study_soft.h>
#include <palpate/study/study_soft_tables.h>
#include <palpate/study/study_springs.h>
#include <palpate/study/study_trees.h>

namespace palpate::cli {

namespace {

constexpr int interrupted_by_user = 130;
std::atomic<bool> interrupted = false;

void stop_on_interrupt() {
  std::signal(SIGINT, [](int) {
    if (interrupted.exchange(true)) std::_Exit(interrupted_by_user);  // a second Ctrl-C means now
  });
}

struct Settings {
  std::string folder, json;
  bool quick = false;
  int threads = 0;
};

// All that can be wrong with the folder, before minutes of work.
void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(Place::file(folder), fmt::format("cannot make this folder: {}", error.message()),
                "Give another with --out.");
  check_place(folder + "/index.html");
}

SoftStudy run_study(const Settings& settings) {
  SoftStudy study;
  Progress bar("palpate study soft");
  const auto progress = [&](double fraction, std::string_view) {
    bar.show(fraction);
    return !interrupted;
  };
  Threads(settings.threads).run([&] { study = study_soft({.quick = settings.quick, .progress = progress}); });
  return study;
}

void begin(const Settings& settings) {
  make_folder(settings.folder);
  if (!settings.json.empty() && settings.json != "-") check_place(settings.json);
  stop_on_interrupt();
}

// The scene files that a study reads.
std::string folder_of_scenes() {
  std::string folder = scenes_folder();
  if (folder.empty())
    throw Error(Place::named("scenes", "scenes"), "there are none here",
                "Set PALPATE_SCENES to the folder that has them.");
  return folder;
}

// The page, its plots and its numbers.
struct Results {
  std::string html, json, text;  // text: for the terminal
  std::vector<std::pair<std::string, Plot>> plots;
  bool interrupted = false;
};

int finish(const Settings& settings, const Results& results) {
  const std::string page = settings.folder + "/index.html";
  detail::write_bytes(page, results.html);
  for (const auto& [name, plot] : results.plots)
    detail::write_bytes(fmt::format("{}/{}.svg", settings.folder, name), svg(plot, true));
  if (settings.json == "-") {
    std::fputs(results.json.c_str(), stdout);
  } else {
    if (!settings.json.empty()) detail::write_bytes(settings.json, results.json);
    std::fputs(results.text.c_str(), stdout);
  }
  if (results.interrupted) say("palpate: interrupted: only what was complete is shown\n");
  say("palpate: wrote {}\n", page);
  return results.interrupted ? interrupted_by_user : done;
}

// The rules are on the page.
std::string verdicts(std::span<const Claim> claims) {
  Table table = claims_table(claims);
  table.columns.pop_back();
  for (std::vector<std::string>& row : table.rows) row.pop_back();
  return plain_text(table);
}

int run_grid(const Settings& settings) {
  begin(settings);
  GridStudy study;
  {
    Progress bar("palpate study grid");
    study = study_grid({.scenes = folder_of_scenes(),
                        .quick = settings.quick,
                        .threads = settings.threads,
                        .progress = [&](double fraction) {
                          bar.show(fraction);
                          return !interrupted;
                        }});
  }
  return finish(settings, {grid_page(study), grid_json(study), verdicts(study.claims), grid_plots(study),
                           study.interrupted});
}

int run_trees(const Settings& settings) {
  begin(settings);
  TreesStudy study;
  {
    Progress bar("palpate study trees");
    study =
        study_trees({.scenes = folder_of_scenes(), .quick = settings.quick, .progress = [&](double fraction) {
                       bar.show(fraction);
                       return !interrupted;
                     }});
  }
  return finish(settings, {trees_page(study), trees_json(study), verdicts(study.claims), trees_plots(study),
                           study.interrupted});
}

int run_springs(const Settings& settings) {
  begin(settings);
  SpringStudy study;
  {
    Progress bar("palpate study springs");
    study = study_springs(settings.quick, [&](double fraction) {
      bar.show(fraction);
      return !interrupted;
    });
  }
  return finish(settings, {springs_page(study), springs_json(study), plain_text(springs_table(study)),
                           springs_plots(study), study.interrupted});
}

int run_soft(const Settings& settings) {
  begin(settings);
  const SoftStudy study = run_study(settings);
  const std::string page = settings.folder + "/index.html";
  std::string html, json;
  Threads(settings.threads).run([&] {
    html = soft_page(study);
    json = soft_json(study);
  });
  detail::write_bytes(page, html);
  for (const auto& [name, plot] : soft_plots(study))
    detail::write_bytes(fmt::format("{}/{}.svg", settings.folder, name), plot);
  if (settings.json == "-") {
    std::fputs(json.c_str(), stdout);
  } else {
    if (!settings.json.empty()) detail::write_bytes(settings.json, json);
    Table claims = claims_table(study);
    claims.columns.resize(4);  // the rules are on the page
    std::fputs((plain_text(claims) + "\n" + plain_text(ours_table(study))).c_str(), stdout);
  }
  for (const std::string& name : study.missing)
    say("palpate: left out: {}. Put its files there, or set PALPATE_DATA to the folder that holds tets/.\n",
        name);
  if (study.interrupted) say("palpate: interrupted: only what was complete is shown\n");
  say("palpate: wrote {}\n", page);
  return study.interrupted ? interrupted_by_user : done;
}

}  // namespace

void add_study(CLI::App& app, int& exit_code) {
  CLI::App* study = app.add_subcommand("study", "Published experiments re-run, theirs beside ours");
  study->require_subcommand(1);
  const auto add = [&](const char* name, const char* what, const char* quick, int (*go)(const Settings&)) {
    auto settings = std::make_shared<Settings>();
    settings->folder = std::string("results/study-") + name;
    CLI::App* one = study->add_subcommand(name, what);
    one->add_option("--out", settings->folder, "Folder for index.html and its plots; made if need be")
        ->capture_default_str();
    one->add_option("--json", settings->json, "Write the numbers as JSON to this file (- for stdout)");
    one->add_flag("--quick", settings->quick, quick);
    one->add_option("--threads", settings->threads, "At most so many (default: all)")
        ->check(CLI::Range(1, 1024));
    one->callback([settings, go, &exit_code] { exit_code = go(*settings); });
    return one;
  };
  add("springs", "Two cubes and a spring, against exact solutions (about 2003)", "Longer steps only",
      run_springs);
  add("grid", "A grid for contacts, its variants and its losses (Leonard 2021)",
      "The small scenes only, few frames: under a minute", run_grid);
  add("trees", "Trees and voxels for deformable bodies (Meseure, Hilde and Chaillou, about 1998)",
      "Few steps: under a minute", run_trees);
  CLI::App* soft = add("soft", "Accelerated soft bodies (Boukadida 2020)",
                       "The smallest beam only, few iterations: under a minute", run_soft);
  soft->footer(
      "Hippopotamus and armadillo are read from tets/ in the folder that PALPATE_DATA names (default\n"
      "../shared/data); without them they are left out.\n");
}

}  // namespace palpate::cli
