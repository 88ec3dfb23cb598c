// collide/: every finder beside the published grid, on scenes that move.
#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <palpate/base/hash.h>
#include <palpate/collide/detector.h>

#include "benchmarks.h"
#include "contact_conclusions.h"
#include "contact_scenes.h"
#include "pair_cases.h"

namespace palpate::bench {

namespace {

// One detector that goes through the frames of a scene: a run is a step for each frame.
struct Stepper {
  const ContactScene& scene;
  Detector detector;
  std::vector<SurfaceId> ids;
  std::uint64_t hash = 0;
  std::size_t contacts = 0;
  ContactSet last;

  Stepper(const ContactScene& of, double distance, std::string_view finder, const FinderOptions& options = {})
      : scene(of),
        detector({.contact_distance = distance, .finder = std::string(finder), .finder_options = options}) {
    for (const TriangleMesh& mesh : scene.surfaces)
      ids.push_back(detector.add(mesh, {.self_contacts = scene.self}));
  }
  // `cut`: 100 triangles are taken out and put back before every call.
  void run(bool hashed = false, bool cut = false) {
    StateHash sum;
    contacts = 0;
    for (const auto& frame : scene.frames) {
      if (cut) cut_and_mend();
      for (std::size_t i = 0; i < ids.size(); ++i) detector.set_positions(ids[i], frame[i]);
      last = detector.detect();
      contacts += last.size();
      if (hashed) sum.add_bytes(last.contacts.data(), last.contacts.size_bytes());
    }
    if (hashed) hash = sum.value();
  }
  // The triangles go back to where they were, so that every run finds the same.
  void cut_and_mend() {
    const std::vector<TriangleCorners>& all = scene.surfaces[0].triangles;
    std::vector<std::uint32_t> out, places;
    for (std::uint32_t i = 0; i < 100; ++i) out.push_back(static_cast<std::uint32_t>(all.size() / 2) + i);
    const std::vector<TriangleCorners> back(all.begin() + out.front(), all.begin() + out.back() + 1);
    detector.remove_triangles(ids[0], out);
    detector.add_triangles(ids[0], back, places);
  }
};

std::vector<std::pair<std::string, double>> facts_of(const Stepper& stepper) {
  std::vector<std::pair<std::string, double>> facts = {
      {"triangles", static_cast<double>(stepper.scene.triangles())},
      {"frames", static_cast<double>(stepper.scene.frames.size())},
      {"contacts", static_cast<double>(stepper.contacts) / static_cast<double>(stepper.scene.frames.size())},
      {"memory", static_cast<double>(stepper.last.memory)}};
  for (const Stage& stage : stepper.last.stages)
    facts.emplace_back(fmt::format("stages.{}", stage.name), static_cast<double>(stage.nanoseconds) * 1e-6);
  const SearchCounters& c = stepper.last.counters;
  for (const auto& [name, value] : {std::pair{"cells", c.cells},
                                    {"candidates", c.candidates},
                                    {"culled", c.culled},
                                    {"tested", c.tested},
                                    {"filtered", c.filtered},
                                    {"kept", c.kept},
                                    {"rebuilt", c.rebuilt}})
    facts.emplace_back(fmt::format("counters.{}", name), static_cast<double>(value));
  return facts;
}

// The least conceivable: a box for every triangle, and the contacts written.
struct Floor {
  const ContactScene& scene;
  std::vector<std::array<float, 6>> boxes;
  std::vector<std::vector<Contact>> contacts;  // of each frame
  std::vector<Contact> out;

