#include <palpate/solve/problem.h>

#include <algorithm>
#include <cmath>

#include <palpate/base/parallel.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 2048;

}  // namespace

double potential(Problem& problem, std::span<const Vec3> x) {
  const double scale = 0.5 / (problem.step * problem.step);
  double sum = parallel_reduce(
      problem.size(), grain, 0.0, problem.partial,
      [&](Chunk chunk) {
        double part = 0;
        for (std::size_t i = chunk.begin; i < chunk.end; ++i)
          part += problem.masses[i] * (x[i] - problem.targets[i]).squaredNorm();
        return scale * part;
      },
      [](double a, double b) { return a + b; });
  for (Term* term : problem.terms) sum += term->value(x);
  return sum;
}

double potential(Problem& problem, std::span<const Vec3> x, std::span<Vec3> gradient) {
  const double scale = 1 / (problem.step * problem.step);
  double sum = parallel_reduce(
      problem.size(), grain, 0.0, problem.partial,
      [&](Chunk chunk) {
        double part = 0;
        for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
          const Vec3 off = x[i] - problem.targets[i];
          gradient[i] = scale * problem.masses[i] * off;
          part += problem.masses[i] * off.squaredNorm();
        }
        return 0.5 * scale * part;
      },
      [](double a, double b) { return a + b; });
  for (Term* term : problem.terms) sum += term->add_gradient(x, gradient);
  for (std::size_t i = 0; i < problem.size(); ++i)
    if (problem.held[i] != 0) gradient[i].setZero();
  return sum;
}

void product(const Problem& problem, std::span<const Vec3> x, std::span<const Vec3> d, std::span<Vec3> out) {
  const double scale = 1 / (problem.step * problem.step);
  for (std::size_t i = 0; i < problem.size(); ++i) out[i] = scale * problem.masses[i] * d[i];
  for (Term* term : problem.terms) term->add_product(x, d, out);
  for (std::size_t i = 0; i < problem.size(); ++i)
    if (problem.held[i] != 0) out[i].setZero();
}

double residual(const Problem& problem, std::span<const Vec3> gradient) {
  double sum = 0, mass = 0;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    if (problem.held[i] != 0) continue;
    sum += gradient[i].squaredNorm() / problem.masses[i];
    mass += problem.masses[i];
  }
  return mass > 0 ? problem.step * problem.step * std::sqrt(sum / mass) : 0;
}

}  // namespace palpate
