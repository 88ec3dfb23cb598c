// solve/ and soft/: milliseconds from a strongly deformed start to an energy error, all solvers on the same
// step of the same material.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <palpate/base/timing.h>
#include <palpate/soft/tet_constraints.h>
#include <palpate/solve/solver.h>
#include <palpate/study/soft_start.h>

#include "benchmarks.h"

namespace palpate::bench {

namespace {

using Kind = Acceleration::Kind;

constexpr double frame = SoftStep::length;
constexpr int most_sweeps = 2000;

std::vector<SoftShape> shapes(bool quick) {
  std::vector<SoftShape> all = soft_beams();
  if (quick) {
    all.erase(all.begin() + 1);
    return all;
  }
  for (SoftShape& animal : soft_animals()) all.push_back(std::move(animal));
  return all;
}

// A solver with as many iterations and substeps as a target asks for.
class Contestant {
 public:
  Contestant(const std::shared_ptr<SoftStep>& step, std::string solver, const Acceleration& acceleration)
      : step_(step),
        constraints_(step->mesh, step->material, step->material[0].model),
        solver_(make_solver(solver, acceleration)),
        name_(acceleration.kind == Kind::none
                  ? solver
                  : fmt::format("{} + {}", solver, palpate::name_of(acceleration.kind))) {
    equations_.masses = step->equations.masses;
    equations_.held = step->equations.held;
    equations_.terms = step->equations.terms;
    equations_.constraints = {&constraints_};
  }
  const std::string& name() const { return name_; }
  int iterations() const { return iterations_; }
  int substeps() const { return substeps_; }

  // The fewest sweeps that reach the target; false: none does.
  bool find(double target) {
    double best = std::numeric_limits<double>::infinity();
    const bool projects = name_.starts_with("xpbd");
    for (const int substeps : projects ? std::vector{1, 2, 5, 10, 20} : std::vector{1}) {
      const std::optional<int> needed = substeps == 1 ? watch(target) : search(substeps, target);
      if (!needed || static_cast<double>(substeps) * *needed >= best) continue;
      best = static_cast<double>(substeps) * *needed;
      chosen_ = {substeps, *needed};
    }
    if (!std::isfinite(best)) return false;
    prepare(chosen_.first, chosen_.second);
    return true;
  }

  void run() {
    x_ = step_->start;
    const double h = frame / substeps_;
    velocities_.assign(x_.size(), Vec3::Zero());
    for (int s = 0; s < substeps_; ++s) {
      before_ = x_;
      equations_.targets = SoftStep::targets(x_, velocities_, h);
      solver_->solve(equations_, x_, {.iterations = iterations_});
      for (std::size_t i = 0; i < x_.size(); ++i) velocities_[i] = (x_[i] - before_[i]) / h;
    }
  }
  double error() { return step_->error(x_); }

 private:
  void prepare(int substeps, int iterations) {
    substeps_ = substeps;
    iterations_ = iterations;
    equations_.step = frame / substeps;
    equations_.targets = step_->equations.targets;
    solver_->prepare(equations_);
  }
  // With one substep, all numbers of iterations are seen on the way.
  std::optional<int> watch(double target) {
    prepare(1, most_sweeps);
    std::optional<int> reached;
    std::vector<Vec3> x = step_->start;
    solver_->solve(equations_, x, {.iterations = most_sweeps, .watch = [&](int n, std::span<const Vec3> now) {
                                     if (step_->error(now) <= target) reached = n;
                                     return !reached;
                                   }});
    return reached;
  }
  // What misses the target with all sweeps will not reach it with fewer.
  std::optional<int> search(int substeps, double target) {
    const auto reaches = [&](int iterations) {
      prepare(substeps, iterations);
      run();
      return error() <= target;
    };
    int low = 0, high = most_sweeps / substeps;
    if (!reaches(high)) return {};
    while (high - low > std::max(1, high / 10)) {
      const int middle = (low + high) / 2;
      (reaches(middle) ? high : low) = middle;
    }
    return high;
  }

  std::shared_ptr<SoftStep> step_;
  TetConstraints constraints_;
  Equations equations_;
  std::unique_ptr<Solver> solver_;
  std::string name_;
  int iterations_ = 0, substeps_ = 1;
  std::pair<int, int> chosen_;
  std::vector<Vec3> x_, before_, velocities_;
};

double seconds_of(Contestant& one) {
  one.run();
  const auto start = Clock::now();
  one.run();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<Method> methods(const std::shared_ptr<SoftStep>& step, double target, bool quick) {
  const std::vector<std::pair<std::string, Acceleration>> all = {
      {"quasi_newton", {}},
      {"xpbd", {}},
      {"xpbd_coloured", {}},
      {"xpbd_coloured", {.kind = Kind::anderson_both}},
      {"xpbd_coloured", {.kind = Kind::chebyshev}},
      {"vertex", {}},
      {"vertex", {.kind = Kind::anderson_positions}}};
  std::vector<std::shared_ptr<Contestant>> reached;
  for (const auto& [solver, acceleration] : all) {
    if (quick && solver == "vertex" && acceleration.kind == Kind::none) continue;  // takes seconds
    auto one = std::make_shared<Contestant>(step, solver, acceleration);
    if (one->find(target)) reached.push_back(std::move(one));
  }
  const auto is_default = [](const Contestant& one) { return one.name() == solver_names().front(); };
  // Where plain projections do not get there, the best of the others stands in for them.
  std::shared_ptr<Contestant> reference;
  double fastest = std::numeric_limits<double>::infinity();
  for (const auto& one : reached)
    if (one->name() == "xpbd") reference = one;
  const bool failed = !reference;
  if (failed)
    for (const auto& one : reached)
      if (!is_default(*one))
        if (const double seconds = seconds_of(*one); seconds < fastest) {
          fastest = seconds;
          reference = one;
        }
  std::vector<Method> result;
  for (const auto& one : reached) {
    Method method;
    method.name = one->name();
    method.role = one == reference ? Role::reference : Role::ours;
    method.run = [step, one] { one->run(); };
    method.parallel = one->name() != "xpbd";
    method.facts = [step, one, target]() -> std::vector<std::pair<std::string, double>> {
      return {{"target", target},
              {"error", one->error()},
              {"iterations", one->iterations()},
              {"substeps", one->substeps()},
              {"tetrahedra", static_cast<double>(step->mesh.tets.size())}};
    };
    if (is_default(*one)) method.flags.emplace_back("default");
    if (failed) method.flags.emplace_back("reference_failed");
    result.push_back(std::move(method));
  }
  return result;
}

}  // namespace

Benchmark soft() {
  return {"soft", "solvers of soft bodies: time to an energy error, from a strongly deformed start",
          [](bool quick) {
            std::vector<Case> cases;
            for (const SoftShape& shape : shapes(quick))
              for (const int power : quick ? std::vector{6} : std::vector{4, 6, 8})
                for (const double target : {1e-2, 1e-4})
                  cases.push_back(
                      {fmt::format("{}-E1e{}", shape.name, power), shape.tets, [shape, power, target, quick] {
                         return methods(std::make_shared<SoftStep>(shape.make(),
                                                                   Material{.density = shape.density,
                                                                            .young = std::pow(10.0, power)}),
                                        target, quick);
                       }});
            return cases;
          }};
}

}  // namespace palpate::bench
