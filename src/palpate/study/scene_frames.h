// A scene run once, so that many ways to find its contacts can be measured on the same motion.
//
// Two worlds take every step in turn, one on one thread and one on all: that is what a whole step costs. They
// are the same, bit for bit; their surfaces are kept every few steps.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <palpate/collide/detector.h>
#include <palpate/scene/scene.h>

namespace palpate {

struct StepTimes {
  double mean_ms = 0, slowest_ms = 0;  // of a step: on one thread of that thread, on all by the clock
  double search_share = 0;             // of those, in searching for contacts and for crossings
};

struct SceneFrames {
  std::string name;
  double contact_distance = 0, edge = 0;  // [m]; the mean edge of the surfaces
  std::vector<TriangleMesh> surfaces;     // of soft bodies, as they begin
  std::vector<std::vector<Vec3>> rests;
  std::vector<std::vector<std::vector<Vec3>>> frames;  // [frame][surface]: positions
  std::size_t steps = 0, every = 1;
  double step = 0;     // [s]
  StepTimes one, all;  // on one thread, on all
  bool same = true;    // both worlds ended in the same state
  bool ended = true;   // false: interrupted

  std::size_t triangles() const;
  // With these surfaces; contacts inside them if `self`.
  Detector detector(bool self, const std::string& finder = "auto") const;
};

struct RecordOptions {
  std::size_t steps = 300, every = 3;
  double step = 0.02;                         // [s]
  int threads = 0;                            // that all are; 0: as many as there are
  std::function<bool(double)> progress = {};  // false: end
};

// A sheet rolled up, its layers nearer than the contact distance, and rolled tighter from frame to frame:
// flat wherever one looks, and full of contacts. Nothing is simulated.
SceneFrames rolled_sheet();

// Frames are those of soft bodies: a floor that they come to rest on was not in the papers.
SceneFrames record_frames(const std::string& name, const Scene& scene, const RecordOptions& options);

}  // namespace palpate
