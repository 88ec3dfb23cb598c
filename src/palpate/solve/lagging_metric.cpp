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
  now_.entries.assign(entries.begin(), entries.end());
  own_.clear();
  held_.clear();
  ++version_;
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
  next_.entries = std::move(entries);
  begin_next();
}

void LaggingMetric::begin_next() {
  background_.start([this] { next_.metric.factor(next_.held.size(), next_.entries, next_.held); });
}

// What the factor in use knows nothing of.
void LaggingMetric::compare(const Equations& equations) {
  ++version_;
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
  from.get(now_held);
  given = from.get<std::uint8_t>() != 0;
  busy = from.get<std::uint8_t>() != 0;
  if (given) from.get(now);
  if (busy) {
    from.get(next_held);
    from.get(next);
    from.get(waiting);
    left = from.get<std::int32_t>();
    again = from.get<std::uint8_t>() != 0;
  }
  // Bodies may have grown since the factor was made.
  const auto fits = [](const std::vector<MetricEntry>& entries, std::size_t size) {
    return std::all_of(entries.begin(), entries.end(),
                       [&](const MetricEntry& e) { return e.i < size && e.j < size; });
  };
  if (now_held.size() > nodes || (!given && now_held.size() != nodes) || next_held.size() > nodes ||
      !fits(now, now_held.size()) || !fits(next, next_held.size()) || !fits(waiting, nodes))
    from.fail("it belongs to something of another size");
}

void LaggingMetric::save(ByteWriter& to, bool changed) const {
  const bool given = changed || background_.busy();
  to.put(std::span<const std::uint8_t>(now_.held));
  to.put(static_cast<std::uint8_t>(given));
  to.put(static_cast<std::uint8_t>(background_.busy()));
  if (given) to.put(std::span<const MetricEntry>(now_.entries));
  if (!background_.busy()) return;
  to.put(std::span<const std::uint8_t>(next_.held));
  to.put(std::span<const MetricEntry>(next_.entries));
  to.put(std::span<const MetricEntry>(waiting_));
  to.put(static_cast<std::int32_t>(left_));
  to.put(static_cast<std::uint8_t>(again_));
}

bool LaggingMetric::is(const State& state) const {
  return !background_.busy() && !state.given && now_.held == state.now_held;
}

void LaggingMetric::load(const Equations& equations, std::span<const MetricEntry> entries, State state) {
  background_.wait();
  now_.held = std::move(state.now_held);
  now_.entries.assign(entries.begin(), entries.end());
  if (state.given) now_.entries = std::move(state.now);
  now_.metric.factor(now_.held.size(), now_.entries, now_.held);
  diagonal_.assign(equations.size(), 0);
  for (const MetricEntry& e : entries)
    if (e.i == e.j) diagonal_[e.i] += e.value;
  compare(equations);
  left_ = state.left;
  again_ = state.again;
  if (!state.busy) return;
  next_.held = std::move(state.next_held);
  next_.entries = std::move(state.next);
  waiting_ = std::move(state.waiting);
  begin_next();
}

void LaggingMetric::solve(std::span<Vec3> x) {
  now_.metric.solve(x.first(now_.held.size()));
  for (const Own& one : own_) x[one.node] *= one.inverse;
  for (const std::uint32_t node : held_) x[node].setZero();
}

}  // namespace palpate
