// All solvers and accelerations on the same steps.
#include <palpate/solve/solver.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <soft/blocks.h>
#include <support/allocation_counter.h>
#include <support/cases.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/soft/elements.h>
#include <palpate/soft/tet_constraints.h>
#include <palpate/soft/tet_term.h>

namespace palpate {
namespace {

using testing::block;
using testing::each_case;
using testing::Random;
using Kind = Acceleration::Kind;

constexpr std::array models = {Model::stvk, Model::neo_hookean, Model::corotated};

// A step of a small block that was pulled and let go.
struct Step {
  TetMesh mesh;
  std::vector<Material> material;
  TetTerm term;
  TetConstraints constraints;
  Equations equations;
  std::vector<Vec3> start;

  Step(Random& random, Model model, double young, bool held, double shaken = 0.0005,
       TetMesh of = block(5, 2, 2, 0.01))
      : mesh(std::move(of)),
        material{{.young = young, .model = model}},
        term(mesh, material),
        constraints(mesh, material, model) {
    equations.step = 1.0 / 120;
    equations.masses = node_masses(mesh, material);
    equations.held.assign(mesh.positions.size(), 0);
    equations.terms = {&term};
    equations.constraints = {&constraints};
    start = mesh.positions;
    for (std::size_t i = 0; i < start.size(); ++i) {
      equations.held[i] = held && mesh.positions[i].x() == 0;
      if (equations.held[i] == 0)
        start[i] += shaken * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    }
    equations.targets = start;
    for (Vec3& p : equations.targets) p += Vec3(0.001, 0, -9.81 * equations.step * equations.step);
  }
  double start_potential() { return potential(equations, start); }
  SolveReport solve(Solver& solver, std::vector<Vec3>& x, int iterations) {
    solver.prepare(equations);
    x = start;
    return solver.solve(equations, x, {.iterations = iterations});
  }
};

std::vector<Kind> kinds_for(std::string_view solver) {
  std::vector<Kind> result;
  for (const Kind kind : all_accelerations()) {
    try {
      make_solver(solver, {.kind = kind});
      result.push_back(kind);
    } catch (const Error&) {
    }
  }
  return result;
}

// With omega where there is one.
Acceleration with_omega(Kind kind, double omega) {
  return {.kind = kind, .omega = kind == Kind::chebyshev ? 1 : omega};
}

// From a start with elements turned inside out, which slopes alone do not bring back.
TEST(SolversProperty, TheDefaultGetsAsLowAsAnyOtherFromATangledStart) {
  std::size_t better = 0;
  const std::size_t cases = each_case(40, [&](Random& random) {
    Step step(random, Model::neo_hookean, 1e6, random.chance(0.5), random.uniform(0.003, 0.006));
    std::vector<std::uint8_t> nodes(step.start.size(), 0);
    if (!step.term.mark_tangled(step.start, nodes)) return;
    std::vector<Vec3> x;
    const double first = step.start_potential();
    const auto best = make_solver("quasi_newton");
    const double least = step.solve(*best, x, 2000).potential;
    const auto vertex = make_solver("vertex", {.kind = Kind::anderson_positions});
    EXPECT_LT(least, step.solve(*vertex, x, 2000).potential + 1e-3 * first);
    const double with = step.solve(*best, x, 5).potential;
    x = step.start;
    const double without = best->solve(step.equations, x, {.iterations = 5, .untangle = false}).potential;
    better += without > 2 * with ? 1 : 0;
  });
  if (cases > 0 && !testing::fewer_cases()) {
    EXPECT_GT(better, 0u) << "untangling never mattered: the starts are too easy";
  }
}

TEST(SolversProperty, AllComeToTheSameShape) {
  each_case(4, [](Random& random) {
    Step step(random, models[random.below(3)], random.uniform(2e3, 2e4), random.chance(0.5));
    std::vector<Vec3> best, x;
    const double start = step.start_potential();
    const SolveReport least = step.solve(*make_solver("quasi_newton"), best, 500);
    for (const std::string_view name : solver_names()) {
      const SolveReport report =
          step.solve(*make_solver(name), x, name == "xpbd_jacobi" || name == "vertex" ? 3000 : 400);
      EXPECT_FALSE(report.failed) << name;
      // Projections do not quite end at the least: the gradients they used on the way were others.
      const bool exact = name == "quasi_newton" || name == "vertex";
      EXPECT_LT(report.potential - least.potential, (exact ? 1e-9 : 2e-2) * (start - least.potential))
          << name;
      double off = 0;
      for (std::size_t i = 0; i < x.size(); ++i) off = std::max(off, (x[i] - best[i]).norm());
      EXPECT_LT(off, exact ? 1e-7 : 5e-4) << name;
    }
  });
}

TEST(SolversProperty, MomentumIsRightForAll) {
  each_case(4, [](Random& random) {
    Step step(random, models[random.below(3)], 1e5, false);
    for (const std::string_view name : solver_names())
      for (const Kind kind : kinds_for(name)) {
        std::vector<Vec3> x;
        step.solve(*make_solver(name, with_omega(kind, 1.2)), x, 7);
        Vec3 momentum = Vec3::Zero(), expected = Vec3::Zero();
        double scale = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
          momentum += step.equations.masses[i] * x[i];
          expected += step.equations.masses[i] * step.equations.targets[i];
          scale += step.equations.masses[i] * step.equations.targets[i].norm();
        }
        EXPECT_LT((momentum - expected).norm(), 1e-14 * scale) << name << " " << name_of(kind);
      }
  });
}

TEST(SolversProperty, WithTheSafeguardNoStepIsWorseThanAPlainSweep) {
  each_case(8, [](Random& random) {
    Step step(random, models[random.below(3)], 1e5, true, 0.003);
    for (const Kind kind : kinds_for("vertex")) {
      auto fast = make_solver("vertex", with_omega(kind, 1.9)), plain = make_solver("vertex");
      plain->prepare(step.equations);
      fast->prepare(step.equations);
      std::vector<Vec3> before = step.start, x = step.start;
      fast->solve(step.equations, x,
                  {.iterations = 25, .watch = [&](int, std::span<const Vec3> now) {
                     plain->solve(step.equations, before, {.iterations = 1});
                     const double after_plain = potential(step.equations, before);
                     EXPECT_LE(potential(step.equations, now), after_plain + 1e-12 * std::abs(after_plain))
                         << name_of(kind);
                     before.assign(now.begin(), now.end());
                     return true;
                   }});
    }
  });
}

// Constraints that note where a plain sweep of theirs ended. What accelerations apply afterwards is none.
class WatchedConstraints final : public Constraints {
 public:
  explicit WatchedConstraints(TetConstraints& of) : of_(of) {}
  std::vector<Vec3> plain;

