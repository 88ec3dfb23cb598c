// solve/ and soft/. Five kinds of cases:
//
//   beam-460-E1e4 ...        milliseconds from a strongly deformed start to an energy error, all solvers on
//   the
//                            same step of the same material; each twice, for errors of 1e-2 and 1e-4
//   sweep-armadillo-stvk ... one sweep of projections: plain Eigen, one after the other, by colours
//   iteration-beam-460 ...   ten iterations of the default solver, for how the cost grows with the elements
//   standing-armadillo-E1e6  a step of the armadillo that was let go on its feet, and how far it comes to
//                            rest from where it should
//   damped-armadillo ...     a step of a body with damping, and of the same without as the reference
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <palpate/base/parallel.h>
#include <palpate/base/timing.h>
#include <palpate/soft/elements.h>
#include <palpate/soft/soft_body.h>
#include <palpate/soft/tet_constraints.h>
#include <palpate/study/soft_start.h>

#include "benchmarks.h"
#include "reference_soft.h"
#include "soft_conclusions.h"
#include "soft_contest.h"
#include "soft_damped.h"

namespace palpate::bench {

namespace {

constexpr double frame = SoftStep::length;
constexpr std::array targets = {1e-2, 1e-4};

using Facts = std::vector<std::pair<std::string, double>>;

std::vector<SoftShape> shapes(bool quick) {
  std::vector<SoftShape> all = soft_beams();
  if (quick) {
    all.erase(all.begin() + 1);
    return all;
  }
  for (SoftShape& animal : soft_animals()) all.push_back(std::move(animal));
  return all;
}

// --- time to an error -----------------------------------------------------------------------------

std::vector<Method> to_error(const std::shared_ptr<Contest>& contest, double target) {
  std::vector<std::shared_ptr<Contestant>> reached;
  const std::string_view best = solver_names().front();
  // The default has its row even where it misses: its error tells.
  for (const auto& one : contest->contestants)
    if (one->effort(target) || one->name() == best) reached.push_back(one);
  // Where plain projections do not get there, the best of the others stands in for them.
  std::shared_ptr<Contestant> reference;
  for (const auto& one : reached)
    if (one->name() == "xpbd") reference = one;
  const bool failed = !reference;
  double fastest = std::numeric_limits<double>::infinity();
  for (const auto& one : reached)
    if (failed && one->name() != best && one->effort(target)->seconds < fastest) {
      fastest = one->effort(target)->seconds;
      reference = one;
    }
  std::vector<Method> result;
  for (const auto& one : reached) {
    const Contestant::Effort effort =
        one->effort(target).value_or(Contestant::Effort{1, Contestant::most_sweeps, 0});
    Method method;
    method.name = one->name();
    method.role = one == reference ? Role::reference : Role::ours;
    method.run = [contest, one, effort] { one->run(effort); };
    method.parallel = one->name() != "xpbd";
    method.facts = [contest, one, effort, target]() -> Facts {
      return {{"target", target},
              {"error", one->error()},
              {"iterations", effort.iterations},
              {"substeps", effort.substeps},
              {"tetrahedra", static_cast<double>(contest->step->mesh.tets.size())}};
    };
    if (one->name() == best) method.flags.emplace_back("default");
    if (failed) method.flags.emplace_back("reference_failed");
    result.push_back(std::move(method));
  }
  return result;
}

// Both targets from one contest: it is made with the first case and goes with the last.
struct Shared {
  std::shared_ptr<Contest> contest;
  std::size_t uses = 0;
};

void add_to_error(const SoftShape& shape, int power, std::vector<Case>& cases) {
  const auto shared = std::make_shared<Shared>();
  for (const double target : targets)
    cases.push_back({fmt::format("{}-E1e{}", shape.name, power), shape.tets, [=] {
                       if (!shared->contest) {
                         const Material material{
                             .density = shape.density, .young = std::pow(10.0, power), .poisson = 0.4};
                         shared->contest = std::make_shared<Contest>(
                             std::make_shared<SoftStep>(shape.make(), material), targets);
                       }
                       std::vector<Method> methods = to_error(shared->contest, target);
                       if (++shared->uses == targets.size()) shared->contest.reset();
                       return methods;
                     }});
}

// --- one sweep ------------------------------------------------------------------------------------

struct Sweeps {
  TetMesh mesh;
  std::vector<Vec3> start, x;
  PlainSweep plain;
  TetConstraints one_by_one, by_colour;
  std::vector<PaddedPoint> points;
  std::vector<double> multipliers;

