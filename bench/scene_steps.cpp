#include "scene_steps.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include <palpate/base/parallel.h>
#include <palpate/base/timing.h>
#include <palpate/cli/scene_files.h>

namespace palpate::bench {

namespace {

constexpr int cold = 2;  // steps of a world that make trees and find room

}  // namespace

Scene scene_of(const std::string& name, const std::vector<std::string>& changes) {
  return read_scene(std::filesystem::path(cli::scenes_folder()) / (name + ".toml"), changes);
}

Scene reference_of(const std::string& name, int substeps, std::vector<std::string> changes) {
  for (const std::string& change :
       {std::string("contact.finder=\"classic_grid\""), std::string("contact.response=\"penalty\""),
        std::string("solver.name=\"xpbd\""), "run.substeps=" + std::to_string(substeps)})
    changes.push_back(change);
  return scene_of(name, changes);
}

SceneSteps::Run& SceneSteps::run() { return runs_[available_threads()]; }

void SceneSteps::prepare() {
  Run& now = run();
  if (now.world && now.steps < begin_ + count_) return;
  now.world = build_world(scene_);
  for (now.steps = 0; now.steps < begin_; ++now.steps) now.world->step(scene_.run.step);
}

void SceneSteps::step() {
  Run& now = run();
  const StepReport& report = now.world->step(scene_.run.step);
  if (++now.steps <= cold) return;
  now.milliseconds.push_back(1e-6 * static_cast<double>(report.nanoseconds));
  double searching = 1e-6 * static_cast<double>(report.touching.guard_nanoseconds);
  for (const Stage& stage : now.world->stages())
    if (stage.name == "detect" || stage.name == "respond")
      searching += 1e-6 * static_cast<double>(stage.nanoseconds);
  now.searching.push_back(searching);
  now.contacts += static_cast<double>(now.world->contacts().size());
  now.touches += static_cast<double>(report.touching.touches);
  now.solves += report.touching.solves;
  now.iterations += report.soft.iterations;
  now.lost += report.touching.lost;
}

std::vector<std::pair<std::string, double>> SceneSteps::facts() const {
  const auto at = runs_.find(available_threads());
  if (at == runs_.end() || at->second.milliseconds.empty()) return {};
  const auto sorted = [](std::vector<double> all) {
    std::sort(all.begin(), all.end());
    return all;
  };
  const Run& now = at->second;
  const std::vector<double> ms = sorted(now.milliseconds), searching = sorted(now.searching);
  const auto n = static_cast<double>(now.milliseconds.size());
  const auto part = [](const std::vector<double>& all, double p) {
    return all[std::min(all.size() - 1, static_cast<std::size_t>(p * static_cast<double>(all.size())))];
  };
  return {{"steps", static_cast<double>(ms.size())},
          {"p50_ms", part(ms, 0.5)},
          {"p99_ms", part(ms, 0.99)},
          {"worst_ms", ms.back()},
          {"searching_ms", part(searching, 0.5)},
          {"contacts", now.contacts / n},
          {"touches", now.touches / n},
          {"solves", now.solves / n},
          {"iterations", now.iterations / n},
          {"lost_s", now.lost}};
}

}  // namespace palpate::bench
