#include <palpate/soft/untangle.h>

#include <algorithm>

#include <palpate/soft/elements.h>

namespace palpate {

namespace {

constexpr double held_counts = 1e3;  // nodes that are held say best where the whole is

// The rest shape, moved and turned to where the body is.
struct Fit {
  Mat3 rotation;
  Vec3 from, to;
  Vec3 of(const Vec3& p) const { return to + rotation * (p - from); }
};
Fit fit(const Equations& equations, std::span<const Vec3> rest, std::span<const Vec3> x) {
  Fit result{Mat3::Zero(), Vec3::Zero(), Vec3::Zero()};
  double mass = 0;
  const auto weight = [&](std::size_t i) {
    return equations.masses[i] * (equations.held[i] != 0 ? held_counts : 1);
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    mass += weight(i);
    result.from += weight(i) * rest[i];
    result.to += weight(i) * x[i];
  }
  result.from /= mass;
  result.to /= mass;
  Mat3 covariance = Mat3::Zero();
  for (std::size_t i = 0; i < x.size(); ++i)
    covariance += weight(i) * (x[i] - result.to) * (rest[i] - result.from).transpose();
  result.rotation = rotation_of(covariance);
  return result;
}

}  // namespace

// From any positions, one step of Newton's: the energy is quadratic. Returns the rotation.
Mat3 Untangler::turn_back(Equations& equations, const TetMesh& rest, std::span<Vec3> x) {
  const double scale = 1 / (equations.step * equations.step);
  if (!has_metric_) {
    entries_.clear();
    for (const Term* term : equations.terms) term->add_metric(entries_);
    std::vector<MetricEntry> all = entries_;
    for (std::uint32_t i = 0; i < x.size(); ++i) all.push_back({i, i, scale * equations.masses[i]});
    metric_.factor(x.size(), all, equations.held);
    has_metric_ = true;
  }
  const Fit shape = fit(equations, rest.positions, x);
  off_.resize(x.size());
  gradient_.resize(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    off_[i] = x[i] - shape.of(rest.positions[i]);
    gradient_[i] = scale * equations.masses[i] * (x[i] - equations.targets[i]);
  }
  for (const MetricEntry& e : entries_) {
    gradient_[e.i] += e.value * off_[e.j];
    if (e.i != e.j) gradient_[e.j] += e.value * off_[e.i];
  }
  for (std::size_t i = 0; i < x.size(); ++i)
    if (equations.held[i] != 0) gradient_[i].setZero();
  metric_.solve(gradient_);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] -= gradient_[i];
  return shape.rotation;
}

bool Untangler::untangle(Equations& equations, const TetMesh& rest, std::span<const TetShape> shapes,
                         std::size_t inverted, std::span<Vec3> x) {
  if (left_ <= 0 && static_cast<double>(inverted) > many * static_cast<double>(rest.tets.size()))
    left_ = longest;
  if (left_ > 0) {
    left_ -= equations.step;
    const Mat3 rotation = turn_back(equations, rest, x);
    bool is_near = true;
    for (std::size_t e = 0; e < shapes.size() && is_near; ++e)
      is_near =
          is_hole(rest.tets[e]) || (shapes[e].gradient(tet_at(x, rest.tets[e])) - rotation).norm() < near;
    if (is_near) left_ = 0;
    return true;
  }
  return false;
}

}  // namespace palpate
