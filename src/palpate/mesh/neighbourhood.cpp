#include <palpate/mesh/neighbourhood.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>

namespace palpate {

namespace {

constexpr std::size_t grain = 512;

void check_rest(const Topology& topology, std::span<const Vec3> rest) {
  if (rest.size() < topology.vertex_count())
    throw Error(Place::named("positions", "of the rest shape"),
                fmt::format("there are {} for {} vertices", rest.size(), topology.vertex_count()),
                "Give one for every vertex.");
}

}  // namespace

double Neighbourhoods::length(const Vec3& a, const Vec3& b) const {
  // In units first: neither tiny nor huge edges under- or overflow.
  const double x = (a.x() - b.x()) / unit_, y = (a.y() - b.y()) / unit_, z = (a.z() - b.z()) / unit_;
  return std::nearbyint(std::sqrt(x * x + y * y + z * z));
}

// One search: the vertices reached, in a small hash table, and a heap of those to look at.
struct Neighbourhoods::Search {
  struct Slot {
    std::uint32_t vertex = no_index;
    double distance = 0;
  };
  // From a vertex with very many edges a search looks at the short ones alone: they are kept by length.
  struct Spoke {
    double length;
    std::uint32_t there;
  };
  static constexpr std::size_t many_corners = 64;

  std::vector<Slot> table = std::vector<Slot>(64);
  std::vector<std::uint32_t> used;  // slots of the table
  std::unordered_map<std::uint32_t, std::vector<Spoke>> hubs;
  std::vector<std::pair<double, std::uint32_t>> open;  // a heap, nearest on top
  std::vector<std::pair<std::uint32_t, double>> found;

  Slot& slot_of(std::uint32_t vertex) {
    const std::size_t mask = table.size() - 1;
    std::size_t i = (vertex * std::size_t{0x9e3779b97f4a7c15}) >> 32 & mask;
    while (table[i].vertex != no_index && table[i].vertex != vertex) i = (i + 1) & mask;
    return table[i];
  }
  std::uint32_t index_of(const Slot& slot) const { return static_cast<std::uint32_t>(&slot - table.data()); }
  void grow() {
    std::vector<Slot> old(2 * table.size());
    old.swap(table);
    for (std::uint32_t& i : used) {
      Slot& slot = slot_of(old[i].vertex);
      slot = old[i];
      i = index_of(slot);
    }
  }
  void reach(std::uint32_t vertex, double distance) {
    Slot* slot = &slot_of(vertex);
    if (slot->vertex == vertex && slot->distance <= distance) return;
    if (slot->vertex == no_index) {
      if (2 * (used.size() + 1) > table.size()) {
        grow();
        slot = &slot_of(vertex);
      }
      used.push_back(index_of(*slot));
    }
    *slot = {vertex, distance};
    open.emplace_back(distance, vertex);
    std::push_heap(open.begin(), open.end(), std::greater<>());
  }

  // Calls visit(vertex, length) along the edges at a vertex; of edges not shorter than `most` it may skip
  // any.
  template <class Visit>
  void along_edges(const Neighbourhoods& all, const Topology& topology, std::span<const Vec3> rest,
                   std::uint32_t vertex, double most, Visit&& visit) {
    const auto each = [&](auto&& take) {
      for (const std::uint32_t corner : topology.corners_at(vertex))
        for (const std::uint32_t there :
             {topology.vertex_at(next_corner(corner)), topology.vertex_at(previous_corner(corner))})
          take(there, all.length(rest[vertex], rest[there]));
    };
    if (topology.corners_at(vertex).size() < many_corners) return each(visit);
    const auto [place, is_new] = hubs.try_emplace(vertex);
    std::vector<Spoke>& spokes = place->second;
    if (is_new) {
      each([&](std::uint32_t there, double length) { spokes.push_back({length, there}); });
      std::sort(spokes.begin(), spokes.end(),
                [](const Spoke& a, const Spoke& b) { return a.length < b.length; });
    }
    for (const Spoke& spoke : spokes) {
      if (spoke.length >= most) return;
      visit(spoke.there, spoke.length);
    }
  }

