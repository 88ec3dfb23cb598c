// All variants of the published grid on the motion of one scene, measured in turn.
//
// Every variant sees every frame; what it finds is compared with what our default finder finds, contact by
// contact. Then the frames are gone through again, a few rounds; in a frame the variants take turns, and who
// begins changes. The time of a frame is the lower quartile of the rounds: whatever else the machine does can
// only add. On one thread, time is that of the thread, so that even then little is added.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include <palpate/study/grid_stages.h>
#include <palpate/study/scene_frames.h>

namespace palpate {

namespace grid_method {
inline constexpr const char *boxes = "boxes", *boxes_features = "boxes, also of features",
                            *spheres = "spheres", *spheres_features = "spheres, also of features",
                            *published_cones = "boxes, published cones", *cones = "boxes, sound cones",
                            *published_rules = "boxes, published rules for pairs",
                            *as_published = "boxes, published rules and cones", *ours = "ours (auto)";
}  // namespace grid_method

struct GridRun {
  std::string method;
  FinderOptions options = {};
  bool all_threads = false, is_ours = false;
  // A frame, on average: on one thread what that thread took, on all of them what the clock says.
  double ms = 0;
  double wall_ms = 0;                               // by the clock
  std::array<double, grid_stages> stage_ms{};       // none of ours
  GridCounts counts = {};                           // of all frames
  std::uint64_t contacts = 0, lost = 0, extra = 0;  // of all frames; beside our default finder
  std::vector<double> frame_ms = {};
  std::vector<std::uint64_t> frame_lost = {};

  double other_ms() const;
};

struct GridCase {
  std::string scene;
  std::size_t triangles = 0, frames = 0, steps = 0, every = 1;
  double step = 0;                        // [s]
  bool self = false, complete = true;     // false: interrupted
  double contact_distance = 0, edge = 0;  // [m]
  int threads = 1;                        // that all are
  StepTimes step_one, step_all;           // of the whole simulation
  bool same_states = true;                // for any number of threads
  std::uint64_t contacts = 0;             // of all frames, complete
  std::vector<std::uint64_t> frame_contacts = {};
  std::vector<GridRun> runs = {};
  std::vector<TriangleMesh> moment = {};  // the surfaces where contacts are most

  const GridRun* run(std::string_view method, bool all_threads = false) const;
  double per_frame(std::uint64_t sum) const {
    return frames == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(frames);
  }
};

struct GridCaseOptions {
  int rounds = 5, threads = 0;
  bool self = false;                          // contacts inside surfaces, and cones
  std::function<bool(double)> progress = {};  // false: end
};

GridCase measure_grid(const SceneFrames& frames, const GridCaseOptions& options);

}  // namespace palpate
