// Scenes step by step, for benchmarks: with our pieces, and with those that were published.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <palpate/scene/build_world.h>
#include <palpate/scene/read_scene.h>

namespace palpate::bench {

// A scene from the folder of scenes, with keys changed: "contact.distance=0.001".
Scene scene_of(const std::string& name, const std::vector<std::string>& changes = {});
// With the pieces of the papers: the grid, projections one after the other, springs that push. `substeps`:
// parts of a step, each with its own search.
Scene reference_of(const std::string& name, int substeps, std::vector<std::string> changes = {});

// Steps of one scene, from its start to its end and then again; each number of threads has a world of its
// own. Calls know how many threads there are (base/parallel.h).
class SceneSteps {
 public:
  // `begin`: steps before the first that counts; `count`: those that do.
  SceneSteps(Scene scene, int begin, int count) : scene_(std::move(scene)), begin_(begin), count_(count) {}

  void prepare();  // not timed
  void step();
  // Of the steps so far: median, 99th percentile and worst [ms], and what a step does in the mean.
  std::vector<std::pair<std::string, double>> facts() const;

 private:
  struct Run {
    std::unique_ptr<World> world;
    int steps = 0;
    std::vector<double> milliseconds, searching;  // of the whole step; of looking for contacts and answering
    double contacts = 0, touches = 0, solves = 0, iterations = 0, lost = 0;
  };
  Run& run();

  Scene scene_;
  int begin_, count_;
  std::map<int, Run> runs_;  // by threads
};

}  // namespace palpate::bench
