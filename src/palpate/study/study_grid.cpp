#include <palpate/study/study_grid.h>

#include <palpate/base/parallel.h>
#include <palpate/scene/read_scene.h>

namespace palpate {

namespace {

struct Planned {
  const char* scene;
  std::size_t steps;  // as published
  double step;        // [s]: from the fall until nothing touches, or as published
  bool self, quick;
  double share;  // of all the work, about
};
constexpr Planned plan[] = {{"tori-3200", 300, 0.002, false, true, 0.06},
                            {"tori", 300, 0.002, false, false, 0.14},
                            {"tori-51200", 300, 0.002, false, false, 0.5},
                            {"knot", 370, 0.02, true, true, 0.3}};

}  // namespace

GridStudy study_grid(const GridStudyOptions& options) {
  GridStudy study;
  study.quick = options.quick;
  study.threads = Threads(options.threads).count();
  double whole = 0, done = 0;
  for (const Planned& one : plan) whole += one.quick || !options.quick ? one.share : 0;
  for (const Planned& one : plan) {
    if (options.quick && !one.quick) continue;
    const auto part = [&](double from, double to) {
      return [&, from, to](double fraction) {
        return !options.progress ||
               options.progress((done + one.share * (from + (to - from) * fraction)) / whole);
      };
    };
    const Scene scene = read_scene(options.scenes + "/" + one.scene + ".toml");
    const std::size_t every = options.quick ? one.steps / 10 : 3;
    const SceneFrames frames = record_frames(one.scene, scene,
                                             {.steps = one.steps,
                                              .every = every,
                                              .step = one.step,
                                              .threads = options.threads,
                                              .progress = part(0, 0.5)});
    GridCase result = measure_grid(frames, {.rounds = options.quick ? 3 : 5,
                                            .threads = options.threads,
                                            .self = one.self,
                                            .progress = part(0.5, 1)});
    if (!result.complete) {
      study.interrupted = true;
      break;
    }
    study.cases.push_back(std::move(result));
    done += one.share;
  }
  if (!study.interrupted) {
    GridCase rolled = measure_grid(
        rolled_sheet(), {.rounds = options.quick ? 3 : 9, .threads = options.threads, .self = true});
    study.cases.push_back(std::move(rolled));
  }
  study.claims = judge_grid_claims(study.cases);
  return study;
}

}  // namespace palpate
