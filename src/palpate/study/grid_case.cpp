#include <palpate/study/grid_case.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include <palpate/base/parallel.h>
#include <palpate/study/thread_time.h>

namespace palpate {

namespace {

struct Sample {
  double ms = 0, wall_ms = 0;
  std::array<double, grid_stages> stage_ms{};
};

// One method with its detector.
class Runner {
 public:
  Runner(const SceneFrames& frames, bool self, const GridRun& run)
      : frames_(frames), detector_(frames.detector(self)), result(run) {
    if (run.is_ours) return;
    auto stages = std::make_unique<GridStages>(run.options);
    stages_ = stages.get();
    detector_.set_finder(std::move(stages));
  }

  ContactSet detect(std::size_t frame, const Threads& threads, Sample& sample) {
    for (std::uint32_t i = 0; i < frames_.surfaces.size(); ++i)
      detector_.set_positions(detector_.surfaces()[i].id, frames_.frames[frame][i]);
    if (stages_ != nullptr) stages_->clear();
    ContactSet found;
    threads.run([&] {
      const auto begin = Clock::now();
      const double before = thread_milliseconds();
      found = detector_.detect();
      const double own = thread_milliseconds() - before;
      sample.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
      sample.ms = result.all_threads ? sample.wall_ms : own;
    });
    for (std::size_t k = 0; stages_ != nullptr && k < grid_stages; ++k)
      sample.stage_ms[k] = stages_->milliseconds(static_cast<GridStage>(k));
    return found;
  }
  // What it finds, beside the keys of what there is.
  void compare(const ContactSet& found, const std::vector<std::uint64_t>& keys) {
    std::size_t both = 0;
    for (const Contact& contact : found) both += std::binary_search(keys.begin(), keys.end(), contact.key);
    result.contacts += found.size();
    result.extra += found.size() - both;
    result.lost += keys.size() - both;
    result.frame_lost.push_back(keys.size() - both);
    if (stages_ != nullptr) result.counts += stages_->counts();
  }
  void take(std::vector<Sample>& rounds) {
    if (rounds.empty()) return;
    const auto quarter = rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 4);
    std::nth_element(rounds.begin(), quarter, rounds.end(),
                     [](const Sample& a, const Sample& b) { return a.wall_ms < b.wall_ms; });
    const auto n = static_cast<double>(frames_.frames.size());
    result.frame_ms.push_back(quarter->ms);
    result.ms += quarter->ms / n;
    result.wall_ms += quarter->wall_ms / n;
    for (std::size_t k = 0; k < grid_stages; ++k) result.stage_ms[k] += quarter->stage_ms[k] / n;
  }

 private:
  const SceneFrames& frames_;
  Detector detector_;
  GridStages* stages_ = nullptr;  // the detector's

 public:
  GridRun result;
};

std::vector<GridRun> runs_of(bool self) {
  using namespace grid_method;
  std::vector<GridRun> runs = {
      {.method = ours, .is_ours = true},
      {.method = ours, .all_threads = true, .is_ours = true},
      {.method = boxes},
      {.method = boxes, .all_threads = true},
      {.method = boxes_features, .options = {.feature_boxes = true}},
      {.method = spheres, .options = {.spheres = true}},
      {.method = spheres_features, .options = {.spheres = true, .feature_boxes = true}},
      {.method = published_rules, .options = {.published_rules = true}},
  };
  if (!self) return runs;
  const FinderOptions published{.published_cones = true};
  runs.push_back({.method = grid_method::published_cones, .options = published});
  runs.push_back({.method = grid_method::published_cones, .options = published, .all_threads = true});
  runs.push_back({.method = cones, .options = {.cones = true}});
  runs.push_back({.method = as_published, .options = {.published_rules = true, .published_cones = true}});
  return runs;
}

// The measurement as it goes on.
class Measurement {
 public:
  Measurement(const SceneFrames& frames, const GridCaseOptions& options)
      : frames_(frames), options_(options), one_(1), all_(options.threads) {
    for (const GridRun& run : runs_of(options.self))
      runners_.push_back(std::make_unique<Runner>(frames, options.self, run));
  }

