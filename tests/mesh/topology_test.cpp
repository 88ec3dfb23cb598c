// Topology against a plain reading of the triangles with maps, and changed topologies against rebuilt ones.
#include <palpate/mesh/topology.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include <support/cases.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

constexpr TriangleCorners hole = {no_index, no_index, no_index};

// Everything a topology says, found the slow way.
void expect_right(const Topology& topology) {
  const auto triangles = topology.triangles();
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> sides;
  std::map<std::uint32_t, std::vector<std::uint32_t>> corners;
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    if (triangles[t] == hole) continue;
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t a = triangles[t][k], b = triangles[t][(k + 1) % 3];
      corners[a].push_back(3 * t + k);
      if (a != b) sides[std::minmax(a, b)].push_back(3 * t + k);
    }
  }
  ASSERT_EQ(topology.edge_count(), sides.size());
  std::set<std::uint32_t> in_an_edge;
  for (const auto& [ends, ring] : sides) {
    for (std::size_t i = 0; i < ring.size(); ++i) {
      ASSERT_EQ(topology.edge_of(ring[i]), ring[0]);
      ASSERT_EQ(topology.next_side(ring[i]), ring[(i + 1) % ring.size()]);
      ASSERT_EQ(topology.is_border(ring[i]), ring.size() == 1);
      in_an_edge.insert(ring[i]);
    }
  }
  for (std::uint32_t side = 0; side < 3 * triangles.size(); ++side)
    if (!in_an_edge.contains(side)) {
      ASSERT_EQ(topology.edge_of(side), no_index);
      ASSERT_FALSE(topology.is_border(side));
    }
  for (std::uint32_t v = 0; v < topology.vertex_count(); ++v) {
    ASSERT_TRUE(std::ranges::equal(topology.corners_at(v), corners[v])) << "vertex " << v;
    ASSERT_EQ(topology.owner_of_vertex(v), corners[v].empty() ? no_index : corners[v][0] / 3);
  }
  // Each vertex and edge that is used is owned exactly once.
  std::size_t vertices = 0, edges = 0;
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    const unsigned owned = topology.owned_by(t);
    vertices += static_cast<std::size_t>(std::popcount(owned & 7));
    edges += static_cast<std::size_t>(std::popcount(owned >> 3));
  }
  ASSERT_EQ(vertices, static_cast<std::size_t>(std::count_if(
                          corners.begin(), corners.end(), [](const auto& c) { return !c.second.empty(); })));
  ASSERT_EQ(edges, sides.size());
}

TriangleCorners random_triangle(Random& random, std::size_t vertices) {
  const auto pick = [&] { return static_cast<std::uint32_t>(random.below(vertices)); };
  return {pick(), pick(), pick()};
}

TEST(TopologyProperty, BuiltFromAnything) {
  each_case(500, [](Random& random) {
    // Few vertices: many doubled, degenerate and non-manifold triangles.
    const std::size_t vertices = 1 + random.below(12);
    std::vector<TriangleCorners> triangles(random.below(40));
    for (TriangleCorners& t : triangles) t = random.chance(0.1) ? hole : random_triangle(random, vertices);
    expect_right(Topology(vertices, triangles));
  });
}

TEST(TopologyProperty, ChangedEqualsRebuilt) {
  each_case(60, [](Random& random) {
    std::size_t vertices = 3 + random.below(30);
    Topology topology(vertices, {});
    for (int step = 0; step < 120; ++step) {
      std::vector<std::uint32_t> alive;
      for (std::uint32_t t = 0; t < topology.triangle_count(); ++t)
        if (!topology.is_hole(t)) alive.push_back(t);
      if (random.chance(0.5) || alive.empty()) {
        if (random.chance(0.1)) {
          topology.add_vertices(2);
          vertices += 2;
        }
        std::vector<TriangleCorners> more(1 + random.below(6));
        for (TriangleCorners& t : more) t = random_triangle(random, vertices);
        std::vector<std::uint32_t> places;
        topology.add(more, places);
        ASSERT_EQ(places.size(), more.size());
        for (std::size_t i = 0; i < more.size(); ++i) ASSERT_EQ(topology.triangles()[places[i]], more[i]);
      } else {
        std::vector<std::uint32_t> fewer;
        for (std::size_t i = 0; i < 1 + random.below(6); ++i)
          fewer.push_back(alive[random.below(alive.size())]);
        topology.remove(fewer);  // some are named twice
      }
      ASSERT_TRUE(topology == Topology(vertices, topology.triangles())) << "step " << step;
    }
    expect_right(topology);
  });
}

