#include <palpate/study/soft_convergence.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include <Eigen/Geometry>

#include <fmt/format.h>

#include <palpate/base/timing.h>
#include <palpate/soft/elements.h>
#include <palpate/soft/tet_constraints.h>
#include <palpate/solve/solver.h>
#include <palpate/study/classic_anderson.h>

namespace palpate {

namespace {

using Kind = Acceleration::Kind;

// Runs only while nobody measures.
class Stopwatch {
 public:
  void go() { begun_ = Clock::now(); }
  void halt() { milliseconds_ += std::chrono::duration<double, std::milli>(Clock::now() - begun_).count(); }
  double milliseconds() const { return milliseconds_; }

 private:
  Clock::time_point begun_ = Clock::now();
  double milliseconds_ = 0;
};

// Constraints that tell their residual whenever a sweep looks at all of them. Solvers show positions only;
// what a sweep is given is where the last iteration ended, multipliers too.
class WatchedConstraints : public Constraints {
 public:
  WatchedConstraints(Constraints& inner, Stopwatch& stopwatch, bool after)
      : inner_(inner), stopwatch_(stopwatch), after_(after) {}

  mutable std::vector<double> residuals;  // to watch is no change

  std::size_t size() const override { return inner_.size(); }
  std::size_t rows() const override { return inner_.rows(); }
  std::span<const std::uint32_t> nodes(std::size_t i) const override { return inner_.nodes(i); }
  Local at(std::size_t i, std::span<const PaddedPoint> x) const override { return inner_.at(i, x); }
  void prepare(std::span<const double> inverse_masses, double step, Arrangement arrangement) override {
    inner_.prepare(inverse_masses, step, arrangement);
  }
  void project(std::span<PaddedPoint> x, std::span<double> multipliers) override {
    if (!after_) look(x, multipliers);
    inner_.project(x, multipliers);
    if (after_) look(x, multipliers);
  }
  void changes(std::span<const PaddedPoint> x, std::span<const double> multipliers,
               std::span<double> out) const override {
    look(x, multipliers);
    inner_.changes(x, multipliers, out);
  }
  void apply(std::span<const PaddedPoint> x, std::span<const double> changes, std::span<const double> share,
             std::span<PaddedPoint> to) const override {
    inner_.apply(x, changes, share, to);
  }
  double squared_residual(std::span<const PaddedPoint> x,
                          std::span<const double> multipliers) const override {
    return inner_.squared_residual(x, multipliers);
  }
  void multiplier_weights(std::span<double> out) const override { inner_.multiplier_weights(out); }
  Multipliers multipliers_of(std::size_t i) const override { return inner_.multipliers_of(i); }
  std::size_t multipliers() const override { return inner_.multipliers(); }

 private:
  void look(std::span<const PaddedPoint> x, std::span<const double> multipliers) const {
    stopwatch_.halt();
    if (after_ && residuals.empty()) residuals.push_back(no_number);  // the start was not seen
    residuals.push_back(std::sqrt(inner_.squared_residual(x, multipliers)));
    stopwatch_.go();
  }

