#include <palpate/study/soft_stages.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include <palpate/base/parallel.h>
#include <palpate/base/timing.h>
#include <palpate/soft/tet_constraints.h>
#include <palpate/solve/acceleration.h>

namespace palpate {

namespace {

constexpr std::array names = {soft_stage::projection, soft_stage::anderson, soft_stage::update,
                              soft_stage::residuals,  soft_stage::coloured, soft_stage::potential,
                              soft_stage::gradient};
enum StageOf : std::size_t { one_by_one, mixing, update, residuals, coloured, energy, gradient };

class Rounds {
 public:
  template <class Work>
  void time(std::size_t stage, Work&& work) {
    const auto begun = Clock::now();
    work();
    ms_[stage].push_back(std::chrono::duration<double, std::milli>(Clock::now() - begun).count());
  }
  double median(std::size_t stage) {
    auto& all = ms_[stage];
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
    return all[all.size() / 2];
  }

 private:
  std::array<std::vector<double>, names.size()> ms_;
};

void run(const SoftShape& shape, int rounds, Rounds& clock) {
  const TetMesh mesh = shape.make();
  const std::vector<Material> material = {{.density = shape.density, .young = 1e6, .model = Model::stvk}};
  TetConstraints constraints(mesh, material, Model::stvk), packed(mesh, material, Model::stvk);
  TetTerm term(mesh, material);
  Equations equations;
  equations.masses = node_masses(mesh, material);
  equations.held.assign(mesh.positions.size(), 0);
  equations.terms = {&term};
  // So slight that every mesh stays sound: what a stage costs does not depend on it.
  const std::vector<Vec3> start = deformed(mesh, {.stretch = 1.0001, .twist = 0, .shake = 0});
  equations.targets = start;
  std::vector<double> inverse;
  for (const double mass : equations.masses) inverse.push_back(1 / mass);
  constraints.prepare(inverse, SoftStep::length);
  packed.prepare(inverse, SoftStep::length, Arrangement::by_colour);

  std::vector<PaddedPoint> x(start.begin(), start.end()), moved = x, other = x;
  const std::size_t numbers = constraints.multipliers();
  std::vector<double> multipliers(numbers, 0), before(numbers), change(numbers), last(numbers),
      mixed(numbers), packed_multipliers(packed.multipliers(), 0);
  const std::vector<double> ones(numbers, 1), share(x.size(), 1);
  std::vector<Vec3> pull(x.size());
  Anderson anderson;
  anderson.begin(numbers, 5, 1e3);
  double sum = 0;
  for (int round = 0; round < rounds; ++round) {
    before = multipliers;
    clock.time(one_by_one, [&] { constraints.project(x, multipliers); });
    clock.time(coloured, [&] { packed.project(other, packed_multipliers); });
    for (std::size_t i = 0; i < numbers; ++i) change[i] = multipliers[i] - before[i];
    if (round > 0) clock.time(mixing, [&] { anderson.mix(last, change, ones, mixed); });
    moved = x;
    clock.time(update, [&] { constraints.apply(x, mixed, share, moved); });
    clock.time(residuals, [&] {
      sum += constraints.squared_residual(x, multipliers) + constraints.squared_residual(moved, multipliers);
    });
    clock.time(energy, [&] { sum += potential(equations, start); });
    clock.time(gradient, [&] { sum += potential(equations, start, pull); });
    last = change;
  }
  if (std::isnan(sum)) throw std::logic_error("the stages of a sound body gave no number");
}

}  // namespace

std::vector<SoftStage> time_soft_stages(const SoftShape& shape, int rounds) {
  Rounds clock;
  Threads(1).run([&] { run(shape, std::max(rounds, 2), clock); });
  std::vector<SoftStage> stages;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double ms = clock.median(i);
    stages.push_back({shape.name, names[i], ms, 1e6 * ms / static_cast<double>(shape.tets)});
  }
  return stages;
}

}  // namespace palpate
