// Along-surface distances against Floyd-Warshall, on random triangle soups and on meshes full of ties.
#include <palpate/mesh/edge_paths.h>
#include <palpate/mesh/neighbourhood.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <support/cases.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/mesh/generate.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

struct Soup {
  std::vector<Vec3> rest;
  std::vector<TriangleCorners> triangles;
};

TriangleCorners random_triangle(Random& random, std::size_t vertices) {
  const auto pick = [&] { return static_cast<std::uint32_t>(random.below(vertices)); };
  return {pick(), pick(), pick()};
}

// Points at random, or on a small grid where many paths are equally long.
Soup random_soup(Random& random) {
  Soup soup;
  const std::size_t vertices = 1 + random.below(25);
  const bool grid = random.chance(0.5);
  for (std::size_t i = 0; i < vertices; ++i) {
    const auto coordinate = [&] {
      return grid ? static_cast<double>(random.below(3)) : random.uniform(-1, 1);
    };
    soup.rest.emplace_back(coordinate(), coordinate(), coordinate());
  }
  for (std::size_t i = random.below(40); i > 0; --i)
    soup.triangles.push_back(random_triangle(random, vertices));
  // Vertices with very many triangles are searched in another way.
  if (random.chance(0.2))
    for (std::size_t i = 50 + random.below(50); i > 0; --i) {
      soup.triangles.push_back(random_triangle(random, vertices));
      soup.triangles.back()[i % 3] = 0;
    }
  return soup;
}

std::vector<std::vector<long double>> all_distances(const Topology& topology, const std::vector<Vec3>& rest) {
  const std::size_t n = rest.size();
  std::vector distances(n, std::vector(n, std::numeric_limits<long double>::infinity()));
  for (std::size_t i = 0; i < n; ++i) distances[i][i] = 0;
  for (const TriangleCorners& t : topology.triangles())
    if (t[0] != no_index)
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t a = t[k], b = t[(k + 1) % 3];
        const long double length = (rest[a] - rest[b]).cast<long double>().norm();
        distances[a][b] = std::min(distances[a][b], length);
        distances[b][a] = distances[a][b];
      }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        distances[i][j] = std::min(distances[i][j], distances[i][k] + distances[k][j]);
  return distances;
}

TEST(NeighbourhoodsProperty, AgreeWithFloydWarshall) {
  each_case(400, [](Random& random) {
    const Soup soup = random_soup(random);
    const Topology topology(soup.rest.size(), soup.triangles);
    // With points on the grid, reaches of whole numbers put many pairs right on the threshold: those are not
    // near.
    const double reach =
        random.chance(0.3) ? static_cast<double>(1 + random.below(4)) : random.uniform(0.1, 4);
    const Neighbourhoods neighbourhoods(topology, soup.rest, reach);
    const auto distances = all_distances(topology, soup.rest);
    for (std::uint32_t a = 0; a < soup.rest.size(); ++a) {
      std::size_t at = 0;
      for (std::uint32_t b = 0; b < soup.rest.size(); ++b) {
        const bool near = neighbourhoods.are_near(a, b);
        ASSERT_EQ(near, neighbourhoods.are_near(b, a));
        const long double exact = distances[a][b];
        // Sums of irrational lengths may come out on either side within rounding; sums of whole numbers may
        // not.
        const bool whole = exact == std::floor(exact) && exact < 100;
        if (whole || std::abs(exact - reach) > 1e-13L * reach) {
          ASSERT_EQ(near, exact < reach) << a << " to " << b << ": " << static_cast<double>(exact);
        }
        if (near) {
          ASSERT_EQ(neighbourhoods.near(a)[at], b);
          ASSERT_NEAR(neighbourhoods.distances(a)[at], static_cast<double>(exact), 1e-13 * reach);
          ++at;
        }
      }
      ASSERT_EQ(at, neighbourhoods.near(a).size());
    }
  });
}

// Asked one by one, without lists: the same answers.
TEST(NeighbourhoodsProperty, PathsAgreeWithLists) {
  std::size_t near = 0, far = 0;
  each_case(400, [&](Random& random) {
    Soup soup = random_soup(random);
    if (random.chance(0.3)) {
      // A strip, where paths are long and many equally so.
      const std::size_t length = 2 + random.below(40);
      soup = {};
      for (std::size_t i = 0; i < length; ++i)
        for (const double y : {0, 1}) soup.rest.emplace_back(static_cast<double>(i), y, 0);
      for (std::uint32_t i = 0; i + 2 < 2 * length; ++i) soup.triangles.push_back({i, i + 1, i + 2});
    }
    const Topology topology(soup.rest.size(), soup.triangles);
    const double reach =
        random.chance(0.3) ? static_cast<double>(1 + random.below(9)) : random.uniform(0.1, 20);
    const Neighbourhoods lists(topology, soup.rest, reach);
    const EdgePaths paths(topology, soup.rest, reach);
    for (int question = 0; question < 50; ++question) {
      std::vector<std::uint32_t> some, others;
      for (auto* set : {&some, &others})
        for (std::size_t i = 1 + random.below(3); i > 0; --i)
          set->push_back(static_cast<std::uint32_t>(random.below(soup.rest.size())));
      bool expected = false;
      for (const std::uint32_t a : some)
        for (const std::uint32_t b : others) expected = expected || lists.are_near(a, b);
      ASSERT_EQ(paths.are_near(topology, soup.rest, some, others), expected);
      ++(expected ? near : far);
    }
  });
  EXPECT_GT(near, 20u);
  EXPECT_GT(far, 20u);
}

