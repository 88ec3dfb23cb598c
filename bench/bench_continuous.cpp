// collide/: what touches while it moves, beside plain bisection with intervals.
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include <fmt/format.h>

#include <palpate/base/parallel.h>
#include <palpate/collide/detector.h>

#include "benchmarks.h"
#include "contact_scenes.h"
#include "reference_crossing.h"

namespace palpate::bench {

namespace {

struct Query {
  FourPoints start, end;
};
using Queries = std::vector<Query>;

const std::string detect_name = "detect at half an edge";

// --- one pair at a time ---------------------------------------------------------------------------

Vec3 any_point(std::mt19937_64& random) {
  const auto number = [&] { return 2 * (static_cast<double>(random() >> 11) * 0x1p-53) - 1; };
  const double x = number(), y = number(), z = number();
  return {x, y, z};
}

// Pairs of features with edges of about 1 that move by about as much. Separate: pass each other at some
// distance; near: by a hundredth; hitting: meet.
Queries made(ContactKind kind, std::string_view mix, std::size_t count) {
  std::mt19937_64 random(7);
  Queries all;
  while (all.size() < count) {
    Query q;
    FourPoints meeting, speed;
    for (std::size_t k = 0; k < 4; ++k) {
      meeting[k] = any_point(random);
      speed[k] = any_point(random);
    }
    const double t = 0.5 + 0.4 * any_point(random).x(), u = 0.4 * (1 + any_point(random).x()),
                 v = 0.9 * (0.5 + 0.5 * any_point(random).x()) * (kind == ContactKind::edge_edge ? 1 : 1 - u);
    const double apart = mix == "hitting" ? 0 : mix == "near" ? 0.01 : 0.5;
    const Vec3 off = apart * any_point(random).normalized();
    if (kind == ContactKind::vertex_triangle) {
      meeting[0] = meeting[1] + u * (meeting[2] - meeting[1]) + v * (meeting[3] - meeting[1]) + off;
    } else {
      const Vec3 there = meeting[0] + u * (meeting[1] - meeting[0]) + off;
      meeting[3] = meeting[2] + (there - meeting[2]) / std::max(0.1, v);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      q.start[k] = meeting[k] - t * speed[k];
      q.end[k] = meeting[k] + (1 - t) * speed[k];
    }
    const bool hits = find_crossing(kind, q.start, q.end).hit;
    if (hits == (mix == "hitting")) all.push_back(q);
  }
  return all;
}

struct Frames {
  std::string name, first, second;
};
const std::array<Frames, 3> frames = {{{"cloth-ball", "cloth-ball-92", "cloth-ball-93"},
                                       {"armadillo", "armadillo-rollers-326", "armadillo-rollers-327"},
                                       {"funnel", "cloth-funnel-227", "cloth-funnel-228"}}};
bool have_frames() {
  return std::all_of(frames.begin(), frames.end(),
                     [](const Frames& f) { return has_data(f.first) && has_data(f.second); });
}

// The pairs that a search by boxes leaves in real scenes, some of them.
Queries from_scenes(ContactKind kind, std::size_t count) {
  static Queries noted;  // tests are plain functions
  static ContactKind wanted;
  noted.clear();
  wanted = kind;
  for (const Frames& f : frames) {
    const ContactScene scene = real(f.first, f.second);
    DetectorOptions options;
    options.finder = "grid";
    Detector detector(options);
    detector.set_end_positions(detector.add(scene.surfaces[0]), scene.frames[1][0]);
    CrossingOptions noting;
    noting.test = [](ContactKind k, const FourPoints& start, const FourPoints& end,
                     const CrossingOptions&) -> CrossingTime {
      if (k == wanted) noted.push_back({start, end});
      return {};
    };
    Threads(1).run([&] { detector.crossings(noting); });
  }
  Queries all = noted;
  std::mt19937_64 random(11);
  std::shuffle(all.begin(), all.end(), random);
  all.resize(std::min(all.size(), count));
  return all;
}

// Pairs that are sure to touch must be found by all methods; what a method finds beside those is rounding.
std::uint64_t misses(ContactKind kind, const Queries& queries, const std::vector<std::uint8_t>& found) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < queries.size(); ++i)
    count += find_crossing(kind, queries[i].start, queries[i].end).sure && found[i] == 0 ? 1 : 0;
  return count;
}