  std::size_t size() const override { return of_.size(); }
  std::size_t rows() const override { return of_.rows(); }
  std::span<const std::uint32_t> nodes(std::size_t i) const override { return of_.nodes(i); }
  Local at(std::size_t i, std::span<const PaddedPoint> x) const override { return of_.at(i, x); }
  void prepare(std::span<const double> inverse_masses, double step, Arrangement arrangement) override {
    of_.prepare(inverse_masses, step, arrangement);
    plain.resize(inverse_masses.size());
  }
  void project(std::span<PaddedPoint> x, std::span<double> multipliers) override {
    of_.project(x, multipliers);
    note(x);
  }
  void changes(std::span<const PaddedPoint> x, std::span<const double> multipliers,
               std::span<double> out) const override {
    of_.changes(x, multipliers, out);
    sweeps_ = true;
  }
  void apply(std::span<const PaddedPoint> x, std::span<const double> changes, std::span<const double> share,
             std::span<PaddedPoint> to) const override {
    of_.apply(x, changes, share, to);
    if (sweeps_) const_cast<WatchedConstraints*>(this)->note(to);
    sweeps_ = false;
  }
  double squared_residual(std::span<const PaddedPoint> x,
                          std::span<const double> multipliers) const override {
    return of_.squared_residual(x, multipliers);
  }
  void multiplier_weights(std::span<double> out) const override { of_.multiplier_weights(out); }
  Multipliers multipliers_of(std::size_t i) const override { return of_.multipliers_of(i); }
  std::size_t multipliers() const override { return of_.multipliers(); }

