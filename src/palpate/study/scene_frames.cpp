#include <palpate/study/scene_frames.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>

#include <palpate/base/parallel.h>
#include <palpate/mesh/generate.h>
#include <palpate/scene/build_world.h>
#include <palpate/study/thread_time.h>

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
  double sum_ms = 0, clock_ms = 0, slowest_ms = 0;

  Runner(const Scene& scene, int count) : world(build_world(scene)), threads(count) {}
  void step(double seconds) {
    threads.run([&] {
      const double before = thread_milliseconds();
      const double clock = static_cast<double>(world->step(seconds).nanoseconds) * 1e-6;
      const double ms = threads.count() == 1 ? thread_milliseconds() - before : clock;
      sum_ms += ms;
      clock_ms += clock;
      slowest_ms = std::max(slowest_ms, ms);
    });
  }
  StepTimes times(std::size_t steps) const {
    const auto n = static_cast<double>(std::max<std::size_t>(steps, 1));
    const double search = static_cast<double>(world->detector().search_nanoseconds()) * 1e-6;
    return {sum_ms / n, slowest_ms, clock_ms > 0 ? search / clock_ms : 0};
  }
};

void begin_frames(SceneFrames& result, World& world) {
  for (const BodyId id : world.bodies()) {
    if (world.kind(id) != BodyKind::soft) continue;
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

SceneFrames rolled_sheet() {
  PlaneShape shape;
  shape.size_x = 0.6;
  shape.size_y = 0.1;
  shape.cells_x = 120;
  shape.cells_y = 20;
  SceneFrames result;
  result.name = "rolled sheet";
  result.surfaces = {make(shape)};
  result.rests = {result.surfaces[0].positions};
  result.edge = mean_edge(result.surfaces);
  result.contact_distance = 0.5 * result.edge;
  for (const double gap : {0.45, 0.35, 0.25}) {
    // Archimedes' spiral: r = a + b t, so that s = a t + b t^2 / 2 is about its length.
    const double a = 0.015, b = gap * result.edge / (2 * std::numbers::pi);
    std::vector<Vec3> rolled = result.rests[0];
    for (Vec3& p : rolled) {
      const double s = p.x() + shape.size_x / 2, t = (std::sqrt(a * a + 2 * b * s) - a) / b, r = a + b * t;
      p = Vec3(r * std::cos(t), p.y(), r * std::sin(t));
    }
    result.frames.push_back({std::move(rolled)});
  }
  return result;
}

SceneFrames record_frames(const std::string& name, const Scene& scene, const RecordOptions& options) {
  SceneFrames result;
  result.name = name;
  result.step = options.step;
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
      if (one.world->kind(id) == BodyKind::soft)
        result.frames.back().push_back(one.world->surface(id).positions);
  }
  result.one = one.times(result.steps);
  result.all = all.times(result.steps);
  result.same = one.world->hash() == all.world->hash();
  return result;
}

}  // namespace palpate