Case query_case(ContactKind kind, const std::string& mix, std::size_t count) {
  const std::string name = kind == ContactKind::vertex_triangle ? "vertex-triangle" : "edge-edge";
  const auto make = [kind, mix, count] {
    const auto queries =
        std::make_shared<Queries>(mix == "scenes" ? from_scenes(kind, count) : made(kind, mix, count));
    std::vector<Method> all;
    const auto add = [&](const std::string& method, Role role, auto test) {
      const auto found = std::make_shared<std::vector<std::uint8_t>>(queries->size());
      const auto run = [=] {
        for (std::size_t i = 0; i < queries->size(); ++i)
          (*found)[i] = test(kind, (*queries)[i].start, (*queries)[i].end, CrossingOptions{}).hit ? 1 : 0;
      };
      all.push_back({method, role, run, {}, [=] {
                       run();
                       return misses(kind, *queries, *found);
                     }});
      all.back().facts = [=] {
        return std::vector<std::pair<std::string, double>>{
            {"hits", static_cast<double>(std::count(found->begin(), found->end(), 1))}};
      };
    };
    add("interval bisection", Role::reference, interval_bisection);
    add("find_crossing", Role::ours, [](auto... all_of_it) { return find_crossing(all_of_it...); });
    return all;
  };
  return {name + "-" + mix, count, make};
}

// --- whole steps ----------------------------------------------------------------------------------

struct Stepper {
  ContactScene scene;
  Detector detector;
  SurfaceId id;
  CrossingOptions options;
  CrossingSet last;

  Stepper(const Frames& f, std::string_view finder)
      : scene(real(f.first, f.second)),
        detector({.finder = std::string(finder)}),
        id(detector.add(scene.surfaces[0])) {}
  void run() {
    detector.set_positions(id, scene.frames[0][0]);
    detector.set_end_positions(id, scene.frames[1][0]);
    last = detector.crossings(options);
  }
};

// The contacts of the start, at half an edge: what a step is compared with.
struct Detecting {
  ContactScene scene;
  Detector detector;
  SurfaceId id;
  explicit Detecting(const Frames& f)
      : scene(real(f.first, f.second)),
        detector({.contact_distance = 0.5 * scene.edge, .finder = "tree"}),
        id(detector.add(scene.surfaces[0])) {}
  void run() {
    detector.set_positions(id, scene.frames[0][0]);
    detector.detect();
  }
};

Case step_case(const Frames& f, std::size_t triangles) {
  const auto make = [f] {
    const auto truth = std::make_shared<Stepper>(f, "tree");
    truth->run();
    const auto sure = std::make_shared<std::vector<std::uint64_t>>();
    for (const Crossing& one : truth->last)
      if (one.sure) sure->push_back(one.key);
    std::vector<Method> all;
    const auto add = [&](const std::string& name, std::string_view finder, bool reference) {
      const auto stepper = std::make_shared<Stepper>(f, finder);
      if (reference) stepper->options.test = interval_bisection;
      all.push_back({name,
                     reference ? Role::reference : Role::ours,
                     [stepper] { stepper->run(); },
                     {},
                     [stepper, sure] {
                       stepper->run();
                       std::uint64_t lost = 0;
                       auto at = stepper->last.begin();
                       for (const std::uint64_t key : *sure) {
                         while (at != stepper->last.end() && at->key < key) ++at;
                         lost += at == stepper->last.end() || at->key != key ? 1 : 0;
                       }
                       return lost;
                     },
                     true,
                     [stepper] {
                       std::vector<std::pair<std::string, double>> facts = {
                           {"crossings", static_cast<double>(stepper->last.size())},
                           {"safe_fraction", stepper->last.safe_fraction},
                           {"counters.tested", static_cast<double>(stepper->last.counters.tested)}};
                       for (const Stage& stage : stepper->last.stages)
                         facts.emplace_back(fmt::format("stages.{}", stage.name),
                                            static_cast<double>(stage.nanoseconds) * 1e-6);
                       return facts;
                     }});
    };
    add("bisection on classic_grid", "classic_grid", true);
    add("tree", "tree", false);
    add("grid", "grid", false);
    const auto detecting = std::make_shared<Detecting>(f);
    all.push_back({detect_name, Role::ours, [detecting] { detecting->run(); }, {}, {}, true});
    return all;
  };
  return {f.name, triangles, make};
}

