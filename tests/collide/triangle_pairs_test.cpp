// Pairs of triangles by their boxes: equal to comparing all with all, whatever the triangles are like.
#include <palpate/collide/triangle_pairs.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <support/allocation_counter.h>
#include <support/cases.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/mesh/generate.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

struct Soup {
  std::vector<Vec3> positions;
  std::vector<TriangleCorners> triangles;
  std::vector<std::uint32_t> begins;  // of the surfaces

  std::size_t surface_of(std::size_t t) const {
    return static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), t) - begins.begin()) - 1;
  }
};

// Pairs, of which `counts` says which surfaces are compared, as the header defines them.
template <class Counts>
std::vector<TrianglePair> brute(const Soup& soup, double distance, Counts&& counts) {
  std::vector<Box> boxes(soup.triangles.size());
  std::vector<std::size_t> surface(boxes.size());
  for (std::size_t t = 0; t < boxes.size(); ++t) {
    for (const std::uint32_t v : soup.triangles[t]) boxes[t].add(soup.positions[v]);
    surface[t] = soup.surface_of(t);
  }
  std::vector<TrianglePair> found;
  for (std::uint32_t a = 0; a < boxes.size(); ++a)
    for (std::uint32_t b = a + 1; b < boxes.size(); ++b) {
      const Box &one = boxes[a], &two = boxes[b];
      bool near = true;
      for (int k = 0; k < 3 && near; ++k)
        near = one.lo[k] - two.hi[k] <= distance && two.lo[k] - one.hi[k] <= distance;
      if (near && counts(surface[a], surface[b])) found.push_back({a, b});
    }
  return found;
}
std::vector<TrianglePair> brute(const Soup& soup, double distance) {
  return brute(soup, distance, [](std::size_t, std::size_t) { return true; });
}

std::vector<TrianglePair> sorted(std::span<const TrianglePair> pairs) {
  std::vector<TrianglePair> all(pairs.begin(), pairs.end());
  std::sort(all.begin(), all.end(), [](const TrianglePair& a, const TrianglePair& b) {
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  });
  return all;
}

// Places of all sorts: spread, on a coarse grid (boxes touch exactly), all in one place, in sizes from 1 to
// 10,000, far from the origin, very large and very small.
class Places {
 public:
  explicit Places(Random& random)
      : random_(random),
        kind_(random.below(4)),
        unit_(random.chance(0.3) ? std::abs(random.magnitude(1e-30, 1e30)) : 1) {
    if (random.chance(0.3)) away_ = Vec3(1, -2, 3) * unit_ * std::abs(random.magnitude(1, 1e9));
  }
  double unit() const { return unit_; }
  Vec3 near(const Vec3& centre, double size) {
    const auto coordinate = [&] {
      return kind_ == 1 ? std::round(random_.uniform(-2, 2)) : random_.uniform(-1, 1);
    };
    if (kind_ == 2 && random_.chance(0.9)) return away_;
    return centre + unit_ * size * Vec3(coordinate(), coordinate(), coordinate());
  }
  Vec3 centre() {
    const double spread = kind_ == 1 ? 4 : 10;
    const auto coordinate = [&] {
      return kind_ == 1 ? std::round(random_.uniform(-spread, spread)) : random_.uniform(-spread, spread);
    };
    return away_ + unit_ * Vec3(coordinate(), coordinate(), coordinate());
  }
  double size() { return kind_ == 3 ? std::abs(random_.magnitude(1e-3, 10)) : 1; }

 private:
  Random& random_;
  std::size_t kind_;
  double unit_;
  Vec3 away_ = Vec3::Zero();
};

Soup make_soup(Random& random, Places& places) {
  Soup soup;
  const std::size_t count = random.below(random.chance(0.1) ? 700 : 150);
  for (std::size_t t = 0; t < count; ++t) {
    const Vec3 centre = places.centre();
    const double size = places.size();
    TriangleCorners corners{};
    for (std::uint32_t& v : corners) {
      if (!soup.positions.empty() && random.chance(0.4)) {  // shared corners, the same one twice as well
        v = static_cast<std::uint32_t>(soup.positions.size() - 1 -
                                       random.below(std::min<std::size_t>(soup.positions.size(), 5)));
      } else {
        v = static_cast<std::uint32_t>(soup.positions.size());
        soup.positions.push_back(places.near(centre, size));
      }
    }
    soup.triangles.push_back(corners);
  }
  soup.begins = {0};
  for (std::size_t i = random.below(4); i > 0; --i)
    soup.begins.push_back(static_cast<std::uint32_t>(random.below(count + 1)));
  if (random.chance(0.1))
    for (std::size_t i = 0; i < 70; ++i)
      soup.begins.push_back(static_cast<std::uint32_t>(random.below(count + 1)));
  std::sort(soup.begins.begin(), soup.begins.end());
  return soup;
}

