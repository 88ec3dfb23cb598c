// The same scene simulated with one way to find contacts after the other, step by step in turn.
//
// Worlds do not depend on how contacts are found: all stay in the same state, so they do the same work, and
// their hashes show it. Brute force is too slow to run along: every now and then its world is set to where
// the others are, and does that step with them. All on one thread, as published; times
// are those of the thread, so that what else the machine does is left out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <palpate/collide/finder.h>
#include <palpate/mesh/mesh.h>
#include <palpate/scene/scene.h>

namespace palpate {

namespace trees_method {
inline constexpr const char *brute = "brute force", *voxels = "voxels", *trees = "trees",
                            *ours = "ours (auto)";
}  // namespace trees_method

struct TreesStep {
  std::size_t step = 0;  // its number, from 0
  double ms = 0;         // the whole of it
  double detect_ms = 0;  // contacts where things are
  double guard_ms = 0;   // and what would cross on the way
  std::size_t contacts = 0;
};

struct TreesRun {
  std::string method, finder;
  FinderOptions options = {};
  bool sampled = false;  // some of the steps only
  std::vector<TreesStep> steps = {};
  bool same = true;  // as the others, after every step that was done

  double mean_ms() const;
  double hertz() const;         // steps a second
  double detect_ms() const;     // mean
  double detect_share() const;  // of the whole
  double search_share() const;  // with the guard
};

struct TreesCase {
  std::string name;
  std::size_t soft_faces = 0, rigid_faces = 0, moving_faces = 0, soft_bodies = 0;
  bool complete = true;  // false: interrupted
  std::vector<TreesRun> runs = {};
  std::vector<TriangleMesh> moment = {};  // all surfaces, where contacts are most

  const TreesRun* run(std::string_view method) const;  // voxels: of the usual size
  // How many times as long one takes as the other, in the steps that both did; none if there are none.
  std::optional<double> times(std::string_view one, std::string_view other, double TreesStep::*what) const;
};

struct TreesCaseOptions {
  std::size_t steps = 360;
  std::size_t brute_every = 30;          // steps; 0: no brute force
  std::vector<double> voxel_sizes = {};  // besides the usual one, in mean triangles
  std::function<bool(double)> progress = {};
};

// `bodies` soft ones in place of the one that the scene has, which do not touch each other; contacts inside
// them are left out, as published.
Scene trees_scene(Scene scene, std::size_t bodies);

TreesCase measure_trees(const std::string& name, const Scene& scene, const TreesCaseOptions& options);

}  // namespace palpate
