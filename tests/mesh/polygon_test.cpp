// Cutting polygons: the area stays, nothing overlaps, and whatever comes in there are n - 2 triangles.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include <palpate/geometry/predicates.h>
#include <palpate/mesh/formats/polygon.h>
#include <support/cases.h>
#include <support/shapes.h>

namespace palpate::detail {
namespace {

using namespace palpate::testing;
using Triangles = std::vector<TriangleCorners>;

Triangles cut(const std::vector<Vec3>& positions) {
  std::vector<std::uint32_t> corners(positions.size());
  std::iota(corners.begin(), corners.end(), 0u);
  Triangles triangles;
  PolygonCutter().cut(positions, corners, triangles);
  return triangles;
}
Triangles cut(const std::vector<Vec2>& flat) {
  std::vector<Vec3> positions;
  for (const Vec2& p : flat) positions.emplace_back(p.x(), p.y(), 0);
  return cut(positions);
}

double area_of(const Vec2& a, const Vec2& b, const Vec2& c) {
  return ((b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x())) / 2;
}
double area_of(const std::vector<Vec2>& polygon) {
  double sum = 0;
  for (std::size_t i = 2; i < polygon.size(); ++i) sum += area_of(polygon[0], polygon[i - 1], polygon[i]);
  return sum;
}

// Every triangle turns to the left and their areas add up to the polygon's: then none overlap.
void expect_good(const std::vector<Vec2>& polygon, const Triangles& triangles, int least_turn = 1) {
  ASSERT_EQ(triangles.size(), polygon.size() - 2);
  double sum = 0;
  for (const auto& [a, b, c] : triangles) {
    EXPECT_GE(orient2d(polygon[a], polygon[b], polygon[c]), least_turn) << a << ' ' << b << ' ' << c;
    sum += std::abs(area_of(polygon[a], polygon[b], polygon[c]));
  }
  const double area = area_of(polygon);
  EXPECT_NEAR(sum, area, 1e-12 * std::abs(area));
}

TEST(Polygon, FewCorners) {
  EXPECT_TRUE(cut(std::vector<Vec2>{}).empty());
  EXPECT_TRUE(cut(std::vector<Vec2>{{0, 0}, {1, 0}}).empty());
  EXPECT_EQ(cut(std::vector<Vec2>{{0, 0}, {0, 0}, {0, 0}}), (Triangles{{0, 1, 2}}));
}

TEST(Polygon, ConvexOnesBecomeFans) {
  EXPECT_EQ(cut(std::vector<Vec2>{{0, 0}, {1, 0}, {1, 1}, {0, 1}}), (Triangles{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(cut(std::vector<Vec2>{{0, 1}, {1, 1}, {1, 0}, {0, 0}}), (Triangles{{0, 1, 2}, {0, 2, 3}}))
      << "clockwise";
  std::vector<Vec2> round;
  Triangles fan;
  for (std::uint32_t i = 0; i < 40; ++i) {
    round.emplace_back(std::cos(0.15 * i), std::sin(0.15 * i));
    if (i >= 2) fan.push_back({0, i - 1, i});
  }
  EXPECT_EQ(cut(round), fan);
}

TEST(Polygon, QuadrilateralsWhereverTheReflexCornerIs) {
  std::vector<Vec2> dart = {{0, 0}, {1, 0.2}, {2, 0}, {1, 2}};
  for (int i = 0; i < 4; ++i) {
    expect_good(dart, cut(dart));
    std::rotate(dart.begin(), dart.begin() + 1, dart.end());
  }
}

TEST(Polygon, CornersOnEdgesGiveNoFlatTriangles) {
  std::vector<Vec2> square = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
  for (int i = 0; i < 8; ++i) {
    expect_good(square, cut(square));
    std::rotate(square.begin(), square.begin() + 1, square.end());
  }
  const std::vector<Vec2> triangle = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {0, 3}};
  expect_good(triangle, cut(triangle));
}

TEST(Polygon, HolesWithABridge) {
  // Two of the hole's corners and two of the outer ones come twice.
  std::vector<Vec2> frame = {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}, {1, 1}, {1, 3}, {3, 3}, {3, 1}, {1, 1}};
  for (std::size_t i = 0; i < frame.size(); ++i) {
    expect_good(frame, cut(frame));
    std::rotate(frame.begin(), frame.begin() + 1, frame.end());
  }
}

TEST(Polygon, RepeatedCornersCostAFlatTriangleEach) {
  std::vector<Vec2> polygon = {{0, 0}, {0, 0}, {2, 0}, {1, 0.5}, {1, 0.5}, {2, 2}, {0, 2}, {0, 2}, {0, 2}};
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    expect_good(polygon, cut(polygon), 0);
    std::rotate(polygon.begin(), polygon.begin() + 1, polygon.end());
  }
}

TEST(Polygon, LongOnesBecomeFansAndAreCounted) {
  for (const std::uint32_t n : {1000u, 1001u}) {
    std::vector<Vec3> star;
    std::vector<std::uint32_t> corners(n);
    std::iota(corners.begin(), corners.end(), 0u);
    for (std::uint32_t i = 0; i < n; ++i) {
      const double angle = 2 * std::numbers::pi * i / n, r = i % 2 == 0 ? 1 : 0.5;
      star.emplace_back(r * std::cos(angle), r * std::sin(angle), 0);
    }
    PolygonCutter cutter;
    Triangles triangles;
    cutter.cut(star, corners, triangles);
    EXPECT_EQ(triangles.size(), n - 2);
    EXPECT_EQ(cutter.fanned(), n > 1000 ? 1u : 0u);
  }
}

TEST(Polygon, AListWaitsForPositionsAndKeepsItsOrder) {
  const std::vector<Vec3> positions = {{0, 0, 0}, {1, 0.2, 0}, {2, 0, 0}, {1, 2, 0}};
  const std::vector<std::uint32_t> dart = {0, 1, 2, 3}, one = {2, 3, 0};
  FaceList early, late;
  std::vector<std::string> warnings;
  for (const auto& face : {one, dart, one}) {
    early.add(positions, face);
    late.add({}, face);
  }
  early.finish(positions, warnings);
  late.finish(positions, warnings);
  EXPECT_EQ(early.triangles, late.triangles);
  EXPECT_EQ(early.triangles.size(), 4u);
  EXPECT_EQ(early.triangles.back(), (TriangleCorners{2, 3, 0}));
  EXPECT_TRUE(warnings.empty());
}

// Around the origin, at angles that grow.
std::vector<Vec2> star_shaped(Random& random) {
  std::vector<double> angles(4 + random.below(40));
  for (std::size_t i = 0; i < angles.size(); ++i)
    angles[i] = 2 * std::numbers::pi * (static_cast<double>(i) + random.uniform(0.05, 0.95)) /
                static_cast<double>(angles.size());
  std::vector<Vec2> polygon;
  for (const double a : angles) polygon.push_back(random.uniform(0.05, 1) * Vec2(std::cos(a), std::sin(a)));
  return polygon;
}

// A chain below and a chain above, each from left to right; on a grid, corners lie on lines with others.
std::vector<Vec2> monotone(Random& random) {
  const bool grid = random.chance(0.5);
  const auto height = [&](double lo, double hi) {
    const double y = random.uniform(lo, hi);
    return grid ? std::round(4 * y) / 4 : y;
  };
  std::vector<Vec2> below, above;
  const std::size_t n = 3 + random.below(20);
  for (std::size_t i = 0; i < n; ++i) {
    const double x = static_cast<double>(i);
    if (i == 0 || i + 1 == n || random.chance(0.7)) below.emplace_back(x, height(-2, -0.25));
    if (i == 0 || i + 1 == n || random.chance(0.7)) above.emplace_back(x, height(0.25, 2));
  }
  below.insert(below.end(), above.rbegin(), above.rend());
  return below;
}

TEST(PolygonProperty, SimplePolygonsKeepTheirAreaInAnyPlane) {
  each_case(3'000, [](Random& random) {
    std::vector<Vec2> polygon = random.chance(0.5) ? star_shaped(random) : monotone(random);
    std::rotate(polygon.begin(), polygon.begin() + static_cast<std::ptrdiff_t>(random.below(polygon.size())),
                polygon.end());
    expect_good(polygon, cut(polygon));
    // In a plane of its own, to within rounding: there the sense of all triangles and the sum of areas.
    const Vec3 u = random_direction(random), normal = u.cross(random_direction(random)).normalized();
    if (!(normal.norm() > 0.5)) return;
    const double scale = std::exp(random.uniform(-80, 80));
    const Vec3 v = normal.cross(u), origin = random_direction(random);
    std::vector<Vec3> positions;
    for (const Vec2& p : polygon) positions.push_back(scale * (origin + p.x() * u + p.y() * v));
    double sum = 0;
    const Triangles triangles = cut(positions);
    ASSERT_EQ(triangles.size(), polygon.size() - 2);
    for (const auto& [a, b, c] : triangles) {
      const Vec3 ab = (positions[b] - positions[a]) / scale, ac = (positions[c] - positions[a]) / scale;
      const double area = ab.cross(ac).dot(normal) / 2;
      EXPECT_GT(area, -1e-12);
      sum += std::abs(area);
    }
    EXPECT_NEAR(sum, area_of(polygon), 1e-10);
  });
}

TEST(PolygonProperty, AnythingGivesAsManyTriangles) {
  each_case(3'000, [](Random& random) {
    std::vector<Vec3> points(4 + random.below(random.chance(0.02) ? 300 : 12));
    const int style = static_cast<int>(random.below(6));
    for (Vec3& p : points) {
      for (double& x : p) switch (style) {
          case 0:
            x = random.uniform(-1, 1);
            break;
          case 1:
            x = static_cast<double>(random.below(3));
            break;
          case 2:
            x = random.magnitude(1e-300, 1e300);
            break;
          case 3:
            x = random.chance(0.5) ? 1.7e308 : -1.7e308;
            break;
          case 4:
            x = random.chance(0.3) ? 1 : static_cast<double>(random.below(3)) * 5e-324;
            break;
          default:
            x = p.x();
        }
      if (style == 5) p = Vec3(1, 2, -3) * static_cast<double>(random.below(5));
      if (random.chance(0.3)) p.z() = 0;
    }
    const Triangles triangles = cut(points);
    ASSERT_EQ(triangles.size(), points.size() - 2);
    // Each edge of the polygon is the side of one triangle, every other side of two: a disk.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> sides;
    for (const TriangleCorners& t : triangles)
      for (std::size_t k = 0; k < 3; ++k) sides.emplace_back(t[k], t[(k + 1) % 3]);
    std::sort(sides.begin(), sides.end());
    EXPECT_TRUE(std::adjacent_find(sides.begin(), sides.end()) == sides.end());
    std::size_t alone = 0;
    for (const auto& [a, b] : sides) {
      const bool matched = std::binary_search(sides.begin(), sides.end(), std::pair(b, a));
      alone += matched ? 0 : 1;
      EXPECT_TRUE(matched || (a + 1) % points.size() == b) << a << ' ' << b;
    }
    EXPECT_EQ(alone, points.size());
  });
}

}  // namespace
}  // namespace palpate::detail
