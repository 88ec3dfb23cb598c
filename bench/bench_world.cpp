// world/, rigid/ and respond/. The cases:
//
//   beam-3120     a step of the largest beam of scenes/beams.toml, and how much of it is neither detection
//                 nor solving; the state saved and restored, beside it
//   boxes-10000   free rigid boxes that tumble, without detection
//   chain-100     rigid boxes on hinges
//   tori-51200, knot, spheres-box
//                 whole scenes, step by step: ours, and with the pieces of the papers (the grid, projections
//                 one after the other, springs that push), in four substeps. With one, tori go through each
//                 other; with four, features of the knot and of the balls still do.
//                 Without damping, of which projections know nothing.
//   touching      two tori that touch, from 3,200 to 819,200 triangles
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include <palpate/mesh/generate.h>
#include <palpate/world/world.h>

#include "benchmarks.h"
#include "growth.h"
#include "scene_steps.h"

namespace palpate::bench {

namespace {

constexpr double frame = 1.0 / 60;
constexpr const char* saving = "snapshot and restore";

// The beam after a while: how its steps divide into stages is summed over all that were timed.
struct BeamWorld {
  World world;
  Snapshot snapshot;
  std::array<double, 2> nanoseconds{};  // of detect and solve, of all

  BeamWorld() {
    SoftBody body(make(BeamShape{.cell = 0.0025, .along = 39, .across = 4}),
                  {.density = 1000, .young = 1e6, .poisson = 0.4});
    Box box;
    for (const Vec3& p : body.rest().positions) box.add(p);
    std::vector<std::uint32_t> held;
    for (std::uint32_t v = 0; v < body.rest().positions.size(); ++v)
      if (body.rest().positions[v].x() < box.lo.x() + 1e-6) held.push_back(v);
    body.fix(held);
    world.add_soft(std::move(body), {.name = "beam"});
    for (int i = 0; i < 30; ++i) world.step(frame);
    world.snapshot(snapshot);
  }
  void step() {
    const StepReport& report = world.step(frame);
    for (const Stage& stage : world.stages())
      if (stage.name == "detect" || stage.name == "solve")
        nanoseconds[0] += static_cast<double>(stage.nanoseconds);
    nanoseconds[1] += static_cast<double>(report.nanoseconds);
  }
};

std::vector<Method> beam() {
  const auto beam_world = std::make_shared<BeamWorld>();
  Method step, save;
  step.name = "step";
  step.role = Role::reference;
  step.run = [beam_world] { beam_world->step(); };
  step.parallel = true;
  step.facts = [beam_world] {
    const auto& [inside, all] = beam_world->nanoseconds;
    return std::vector<std::pair<std::string, double>>{{"other_part", 1 - inside / all}};
  };
  save.name = saving;
  save.run = [beam_world] {
    beam_world->world.snapshot(beam_world->snapshot);
    beam_world->world.restore(beam_world->snapshot);
  };
  save.parallel = true;
  return {step, save};
}

std::vector<Method> boxes(std::uint32_t count) {
  const auto bodies = std::make_shared<RigidBodies>();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t column = i % 100, row = i / 100;
    bodies->add({i, 1}, {.mass = {.mass = 1, .moments = Vec3(1, 1.5, 2), .frame = {}},
                         .state = {.pose = {Quat::Identity(), Vec3(column, row, 0)},
                                   .angular_velocity = Vec3(1 + i % 7, 2, 3)}});
  }
  Method method;
  method.name = "step";
  method.run = [bodies] { bodies->step(frame); };
  method.parallel = true;
  return {method};
}

std::vector<Method> chain(std::uint32_t count) {
  const auto bodies = std::make_shared<RigidBodies>();
  const auto side = [&](BodyId id) { return ConstraintSide{bodies->state(id).pose, bodies->centre(id)}; };
  for (std::uint32_t i = 0; i < count; ++i) {
    const BodyId id{i, 1}, last = i == 0 ? BodyId{} : BodyId{i - 1, 1};
    bodies->add(id, {.mass = {.mass = 1, .moments = Vec3(0.02, 0.1, 0.1), .frame = {}},
                     .state = {.pose = {Quat::Identity(), Vec3(0.5 + i, 0, 0)}}});
    bodies->add(make_joint(last, side(last), id, side(id),
                           {.kind = JointKind::hinge, .point = Vec3(i, 0, 0), .axis = Vec3(0, 1, 0)}));
  }
  Method method;
  method.name = "step";
  method.run = [bodies] { bodies->step(frame); };
  return {method};
}

// --- whole scenes ---------------------------------------------------------------------------------

constexpr int reference_substeps = 4;
constexpr const char* touching = "touching";

struct Listed {
  std::string name;
  std::size_t triangles;
  int steps;
  double most_ms;  // that the median of a step must stay below
  bool even;       // its 99th percentile must stay below twice the median
};
const std::vector<Listed>& listed() {
  static const std::vector<Listed> all = {{"tori-51200", 51200, 180, 16.7, true},
                                          {"knot", 3960, 180, 16.7, true},
                                          {"spheres-box", 16000, 180, 33, false}};
  return all;
}

Method method_of(std::string name, Role role, const std::shared_ptr<SceneSteps>& steps, bool parallel) {
  Method method;
  method.name = std::move(name);
  method.role = role;
  method.prepare = [steps] { steps->prepare(); };
  method.run = [steps] { steps->step(); };
  method.facts = [steps] { return steps->facts(); };
  method.parallel = parallel;
  return method;
}

std::vector<Method> scene(const Listed& of) {
  const std::vector<std::string> changes = {"materials.gel.damping=0"};
  const auto ours = std::make_shared<SceneSteps>(scene_of(of.name, changes), 0, of.steps);
  const auto papers =
      std::make_shared<SceneSteps>(reference_of(of.name, reference_substeps, changes), 0, of.steps);
  return {method_of("palpate", Role::ours, ours, true),
          method_of(fmt::format("classic_grid, xpbd, penalty, {} substeps", reference_substeps),
                    Role::reference, papers, false)};
}

// The tori as they press each other, finer and finer; the tetrahedra that carry them stay as they are.
std::vector<Method> tori() {
  std::vector<Method> all;
  for (const int around : {40, 80, 160, 320, 640}) {
    const int triangles = 2 * around * around;  // of both
    std::vector<std::string> changes = {fmt::format("contact.distance={}", 0.0015 * 160 / around)};
    for (const char* body : {"lower", "upper"}) {
      changes.push_back(fmt::format("body.{}.surface.around={}", body, around));
      changes.push_back(fmt::format("body.{}.surface.across={}", body, around / 2));
    }
    const auto steps = std::make_shared<SceneSteps>(scene_of("tori-51200", changes), 8, 12);
    all.push_back(method_of(fmt::format("tori-{}", triangles), Role::ours, steps, true));
  }
  return all;
}

void conclude_scenes(const std::vector<Row>& rows, std::vector<Conclusion>& all) {
  for (const Listed& one : listed()) {
    const Row* best = nullptr;
    for (const Row& row : rows)
      if (row.case_name == one.name && row.role == Role::ours &&
          (best == nullptr || row.threads > best->threads))
        best = &row;
    if (best == nullptr || best->facts.empty()) continue;
    const double p50 = fact(*best, "p50_ms"), p99 = fact(*best, "p99_ms");
    all.push_back({one.name + "_ms", p50, one.most_ms,
                   fmt::format("{}: {:.1f} ms a step on {} threads (must: below {})", one.name, p50,
                               best->threads, one.most_ms)});
    if (one.even)
      all.push_back({one.name + "_p99", p99 / p50, 2,
                     fmt::format("{}: 99th percentile {:.1f} ms, {:.2f} of the median (must: below 2)",
                                 one.name, p99, p99 / p50)});
    for (const Row& row : rows)
      if (row.case_name == one.name && row.role == Role::ours && row.threads == 1 && row.ratio_reference)
        all.push_back(
            {one.name + "_over_reference", 1 / *row.ratio_reference, 0.25,
             fmt::format("{}: the papers' pieces take {:.1f} times as long, on one thread (must: 4; "
                         "aim: 10)",
                         one.name, *row.ratio_reference)});
  }
}

void conclude_growth(const std::vector<Row>& rows, std::vector<Conclusion>& all) {
  std::vector<std::pair<double, double>> costs;
  for (const Row& row : rows)
    if (row.case_name == touching && row.threads == 1 && !row.facts.empty())
      costs.emplace_back(std::stod(row.method.substr(5)) + fact(row, "contacts"), fact(row, "searching_ms"));
  if (costs.size() < 3) return;
  all.push_back({"touching_growth_exponent", growth(costs), 1.05,
                 fmt::format("detection and response grow as n^{:.2f}, from {:.0f} to {:.0f} triangles and "
                             "contacts (must: linear)",
                             growth(costs), costs.front().first, costs.back().first)});
}

std::vector<Conclusion> conclude(const std::vector<Row>& rows) {
  std::vector<Conclusion> all;
  for (const Row& row : rows) {
    if (row.threads != 1) continue;
    if (row.case_name == "beam-3120" && row.method == "step")
      all.push_back(
          {"other_part", fact(row, "other_part"), 0.05,
           fmt::format("{:.1f} % of a step of the beam is neither detect nor solve (must: below 5 %)",
                       100 * fact(row, "other_part"))});
    if (row.method == saving && row.ratio_reference)
      all.push_back({"snapshot_over_step", 1 / *row.ratio_reference, 1,
                     fmt::format("a snapshot and its restoring take {:.3f} of a step (must: below 1)",
                                 1 / *row.ratio_reference)});
    if (row.case_name == "boxes-10000")
      all.push_back({"boxes_ms", row.median_ms, 2,
                     fmt::format("10,000 free boxes take {:.2f} ms a step (aim: below 2 on a free core)",
                                 row.median_ms)});
  }
  conclude_scenes(rows, all);
  conclude_growth(rows, all);
  return all;
}

}  // namespace

Benchmark world() {
  return {"world",
          "steps of a world: whole scenes; what they cost besides detecting and solving; rigid bodies",
          [](bool quick) {
            std::vector<Case> all = {{"beam-3120", 3120, beam},
                                     {"boxes-10000", 10'000, [] { return boxes(10'000); }},
                                     {"chain-100", 100, [] { return chain(100); }}};
            for (const Listed& one : listed())
              all.push_back({one.name, one.triangles, [one] { return scene(one); },
                             static_cast<std::size_t>(quick ? one.steps / 6 : one.steps)});
            if (!quick) all.push_back({touching, 819'200, tori, 12});
            return all;
          },
          conclude};
}

}  // namespace palpate::bench