  Sweeps(TetMesh of, const std::vector<Material>& material)
      : mesh(std::move(of)),
        start(deformed(mesh, {.stretch = 1.1, .twist = 0.3, .shake = 0.02})),
        plain(mesh, material[0], node_masses(mesh, material), frame),
        one_by_one(mesh, material, material[0].model),
        by_colour(mesh, material, material[0].model) {
    std::vector<double> inverse = node_masses(mesh, material);
    for (double& mass : inverse) mass = 1 / mass;
    one_by_one.prepare(inverse, frame);
    by_colour.prepare(inverse, frame, Arrangement::by_colour);
  }
  void run(TetConstraints& constraints) {
    points.clear();
    for (const Vec3& p : start) points.emplace_back(p);
    multipliers.assign(constraints.multipliers(), 0);
    constraints.project(points, multipliers);
  }
};

std::vector<Method> one_sweep(const SoftShape& shape, Model model) {
  const std::vector<Material> material{
      {.density = shape.density, .young = 1e6, .poisson = 0.4, .model = model}};
  const auto sweeps = std::make_shared<Sweeps>(shape.make(), material);
  const auto method = [&](std::string name, Role role, bool parallel, std::function<void()> run) {
    Method result;
    result.name = std::move(name);
    result.role = role;
    result.run = std::move(run);
    result.parallel = parallel;
    result.facts = [sweeps]() -> Facts {
      return {{"tetrahedra", static_cast<double>(sweeps->mesh.tets.size())}};
    };
    return result;
  };
  return {method("plain Eigen", Role::reference, false,
                 [sweeps] {
                   sweeps->x = sweeps->start;
                   sweeps->plain.run(sweeps->x);
                 }),
          method("xpbd", Role::ours, false, [sweeps] { sweeps->run(sweeps->one_by_one); }),
          method("xpbd_coloured", Role::ours, true, [sweeps] { sweeps->run(sweeps->by_colour); })};
}

// --- iterations -----------------------------------------------------------------------------------

std::vector<Method> iterations(const SoftShape& shape) {
  struct Run {
    SoftStep step;
    std::unique_ptr<Solver> solver = make_solver(solver_names().front());
    std::vector<Vec3> x = {};

    explicit Run(const SoftShape& of)
        : step(of.make(), {.density = of.density, .young = 1e6, .poisson = 0.4},
               {.stretch = 1.1, .twist = 0.3, .shake = 0}) {
      solver->prepare(step.equations);
    }
  };
  const auto run = std::make_shared<Run>(shape);
  Method method;
  method.name = std::string(solver_names().front());
  method.run = [run] {
    run->x = run->step.start;
    run->solver->solve(run->step.equations, run->x, {.iterations = 10});
  };
  method.parallel = true;
  method.facts = [run]() -> Facts {
    return {{"iterations", 10}, {"tetrahedra", static_cast<double>(run->step.mesh.tets.size())}};
  };
  method.flags = {"default"};
  return {method};
}

// --- in real time ---------------------------------------------------------------------------------

// The armadillo on its feet: they are where its longest side ends, and gravity goes there. Beside it, the
// same with converged steps, which has to come to rest in the same place.
class Standing {
 public:
  static constexpr int iterations = 6, steps = 600;

