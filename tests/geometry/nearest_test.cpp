// Nearest points against exact rationals, and the rationals against brute minimisation.
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include <palpate/geometry/intersect.h>
#include <palpate/geometry/nearest.h>
#include <support/brute.h>
#include <support/cases.h>
#include <support/nearest_checks.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::exact_distance2;
using testing::expect_accurate;
using testing::expect_consistent;
using testing::expect_symmetric;
using testing::Random;
using testing::Shapes;
using testing::show;
using Point = std::array<Vec3, 1>;

template <class A, class B>
void expect_all(const A& a, const B& b) {
  expect_consistent(a, b);
  expect_accurate(a, b);
  expect_symmetric(a, b);
}

// Pairs of each kind that have something to do with each other.
std::pair<Point, Segment> point_segment(Shapes& shapes) {
  const Segment s = shapes.segment();
  return {Point{shapes.point_near(s)}, s};
}
std::pair<Point, Triangle> point_triangle(Shapes& shapes) {
  const Triangle t = shapes.triangle();
  return {Point{shapes.point_near(t)}, t};
}
std::pair<Segment, Segment> segment_segment(Shapes& shapes) {
  const Segment s = shapes.segment();
  return {s, shapes.segment_near(s)};
}
std::pair<Triangle, Triangle> triangle_triangle(Shapes& shapes) {
  const Triangle t = shapes.triangle();
  return {t, shapes.triangle_near(t)};
}

template <class Make, class Check>
void each_pair(std::size_t count, Make&& make, Check&& check) {
  each_case(count, [&](Random& random) {
    Shapes shapes(random);
    const auto [a, b] = make(shapes);
    check(a, b);
  });
}

TEST(NearestProperty, PointSegment) {
  each_pair(20'000, point_segment, [](const auto& a, const auto& b) { expect_all(a, b); });
}
TEST(NearestProperty, PointTriangle) {
  each_pair(15'000, point_triangle, [](const auto& a, const auto& b) { expect_all(a, b); });
}
TEST(NearestProperty, SegmentSegment) {
  each_pair(15'000, segment_segment, [](const auto& a, const auto& b) { expect_all(a, b); });
}
TEST(NearestProperty, TriangleTriangleAccurate) {
  each_pair(8'000, triangle_triangle, [](const auto& a, const auto& b) {
    expect_consistent(a, b);
    expect_accurate(a, b);
  });
}
TEST(NearestProperty, TriangleTriangleSymmetric) {
  each_pair(3'000, triangle_triangle, [](const auto& a, const auto& b) { expect_symmetric(a, b); });
}

TEST(NearestProperty, ZeroIfAndOnlyIfTrianglesIntersect) {
  each_pair(5'000, triangle_triangle, [](const Triangle& a, const Triangle& b) {
    const testing::Rational exact2 = exact_distance2(a, b);
    if (sgn(exact2) > 0 && exact2 < testing::exact(1e-300)) return;  // underflow
    EXPECT_EQ(nearest_triangle_triangle(a, b).squared_distance == 0, sgn(exact2) == 0)
        << show(a) << "\n"
        << show(b) << "\nexact distance " << testing::root(exact2).get_d();
  });
}

// Lengths from 1e-140 to 1e74 m: squares still fit, products of squares need care.
TEST(NearestProperty, AccurateAtEveryScale) {
  each_case(4'000, [](Random& random) {
    Shapes shapes(random, random.chance(0.5) ? Shapes::generic : Shapes::grid);
    const double scale = std::abs(random.magnitude(1e-140, 1e74));
    const auto scaled = [&](auto shape) {
      for (Vec3& p : shape) p *= scale;
      return shape;
    };
    const auto both = [&](const auto& pair) {
      expect_accurate(scaled(pair.first), scaled(pair.second));
      expect_consistent(scaled(pair.first), scaled(pair.second));
    };
    both(point_segment(shapes));
    both(point_triangle(shapes));
    both(segment_segment(shapes));
    both(triangle_triangle(shapes));
  });
}

// From the smallest denormal to 1e75 in one shape: nothing becomes NaN or leaves its bounds, and order does
// not matter.
TEST(NearestProperty, ExtremesStayDefined) {
  each_case(10'000, [](Random& random) {
    constexpr double sizes[] = {0, 5e-324, 1e-310, 1e-300, 1e-160, 1e-80, 1e-20, 1, 1e20, 1e75};
    const std::size_t only = random.below(std::size(sizes));
    const bool one_size = random.chance(0.3);
    const auto coordinate = [&] {
      const double size = sizes[one_size ? only : random.below(std::size(sizes))];
      return (random.chance(0.5) ? 1 : -1) * (random.chance(0.5) ? size : size * random.uniform(0, 1));
    };
    Triangle a, b;
    for (Triangle* t : {&a, &b})
      for (Vec3& p : *t) p = Vec3(coordinate(), coordinate(), coordinate());
    if (random.chance(0.2)) b[random.below(3)] = a[random.below(3)];
    expect_consistent(a, b);
    expect_symmetric(a, b);
    const Segment s{a[0], a[1]}, t{b[0], b[1]};
    expect_consistent(s, t);
    expect_symmetric(s, t);
    expect_consistent(Point{a[0]}, t);
    expect_consistent(Point{a[0]}, b);
    expect_symmetric(Point{a[0]}, b);
    // Rationals of any size still give the bound, where the square of the distance does not underflow.
    if (testing::exact_diameter2(testing::all_points(a, b)) > testing::exact(1e-250)) expect_accurate(a, b);
  });
}

