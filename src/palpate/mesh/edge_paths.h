// Whether vertices are nearer than a reach along a surface, asked one by one: for a reach that is long beside
// the edges, where the lists of neighbourhood.h would be longer than the mesh.
//
// The answers are the same, bit for bit. From a few *landmarks*, far from each other, the distances to all
// vertices are kept; the triangle inequality then answers most questions,
//
//   |L(a) - L(b)|  <=  distance of a and b  <=  L(a) + L(b),
//
// and leads the search for the others towards its end (Goldberg & Harrelson 2005). Memory: eight numbers a
// vertex, whatever the reach.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <palpate/mesh/path_search.h>

namespace palpate {

class EdgePaths {
 public:
  // Whether lists of all near vertices would have more than some hundred entries a vertex.
  static bool lists_are_long(const Topology& topology, std::span<const Vec3> rest, double reach);

  EdgePaths(const Topology& topology, std::span<const Vec3> rest, double reach);
  double reach() const { return lengths_.reach(); }
  // Whether one of the first is nearer than the reach to one of the others; the mesh is the one that this was
  // made of. From any thread.
  bool are_near(const Topology& topology, std::span<const Vec3> rest, std::span<const std::uint32_t> some,
                std::span<const std::uint32_t> others) const;
  std::size_t memory() const { return landmarks_.capacity() * sizeof(Distances); }  // bytes held

 private:
  static constexpr std::size_t count = 8;
  using Distances = std::array<double, count>;  // [units]; < 0: no path

  void add_landmark(const PathGraph& graph, std::size_t which, std::uint32_t at);
  double at_least(std::uint32_t a, std::uint32_t b) const;
  double at_most(std::uint32_t a, std::uint32_t b) const;

  PathLengths lengths_;
  std::vector<Distances> landmarks_;  // by vertex
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<PathSearch>> idle_;
};

}  // namespace palpate