 private:
  void note(std::span<const PaddedPoint> x) {
    for (std::size_t i = 0; i < x.size(); ++i) plain[i] = x[i].point();
  }
  TetConstraints& of_;
  mutable bool sweeps_ = false;  // what is applied next is that of a sweep of averages
};

TEST(SolversProperty, WithTheSafeguardNoProjectionIsWorseThanAPlainSweep) {
  std::map<std::pair<std::string_view, Kind>, int> taken;
  int refused = 0;
  const std::size_t cases = each_case(8, [&](Random& random) {
    Step step(random, models[random.below(3)], 1e5, true, random.uniform(0.0005, 0.003));
    WatchedConstraints watched(step.constraints);
    step.equations.constraints = {&watched};
    for (const std::string_view name : {"xpbd", "xpbd_coloured", "xpbd_jacobi"})
      for (const Kind kind : kinds_for(name)) {
        const auto solver = make_solver(name, with_omega(kind, 1.9));
        solver->prepare(step.equations);
        std::vector<Vec3> x = step.start;
        const SolveReport report = solver->solve(
            step.equations, x,
            {.iterations = 25, .watch = [&](int, std::span<const Vec3> now) {
               const double after_plain = potential(step.equations, watched.plain);
               EXPECT_LE(potential(step.equations, now), after_plain) << name << " " << name_of(kind);
               taken[{name, kind}] += std::equal(now.begin(), now.end(), watched.plain.begin()) ? 0 : 1;
               return true;
             }});
        refused += report.refused;
      }
  });
  if (cases > 0) {
    int all = 0;
    for (const auto& [of, times] : taken) {
      all += times;
      ::testing::Test::RecordProperty(fmt::format("taken_{}_{}", of.first, name_of(of.second)), times);
      if (testing::fewer_cases() && of.second != Kind::none) continue;
      EXPECT_EQ(times > 0, of.second != Kind::none) << of.first << " " << name_of(of.second);
    }
    EXPECT_GT(all, 0) << "no acceleration was ever taken";
    EXPECT_GT(refused, 0) << "no acceleration was ever refused";
  }
}

// Where all is done at once, multipliers that change by what a sweep changes them move the positions to where
// the sweep does: what is averaged there is averaged once.
TEST(SolversProperty, MultipliersOfAveragedSweepsMoveAsTheSweepsDo) {
  each_case(6, [](Random& random) {
    Step step(random, models[random.below(3)], random.uniform(1e4, 1e6), random.chance(0.5));
    std::vector<Vec3> plain, relaxed;
    for (const int iterations : {1, 4}) {
      step.solve(*make_solver("xpbd_jacobi"), plain, iterations);
      step.solve(*make_solver("xpbd_jacobi", {.kind = Kind::sor_multipliers, .safeguard = false}), relaxed,
                 iterations);
      for (std::size_t i = 0; i < plain.size(); ++i)
        ASSERT_LT((plain[i] - relaxed[i]).norm(), 1e-12) << iterations << " sweeps, node " << i;
      double moved = 0;
      for (std::size_t i = 0; i < plain.size(); ++i)
        moved = std::max(moved, (plain[i] - step.equations.targets[i]).norm());
      EXPECT_GT(moved, 1e-6);
    }
  });
}

// As published: over-relaxed multipliers move away from the solution.
TEST(Solvers, RelaxedMultipliersDivergeAndMixedOnesDoNot) {
  Random random(3);
  Step step(random, Model::stvk, 3e4, true);
  std::vector<Vec3> x;
  const double start = step.start_potential();
  const auto error = [&](const Acceleration& acceleration) {
    const double least = step.solve(*make_solver("quasi_newton"), x, 500).potential;
    return (step.solve(*make_solver("xpbd", acceleration), x, 60).potential - least) / (start - least);
  };
  const double plain = error({}),
               relaxed = error({.kind = Kind::sor_multipliers, .omega = 1.9, .safeguard = false}),
               mixed = error({.kind = Kind::anderson_both, .safeguard = false});
  EXPECT_GT(relaxed, 1e3 * std::abs(plain));
  EXPECT_LT(mixed, 1);
}

TEST(Solvers, SameBytesForAnyNumberOfThreadsAndNoAllocations) {
  Random random(5);
  Step step(random, Model::neo_hookean, 1e5, true);
  for (const std::string_view name : solver_names())
    for (const Kind kind : kinds_for(name)) {
      auto solver = make_solver(name, {.kind = kind});
      std::optional<std::vector<Vec3>> first;
      for (const int threads : {1, 2, 4})
        Threads(threads).run([&] {
          std::vector<Vec3> x;
          step.solve(*solver, x, 12);
          if (!first) first = x;
          EXPECT_EQ(x, *first) << name << " " << name_of(kind) << ", " << threads << " threads";
        });
      if (!testing::counts_allocations()) continue;
      Threads(1).run([&] {
        std::vector<Vec3> x = step.start;
        solver->solve(step.equations, x, {.iterations = 12});
        x = step.start;
        EXPECT_EQ(testing::allocations_in([&] { solver->solve(step.equations, x, {.iterations = 12}); }), 0u)
            << name << " " << name_of(kind);
      });
    }
}

// Large enough for every loop to be cut into several chunks: of nodes, of colours, of elements.
TEST(Solvers, SameBytesForAnyNumberOfThreadsOnLargeBodies) {
  Random random(9);
  Step step(random, Model::neo_hookean, 1e5, true, 0.0005, block(30, 12, 12, 0.01));
  std::vector<std::size_t> colours;
  for (const std::uint32_t colour : colours_of(step.start.size(), step.mesh.tets.size(), [&](std::size_t i) {
         return std::span<const std::uint32_t>(step.mesh.tets[i]);
       })) {
    if (colour >= colours.size()) colours.resize(colour + 1);
    ++colours[colour];
  }
  ASSERT_GT(step.start.size(), 2 * 2048u);                                    // grain of loops over nodes
  ASSERT_GT(*std::max_element(colours.begin(), colours.end()), 2 * 16 * 8u);  // of packs of a colour
  for (const std::string_view name : solver_names())
    for (const Kind kind : kinds_for(name)) {
      if (testing::fewer_cases() && kind != Kind::none) continue;
      const auto solver = make_solver(name, {.kind = kind});
      std::vector<Vec3> first;
      for (const int threads : {1, 2, 4})
        Threads(threads).run([&] {
          std::vector<Vec3> x;
          step.solve(*solver, x, 3);
          if (first.empty()) first = x;
          EXPECT_EQ(x, first) << name << " " << name_of(kind) << ", " << threads << " threads";
        });
    }
}

TEST(SolversProperty, ReportsSayWhatWasReachedAndTolerancesEndASolve) {
  each_case(4, [](Random& random) {
    Step step(random, models[random.below(3)], 1e5, random.chance(0.5));
    for (const std::string_view name : solver_names()) {
      const auto solver = make_solver(name);
      std::vector<Vec3> x, gradient(step.start.size());
      const SolveReport full = step.solve(*solver, x, 20);
      const double value = potential(step.equations, x, gradient);
      EXPECT_NEAR(full.potential, value, 1e-12 * std::abs(value)) << name;
      EXPECT_NEAR(full.residual, residual(step.equations, gradient), 1e-9 * full.residual) << name;
      EXPECT_EQ(full.iterations, 20) << name;
      // As near as that, it ends there, or before.
      x = step.start;
      const SolveReport ended =
          solver->solve(step.equations, x, {.iterations = 1000, .tolerance = 1.5 * full.residual});
      EXPECT_LE(ended.iterations, 20) << name;
      EXPECT_LE(ended.residual, 1.5 * full.residual) << name;
      // Nearer than it can come, it does not.
      x = step.start;
      EXPECT_EQ(solver->solve(step.equations, x, {.iterations = 7, .tolerance = 1e-30}).iterations, 7)
          << name;
    }
  });
}

TEST(Solvers, BudgetsEndASolveAndMistakesAreNamed) {
  Random random(7);
  Step step(random, Model::neo_hookean, 1e7, true);
  for (const std::string_view name : solver_names()) {
    auto solver = make_solver(name);
    solver->prepare(step.equations);
    std::vector<Vec3> x = step.start;
    EXPECT_LT(solver->solve(step.equations, x, {.iterations = 1000000, .budget = 0.01}).iterations, 1000000);
  }
  const auto message = [](auto&& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message([] { make_solver("xpdb"); }).find("'xpbd'"), std::string::npos);
  EXPECT_NE(message([] { acceleration_kind("chebychev"); }).find("'chebyshev'"), std::string::npos);
  EXPECT_NE(message([] { make_solver("vertex", {.kind = Kind::anderson_both}); }).find("no multipliers"),
            std::string::npos);
  EXPECT_NE(message([] { make_solver("quasi_newton", {.kind = Kind::chebyshev}); }).find("its own"),
            std::string::npos);
  EXPECT_NE(message([] { make_solver("xpbd", {.omega = -1}); }).find("omega is -1"), std::string::npos);
  EXPECT_NE(
      message([] { make_solver("xpbd", {.kind = Kind::chebyshev, .omega = 1.5}); }).find("leave omega at 1"),
      std::string::npos);
  EXPECT_NE(message([] { make_solver("xpbd", {.window = 99}); }).find("window"), std::string::npos);
  Equations without;
  without.terms = step.equations.terms;
  without.masses = step.equations.masses;
  without.held = step.equations.held;
  without.targets = step.equations.targets;
  EXPECT_NE(message([&] { make_solver("xpbd")->prepare(without); }).find("not given as constraints"),
            std::string::npos);
}

}  // namespace
}  // namespace palpate