TEST(Neighbourhoods, LongListsAreSeenBeforeTheyAreMade) {
  TriangleMesh mesh = make(TorusShape{});
  const Topology topology(mesh.positions.size(), mesh.triangles);
  EXPECT_FALSE(EdgePaths::lists_are_long(topology, mesh.positions, 1e-4));
  EXPECT_TRUE(EdgePaths::lists_are_long(topology, mesh.positions, 1e4));
}

TEST(NeighbourhoodsProperty, ChangedEqualsRebuilt) {
  each_case(60, [](Random& random) {
    Soup soup = random_soup(random);
    Topology topology(soup.rest.size(), soup.triangles);
    const double reach = random.uniform(0.2, 2.5);
    Neighbourhoods neighbourhoods(topology, soup.rest, reach);
    for (int step = 0; step < 20; ++step) {
      std::vector<std::uint32_t> alive, touched, places;
      for (std::uint32_t t = 0; t < topology.triangle_count(); ++t)
        if (!topology.is_hole(t)) alive.push_back(t);
      if (!alive.empty() && random.chance(0.5)) {
        const std::uint32_t gone[] = {alive[random.below(alive.size())]};
        for (const std::uint32_t v : topology.triangles()[gone[0]]) touched.push_back(v);
        topology.remove(gone);
      } else {
        if (random.chance(0.3)) {
          soup.rest.emplace_back(random.uniform(-1, 1), random.uniform(-1, 1), 0);
          topology.add_vertices(1);
        }
        const TriangleCorners made[] = {random_triangle(random, soup.rest.size())};
        touched.assign(made[0].begin(), made[0].end());
        topology.add(made, places);
      }
      neighbourhoods.update(topology, soup.rest, touched);
      ASSERT_TRUE(neighbourhoods == Neighbourhoods(topology, soup.rest, reach)) << "step " << step;
    }
  });
}

TEST(Neighbourhoods, SameForAnyThreadCountAndScale) {
  Random random(3);
  std::vector<Vec3> rest;
  std::vector<TriangleCorners> triangles;
  constexpr std::uint32_t n = 60;
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t j = 0; j < n; ++j)
      rest.emplace_back(i + random.uniform(-0.2, 0.2), j, random.uniform(0, 0.3));
  for (std::uint32_t i = 0; i + 1 < n; ++i)
    for (std::uint32_t j = 0; j + 1 < n; ++j) {
      triangles.push_back({i * n + j, i * n + j + n, i * n + j + 1});
      triangles.push_back({i * n + j + n, i * n + j + n + 1, i * n + j + 1});
    }
  const Topology topology(rest.size(), triangles);
  Neighbourhoods one, two;
  Threads(1).run([&] { one = Neighbourhoods(topology, rest, 3.5); });
  Threads(2).run([&] { two = Neighbourhoods(topology, rest, 3.5); });
  EXPECT_TRUE(one == two);
  // Tiny and huge shapes: nothing under- or overflows.
  for (const double scale : {0x1p-500, 0x1p500}) {
    std::vector<Vec3> scaled = rest;
    for (Vec3& p : scaled) p *= scale;
    const Neighbourhoods other(topology, scaled, 3.5 * scale);
    for (std::uint32_t v = 0; v < rest.size(); ++v)
      ASSERT_TRUE(std::ranges::equal(one.near(v), other.near(v)));
  }
}

TEST(Neighbourhoods, RefuseBadReach) {
  const Topology topology(1, {});
  const std::vector<Vec3> rest(1, Vec3::Zero());
  EXPECT_THROW(Neighbourhoods(topology, rest, 0), Error);
  EXPECT_THROW(Neighbourhoods(topology, rest, std::nan("")), Error);
  EXPECT_THROW(Neighbourhoods(topology, rest, std::numeric_limits<double>::infinity()), Error);
  EXPECT_THROW(Neighbourhoods(topology, std::vector<Vec3>{}, 1), Error);
  Neighbourhoods good(topology, rest, 1);
  const std::vector<std::uint32_t> beyond{4'000'000'000};
  EXPECT_THROW(good.update(topology, rest, beyond), Error);
  EXPECT_THROW(good.update(topology, std::vector<Vec3>{}, {}), Error);
}

}  // namespace
}  // namespace palpate
