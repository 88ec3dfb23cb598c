#include <palpate/mesh/edge_paths.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace palpate {

namespace {

constexpr std::size_t long_list = 256;
// Sums that go beyond the reach are not exact; what they are used for allows for this.
constexpr double rounding = 1e-9;
constexpr double endless = std::numeric_limits<double>::infinity();

}  // namespace

bool EdgePaths::lists_are_long(const Topology& topology, std::span<const Vec3> rest, double reach) {
  const PathGraph graph{topology, rest, PathLengths(reach)};
  constexpr std::size_t samples = 64;
  const std::size_t n = topology.vertex_count(), step = n / samples + 1;
  PathSearch search;
  std::size_t sum = 0, looked = 0;
  for (std::size_t v = step / 2; v < n; v += step, ++looked) {
    search.run(graph, static_cast<std::uint32_t>(v), 4 * long_list);
    sum += search.found.size();
  }
  return sum > long_list * looked;
}

EdgePaths::EdgePaths(const Topology& topology, std::span<const Vec3> rest, double reach) : lengths_(reach) {
  const PathGraph graph{topology, rest, lengths_};
  Distances unknown;
  unknown.fill(-1);
  landmarks_.assign(topology.vertex_count(), unknown);
  if (landmarks_.empty()) return;
  // Each landmark is the vertex farthest from those before it, where no path leads first of all.
  std::vector<double> nearest(landmarks_.size(), endless);
  std::uint32_t at = 0;
  for (std::size_t k = 0; k < count; ++k) {
    add_landmark(graph, k, at);
    for (std::size_t v = 0; v < landmarks_.size(); ++v)
      if (const double d = landmarks_[v][k]; d >= 0) nearest[v] = std::min(nearest[v], d);
    at = static_cast<std::uint32_t>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
  }
}

// Dijkstra's search without an end.
void EdgePaths::add_landmark(const PathGraph& graph, std::size_t which, std::uint32_t from) {
  std::vector<std::pair<double, std::uint32_t>> open = {{0.0, from}};
  landmarks_[from][which] = 0;
  while (!open.empty()) {
    const auto [distance, vertex] = open.front();
    std::pop_heap(open.begin(), open.end(), std::greater<>());
    open.pop_back();
    if (landmarks_[vertex][which] < distance) continue;
    for (const std::uint32_t corner : graph.topology.corners_at(vertex))
      for (const std::uint32_t there : {graph.topology.vertex_at(next_corner(corner)),
                                        graph.topology.vertex_at(previous_corner(corner))}) {
        const double sum = distance + graph.lengths.between(graph.rest[vertex], graph.rest[there]);
        double& known = landmarks_[there][which];
        if (known >= 0 && known <= sum) continue;
        known = sum;
        open.emplace_back(sum, there);
        std::push_heap(open.begin(), open.end(), std::greater<>());
      }
  }
}

double EdgePaths::at_least(std::uint32_t a, std::uint32_t b) const {
  double most = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double one = landmarks_[a][k], two = landmarks_[b][k];
    if ((one < 0) != (two < 0)) return endless;  // a path leads to one of the two only
    if (one >= 0) most = std::max(most, std::abs(one - two) - rounding * (one + two));
  }
  return most;
}

double EdgePaths::at_most(std::uint32_t a, std::uint32_t b) const {
  double least = endless;
  for (std::size_t k = 0; k < count; ++k)
    if (const double one = landmarks_[a][k], two = landmarks_[b][k]; one >= 0 && two >= 0)
      least = std::min(least, (one + two) * (1 + rounding));
  return least;
}

bool EdgePaths::are_near(const Topology& topology, std::span<const Vec3> rest,
                         std::span<const std::uint32_t> some, std::span<const std::uint32_t> others) const {
  double least = endless;
  for (const std::uint32_t a : some)
    for (const std::uint32_t b : others) {
      if (a == b || at_most(a, b) < lengths_.reach_in_units()) return true;
      least = std::min(least, at_least(a, b));
    }
  if (!(least < lengths_.reach_in_units())) return false;
  std::unique_ptr<PathSearch> search;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      search = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!search) search = std::make_unique<PathSearch>();
  const bool near = search->joins({topology, rest, lengths_}, some, others, [&](std::uint32_t v) {
    double left = endless;
    for (const std::uint32_t b : others) left = std::min(left, at_least(v, b));
    return left;
  });
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(search));
  return near;
}

}  // namespace palpate
