// The kernel on many pairs against the kernel on one, to the last bit; and both under permutations.
#include <palpate/collide/kernel.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <Eigen/Geometry>

#include <support/cases.h>

#include <palpate/geometry/nearest.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

// Points of all sorts: at random, on a small grid (ties, parallels, coincidences), thin, far from zero, tiny.
std::vector<Vec3> random_points(Random& random, std::size_t n) {
  const std::size_t sort = random.below(6);
  const double size = sort == 4 ? 1e-6 : (sort == 5 ? std::abs(random.magnitude(1e-60, 1e60)) : 1);
  const double away = sort == 3 ? 1e6 : 0;
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < n; ++i) {
    Vec3 p;
    for (int k = 0; k < 3; ++k)
      p[k] = sort == 1 ? static_cast<double>(random.below(3)) : away + size * random.uniform(-1, 1);
    if (sort == 2) p.tail<2>() *= 1e-7;  // all near one line
    points.push_back(p);
  }
  return points;
}

bool same_bits(const Proximity& a, const Proximity& b) {
  const auto same = [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) || (x == 0 && y == 0);
  };
  bool all = same(a.squared_distance, b.squared_distance) && same(a.at[0], b.at[0]) && same(a.at[1], b.at[1]);
  for (int k = 0; k < 3; ++k) all = all && same(a.normal[k], b.normal[k]);
  return all;
}

TEST(KernelProperty, ManyGiveTheBitsOfOne) {
  each_case(2000, [](Random& random) {
    const std::size_t n = 3 * (2 + random.below(6));
    std::vector<Vec3> points = random_points(random, n);
    points.emplace_back();  // room to load
    std::vector<TriangleCorners> triangles;
    for (std::uint32_t i = 0; i + 2 < n; i += 3) triangles.push_back({i, i + 1, i + 2});
    std::vector<FeaturePair> pairs, sides;
    for (std::size_t i = random.below(30); i > 0; --i) {
      pairs.push_back({static_cast<std::uint32_t>(random.below(n)),
                       static_cast<std::uint32_t>(random.below(triangles.size()))});
      sides.push_back(
          {static_cast<std::uint32_t>(random.below(n)), static_cast<std::uint32_t>(random.below(n))});
    }
    const auto side = [&](std::uint32_t s) { return Segment{points[s], points[s % 3 == 2 ? s - 2 : s + 1]}; };
    const auto compare = [&](ContactKind kind, const std::vector<FeaturePair>& of, auto&& alone) {
      std::vector<double> squared(of.size());
      std::vector<double> again(of.size());
      std::vector<Contact> found(of.size());
      squared_distances(kind, points, triangles, of, squared.data());
      make_contacts(kind, points, triangles, of, found.data(), again.data());
      for (std::size_t i = 0; i < of.size(); ++i) {
        const Proximity one = alone(of[i]);
        ASSERT_EQ(squared[i], one.squared_distance);
        ASSERT_TRUE(same_bits({again[i], found[i].at, found[i].normal}, one));
        ASSERT_EQ(found[i].distance, std::sqrt(one.squared_distance));
        ASSERT_EQ(found[i].key, contact_key(kind, of[i].first, of[i].second));
      }
    };
    compare(ContactKind::vertex_triangle, pairs, [&](const FeaturePair& pair) {
      return vertex_triangle(points[pair.first], triangle_at(points, triangles[pair.second]));
    });
    compare(ContactKind::edge_edge, sides,
            [&](const FeaturePair& pair) { return edge_edge(side(pair.first), side(pair.second)); });
  });
}

TEST(KernelProperty, OrderOfCornersChangesNothing) {
  each_case(5000, [](Random& random) {
    const std::vector<Vec3> p = random_points(random, 4);
    const Proximity one = vertex_triangle(p[3], {p[0], p[1], p[2]});
    Proximity turned = vertex_triangle(p[3], {p[1], p[2], p[0]});
    ASSERT_EQ(one.squared_distance, turned.squared_distance);
    ASSERT_EQ(one.normal, turned.normal);
    turned = vertex_triangle(p[3], {p[1], p[0], p[2]});
    ASSERT_EQ(one.squared_distance, turned.squared_distance);
    ASSERT_EQ(one.normal, turned.normal);

    const Proximity edges = edge_edge({p[0], p[1]}, {p[2], p[3]});
    const Proximity other = edge_edge({p[3], p[2]}, {p[0], p[1]});
    ASSERT_EQ(edges.squared_distance, other.squared_distance);
    // Two equal edges have no first and second.
    if ((p[0] != p[2] || p[1] != p[3]) && (p[0] != p[3] || p[1] != p[2])) {
      if (edges.normal != Vec3(Vec3::UnitX())) {
        ASSERT_EQ(edges.normal, -other.normal);
      }
    }
  });
}

TEST(KernelProperty, NormalPointsFromFirstToSecond) {
  each_case(5000, [](Random& random) {
    std::vector<Vec3> p;
    for (int i = 0; i < 4; ++i)
      p.emplace_back(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    const Proximity one = vertex_triangle(p[3], {p[0], p[1], p[2]});
    const Vec3 point = (1 - one.at[0] - one.at[1]) * p[0] + one.at[0] * p[1] + one.at[1] * p[2];
    const double distance = std::sqrt(one.squared_distance);
    ASSERT_NEAR(one.normal.norm(), 1, 1e-14);
    ASSERT_LT((point - p[3] - distance * one.normal).norm(), 1e-11);
    const Proximity edges = edge_edge({p[0], p[1]}, {p[2], p[3]});
    const Vec3 from = p[0] + edges.at[0] * (p[1] - p[0]), to = p[2] + edges.at[1] * (p[3] - p[2]);
    ASSERT_LT((to - from - std::sqrt(edges.squared_distance) * edges.normal).norm(), 1e-11);
  });
}

TEST(Kernel, AtNoDistanceTheNormalIsAcrossBoth) {
  const Triangle t{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  EXPECT_EQ(vertex_triangle(Vec3(0.25, 0.25, 0), t).normal.cwiseAbs(), Vec3(0, 0, 1));
  EXPECT_EQ(edge_edge({Vec3(-1, 0, 0), Vec3(1, 0, 0)}, {Vec3(0, -1, 0), Vec3(0, 1, 0)}).normal.cwiseAbs(),
            Vec3(0, 0, 1));
  const Vec3 zero = Vec3::Zero();
  EXPECT_EQ(vertex_triangle(zero, {zero, zero, zero}).normal, Vec3(1, 0, 0));
}

}  // namespace
}  // namespace palpate