double some_distance(Random& random, double unit) {
  if (random.chance(0.2)) return 0;
  return unit * (random.chance(0.5) ? std::round(random.uniform(0, 3)) : random.uniform(0, 1.5));
}

void expect_all(TrianglePairs& pairs, const Soup& soup, double distance) {
  EXPECT_EQ(sorted(pairs.find(soup.positions, distance)), brute(soup, distance));
  EXPECT_EQ(sorted(pairs.find(soup.positions, distance, Among::different_surfaces)),
            brute(soup, distance, [](std::size_t a, std::size_t b) { return a != b; }));
}

TEST(TrianglePairsProperty, EqualAllWithAllBuiltAndMoved) {
  TrianglePairs pairs;
  each_case(800, [&](Random& random) {
    Places places(random);
    Soup soup = make_soup(random, places);
    pairs.build(soup.positions, soup.triangles, soup.begins);
    expect_all(pairs, soup, some_distance(random, places.unit()));
    for (Vec3& p : soup.positions)
      if (random.chance(0.5)) p = places.near(p, random.chance(0.1) ? 20 : 1);
    expect_all(pairs, soup, some_distance(random, places.unit()));
  });
}

TEST(TrianglePairsProperty, OnlyTheSurfacesThatAreListed) {
  each_case(300, [&](Random& random) {
    Places places(random);
    const Soup soup = make_soup(random, places);
    std::vector<PairOfSurfaces> listed;
    const std::size_t n = soup.begins.size();
    for (std::uint32_t a = 0; a < n; ++a)
      for (std::uint32_t b = a; b < n; ++b)
        if (random.chance(0.5))
          listed.push_back(random.chance(0.5) ? PairOfSurfaces{a, b} : PairOfSurfaces{b, a});
    TrianglePairs pairs;
    pairs.build(soup.positions, soup.triangles, soup.begins);
    const double distance = some_distance(random, places.unit());
    const auto counts = [&](std::size_t a, std::size_t b) {
      return std::any_of(listed.begin(), listed.end(), [&](const PairOfSurfaces& pair) {
        return (pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a);
      });
    };
    EXPECT_EQ(sorted(pairs.find(soup.positions, distance, listed)), brute(soup, distance, counts));
  });
}

TEST(TrianglePairsProperty, TheSameOrderForAnyNumberOfThreads) {
  each_case(100, [&](Random& random) {
    Places places(random);
    const Soup soup = make_soup(random, places);
    const double distance = some_distance(random, places.unit());
    std::vector<TrianglePair> first;
    for (const int count : {1, 2, 4}) {
      const Threads threads(count);
      threads.run([&] {
        TrianglePairs pairs;
        pairs.build(soup.positions, soup.triangles, soup.begins);
        const std::span<const TrianglePair> found = pairs.find(soup.positions, distance);
        if (count == 1) first.assign(found.begin(), found.end());
        EXPECT_TRUE(std::equal(found.begin(), found.end(), first.begin(), first.end())) << count;
      });
    }
  });
}

Soup torus() {
  const TriangleMesh mesh = make(with_triangles(TorusShape{}, 3200));
  return {mesh.positions, mesh.triangles, {0}};
}

TEST(TrianglePairs, OfATorusOnManyThreads) {
  const Soup soup = torus();
  const std::vector<TrianglePair> expected = brute(soup, 0.01);
  EXPECT_EQ(sorted(near_triangle_pairs(soup.positions, soup.triangles, 0.01)), expected);
  for (const int count : {1, 2, 4}) {
    const Threads threads(count);
    threads.run([&] {
      EXPECT_EQ(sorted(near_triangle_pairs(soup.positions, soup.triangles, 0.01)), expected) << count;
    });
  }
}