TEST(NearestProperty, RationalOracleAgreesWithBruteMinimisation) {
  each_case(40, [](Random& random) {
    Shapes shapes(random, random.chance(0.7) ? Shapes::generic : Shapes::grid);
    const auto check = [](const auto& a, const auto& b) {
      const double exact = testing::root(exact_distance2(a, b)).get_d();
      const double brute = static_cast<double>(testing::brute_distance(a, b));
      EXPECT_GE(brute, exact - 1e-12) << show(a) << "\n" << show(b);
      EXPECT_LE(brute, exact + 1e-5) << show(a) << "\n" << show(b);
    };
    const Segment s{shapes.point(), shapes.point()}, r = shapes.segment_near(s);
    const Triangle t{shapes.point(), shapes.point(), shapes.point()}, u = shapes.triangle_near(t);
    check(Point{shapes.point_near(s)}, s);
    check(Point{shapes.point_near(t)}, t);
    check(s, r);
    check(shapes.segment_near(t), t);
    check(t, u);
  });
}

TEST(Nearest, PointAndSegment) {
  const Segment s{Vec3(0, 0, 0), Vec3(2, 0, 0)};
  const NearestOnSegment inside = nearest_point_segment({0.5, 3, 4}, s);
  EXPECT_EQ(inside.point, Vec3(0.5, 0, 0));
  EXPECT_EQ(inside.weights, Vec2(0.75, 0.25));
  EXPECT_EQ(inside.squared_distance, 25);
  const NearestOnSegment before = nearest_point_segment({-3, 4, 0}, s);
  EXPECT_EQ(before.point, Vec3(0, 0, 0));
  EXPECT_EQ(before.weights, Vec2(1, 0));
  EXPECT_EQ(before.squared_distance, 25);
  const NearestOnSegment beyond = nearest_point_segment({5, 4, 0}, s);
  EXPECT_EQ(beyond.point, Vec3(2, 0, 0));
  EXPECT_EQ(beyond.squared_distance, 25);
}

TEST(Nearest, ZeroLengthSegmentIsAPoint) {
  const Vec3 q(1, 2, 3);
  const NearestOnSegment n = nearest_point_segment({1, 2, 5}, {q, q});
  EXPECT_EQ(n.point, q);
  EXPECT_EQ(n.squared_distance, 4);
  EXPECT_TRUE(testing::valid_weights(n.weights));
  const NearestOnSegments m = nearest_segment_segment({q, q}, {Vec3(0, 0, 0), Vec3(0, 0, 0)});
  EXPECT_EQ(m.squared_distance, 14);
}

TEST(Nearest, PointOverAndBesideATriangle) {
  const Triangle t{Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0)};
  const NearestOnTriangle over = nearest_point_triangle({1, 1, 3}, t);
  EXPECT_EQ(over.point, Vec3(1, 1, 0));
  EXPECT_EQ(over.weights, Vec3(0.5, 0.25, 0.25));
  EXPECT_EQ(over.squared_distance, 9);
  const NearestOnTriangle edge = nearest_point_triangle({4, 4, 0}, t);
  EXPECT_EQ(edge.point, Vec3(2, 2, 0));
  EXPECT_EQ(edge.squared_distance, 8);
  const NearestOnTriangle corner = nearest_point_triangle({-1, -1, 1}, t);
  EXPECT_EQ(corner.point, Vec3(0, 0, 0));
  EXPECT_EQ(corner.weights, Vec3(1, 0, 0));
  EXPECT_EQ(corner.squared_distance, 3);
  EXPECT_EQ(nearest_point_triangle({1, 1, 0}, t).squared_distance, 0);
}