  Standing(const SoftShape& shape, double young)
      : mesh_(shape.make()),
        body_(mesh_, {.density = shape.density, .young = young, .poisson = 0.4}, options()) {
    double high = -HUGE_VAL, low = HUGE_VAL;
    for (const Vec3& p : mesh_.positions) {
      high = std::max(high, p.x());
      low = std::min(low, p.x());
    }
    length_ = high - low;
    std::vector<std::uint32_t> feet;
    for (std::uint32_t v = 0; v < mesh_.positions.size(); ++v)
      if (mesh_.positions[v].x() > high - 0.05 * length_) feet.push_back(v);
    body_.fix(feet);
    for (int i = 0; i < steps; ++i) {
      if (i == 30) {  // in the middle of its fall
        moving_.assign(body_.positions().begin(), body_.positions().end());
        velocities_.assign(body_.velocities().begin(), body_.velocities().end());
      }
      const Clock::time_point begun = Clock::now();
      body_.step(frame);
      times_.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begun).count());
      most_inverted_ = std::max(most_inverted_, body_.inverted());
    }
    std::sort(times_.begin(), times_.end());
    rest_.assign(body_.positions().begin(), body_.positions().end());
    SoftBodyOptions converged = options();
    converged.solve = {.iterations = 300, .tolerance = 1e-7};
    SoftBody slow(mesh_, {.density = shape.density, .young = young, .poisson = 0.4}, converged);
    slow.fix(feet);
    for (int i = 0; i < steps; ++i) slow.step(frame);
    // What still swings is brought to rest where it is.
    slow.set_solve({.iterations = 3000, .tolerance = 1e-8});
    slow.set_velocities(std::vector<Vec3>(mesh_.positions.size(), Vec3::Zero()));
    for (int i = 0; i < 3; ++i) slow.step(1);
    for (std::size_t v = 0; v < rest_.size(); ++v)
      error_ = std::max(error_, (rest_[v] - slow.positions()[v]).norm() / length_);
    again();
    body_.step(frame);
  }
  void again() {
    body_.set_positions(moving_);
    body_.set_velocities(velocities_);
  }
  void step() { body_.step(frame); }
  Facts facts() const {
    return {{"iterations", iterations},
            {"shape_error", error_},
            {"all_steps_threads", static_cast<double>(threads_)},
            {"all_steps_median_ms", times_[times_.size() / 2]},
            {"all_steps_p99_ms", times_[times_.size() * 99 / 100]},
            {"most_inverted", static_cast<double>(most_inverted_)}};
  }

 private:
  static SoftBodyOptions options() {
    SoftBodyOptions result;
    result.gravity = Vec3(9.81, 0, 0);
    result.solve.iterations = iterations;
    return result;
  }

  TetMesh mesh_;
  SoftBody body_;
  double length_ = 0, error_ = 0;
  std::size_t most_inverted_ = 0;
  int threads_ = available_threads();  // of all steps
  std::vector<double> times_;          // of all steps, ascending [ms]
  std::vector<Vec3> moving_, velocities_, rest_;
};

std::vector<Method> standing(const SoftShape& shape, double young) {
  const auto body = std::make_shared<Standing>(shape, young);
  Method method;
  method.name = std::string(solver_names().front());
  method.prepare = [body] { body->again(); };
  method.run = [body] { body->step(); };
  method.parallel = true;
  method.facts = [body] { return body->facts(); };
  method.flags = {"default"};
  return {method};
}

}  // namespace

Benchmark soft() {
  return {"soft", "solvers of soft bodies: time to an energy error, from a strongly deformed start",
          [](bool quick) {
            std::vector<Case> cases;
            const std::vector<SoftShape> all = shapes(quick);
            for (const SoftShape& shape : all)
              for (const int power : quick ? std::vector{6} : std::vector{4, 6, 8})
                add_to_error(shape, power, cases);
            const SoftShape& largest = all.back();
            for (const auto& [model, name] :
                 {std::pair{Model::stvk, "stvk"}, {Model::neo_hookean, "neo_hookean"}})
              cases.push_back({fmt::format("{}{}-{}", sweep_prefix, largest.name, name), largest.tets,
                               [largest, of = model] { return one_sweep(largest, of); }});
            for (const SoftShape& shape : all)
              cases.push_back({iteration_prefix + shape.name, shape.tets, [=] { return iterations(shape); }});
            cases.push_back({damped_prefix + largest.name, largest.tets, [=] { return damped(largest); }});
            if (largest.name == "armadillo")
              for (const int power : {4, 6, 8})
                cases.push_back({fmt::format("{}armadillo-E1e{}", standing_prefix, power), largest.tets,
                                 [=] { return standing(largest, std::pow(10.0, power)); }});
            return cases;
          },
          soft_conclusions};
}

}  // namespace palpate::bench
