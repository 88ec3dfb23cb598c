#include <palpate/soft/untangle.h>

#include <algorithm>

#include <palpate/geometry/turned.h>
#include <palpate/soft/elements.h>

namespace palpate {

namespace {

constexpr double held_counts = 1e3;  // nodes that are held say best where the whole is

}  // namespace

// The rest shape of each piece, moved and turned to where it is.
void Untangler::fit(const Equations& equations, std::span<const Vec3> rest, std::span<const Vec3> x) {
  const auto weight = [&](std::size_t i) {
    return std::max(1e-300, equations.masses[i]) * (equations.held[i] != 0 ? held_counts : 1);
  };
  fits_.assign(pieces_.size(), {Mat3::Zero(), Vec3::Zero(), Vec3::Zero(), 0});
  for (std::size_t i = 0; i < x.size(); ++i) {
    Fit& one = fits_[pieces_.of(i)];
    one.mass += weight(i);
    one.from += weight(i) * rest[i];
    one.to += weight(i) * x[i];
  }
  for (Fit& one : fits_) {
    one.from /= one.mass;
    one.to /= one.mass;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    Fit& one = fits_[pieces_.of(i)];
    one.rotation += weight(i) * (x[i] - one.to) * (rest[i] - one.from).transpose();
  }
  for (Fit& one : fits_) one.rotation = rotation_of(one.rotation);
}

// From any positions, one step of Newton's: the energy is quadratic.
void Untangler::turn_back(Equations& equations, const TetMesh& rest, std::span<Vec3> x) {
  const double scale = 1 / (equations.step * equations.step);
  if (!has_metric_) {
    entries_.clear();
    for (const Term* term : equations.terms) term->add_metric(entries_);
    std::vector<MetricEntry> all = entries_;
    for (std::uint32_t i = 0; i < x.size(); ++i) all.push_back({i, i, scale * equations.masses[i]});
    metric_.factor(x.size(), all, equations.held);
    pieces_.prepare(equations, all);
    has_metric_ = true;
  }
  fit(equations, rest.positions, x);
  off_.resize(x.size());
  gradient_.resize(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    off_[i] = x[i] - fits_[pieces_.of(i)].of(rest.positions[i]);
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
  pieces_.shift(equations, x);
}

bool Untangler::untangle(Equations& equations, const TetMesh& rest, std::span<const TetShape> shapes,
                         std::size_t inverted, std::span<Vec3> x) {
  const auto holes = std::count_if(rest.tets.begin(), rest.tets.end(), is_hole<4>);
  const double there = static_cast<double>(rest.tets.size()) - static_cast<double>(holes);
  if (left_ <= 0 && static_cast<double>(inverted) > many * there) left_ = longest;
  if (left_ > 0) {
    left_ -= equations.step;
    turn_back(equations, rest, x);
    bool is_near = true;
    for (std::size_t e = 0; e < shapes.size() && is_near; ++e)
      is_near =
          is_hole(rest.tets[e]) ||
          (shapes[e].gradient(tet_at(x, rest.tets[e])) - fits_[pieces_.of(rest.tets[e][0])].rotation).norm() <
              near;
    if (is_near) left_ = 0;
    return true;
  }
  return false;
}

}  // namespace palpate