  Floor(const ContactScene& of, double distance) : scene(of) {
    Stepper stepper(scene, distance, "tree");
    boxes.resize(scene.triangles());
    for (const auto& frame : scene.frames) {
      for (std::size_t i = 0; i < stepper.ids.size(); ++i)
        stepper.detector.set_positions(stepper.ids[i], frame[i]);
      const ContactSet found = stepper.detector.detect();
      contacts.emplace_back(found.begin(), found.end());
      if (out.size() < found.size()) out.resize(found.size());
    }
  }
  void run() {
    for (std::size_t f = 0; f < scene.frames.size(); ++f) {
      std::size_t at = 0;
      for (std::size_t i = 0; i < scene.surfaces.size(); ++i)
        for (const TriangleCorners& t : scene.surfaces[i].triangles) {
          const std::vector<Vec3>& p = scene.frames[f][i];
          const Vec3 lo = p[t[0]].cwiseMin(p[t[1]]).cwiseMin(p[t[2]]),
                     hi = p[t[0]].cwiseMax(p[t[1]]).cwiseMax(p[t[2]]);
          for (int k = 0; k < 3; ++k) {
            boxes[at][static_cast<std::size_t>(k)] = static_cast<float>(lo[k]);
            boxes[at][static_cast<std::size_t>(k) + 3] = static_cast<float>(hi[k]);
          }
          ++at;
        }
      keep(boxes.data());
      std::copy(contacts[f].begin(), contacts[f].end(), out.begin());
      keep(out.data());
    }
  }
};

std::vector<Method> methods(const std::shared_ptr<ContactScene>& scene, double distance) {
  std::vector<Method> all;
  for (const FinderEntry& entry : finders()) {
    if (entry.name == "brute") continue;
    const auto stepper = std::make_shared<Stepper>(*scene, distance, entry.name);
    const bool reference = entry.name == "classic_grid";
    all.push_back({std::string(entry.name),
                   reference ? Role::reference : Role::ours,
                   [scene, stepper] { stepper->run(); },
                   {},
                   [stepper] {
                     stepper->run(true);
                     return stepper->hash;
                   },
                   !entry.name.starts_with("classic"),
                   [stepper] { return facts_of(*stepper); }});
  }
  const auto floor = std::make_shared<Floor>(*scene, distance);
  all.push_back({"boxes and contacts", Role::floor, [scene, floor] { floor->run(); }});
  return all;
}

// A detector made for one call: nothing is kept, so nothing pays off later.
Case first_case(const ListedScene& listed) {
  const auto make = [listed] {
    const auto scene = std::make_shared<ContactScene>(listed.make());
    scene->frames.resize(1);
    std::vector<Method> all;
    for (const FinderEntry& entry : finders()) {
      if (entry.name == "brute") continue;
      const auto run = [scene, distance = listed.edges * scene->edge, name = entry.name](bool hashed) {
        Stepper stepper(*scene, distance, name);
        stepper.run(hashed);
        return stepper.hash;
      };
      all.push_back({std::string(entry.name),
                     entry.name == "classic_grid" ? Role::reference : Role::ours,
                     [run] { run(false); },
                     {},
                     [run] { return run(true); },
                     !entry.name.starts_with("classic")});
    }
    return all;
  };
  return {"first:" + listed.name, listed.triangles, make};
}

Case cut_case(const ListedScene& listed) {
  const auto make = [listed] {
    const auto scene = std::make_shared<ContactScene>(listed.make());
    std::vector<Method> all;
    for (const FinderEntry& entry : finders()) {
      if (entry.name == "brute") continue;
      const auto stepper = std::make_shared<Stepper>(*scene, listed.edges * scene->edge, entry.name);
      all.push_back({std::string(entry.name),
                     entry.name == "classic_grid" ? Role::reference : Role::ours,
                     [scene, stepper] { stepper->run(false, true); },
                     {},
                     [stepper] {
                       stepper->run(true, true);
                       return stepper->hash;
                     },
                     !entry.name.starts_with("classic"),
                     [stepper] { return facts_of(*stepper); }});
    }
    return all;
  };
  return {"cut:" + listed.name, listed.triangles, make};
}

// How the cost of our finder grows with the triangles: all sizes side by side, in the same rounds.
Case growth_case() {
  const auto make = [] {
    std::vector<Method> all;
    for (const std::size_t n : {3200u, 12800u, 51200u, 204800u, 819200u}) {
      const auto scene = std::make_shared<ContactScene>(sheets(n));
      const auto stepper = std::make_shared<Stepper>(*scene, 0.5 * scene->edge, "tree");
      all.push_back({fmt::format("tree-{}", n),
                     Role::ours,
                     [scene, stepper] { stepper->run(); },
                     {},
                     {},
                     true,
                     [stepper] { return facts_of(*stepper); }});
    }
    return all;
  };
  return {growth_name, 819'200, make};
}

// The published grid, from positions to contacts, beside CGAL's search through the boxes alone.
Case grid_case(const ListedScene& listed) {
  const auto make = [listed] {
    const auto scene = std::make_shared<ContactScene>(listed.make());
    const double distance = listed.edges * scene->edge;
    const auto stepper = std::make_shared<Stepper>(*scene, distance, "classic_grid");
    std::vector<Method> all = {{"classic_grid", Role::ours, [scene, stepper] { stepper->run(); }}};
    if (std::optional<Method> cgal = cgal_boxes(*scene, distance)) all.push_back(std::move(*cgal));
    return all;
  };
  return {grid_prefix + listed.name, listed.triangles, make};
}

// Everything moves by two hundredths of an edge from call to call.
Case slow_case(const ListedScene& listed) {
  return {"slow:" + listed.name, listed.triangles, [listed] {
            const auto scene = std::make_shared<ContactScene>(slowly(listed.make(), 0.02));
            return methods(scene, listed.edges * scene->edge);
          }};
}

// The published grid with tests of normals in its cells: ours, which loses nothing, and the papers'.
Case cones_case(const ListedScene& listed) {
  return {"cones:" + listed.name, listed.triangles, [listed] {
            const auto scene = std::make_shared<ContactScene>(listed.make());
            std::vector<Method> all;
            for (const auto& [name, options] :
                 {std::pair{"classic_grid", FinderOptions{}},
                  {"classic_grid, cones", FinderOptions{.cones = true}},
                  {"classic_grid, published cones", FinderOptions{.published_cones = true}}}) {
              const auto stepper =
                  std::make_shared<Stepper>(*scene, listed.edges * scene->edge, "classic_grid", options);
              all.push_back({name,
                             options == FinderOptions{} ? Role::reference : Role::ours,
                             [scene, stepper] { stepper->run(); },
                             {},
                             {},
                             false,
                             [stepper] { return facts_of(*stepper); }});
            }
            return all;
          }};
}

std::vector<Case> cases(bool quick) {
  std::vector<Case> all;
  const std::vector<ListedScene> scenes = listed_scenes(quick);
  for (const ListedScene& one : scenes)
    all.push_back({one.name, one.triangles, [one] {
                     const auto scene = std::make_shared<ContactScene>(one.make());
                     return methods(scene, one.edges * scene->edge);
                   }});
  for (const ListedScene& one : scenes)
    if (!quick && (one.name.starts_with("knot") || one.name == "tori-51200-d4"))
      all.push_back(slow_case(one));
  for (const ListedScene& one : scenes)
    if (!quick || one.triangles < 60'000) all.push_back(pair_case(one));
  for (const ListedScene& one : scenes) {
    if (quick) break;
    if (one.name == "cloth-ball-d0.05") all.push_back(grid_case(one));
    if (one.name == "cloth-ball-d0.05" || one.name == "knot-63360-d1" || one.name == "tori-51200-d0.5")
      all.push_back(first_case(one));
    if (one.name == "cloth-ball-d0.05" || one.name == "knot-63360-d1") all.push_back(cut_case(one));
  }
  if (!quick) {
    all.push_back(growth_case());
    all.push_back(cones_case({"knot-63360-d0.2", 0.2, 63360, [] { return knot(63360); }}));
    for (const ListedScene& one : scenes)
      if (one.name == "cloth-ball-d0.05") all.push_back(cones_case(one));
  }
  return all;
}

}  // namespace

Benchmark contacts() {
  return {"contacts", "all contacts of scenes that move: our finders beside the published grid", cases,
          conclusions};
}

}  // namespace palpate::bench