  // Leaves the vertices within reach in `found`, ascending.
  void run(const Neighbourhoods& all, const Topology& topology, std::span<const Vec3> rest,
           std::uint32_t from) {
    reach(from, 0);
    while (!open.empty()) {
      const auto [distance, vertex] = open.front();
      std::pop_heap(open.begin(), open.end(), std::greater<>());
      open.pop_back();
      if (slot_of(vertex).distance < distance) continue;  // reached on a shorter path since
      along_edges(all, topology, rest, vertex, all.reach_in_units_ - distance,
                  [&, so_far = distance](std::uint32_t there, double length) {
                    if (so_far + length < all.reach_in_units_) reach(there, so_far + length);
                  });
    }
    found.clear();
    for (const std::uint32_t i : used) {
      found.emplace_back(table[i].vertex, table[i].distance * all.unit_);
      table[i] = {};
    }
    used.clear();
    std::sort(found.begin(), found.end());
  }
};

Neighbourhoods::Neighbourhoods(const Topology& topology, std::span<const Vec3> rest, double reach)
    : reach_(reach) {
  if (!(reach > 0) || !std::isfinite(reach))
    throw Error(Place::named("parameter", "reach"), fmt::format("{} is not a positive, finite length", reach),
                "Give the neighbour distance g in metres; twice the contact distance is usual.");
  check_rest(topology, rest);
  // The division below is exact: the unit is a power of two (and the reach is not so tiny that it were
  // denormal).
  unit_ = std::ldexp(1.0, std::max(std::ilogb(reach) - 50, -1000));
  reach_in_units_ = reach / unit_;

  const std::size_t n = topology.vertex_count();
  struct Found {
    std::vector<std::uint32_t> vertices;
    std::vector<double> distances;
  };
  std::vector<Found> chunks(chunk_count(n, grain));
  std::vector<std::uint32_t> lengths(n);
  parallel_chunks(n, grain, [&](Chunk chunk) {
    Search search;
    for (std::size_t v = chunk.begin; v < chunk.end; ++v) {
      search.run(*this, topology, rest, static_cast<std::uint32_t>(v));
      lengths[v] = static_cast<std::uint32_t>(search.found.size());
      for (const auto& [vertex, distance] : search.found) {
        chunks[chunk.index].vertices.push_back(vertex);
        chunks[chunk.index].distances.push_back(distance);
      }
    }
  });
  near_.reset(lengths);
  distances_.reset(lengths);
  parallel_chunks(n, grain, [&](Chunk chunk) {
    std::size_t at = 0;
    for (std::size_t v = chunk.begin; v < chunk.end; at += lengths[v++]) {
      std::copy_n(chunks[chunk.index].vertices.begin() + static_cast<std::ptrdiff_t>(at), lengths[v],
                  near_.edit(v).begin());
      std::copy_n(chunks[chunk.index].distances.begin() + static_cast<std::ptrdiff_t>(at), lengths[v],
                  distances_.edit(v).begin());
    }
  });
}

bool Neighbourhoods::are_near(std::uint32_t a, std::uint32_t b) const {
  return std::binary_search(near(a).begin(), near(a).end(), b);
}

void Neighbourhoods::update(const Topology& topology, std::span<const Vec3> rest,
                            std::span<const std::uint32_t> touched) {
  if (topology.vertex_count() < near_.size())
    throw Error(Place::named("topology", "after the change"), "it has fewer vertices than before",
                "Vertices are only ever added.");
  check_rest(topology, rest);
  for (const std::uint32_t v : touched)
    if (v >= topology.vertex_count())
      throw Error(Place().element("vertex", v), "it is named as touched, but there is none",
                  "Name the corners of the triangles that were removed or added.");
  std::vector<std::uint32_t> stale(touched.begin(), touched.end());
  // Whoever reached a touched vertex before, or reaches one now, may have a new answer: the relation is
  // symmetric, so those are the touched vertices' own neighbourhoods, old and new.
  for (const std::uint32_t v : touched)
    if (v < near_.size()) stale.insert(stale.end(), near(v).begin(), near(v).end());
  for (std::size_t v = near_.size(); v < topology.vertex_count(); ++v)
    stale.push_back(static_cast<std::uint32_t>(v));
  near_.add_lists(topology.vertex_count() - near_.size());
  distances_.add_lists(topology.vertex_count() - distances_.size());
  Search search;
  for (const std::uint32_t v : touched) {
    search.run(*this, topology, rest, v);
    for (const auto& [vertex, distance] : search.found) stale.push_back(vertex);
  }
  std::sort(stale.begin(), stale.end());
  stale.erase(std::unique(stale.begin(), stale.end()), stale.end());

  std::vector<std::uint32_t> vertices;
  std::vector<double> lengths;
  for (const std::uint32_t v : stale) {
    search.run(*this, topology, rest, v);
    vertices.clear();
    lengths.clear();
    for (const auto& [vertex, distance] : search.found) {
      vertices.push_back(vertex);
      lengths.push_back(distance);
    }
    near_.set(v, vertices);
    distances_.set(v, lengths);
  }
}

}  // namespace palpate