TEST(Topology, SameForAnyThreadCount) {
  Random random(7);
  std::vector<TriangleCorners> triangles(100'000);
  for (TriangleCorners& t : triangles) t = random_triangle(random, 30'000);
  Topology one, two;
  Threads(1).run([&] { one = Topology(30'000, triangles); });
  Threads(2).run([&] { two = Topology(30'000, triangles); });
  EXPECT_TRUE(one == two);
}

TEST(Topology, DescribesATetrahedronsSurface) {
  const std::vector<TriangleCorners> triangles{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  const TopologyFacts facts = describe(Topology(5, triangles));
  EXPECT_EQ(facts.edges, 6u);
  EXPECT_EQ(facts.unused_vertices, 1u);
  EXPECT_EQ(facts.euler_characteristic, 2);
  EXPECT_EQ(facts.components, 1u);
  EXPECT_TRUE(facts.manifold() && facts.closed() && facts.oriented());
}

TEST(Topology, DescribesWhatIsUnusual) {
  // Two triangles that face opposite ways, three on one edge, two that touch in a vertex, one degenerate.
  const std::vector<TriangleCorners> flipped{{0, 1, 2}, {0, 1, 3}};
  EXPECT_EQ(describe(Topology(4, flipped)).inconsistent_edges, 1u);
  const std::vector<TriangleCorners> book{{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};
  EXPECT_EQ(describe(Topology(5, book)).nonmanifold_edges, 1u);
  const std::vector<TriangleCorners> bow_tie{{0, 1, 2}, {0, 3, 4}};
  const TopologyFacts facts = describe(Topology(5, bow_tie));
  EXPECT_EQ(facts.nonmanifold_vertices, 1u);
  EXPECT_EQ(facts.components, 1u);
  EXPECT_EQ(facts.border_loops, 2u);
  const std::vector<TriangleCorners> degenerate{{0, 1, 1}};
  EXPECT_EQ(describe(Topology(2, degenerate)).degenerate_triangles, 1u);
  EXPECT_FALSE(describe(Topology(2, degenerate)).manifold());
  const std::vector<TriangleCorners> apart{{0, 1, 2}, {3, 4, 5}};
  EXPECT_EQ(describe(Topology(6, apart)).components, 2u);
}

TEST(Topology, BorderLoopsGoAround) {
  // A strip of four triangles around a missing middle: two loops.
  std::vector<TriangleCorners> ring;
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::uint32_t j = (i + 1) % 6;
    ring.push_back({i, j, 6 + j});
    ring.push_back({i, 6 + j, 6 + i});
  }
  const Topology topology(12, ring);
  const BorderLoops loops = border_loops(topology);
  ASSERT_EQ(loops.begins, (std::vector<std::uint32_t>{0, 6, 12}));
  for (std::size_t loop = 0; loop < 2; ++loop) {
    std::set<std::uint32_t> seen;
    for (std::size_t i = 0; i < 6; ++i) seen.insert(topology.vertex_at(loops.sides[6 * loop + i]));
    EXPECT_EQ(seen.size(), 6u);
    EXPECT_EQ(*seen.begin() / 6, *seen.rbegin() / 6);
  }
}

TEST(Topology, ManyTrianglesAtOneVertexOrEdgeStayFast) {
  // Would take hours if anything were quadratic.
  constexpr std::uint32_t n = 200'000;
  std::vector<TriangleCorners> star, book;
  for (std::uint32_t i = 0; i < n; ++i) {
    star.push_back({0, 1 + 2 * i, 2 + 2 * i});
    book.push_back({0, 1, 2 + i});
  }
  EXPECT_EQ(describe(Topology(1 + 2 * n, star)).border_loops, n);
  EXPECT_EQ(describe(Topology(2 + n, book)).nonmanifold_edges, 1u);
}

TEST(Topology, RefusesWhatIsNotThere) {
  const std::vector<TriangleCorners> triangles{{0, 1, 2}}, beyond{{0, 1, 3}};
  EXPECT_THROW(Topology(3, beyond), Error);
  Topology topology(3, triangles);
  std::vector<std::uint32_t> places;
  EXPECT_THROW(topology.add(beyond, places), Error);
  const std::vector<std::uint32_t> none{1};
  EXPECT_THROW(topology.remove(none), Error);
  const std::vector<std::uint32_t> first{0};
  topology.remove(first);
  EXPECT_THROW(topology.remove(first), Error);
  EXPECT_TRUE(topology == Topology(3, std::vector<TriangleCorners>{hole}));
  EXPECT_EQ(topology.edge_count(), 0u);
}

}  // namespace
}  // namespace palpate
