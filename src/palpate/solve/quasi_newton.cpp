#include <palpate/solve/quasi_newton.h>

#include <algorithm>

#include <Eigen/Cholesky>

namespace palpate {

namespace {

constexpr int most_sweeps = 10;  // where things are turned inside out

}  // namespace

void QuasiNewton::prepare(const Equations& equations) {
  const std::vector<MetricEntry> entries = matrix_of(equations);
  metric_.factor(equations, entries);
  make_room(equations, entries);
}

void QuasiNewton::update(const Equations& equations) {
  std::vector<MetricEntry> entries = matrix_of(equations);
  make_room(equations, entries);
  metric_.refactor(equations, std::move(entries));
}

void QuasiNewton::load(const Equations& equations, bool same, ByteReader& from) {
  LaggingMetric::State state(from, equations.size());
  if (same && metric_.is(state)) return;
  const std::vector<MetricEntry> entries = matrix_of(equations);
  make_room(equations, entries);
  metric_.load(equations, entries, std::move(state));
}

void QuasiNewton::make_room(const Equations& equations, std::span<const MetricEntry> entries) {
  pieces_.prepare(equations, entries);
  descent_.make_room(equations.size());
  tangled_.resize(equations.size());
  trial_.resize(equations.size());
}

void QuasiNewton::untangle(Equations& equations, std::span<Vec3> x, const Deadline& deadline) {
  const auto mark = [&] {
    std::fill(tangled_.begin(), tangled_.end(), std::uint8_t{0});
    bool any = false;
    for (Term* term : equations.terms) any = term->mark_tangled(x, tangled_) || any;
    return any;
  };
  if (!mark()) return;
  std::copy(x.begin(), x.end(), trial_.begin());
  const double before = potential(equations, x), scale = 1 / (equations.step * equations.step);
  int sweeps = 0;
  do {
    for (std::uint32_t v = 0; v < x.size(); ++v) {
      if (tangled_[v] == 0 || equations.held[v] != 0) continue;
      Vec3 gradient = scale * equations.masses[v] * (x[v] - equations.targets[v]);
      Mat3 stiffness = scale * equations.masses[v] * Mat3::Identity();
      for (Term* term : equations.terms) term->add_block(v, x, gradient, stiffness);
      x[v] -= stiffness.ldlt().solve(gradient);
    }
  } while (++sweeps < most_sweeps && !deadline.passed() && mark());
  // Whole steps may lead anywhere.
  if (!(potential(equations, x) <= before)) std::copy(trial_.begin(), trial_.end(), x.begin());
}

// The equations of one system, with the factor in use.
class QuasiNewton::Own final : public Landscape {
 public:
  Own(QuasiNewton& solver, Equations& equations) : solver_(solver), equations_(equations) {}
  double value(std::span<const Vec3> x, std::span<Vec3> gradient) override {
    return potential(equations_, x, gradient);
  }
  void to_step(std::span<const Vec3> /*x*/, std::span<Vec3> v) override {
    solver_.metric_.solve(v);
    // A metric of other masses would move the centres.
    if (solver_.metric_.lags()) solver_.pieces_.keep_centres(equations_, v);
  }
  double residual(std::span<const Vec3> gradient) const override {
    return palpate::residual(equations_, gradient);
  }
  double noise() const override {
    double sum = 0;
    for (const Term* term : equations_.terms) sum += term->rounding();
    return sum;
  }

 private:
  QuasiNewton& solver_;
  Equations& equations_;
};

SolveReport QuasiNewton::solve(Equations& equations, std::span<Vec3> x, const SolveOptions& options) {
  SolveReport report;
  const Deadline deadline(options.budget);
  begin(equations, x, options.untangle, deadline);
  pieces_.shift(equations, x);
  Own own(*this, equations);
  descent_.run(own, x, options, deadline, report);
  return report;
}

void QuasiNewton::begin(Equations& equations, std::span<Vec3> x, bool untangles, const Deadline& deadline) {
  metric_.begin_solve(equations);
  if (untangles) untangle(equations, x, deadline);
}

}  // namespace palpate
