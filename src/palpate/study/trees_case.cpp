#include <palpate/study/trees_case.h>

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/scene/build_world.h>
#include <palpate/study/thread_time.h>

namespace palpate {

namespace {

// One method with its world.
struct Runner {
  TreesRun result;
  std::unique_ptr<World> world;

  Runner(const Scene& scene, const TreesRun& run) : result(run), world(build_world(scene)) {
    world->detector().set_finder(make_finder(run.finder, run.options));
  }
  void step(double seconds) {
    TreesStep one;
    one.step = world->steps();
    const std::int64_t before = world->detector().search_nanoseconds();
    const double own = thread_milliseconds();
    const double clock = static_cast<double>(world->step(seconds).nanoseconds) * 1e-6;
    one.ms = thread_milliseconds() - own;
    const double part = clock > 0 ? one.ms / clock : 0;  // that was not taken by others on the machine
    for (const Stage& stage : world->stages())
      if (stage.name == "detect") one.detect_ms = static_cast<double>(stage.nanoseconds) * 1e-6 * part;
    const double search = static_cast<double>(world->detector().search_nanoseconds() - before) * 1e-6 * part;
    one.guard_ms = std::max(0.0, search - one.detect_ms);
    one.contacts = world->contacts().size();
    result.steps.push_back(one);
  }
};

std::vector<TreesRun> runs_of(const TreesCaseOptions& options) {
  using namespace trees_method;
  std::vector<TreesRun> runs = {{.method = trees, .finder = "classic_trees"},
                                {.method = voxels, .finder = "classic_voxels"},
                                {.method = ours, .finder = "auto"}};
  for (const double size : options.voxel_sizes)
    runs.push_back({.method = fmt::format("voxels of {:g}", size),
                    .finder = "classic_voxels",
                    .options = {.voxel_size = size}});
  if (options.brute_every > 0) runs.push_back({.method = brute, .finder = "brute", .sampled = true});
  return runs;
}

void count_faces(const World& world, TreesCase& result) {
  for (const BodyId id : world.bodies()) {
    const std::size_t faces = world.surface(id).triangles.size();
    const BodyKind kind = world.kind(id);
    (kind == BodyKind::soft ? result.soft_faces : result.rigid_faces) += faces;
    if (kind == BodyKind::soft) ++result.soft_bodies;
    if (kind == BodyKind::kinematic || kind == BodyKind::rigid) result.moving_faces += faces;
  }
}

double mean(const std::vector<TreesStep>& steps, double TreesStep::*what) {
  double sum = 0;
  for (const TreesStep& one : steps) sum += one.*what;
  return steps.empty() ? 0 : sum / static_cast<double>(steps.size());
}

void step_all(std::vector<std::unique_ptr<Runner>>& runners, std::size_t number, double seconds,
              const TreesCaseOptions& options) {
  // From the middle of the first stretch on, so that something touches.
  const bool sampled = options.brute_every > 0 && number % options.brute_every == options.brute_every / 2;
  if (sampled) {
    const Snapshot now = runners.front()->world->snapshot();
    for (const auto& runner : runners)
      if (runner->result.sampled) runner->world->restore(now);
  }
  for (std::size_t i = 0; i < runners.size(); ++i) {
    Runner& runner = *runners[(i + number) % runners.size()];
    if (sampled || !runner.result.sampled) runner.step(seconds);
  }
  const std::uint64_t hash = runners.front()->world->hash();
  for (const auto& runner : runners)
    if (sampled || !runner->result.sampled)
      runner->result.same = runner->result.same && runner->world->hash() == hash;
}

}  // namespace

double TreesRun::mean_ms() const { return mean(steps, &TreesStep::ms); }
double TreesRun::hertz() const { return mean_ms() > 0 ? 1000 / mean_ms() : 0; }
double TreesRun::detect_ms() const { return mean(steps, &TreesStep::detect_ms); }
double TreesRun::detect_share() const { return mean_ms() > 0 ? detect_ms() / mean_ms() : 0; }
double TreesRun::search_share() const {
  return mean_ms() > 0 ? (detect_ms() + mean(steps, &TreesStep::guard_ms)) / mean_ms() : 0;
}

const TreesRun* TreesCase::run(std::string_view method) const {
  for (const TreesRun& one : runs)
    if (one.method == method) return &one;
  return nullptr;
}

std::optional<double> TreesCase::times(std::string_view one, std::string_view other,
                                       double TreesStep::*what) const {
  const TreesRun *a = run(one), *b = run(other);
  if (a == nullptr || b == nullptr) return {};
  double sum_a = 0, sum_b = 0;
  std::size_t i = 0;
  for (const TreesStep& step : a->steps) {  // both ascending
    while (i < b->steps.size() && b->steps[i].step < step.step) ++i;
    if (i == b->steps.size() || b->steps[i].step != step.step) continue;
    sum_a += step.*what;
    sum_b += b->steps[i].*what;
  }
  if (!(sum_b > 0)) return {};
  return sum_a / sum_b;
}

Scene trees_scene(Scene scene, std::size_t bodies) {
  const auto soft = std::find_if(scene.bodies.begin(), scene.bodies.end(),
                                 [](const SceneBody& one) { return one.kind == SceneBodyKind::soft; });
  if (soft == scene.bodies.end())
    throw Error(Place::named("scene", scene.title), "it has no soft body", "Give one that has.");
  soft->self_contacts = false;
  const SceneBody first = *soft;
  std::vector<std::string> names = {first.name};
  // Almost in the same place: they pass through each other, and each does what the first does.
  const std::array<Vec3, 4> aside = {Vec3(0, 0, 0), Vec3(0.006, 0, 0), Vec3(-0.003, 0.005, 0),
                                     Vec3(-0.003, -0.005, 0)};
  for (std::size_t i = 1; i < bodies; ++i) {
    SceneBody copy = first;
    copy.name = fmt::format("{} {}", first.name, i + 1);
    const std::size_t round = 1 + i / aside.size();
    copy.position += aside[i % aside.size()] * static_cast<double>(round);
    for (const std::string& name : names) scene.contact.exclude.push_back({name, copy.name});
    names.push_back(copy.name);
    scene.bodies.push_back(std::move(copy));
  }
  return scene;
}

TreesCase measure_trees(const std::string& name, const Scene& scene, const TreesCaseOptions& options) {
  TreesCase result;
  result.name = name;
  std::vector<std::unique_ptr<Runner>> runners;
  for (const TreesRun& run : runs_of(options)) runners.push_back(std::make_unique<Runner>(scene, run));
  const World& world = *runners.front()->world;
  count_faces(world, result);
  std::size_t most = 0;
  Threads(1).run([&] {
    for (std::size_t i = 0; i < options.steps && result.complete; ++i) {
      step_all(runners, i, scene.run.step, options);
      if (world.contacts().size() > most) {
        most = world.contacts().size();
        result.moment.clear();
        for (const BodyId id : world.bodies()) result.moment.push_back(world.surface(id));
      }
      const double part = static_cast<double>(i + 1) / static_cast<double>(options.steps);
      if (options.progress && !options.progress(part)) result.complete = false;
    }
  });
  for (const auto& runner : runners) result.runs.push_back(std::move(runner->result));
  return result;
}

}  // namespace palpate
