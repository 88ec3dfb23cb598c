#include <palpate/solve/lagging_metric.h>

#include <algorithm>
#include <utility>

namespace palpate {

std::vector<MetricEntry> matrix_of(const Equations& equations) {
  std::vector<MetricEntry> entries;
  entries.reserve(40 * equations.size());  // of tetrahedra, about
  const double scale = 1 / (equations.step * equations.step);
  for (std::uint32_t i = 0; i < equations.size(); ++i) entries.push_back({i, i, scale * equations.masses[i]});
  for (const Term* term : equations.terms) term->add_metric(entries);
  return entries;
}

void LaggingMetric::factor(const Equations& equations, std::span<const MetricEntry> entries) {
  background_.wait();
  again_ = false;
  now_.metric.factor(equations.size(), entries, equations.held);
  now_.held = equations.held;
  own_.clear();
  held_.clear();
}

void LaggingMetric::refactor(const Equations& equations, std::vector<MetricEntry> entries) {
  diagonal_.assign(equations.size(), 0);
  for (const MetricEntry& e : entries)
    if (e.i == e.j) diagonal_[e.i] += e.value;
  compare(equations);
  if (background_.busy()) {
    again_ = true;
    waiting_ = std::move(entries);
  } else {
    start(equations, std::move(entries));
  }
}

void LaggingMetric::start(const Equations& equations, std::vector<MetricEntry> entries) {
  left_ = lag(equations.size());
  next_.held = equations.held;
  background_.start(
      [this, list = std::move(entries)] { next_.metric.factor(next_.held.size(), list, next_.held); });
}

// What the factor in use knows nothing of.
void LaggingMetric::compare(const Equations& equations) {
  own_.clear();
  held_.clear();
  for (std::uint32_t i = 0; i < equations.size(); ++i) {
    const bool known = i < now_.held.size() && now_.held[i] == 0;
    if (equations.held[i] != 0 && known) held_.push_back(i);
    if (equations.held[i] == 0 && !known) own_.push_back({i, 1 / diagonal_[i]});
  }
}

void LaggingMetric::begin_solve(const Equations& equations) {
  if (!background_.busy() || --left_ > 0) return;
  background_.wait();
  std::swap(now_, next_);
  compare(equations);
  if (std::exchange(again_, false)) start(equations, std::move(waiting_));
}

LaggingMetric::State::State(ByteReader& from, std::size_t nodes) {
  from.get(now);
  from.get(next);
  left = from.get<std::int32_t>();
  again = from.get<std::uint8_t>() != 0;
  // Bodies may have grown since the factor was made.
  if (now.size() > nodes || next.size() > nodes) from.fail("it belongs to something of another size");
}

void LaggingMetric::save(ByteWriter& to) const {
  to.put(std::span<const std::uint8_t>(now_.held));
  to.put(background_.busy() ? std::span<const std::uint8_t>(next_.held) : std::span<const std::uint8_t>());
  to.put(static_cast<std::int32_t>(left_));
  to.put(static_cast<std::uint8_t>(again_));
}

bool LaggingMetric::is(const State& state) const {
  return !background_.busy() && state.next.empty() && now_.held == state.now;
}

void LaggingMetric::load(const Equations& equations, std::span<const MetricEntry> entries,
                         const State& state) {
  background_.wait();
  if (now_.held != state.now || now_.metric.size() != state.now.size()) {
    now_.metric.factor(state.now.size(), entries, state.now);
    now_.held = state.now;
  }
  diagonal_.assign(equations.size(), 0);
  for (const MetricEntry& e : entries)
    if (e.i == e.j) diagonal_[e.i] += e.value;
  compare(equations);
  left_ = state.left;
  again_ = state.again;
  if (state.next.empty()) return;
  next_.held = state.next;
  waiting_.assign(entries.begin(), entries.end());
  background_.start([this, list = waiting_] { next_.metric.factor(next_.held.size(), list, next_.held); });
}

void LaggingMetric::solve(std::span<Vec3> x) {
  now_.metric.solve(x.first(now_.held.size()));
  for (const Own& one : own_) x[one.node] *= one.inverse;
  for (const std::uint32_t node : held_) x[node].setZero();
}

}  // namespace palpate
