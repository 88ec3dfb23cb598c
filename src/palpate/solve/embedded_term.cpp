#include <palpate/solve/embedded_term.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <palpate/base/error.h>

namespace palpate {

EmbeddedTerm::EmbeddedTerm(Term& term, std::vector<EmbeddedPoint> points, std::size_t nodes)
    : term_(term), points_(std::move(points)) {
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const auto& w = points_[i].weights;
    const double sum = std::accumulate(w.begin(), w.end(), 0.0);
    if (!(std::abs(sum - 1) < 1e-9))
      throw Error(Place::named("embedding", "weights").element("point", i),
                  fmt::format("they sum up to {}", sum), "Give weights that sum up to 1.");
    for (const std::uint32_t node : points_[i].nodes)
      if (node >= nodes)
        throw Error(Place::named("embedding", "nodes").element("point", i),
                    fmt::format("it follows node {} of {}", node, nodes), "Nodes are counted from 0.");
  }
  at_.resize(points_.size());
  moved_.resize(points_.size());
  pulls_.resize(points_.size());
  marked_.resize(points_.size());
  std::vector<MetricEntry> entries;
  term_.add_metric(entries);
  for (const MetricEntry& e : entries)
    if (e.i >= points_.size())
      throw Error(Place::named("embedding", "term").element("point", e.i),
                  fmt::format("the term knows it, and {} points are embedded", points_.size()),
                  "Embed every point of the term.");
  list_points_of_nodes(entries, nodes);
}

void EmbeddedTerm::list_points_of_nodes(std::span<const MetricEntry> entries, std::size_t nodes) {
  std::vector<std::vector<std::uint32_t>> beside(points_.size());
  for (const MetricEntry& e : entries) {
    if (e.i == e.j) continue;
    beside[e.i].push_back(e.j);
    beside[e.j].push_back(e.i);
  }
  std::vector<std::vector<Part>> parts(nodes);
  for (std::uint32_t i = 0; i < points_.size(); ++i)
    for (std::size_t k = 0; k < 4; ++k)
      if (points_[i].weights[k] != 0) parts[points_[i].nodes[k]].push_back({i, points_[i].weights[k]});
  parts_begin_ = near_begin_ = {0};
  std::vector<std::uint32_t> near;
  for (const std::vector<Part>& of : parts) {
    near.clear();
    for (const Part& part : of) {
      near.push_back(part.point);
      near.insert(near.end(), beside[part.point].begin(), beside[part.point].end());
    }
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    near_.insert(near_.end(), near.begin(), near.end());
    parts_.insert(parts_.end(), of.begin(), of.end());
    near_begin_.push_back(static_cast<std::uint32_t>(near_.size()));
    parts_begin_.push_back(static_cast<std::uint32_t>(parts_.size()));
  }
}

Vec3 EmbeddedTerm::at(std::uint32_t point, std::span<const Vec3> x) const {
  const EmbeddedPoint& p = points_[point];
  return p.weights[0] * x[p.nodes[0]] + p.weights[1] * x[p.nodes[1]] + p.weights[2] * x[p.nodes[2]] +
         p.weights[3] * x[p.nodes[3]];
}

void EmbeddedTerm::place(std::span<const Vec3> x, std::span<Vec3> points) const {
  for (std::uint32_t i = 0; i < points.size(); ++i) points[i] = at(i, x);
}

void EmbeddedTerm::add_back(std::span<const Vec3> forces, std::span<Vec3> nodes) const {
  for (std::size_t i = 0; i < forces.size(); ++i)
    for (std::size_t k = 0; k < 4; ++k) nodes[points_[i].nodes[k]] += points_[i].weights[k] * forces[i];
}

double EmbeddedTerm::value(std::span<const Vec3> x) {
  place(x, at_);
  return term_.value(at_);
}

double EmbeddedTerm::add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) {
  place(x, at_);
  std::fill(pulls_.begin(), pulls_.end(), Vec3::Zero());
  const double value = term_.add_gradient(at_, pulls_);
  add_back(pulls_, gradient);
  return value;
}

void EmbeddedTerm::add_product(std::span<const Vec3> x, std::span<const Vec3> d, std::span<Vec3> out) {
  place(x, at_);
  place(d, moved_);
  std::fill(pulls_.begin(), pulls_.end(), Vec3::Zero());
  term_.add_product(at_, moved_, pulls_);
  add_back(pulls_, out);
}

// Of several points that follow the node, only what each of them feels alone is known. With w the weights and
// H a stiffness,
//
//   (sum of w_i u_i)^T H (sum of w_i u_i) <= (sum of |w_i|) (sum of |w_i| u_i^T H u_i):
//
// stiffer than it is, so that a step of the node does not go too far. Called from several threads at once.
void EmbeddedTerm::add_block(std::uint32_t node, std::span<const Vec3> x, Vec3& gradient, Mat3& stiffness) {
  if (node + 1 >= parts_begin_.size()) return;
  thread_local std::vector<Vec3> points;
  if (points.size() < points_.size()) points.resize(points_.size());
  for (std::uint32_t k = near_begin_[node]; k < near_begin_[node + 1]; ++k)
    points[near_[k]] = at(near_[k], x);
  double weights = 0;
  Mat3 sum = Mat3::Zero();
  for (std::uint32_t k = parts_begin_[node]; k < parts_begin_[node + 1]; ++k) {
    const auto [point, weight] = parts_[k];
    Vec3 pull = Vec3::Zero();
    Mat3 own = Mat3::Zero();
    term_.add_block(point, std::span(points).first(points_.size()), pull, own);
    gradient += weight * pull;
    sum += std::abs(weight) * own;
    weights += std::abs(weight);
  }
  stiffness += weights * sum;
}

void EmbeddedTerm::add_metric(std::vector<MetricEntry>& entries) const {
  std::vector<MetricEntry> of_points;
  term_.add_metric(of_points);
  for (const MetricEntry& e : of_points) {
    const EmbeddedPoint &p = points_[e.i], &q = points_[e.j];
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = e.i == e.j ? a : 0; b < 4; ++b) {
        const double value = p.weights[a] * q.weights[b] * e.value;
        if (value == 0) continue;
        const std::uint32_t i = std::max(p.nodes[a], q.nodes[b]), j = std::min(p.nodes[a], q.nodes[b]);
        // An entry beside the diagonal stands for two; both may come to lie on it.
        const bool twice = i == j && (e.i != e.j || a != b);
        entries.push_back({i, j, twice ? 2 * value : value});
      }
  }
}

bool EmbeddedTerm::mark_tangled(std::span<const Vec3> x, std::span<std::uint8_t> nodes) {
  place(x, at_);
  std::fill(marked_.begin(), marked_.end(), std::uint8_t{0});
  if (!term_.mark_tangled(at_, marked_)) return false;
  for (std::size_t i = 0; i < points_.size(); ++i)
    for (std::size_t k = 0; k < 4; ++k)
      if (marked_[i] != 0 && points_[i].weights[k] != 0) nodes[points_[i].nodes[k]] = 1;
  return true;
}

}  // namespace palpate
