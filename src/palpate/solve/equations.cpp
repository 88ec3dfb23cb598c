#include <palpate/solve/equations.h>

#include <algorithm>
#include <cmath>

#include <palpate/base/parallel.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 2048;

}  // namespace

double potential(Equations& equations, std::span<const Vec3> x) {
  const double scale = 0.5 / (equations.step * equations.step);
  double sum = parallel_reduce(
      equations.size(), grain, 0.0, equations.partial,
      [&](Chunk chunk) {
        double part = 0;
        for (std::size_t i = chunk.begin; i < chunk.end; ++i)
          part += equations.masses[i] * (x[i] - equations.targets[i]).squaredNorm();
        return scale * part;
      },
      [](double a, double b) { return a + b; });
  for (Term* term : equations.terms) sum += term->value(x);
  return sum;
}

double potential(Equations& equations, std::span<const Vec3> x, std::span<Vec3> gradient) {
  const double scale = 1 / (equations.step * equations.step);
  double sum = parallel_reduce(
      equations.size(), grain, 0.0, equations.partial,
      [&](Chunk chunk) {
        double part = 0;
        for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
          const Vec3 off = x[i] - equations.targets[i];
          gradient[i] = scale * equations.masses[i] * off;
          part += equations.masses[i] * off.squaredNorm();
        }
        return 0.5 * scale * part;
      },
      [](double a, double b) { return a + b; });
  for (Term* term : equations.terms) sum += term->add_gradient(x, gradient);
  parallel_for(equations.size(), grain, [&](std::size_t i) {
    if (equations.held[i] != 0) gradient[i].setZero();
  });
  return sum;
}

void product(const Equations& equations, std::span<const Vec3> x, std::span<const Vec3> d,
             std::span<Vec3> out) {
  const double scale = 1 / (equations.step * equations.step);
  for (std::size_t i = 0; i < equations.size(); ++i) out[i] = scale * equations.masses[i] * d[i];
  for (Term* term : equations.terms) term->add_product(x, d, out);
  for (std::size_t i = 0; i < equations.size(); ++i)
    if (equations.held[i] != 0) out[i].setZero();
}

double residual(const Equations& equations, std::span<const Vec3> gradient) {
  double sum = 0, mass = 0;
  for (std::size_t i = 0; i < equations.size(); ++i) {
    if (equations.held[i] != 0) continue;
    sum += gradient[i].squaredNorm() / equations.masses[i];
    mass += equations.masses[i];
  }
  return mass > 0 ? equations.step * equations.step * std::sqrt(sum / mass) : 0;
}

}  // namespace palpate
