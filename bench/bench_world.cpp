// world/ and rigid/. Three kinds of cases:
//
//   beam-3120     a step of the largest beam of scenes/beams.toml, and how much of it is neither detection
//   nor
//                 solving; the state saved and restored, beside it
//   boxes-10000   free rigid boxes that tumble, without detection
//   chain-100     rigid boxes on hinges
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include <palpate/mesh/generate.h>
#include <palpate/world/world.h>

#include "benchmarks.h"

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
    std::vector<std::uint32_t> held;
    for (std::uint32_t v = 0; v < body.rest().positions.size(); ++v)
      if (body.rest().positions[v].x() < 1e-6) held.push_back(v);
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
  return all;
}

}  // namespace

Benchmark world() {
  return {"world", "steps of a world: what they cost besides detecting and solving; rigid bodies",
          [](bool /*quick*/) {
            return std::vector<Case>{{"beam-3120", 3120, beam},
                                     {"boxes-10000", 10'000, [] { return boxes(10'000); }},
                                     {"chain-100", 100, [] { return chain(100); }}};
          },
          conclude};
}

}  // namespace palpate::bench