std::vector<Case> cases(bool quick) {
  std::vector<Case> all;
  const std::size_t count = quick ? 2'000 : 20'000;
  for (const ContactKind kind : {ContactKind::vertex_triangle, ContactKind::edge_edge}) {
    for (const std::string mix : {"separate", "near", "hitting"}) all.push_back(query_case(kind, mix, count));
    if (have_frames()) all.push_back(query_case(kind, "scenes", count));
  }
  if (have_frames()) {
    if (!quick) all.push_back(step_case(frames[0], 92'230));
    if (!quick) all.push_back(step_case(frames[1], 24'242));
    all.push_back(step_case(frames[2], 18'484));
  }
  return all;
}

void conclude_threads(const std::vector<Row>& rows, std::vector<Conclusion>& all) {
  for (const Row& two : rows) {
    if (two.method != "tree" || two.threads != 2) continue;
    for (const Row& one : rows)
      if (one.method == two.method && one.threads == 1 && one.case_name == two.case_name)
        all.push_back(
            {"two_threads." + one.case_name, one.median_ms / two.median_ms, 1.6,
             fmt::format("two threads do a step of {} {:.2f} times as fast as one (must, if two cores are "
                         "free: at least 1.6)",
                         one.case_name, one.median_ms / two.median_ms)});
    if (two.case_name == frames[0].name)
      all.push_back({"cloth_ball_ms", two.median_ms, 80,
                     fmt::format("a step of {} takes {:.1f} ms on two threads (aim: at most 80)",
                                 two.case_name, two.median_ms)});
  }
}

// The worst of the rows that a bound is for.
std::vector<Conclusion> conclude(const std::vector<Row>& rows) {
  std::vector<Conclusion> all;
  const auto worst = [&](const std::string& name, const std::string& what, auto wanted) {
    const Row* least = nullptr;
    for (const Row& row : rows)
      if (row.role == Role::ours && row.ratio_reference && wanted(row) &&
          (least == nullptr || *row.ratio_reference < *least->ratio_reference))
        least = &row;
    if (least != nullptr)
      all.push_back({name, *least->ratio_reference, 10,
                     fmt::format("{}: {:.1f} times as fast as bisection at worst, on {} (must: at least 10)",
                                 what, *least->ratio_reference, least->case_name)});
  };
  worst("queries_over_reference", "pairs that scenes produce",
        [](const Row& row) { return row.case_name.ends_with("scenes"); });
  worst("steps_over_reference", "whole steps", [](const Row& row) { return row.method == "tree"; });
  for (const Row& step : rows)
    for (const Row& detect : rows)
      if (step.method == "tree" && detect.method == detect_name && step.case_name == detect.case_name &&
          step.threads == 1 && detect.threads == 1 && step.ratio_reference && detect.ratio_reference) {
        const double times = *detect.ratio_reference / *step.ratio_reference;
        all.push_back(
            {"step_over_detect." + step.case_name, times, 3,
             fmt::format("a step of {} takes {:.1f} times as long as detect at half an edge (aim: at most 3)",
                         step.case_name, times)});
      }
  conclude_threads(rows, all);
  return all;
}

}  // namespace

Benchmark continuous() {
  return {"continuous", "what touches while it moves: beside bisection with intervals", cases, conclude};
}

}  // namespace palpate::bench