TEST(Nearest, ZeroAreaTriangles) {
  const Triangle line{Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(1, 0, 0)};
  const Triangle dot{Vec3(1, 1, 1), Vec3(1, 1, 1), Vec3(1, 1, 1)};
  EXPECT_EQ(nearest_point_triangle({3, 2, 0}, line).squared_distance, 4);
  EXPECT_EQ(nearest_point_triangle({6, 0, 0}, line).squared_distance, 4);
  EXPECT_EQ(nearest_point_triangle({1, 1, 3}, dot).squared_distance, 4);
  EXPECT_EQ(nearest_triangle_triangle(line, dot).squared_distance, 2);
  EXPECT_EQ(nearest_triangle_triangle(dot, dot).squared_distance, 0);
  EXPECT_EQ(nearest_triangle_triangle(line, line).squared_distance, 0);
}

TEST(Nearest, SegmentsCrossingParallelAndCoincident) {
  const Segment s{Vec3(0, 0, 0), Vec3(4, 0, 0)};
  const NearestOnSegments cross = nearest_segment_segment(s, {Vec3(1, -1, 2), Vec3(1, 3, 2)});
  EXPECT_EQ(cross.point_a, Vec3(1, 0, 0));
  EXPECT_EQ(cross.point_b, Vec3(1, 0, 2));
  EXPECT_EQ(cross.weights_a, Vec2(0.75, 0.25));
  EXPECT_EQ(cross.weights_b, Vec2(0.75, 0.25));
  EXPECT_EQ(cross.squared_distance, 4);
  EXPECT_EQ(nearest_segment_segment(s, {Vec3(1, 2, 0), Vec3(3, 2, 0)}).squared_distance, 4);
  EXPECT_EQ(nearest_segment_segment(s, {Vec3(6, 0, 0), Vec3(8, 0, 0)}).squared_distance, 4);
  EXPECT_EQ(nearest_segment_segment(s, {Vec3(3, 0, 0), Vec3(8, 0, 0)}).squared_distance, 0);
  EXPECT_EQ(nearest_segment_segment(s, s).squared_distance, 0);
  EXPECT_EQ(nearest_segment_segment(s, {Vec3(2, 0, 0), Vec3(2, 5, 0)}).squared_distance, 0);
}

TEST(Nearest, TrianglesPiercingParallelAndInside) {
  const Triangle t{Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0)};
  const NearestOnTriangles pierced =
      nearest_triangle_triangle(t, {Vec3(1, 1, -1), Vec3(1, 1, 1), Vec3(9, 9, 1)});
  EXPECT_EQ(pierced.squared_distance, 0);
  EXPECT_LT((pierced.point_a - pierced.point_b).norm(), 1e-14);
  const Triangle above{Vec3(0.5, 0.5, 2), Vec3(1, 0.5, 2), Vec3(0.5, 1, 2)};
  EXPECT_EQ(nearest_triangle_triangle(t, above).squared_distance, 4);
  const Triangle within{Vec3(0.5, 0.5, 0), Vec3(1, 0.5, 0), Vec3(0.5, 1, 0)};
  EXPECT_EQ(nearest_triangle_triangle(t, within).squared_distance, 0);
  EXPECT_EQ(nearest_triangle_triangle(within, t).squared_distance, 0);
  const Triangle corner_over_face{Vec3(1, 1, 1), Vec3(1, 1, 5), Vec3(2, 1, 5)};
  EXPECT_EQ(nearest_triangle_triangle(t, corner_over_face).squared_distance, 1);
}

// A needle a million times longer than wide, far from the origin, with a point over its middle.
TEST(Nearest, NeedleFarAway) {
  const Vec3 far(1e6, -1e6, 1e6);
  const Triangle needle{far, far + Vec3(1, 0, 0), far + Vec3(1, 0x1p-30, 0)};
  expect_all(Point{far + Vec3(0.5, 0x1p-32, 0.125)}, needle);
  expect_all(Triangle{far + Vec3(0.5, 0, 0.125), far + Vec3(0.5, 1, 0.125), far + Vec3(0.5, -1, 0.25)},
             needle);
}

}  // namespace
}  // namespace palpate
