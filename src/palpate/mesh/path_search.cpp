#include <palpate/mesh/path_search.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include <palpate/base/error.h>

namespace palpate {

PathLengths::PathLengths(double reach) : reach_(reach) {
  if (!(reach > 0) || !std::isfinite(reach))
    throw Error(Place::named("parameter", "reach"), fmt::format("{} is not a positive, finite length", reach),
                "Give the neighbour distance g in metres; twice the contact distance is usual.");
  // The division is exact: the unit is a power of two (and the reach is not so tiny that it were denormal).
  unit_ = std::ldexp(1.0, std::max(std::ilogb(reach) - 50, -1000));
  reach_in_units_ = reach / unit_;
}

double PathLengths::between(const Vec3& a, const Vec3& b) const {
  // In units first: neither tiny nor huge edges under- or overflow.
  const double x = (a.x() - b.x()) / unit_, y = (a.y() - b.y()) / unit_, z = (a.z() - b.z()) / unit_;
  return std::nearbyint(std::sqrt(x * x + y * y + z * z));
}

PathSearch::Slot& PathSearch::slot_of(std::uint32_t vertex) {
  const std::size_t mask = table_.size() - 1;
  std::size_t i = (vertex * std::size_t{0x9e3779b97f4a7c15}) >> 32 & mask;
  while (table_[i].vertex != no_index && table_[i].vertex != vertex) i = (i + 1) & mask;
  return table_[i];
}

void PathSearch::grow() {
  std::vector<Slot> old(2 * table_.size());
  old.swap(table_);
  for (std::uint32_t& i : used_) {
    Slot& slot = slot_of(old[i].vertex);
    slot = old[i];
    i = index_of(slot);
  }
}

// Whether the vertex was not reached before on a path as short.
bool PathSearch::improves(std::uint32_t vertex, double distance) {
  Slot* slot = &slot_of(vertex);
  if (slot->vertex == vertex && slot->distance <= distance) return false;
  if (slot->vertex == no_index) {
    if (2 * (used_.size() + 1) > table_.size()) {
      grow();
      slot = &slot_of(vertex);
    }
    used_.push_back(index_of(*slot));
  }
  *slot = {vertex, distance};
  return true;
}

void PathSearch::open(double order, std::uint32_t vertex) {
  open_.emplace_back(order, vertex);
  std::push_heap(open_.begin(), open_.end(), std::greater<>());
}

std::uint32_t PathSearch::next_open() {
  const std::uint32_t vertex = open_.front().second;
  std::pop_heap(open_.begin(), open_.end(), std::greater<>());
  open_.pop_back();
  return vertex;
}

void PathSearch::clear() {
  for (const std::uint32_t i : used_) table_[i] = {};
  used_.clear();
  open_.clear();
}

const std::vector<PathSearch::Spoke>& PathSearch::spokes_of(const PathGraph& graph, std::uint32_t vertex) {
  const auto [place, is_new] = hubs_.try_emplace(vertex);
  std::vector<Spoke>& spokes = place->second;
  if (is_new) {
    each_edge(graph, vertex, [&](std::uint32_t there, double length) { spokes.push_back({length, there}); });
    std::sort(spokes.begin(), spokes.end(),
              [](const Spoke& a, const Spoke& b) { return a.length < b.length; });
  }
  return spokes;
}

bool PathSearch::run(const PathGraph& graph, std::uint32_t from, std::size_t most) {
  const double limit = graph.lengths.reach_in_units();
  const auto consider = [&](std::uint32_t vertex, double distance) {
    if (distance < limit && improves(vertex, distance)) open(distance, vertex);
  };
  consider(from, 0);
  while (!open_.empty() && used_.size() <= most) {
    const double distance = open_.front().first;
    const std::uint32_t vertex = next_open();
    if (slot_of(vertex).distance < distance) continue;  // reached on a shorter path since
    along_edges(graph, vertex, limit - distance,
                [&](std::uint32_t there, double length) { consider(there, distance + length); });
  }
  const bool all = open_.empty();
  found.clear();
  for (const std::uint32_t i : used_)
    found.emplace_back(table_[i].vertex, table_[i].distance * graph.lengths.unit());
  clear();
  std::sort(found.begin(), found.end());
  return all;
}

}  // namespace palpate