// A gap of exactly the distance counts, one bit more does not; far from the origin as well, where floats see
// no difference.
TEST(TrianglePairs, TouchingCounts) {
  for (const double away : {0.0, 1024.0, 1e6}) {
    const Vec3 at(away, -away, away / 2);
    Soup soup{{at, at + Vec3(1, 0, 0), at + Vec3(0, 1, 0)}, {{0, 1, 2}, {3, 4, 5}}, {0}};
    for (std::size_t i = 0; i < 3; ++i) soup.positions.push_back(soup.positions[i] + Vec3(0, 0, 0.5));
    EXPECT_EQ(near_triangle_pairs(soup.positions, soup.triangles, 0.5).size(), 1u);
    EXPECT_EQ(near_triangle_pairs(soup.positions, soup.triangles, std::nextafter(0.5, 0)).size(), 0u);
    for (std::size_t i = 3; i < 6; ++i) soup.positions[i].z() = at.z();
    EXPECT_EQ(near_triangle_pairs(soup.positions, soup.triangles, 0).size(), 1u);
  }
}

TEST(TrianglePairs, OfNothing) {
  EXPECT_TRUE(near_triangle_pairs({}, {}, 1).empty());
  TrianglePairs pairs;
  EXPECT_TRUE(pairs.find({}, 1).empty());
  const std::vector<Vec3> one = {Vec3::Zero()};
  const std::vector<std::uint32_t> begins = {0, 0, 0};
  pairs.build(one, {}, begins);
  EXPECT_TRUE(pairs.find(one, 1).empty());
  EXPECT_TRUE(pairs.find(one, 1, Among::different_surfaces).empty());
}

TEST(TrianglePairs, AWarmCallAllocatesNothing) {
  if (!testing::counts_allocations()) GTEST_SKIP() << "the sanitizer has its own malloc";
  const Soup soup = torus();
  const std::vector<std::uint32_t> begins = {0, 1600};
  Threads(1).run([&] {
    TrianglePairs pairs;
    pairs.build(soup.positions, soup.triangles, begins);
    const auto both = [&] {
      pairs.find(soup.positions, 0.01);
      pairs.find(soup.positions, 0.01, Among::different_surfaces);
    };
    both();
    EXPECT_EQ(testing::allocations_in(both), 0u);
    EXPECT_GT(pairs.memory(), 3200u * 16u);
  });
}

template <class Work>
std::string refused(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(TrianglePairs, BadInputIsRefused) {
  Soup soup = torus();
  TrianglePairs pairs;
  pairs.build(soup.positions, soup.triangles, soup.begins);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), -1e80}) {
    std::vector<Vec3> moved = soup.positions;
    moved[17].y() = bad;
    EXPECT_NE(refused([&] { pairs.find(moved, 0.1); }).find("vertex 17: its y is"), std::string::npos);
    EXPECT_NE(refused([&] { pairs.build(moved, soup.triangles); }).find("vertex 17"), std::string::npos);
  }
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), -1.0})
    EXPECT_NE(refused([&] { pairs.find(soup.positions, bad); }).find("'distance'"), std::string::npos);
  const auto fewer = std::span(soup.positions).first(5);
  EXPECT_NE(refused([&] { pairs.find(fewer, 0.1); }).find("5 positions"), std::string::npos);
  const std::vector<PairOfSurfaces> no_such = {{0, 1}};
  EXPECT_NE(refused([&] { pairs.find(soup.positions, 0.1, no_such); }).find("surface 1"), std::string::npos);
  EXPECT_NE(refused([&] { pairs.build(fewer, soup.triangles); }).find("triangle "), std::string::npos);
  for (const std::vector<std::uint32_t>& begins :
       std::vector<std::vector<std::uint32_t>>{{1}, {0, 9, 8}, {0, 99'999}})
    EXPECT_NE(refused([&] { pairs.build(soup.positions, soup.triangles, begins); }).find("surface "),
              std::string::npos);
  pairs.build(soup.positions, soup.triangles, soup.begins);
  EXPECT_EQ(sorted(pairs.find(soup.positions, 0.01)), brute(soup, 0.01));
}

}  // namespace
}  // namespace palpate
