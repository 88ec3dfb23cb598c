#include <palpate/solve/free_bodies.h>

#include <algorithm>
#include <numeric>

namespace palpate {

namespace {

constexpr std::uint32_t no_body = 0xffffffff;

}  // namespace

void FreeBodies::prepare(const Equations& equations, std::span<const MetricEntry> entries) {
  const std::size_t n = equations.size();
  // Each node points to a lower one of its body.
  std::vector<std::uint32_t> lower(n);
  std::iota(lower.begin(), lower.end(), 0u);
  const auto lowest = [&](std::uint32_t i) {
    while (lower[i] != i) i = lower[i] = lower[lower[i]];
    return i;
  };
  for (const MetricEntry& e : entries) {
    const std::uint32_t a = lowest(e.i), b = lowest(e.j);
    lower[std::max(a, b)] = std::min(a, b);
  }
  std::vector<std::uint8_t> has_held(n, 0);
  for (std::uint32_t i = 0; i < n; ++i)
    if (equations.held[i] != 0) has_held[lowest(i)] = 1;
  body_.assign(n, no_body);
  std::uint32_t bodies = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t root = lowest(i);
    if (has_held[root] != 0) continue;
    body_[i] = root == i ? bodies++ : body_[root];
  }
  shift_.resize(bodies);
  mass_.resize(bodies);
}

// Adds to every node the mean of its body, weighted by mass.
template <class Of>
void FreeBodies::add_means(const Equations& equations, std::span<Vec3> to, Of&& of) {
  std::fill(shift_.begin(), shift_.end(), Vec3::Zero());
  std::fill(mass_.begin(), mass_.end(), 0.0);
  for (std::size_t i = 0; i < to.size(); ++i)
    if (body_[i] != no_body) {
      shift_[body_[i]] += equations.masses[i] * of(i);
      mass_[body_[i]] += equations.masses[i];
    }
  for (std::size_t i = 0; i < to.size(); ++i)
    if (body_[i] != no_body) to[i] += shift_[body_[i]] / mass_[body_[i]];
}

void FreeBodies::shift(const Equations& equations, std::span<Vec3> x) {
  add_means(equations, x, [&](std::size_t i) { return Vec3(equations.targets[i] - x[i]); });
}

void FreeBodies::keep_centres(const Equations& equations, std::span<Vec3> direction) {
  add_means(equations, direction, [&](std::size_t i) { return Vec3(-direction[i]); });
}

}  // namespace palpate