  Constraints& inner_;
  Stopwatch& stopwatch_;
  bool after_;
};

std::unique_ptr<Solver> solver_of(const SoftMethod& method) {
  if (method.solver == "classic_anderson")
    return std::make_unique<ClassicAnderson>(method.acceleration.omega);
  return make_solver(method.solver, method.acceleration);
}

}  // namespace

std::vector<SoftMethod> soft_methods(bool quick) {
  using namespace soft_method;
  const auto bare = [](Kind kind, double omega) {
    return Acceleration{.kind = kind, .omega = omega, .safeguard = false};
  };
  std::vector<SoftMethod> all = {{best, "quasi_newton"},
                                 {plain, "xpbd"},
                                 {"xpbd_coloured", "xpbd_coloured"},
                                 {jacobi, "xpbd_jacobi"},
                                 {"vertex", "vertex"},
                                 {sor_positions, "xpbd", bare(Kind::sor_positions, 1.5)},
                                 {sor_multipliers, "xpbd", bare(Kind::sor_multipliers, 1.5)},
                                 {sor_multipliers_10, "xpbd", bare(Kind::sor_multipliers, 10)},
                                 {chebyshev, "xpbd", bare(Kind::chebyshev, 1)},
                                 {anderson, "classic_anderson"},
                                 {anderson_sor, "classic_anderson", {.omega = 10}},
                                 {anderson_positions, "xpbd", bare(Kind::anderson_positions, 1)},
                                 {"Anderson on both", "xpbd", {.kind = Kind::anderson_both}},
                                 {coloured_both, "xpbd_coloured", {.kind = Kind::anderson_both}},
                                 {jacobi_both, "xpbd_jacobi", {.kind = Kind::anderson_both}}};
  if (quick) return all;
  for (const int omega : {2, 5})
    all.push_back({fmt::format("Anderson SOR({}), published", omega),
                   "classic_anderson",
                   {.omega = static_cast<double>(omega)}});
  for (const int omega : {1, 2, 5, 10})
    all.push_back({fmt::format("Anderson SOR({}) on multipliers", omega),
                   "xpbd",
                   {.kind = Kind::anderson_multipliers, .omega = static_cast<double>(omega)}});
  all.push_back({"Anderson on positions", "xpbd", {.kind = Kind::anderson_positions}});
  all.push_back({"vertex, Anderson on positions", "vertex", {.kind = Kind::anderson_positions}});
  return all;
}

const SoftCurve* SoftConvergence::curve(std::string_view method) const {
  const auto at =
      std::find_if(curves.begin(), curves.end(), [&](const auto& c) { return c.method == method; });
  return at == curves.end() ? nullptr : &*at;
}

SoftCurve run_soft_method(SoftStep& step, const SoftMethod& method, int iterations) {
  SoftCurve curve;
  curve.method = method.name;
  Stopwatch stopwatch;
  TetConstraints constraints(step.mesh, step.material, step.material[0].model);
  const bool classic = method.solver == "classic_anderson";
  WatchedConstraints watched(constraints, stopwatch, classic);
  Equations equations;
  equations.step = SoftStep::length;
  equations.masses = step.equations.masses;
  equations.held = step.equations.held;
  equations.targets = step.equations.targets;
  equations.terms = step.equations.terms;
  if (classic || method.solver.starts_with("xpbd")) equations.constraints = {&watched};
  const auto solver = solver_of(method);
  solver->prepare(equations);

  std::vector<Vec3> x = step.start, gradient(x.size());
  const auto measure = [&](std::span<const Vec3> at) {
    SoftIteration point{.ms = stopwatch.milliseconds()};
    point.potential = potential(step.equations, at, gradient);
    point.residual = residual(step.equations, gradient);
    curve.points.push_back(point);
  };
  measure(x);
  const auto watch = [&](int done, std::span<const Vec3> at) {
    stopwatch.halt();
    // One more than asked for: its sweep shows the multipliers of the last.
    if (done <= iterations) measure(at);
    stopwatch.go();
    return done <= iterations && std::isfinite(curve.points.back().potential);
  };
  stopwatch.go();
  const SolveReport report = solver->solve(equations, x, {.iterations = iterations + 1, .watch = watch});
  curve.failed = report.failed || !std::isfinite(curve.points.back().potential);
  curve.refused = report.refused;
  curve.inverted = inverted_tets(step.mesh, x);
  for (std::size_t i = 0; i < std::min(curve.points.size(), watched.residuals.size()); ++i)
    curve.points[i].published_residual = watched.residuals[i];
  return curve;
}

void find_energy_errors(SoftConvergence& convergence) {
  for (const SoftCurve& curve : convergence.curves)
    for (const SoftIteration& point : curve.points)
      if (point.potential < convergence.least) convergence.least = point.potential;
  for (SoftCurve& curve : convergence.curves)
    for (SoftIteration& point : curve.points)
      point.energy_error = (point.potential - convergence.least) / (convergence.first - convergence.least);
}

std::string_view words_of(Model model) {
  switch (model) {
    case Model::stvk:
      return "StVK";
    case Model::neo_hookean:
      return "Neo-Hookean";
    case Model::corotated:
      return "corotated";
  }
  return "";
}

std::size_t inverted_tets(const TetMesh& mesh, std::span<const Vec3> x) {
  return static_cast<std::size_t>(std::count_if(mesh.tets.begin(), mesh.tets.end(),
                                                [&](const TetCorners& t) { return is_inverted(x, t); }));
}

}  // namespace palpate
