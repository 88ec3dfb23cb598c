#include <palpate/mesh/neighbourhood.h>

#include <algorithm>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/mesh/path_search.h>

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

Neighbourhoods::Neighbourhoods(const Topology& topology, std::span<const Vec3> rest, double reach,
                               bool with_distances)
    : lengths_(reach), with_distances_(with_distances) {
  check_rest(topology, rest);
  const std::size_t n = topology.vertex_count();
  struct Found {
    std::vector<std::uint32_t> vertices;
    std::vector<double> distances;
  };
  std::vector<Found> chunks(chunk_count(n, grain));
  std::vector<std::uint32_t> lengths(n);
  const PathGraph graph{topology, rest, lengths_};
  parallel_chunks(n, grain, [&](Chunk chunk) {
    PathSearch search;
    for (std::size_t v = chunk.begin; v < chunk.end; ++v) {
      search.run(graph, static_cast<std::uint32_t>(v));
      lengths[v] = static_cast<std::uint32_t>(search.found.size());
      for (const auto& [vertex, distance] : search.found) {
        chunks[chunk.index].vertices.push_back(vertex);
        if (with_distances) chunks[chunk.index].distances.push_back(distance);
      }
    }
  });
  near_.reset(lengths);
  if (with_distances) distances_.reset(lengths);
  parallel_chunks(n, grain, [&](Chunk chunk) {
    std::size_t at = 0;
    for (std::size_t v = chunk.begin; v < chunk.end; at += lengths[v++]) {
      std::copy_n(chunks[chunk.index].vertices.begin() + static_cast<std::ptrdiff_t>(at), lengths[v],
                  near_.edit(v).begin());
      if (with_distances)
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
  if (with_distances_) distances_.add_lists(topology.vertex_count() - distances_.size());
  const PathGraph graph{topology, rest, lengths_};
  PathSearch search;
  for (const std::uint32_t v : touched) {
    search.run(graph, v);
    for (const auto& [vertex, distance] : search.found) stale.push_back(vertex);
  }
  std::sort(stale.begin(), stale.end());
  stale.erase(std::unique(stale.begin(), stale.end()), stale.end());

  std::vector<std::uint32_t> vertices;
  std::vector<double> lengths;
  for (const std::uint32_t v : stale) {
    search.run(graph, v);
    vertices.clear();
    lengths.clear();
    for (const auto& [vertex, distance] : search.found) {
      vertices.push_back(vertex);
      lengths.push_back(distance);
    }
    near_.set(v, vertices);
    if (with_distances_) distances_.set(v, lengths);
  }
}

}  // namespace palpate
