#include <palpate/solve/embedded_term.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <palpate/base/error.h>

namespace palpate {

EmbeddedTerm::EmbeddedTerm(Term& term, Embedding embedding) : term_(term), embedding_(std::move(embedding)) {
  const std::size_t points = embedding_.size();
  for (auto* list : {&at_, &moved_, &pulls_}) list->resize(points);
  marked_.resize(points);
  std::vector<MetricEntry> entries;
  term_.add_metric(entries);
  for (const MetricEntry& e : entries)
    if (e.i >= points)
      throw Error(Place::named("embedding", fmt::format("of {} points", points)),
                  fmt::format("the term has a point {}", e.i), "Embed every point of the term.");
  list_near_points(entries);
}

void EmbeddedTerm::list_near_points(std::span<const MetricEntry> entries) {
  std::vector<std::vector<std::uint32_t>> beside(embedding_.size());
  for (const MetricEntry& e : entries) {
    if (e.i == e.j) continue;
    beside[e.i].push_back(e.j);
    beside[e.j].push_back(e.i);
  }
  near_begin_ = {0};
  std::vector<std::uint32_t> near;
  for (std::uint32_t v = 0; v < embedding_.nodes(); ++v) {
    near.clear();
    for (const auto& [point, weight] : embedding_.shares(v)) {
      near.push_back(point);
      near.insert(near.end(), beside[point].begin(), beside[point].end());
    }
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    near_.insert(near_.end(), near.begin(), near.end());
    near_begin_.push_back(static_cast<std::uint32_t>(near_.size()));
  }
}

Vec3 EmbeddedTerm::at(std::uint32_t point, std::span<const Vec3> x) const {
  const TetCorners& c = embedding_.corners()[point];
  const auto& w = embedding_.weights()[point];
  return w[0] * x[c[0]] + w[1] * x[c[1]] + w[2] * x[c[2]] + w[3] * x[c[3]];
}

void EmbeddedTerm::place(std::span<const Vec3> x, std::span<Vec3> points) const {
  embedding_.map(x.first(embedding_.nodes()), points);
}

double EmbeddedTerm::value(std::span<const Vec3> x) {
  place(x, at_);
  return term_.value(at_);
}

double EmbeddedTerm::add_gradient(std::span<const Vec3> x, std::span<Vec3> gradient) {
  place(x, at_);
  std::fill(pulls_.begin(), pulls_.end(), Vec3::Zero());
  const double value = term_.add_gradient(at_, pulls_);
  embedding_.map_back(pulls_, gradient.first(embedding_.nodes()));
  return value;
}

void EmbeddedTerm::add_product(std::span<const Vec3> x, std::span<const Vec3> d, std::span<Vec3> out) {
  place(x, at_);
  place(d, moved_);
  std::fill(pulls_.begin(), pulls_.end(), Vec3::Zero());
  term_.add_product(at_, moved_, pulls_);
  embedding_.map_back(pulls_, out.first(embedding_.nodes()));
}

// Of several points that follow the node, only what each of them feels alone is known. With w the weights and
// H a stiffness,
//
//   (sum of w_i u_i)^T H (sum of w_i u_i) <= (sum of |w_i|) (sum of |w_i| u_i^T H u_i):
//
// stiffer than it is, so that a step of the node does not go too far. Called from several threads at once.
void EmbeddedTerm::add_block(std::uint32_t node, std::span<const Vec3> x, Vec3& gradient, Mat3& stiffness) {
  if (node >= embedding_.nodes()) return;
  thread_local std::vector<Vec3> points;
  if (points.size() < embedding_.size()) points.resize(embedding_.size());
  for (std::uint32_t k = near_begin_[node]; k < near_begin_[node + 1]; ++k)
    points[near_[k]] = at(near_[k], x);
  double weights = 0;
  Mat3 sum = Mat3::Zero();
  for (const auto& [point, weight] : embedding_.shares(node)) {
    Vec3 pull = Vec3::Zero();
    Mat3 own = Mat3::Zero();
    term_.add_block(point, std::span(points).first(embedding_.size()), pull, own);
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
    const TetCorners &c = embedding_.corners()[e.i], &d = embedding_.corners()[e.j];
    const auto &w = embedding_.weights()[e.i], &u = embedding_.weights()[e.j];
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = e.i == e.j ? a : 0; b < 4; ++b) {
        const double value = w[a] * u[b] * e.value;
        if (value == 0) continue;
        const std::uint32_t i = std::max(c[a], d[b]), j = std::min(c[a], d[b]);
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
  for (std::size_t i = 0; i < marked_.size(); ++i)
    for (std::size_t k = 0; k < 4; ++k)
      if (marked_[i] != 0 && embedding_.weights()[i][k] != 0) nodes[embedding_.corners()[i][k]] = 1;
  return true;
}

}  // namespace palpate