  // All contacts, and what each variant makes of them. False: interrupted.
  bool compare(GridCase& result) {
    std::vector<std::uint64_t> keys;
    for (std::size_t f = 0; f < frames_.frames.size(); ++f) {
      for (const std::unique_ptr<Runner>& runner : runners_) {
        Sample unused;
        const ContactSet found = runner->detect(f, threads(*runner), unused);
        if (runner == runners_.front()) {
          keys.clear();
          for (const Contact& contact : found) keys.push_back(contact.key);
          result.contacts += keys.size();
          result.frame_contacts.push_back(keys.size());
        }
        runner->compare(found, keys);
      }
      if (!go_on(0, f)) return false;
    }
    return true;
  }

  bool time() {
    std::vector<std::vector<std::vector<Sample>>> samples(  // [runner][frame][round]
        runners_.size(), std::vector<std::vector<Sample>>(frames_.frames.size()));
    for (int round = 0; round < options_.rounds; ++round)
      for (std::size_t f = 0; f < frames_.frames.size(); ++f) {
        for (std::size_t i = 0; i < runners_.size(); ++i) {
          const std::size_t r = (i + f + static_cast<std::size_t>(round)) % runners_.size();
          Sample sample;
          runners_[r]->detect(f, threads(*runners_[r]), sample);
          samples[r][f].push_back(sample);
        }
        if (!go_on(round + 1, f)) return false;
      }
    for (std::size_t r = 0; r < runners_.size(); ++r)
      for (std::vector<Sample>& rounds : samples[r]) runners_[r]->take(rounds);
    return true;
  }

  int all_threads() const { return all_.count(); }
  void give(GridCase& result) {
    for (const std::unique_ptr<Runner>& runner : runners_) result.runs.push_back(std::move(runner->result));
  }

 private:
  const Threads& threads(const Runner& runner) const { return runner.result.all_threads ? all_ : one_; }
  bool go_on(int round, std::size_t frame) const {
    const double part = static_cast<double>(frame + 1) / static_cast<double>(frames_.frames.size());
    return !options_.progress || options_.progress((round + part) / (options_.rounds + 1));
  }

  const SceneFrames& frames_;
  GridCaseOptions options_;
  Threads one_, all_;
  std::vector<std::unique_ptr<Runner>> runners_;  // the first: ours, which says what there is
};

}  // namespace

double GridRun::other_ms() const { return ms - std::accumulate(stage_ms.begin(), stage_ms.end(), 0.0); }

const GridRun* GridCase::run(std::string_view method, bool all_threads) const {
  for (const GridRun& one : runs)
    if (one.method == method && one.all_threads == all_threads) return &one;
  return nullptr;
}

GridCase measure_grid(const SceneFrames& frames, const GridCaseOptions& options) {
  GridCase result;
  result.scene = frames.name;
  result.triangles = frames.triangles();
  result.frames = frames.frames.size();
  result.steps = frames.steps;
  result.every = frames.every;
  result.step = frames.step;
  result.self = options.self;
  result.contact_distance = frames.contact_distance;
  result.edge = frames.edge;
  result.step_one = frames.one;
  result.step_all = frames.all;
  result.same_states = frames.same;
  Measurement measurement(frames, options);
  result.threads = measurement.all_threads();
  result.complete = frames.ended && measurement.compare(result) && measurement.time();
  measurement.give(result);
  const auto most = std::max_element(result.frame_contacts.begin(), result.frame_contacts.end());
  if (most != result.frame_contacts.end()) {
    result.moment = frames.surfaces;
    const auto& positions = frames.frames[static_cast<std::size_t>(most - result.frame_contacts.begin())];
    for (std::size_t i = 0; i < positions.size(); ++i) result.moment[i].positions = positions[i];
  }
  return result;
}

}  // namespace palpate
