#include <palpate/study/scene_frames.h>

#include <algorithm>
#include <memory>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/scene/build_world.h>

namespace palpate {

namespace {

double mean_edge(const std::vector<TriangleMesh>& meshes) {
  double sum = 0, count = 0;
  for (const TriangleMesh& mesh : meshes)
    for (const TriangleCorners& t : mesh.triangles)
      for (std::size_t k = 0; k < 3; ++k) {
        sum += (mesh.positions[t[k]] - mesh.positions[t[(k + 1) % 3]]).norm();
        ++count;
      }
  return count > 0 ? sum / count : 0;
}

// A world and the threads it steps on.
struct Runner {
  std::unique_ptr<World> world;
  Threads threads;
  double sum_ms = 0, slowest_ms = 0;

  Runner(const Scene& scene, int count) : world(build_world(scene)), threads(count) {}
  void step(double seconds) {
    threads.run([&] {
      const double ms = static_cast<double>(world->step(seconds).nanoseconds) * 1e-6;
      sum_ms += ms;
      slowest_ms = std::max(slowest_ms, ms);
    });
  }
  StepTimes times(std::size_t steps) const {
    const auto n = static_cast<double>(std::max<std::size_t>(steps, 1));
    return {sum_ms / n, slowest_ms, static_cast<double>(world->detector().search_nanoseconds()) * 1e-6 / n};
  }
};

void begin_frames(SceneFrames& result, World& world) {
  for (const BodyId id : world.bodies()) {
    if (world.kind(id) != BodyKind::soft)
      throw Error(Place::named("body", world.name(id)), "it is not soft",
                  "Frames are recorded of soft bodies alone.");
    result.surfaces.push_back(world.surface(id));
    result.rests.push_back(world.detector().surfaces().at(world.surface_id(id)).rest);
  }
  result.contact_distance = world.detector().contact_distance();
  result.edge = mean_edge(result.surfaces);
}

}  // namespace

std::size_t SceneFrames::triangles() const {
  std::size_t sum = 0;
  for (const TriangleMesh& mesh : surfaces) sum += mesh.triangles.size();
  return sum;
}

Detector SceneFrames::detector(bool self, const std::string& finder) const {
  Detector result({.contact_distance = contact_distance, .finder = finder});
  for (std::size_t i = 0; i < surfaces.size(); ++i)
    result.add(surfaces[i], {.self_contacts = self, .rest = rests[i]});
  return result;
}

SceneFrames record_frames(const std::string& name, const Scene& scene, const RecordOptions& options) {
  SceneFrames result;
  result.name = name;
  result.every = std::max<std::size_t>(options.every, 1);
  Runner one(scene, 1), all(scene, options.threads);
  begin_frames(result, *one.world);
  for (std::size_t i = 0; i < options.steps; ++i) {
    if (options.progress && !options.progress(static_cast<double>(i) / static_cast<double>(options.steps))) {
      result.ended = false;
      break;
    }
    // Who begins has cold caches.
    for (Runner* runner : i % 2 == 0 ? std::array{&one, &all} : std::array{&all, &one})
      runner->step(options.step);
    ++result.steps;
    if (result.steps % result.every != 0) continue;
    result.frames.emplace_back();
    for (const BodyId id : one.world->bodies())
      result.frames.back().push_back(one.world->surface(id).positions);
  }
  result.one = one.times(result.steps);
  result.all = all.times(result.steps);
  result.same = one.world->hash() == all.world->hash();
  return result;
}

}  // namespace palpate
