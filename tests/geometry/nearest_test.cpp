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
// Flat triangles, the worst of thin ones: the third corner anywhere beside the long edge, the point anywhere
// above.
TEST(NearestProperty, AccurateOverCaps) {
  each_case(20'000, [](Random& random) {
    const auto direction = [&] {
      return Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    };
    const Vec3 along = direction();
    Triangle cap{Vec3::Zero(), along, Vec3::Zero()};
    cap[2] = random.uniform(0, 1) * along + random.magnitude(1e-16, 1e-4) * direction();
    if (random.chance(0.5))
      for (Vec3& corner : cap) corner += Vec3(1, 2, 3);
    std::swap(cap[random.below(3)], cap[random.below(3)]);
    double a = random.uniform(0, 1), b = random.uniform(0, 1);
    if (a + b > 1) a = 1 - a, b = 1 - b;
    const Vec3 above =
        a * cap[0] + b * cap[1] + (1 - a - b) * cap[2] + random.magnitude(1e-18, 1) * direction();
    expect_accurate(Point{above}, cap);
  });
}

TEST(NearestProperty, ExtremesStayDefined) {
  each_case(2000, [](Random& random) {
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
      const double brute = testing::brute_distance(a, b);
      EXPECT_GE(brute, exact - 1e-12) << show(a) << "\n" << show(b);
      EXPECT_LE(brute, exact + 1e-7) << show(a) << "\n" << show(b);
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

// Found by search over hundreds of thousands of cases; each was once wrong by many units, or had points that
// did not realise its distance.
TEST(Nearest, HardCases) {
  // Points close to the middle of very flat triangles.
  expect_all(Point{Vec3(0.99999999999959222, 1.9999999999999705, -1.000000000000113)},
             Triangle{Vec3(0.9999999999987863, 2.0000000000008806, -0.99999999999828015), Vec3(1, 2, -1),
                      Vec3(0, 1, -1)});
  expect_all(Point{Vec3(-48514.749172230971, 45727.994381082921, 0.0092985162317124771)},
             Triangle{Vec3(-48430.414390526661, 45735.49821468952, 0.0094621432056878133),
                      Vec3(-48514.749172230993, 45727.994381082921, 0.0092985162317124788),
                      Vec3(-48599.083953935318, 45720.490547476315, 0.0091348892577371426)});
  // Flat triangles that nearly touch.
  expect_all(Triangle{Vec3(-1, 2, 1), Vec3(0, -2, 2),
                      Vec3(-0.12978880356151765, -1.4808447857471574, 1.870211196436337)},
             Triangle{Vec3(-2, -2, 0), Vec3(1, -1, -1),
                      Vec3(-0.39122360044518972, -0.43510559821839467, 1.6087763995545421)});
  // Triangles that intersect: the two points must be one.
  expect_all(Triangle{Vec3(0.17759971460824001, -0.44416131854303176, -0.24005656460278782),
                      Vec3(0.17759967460932868, -0.44416131109331758, -0.24005651512119308),
                      Vec3(-0.44056230386872075, -0.89760007694055921, 0.8281687848198187)},
             Triangle{Vec3(0.17759971623130635, -0.44416131913317886, -0.24005656462050567),
                      Vec3(-0.60654320156991259, -0.37337429502090913, 0.68497892732949728),
                      Vec3(0.87677270629829684, -0.20154023677449784, -0.034784830067977168)});
  expect_all(Triangle{Vec3(-1, 0, 0), Vec3(0, 1, 1),
                      Vec3(-0.67859293543629107, 0.32140706456362805, 0.32140706456343726)},
             Triangle{Vec3(-0.53574116929536408, 0.46425883070453494, 0.46425883070429652),
                      Vec3(0.50894470157721794, 1.5089447015772792, 1.5089447015774216),
                      Vec3(-1.0982411692953635, -0.098241169295465003, -0.098241169295703437)});
}

// Nearly coplanar, 1e-18 m apart: not zero, as the exact test says they do not intersect.
TEST(Nearest, CloseIsNotTouching) {
  const Triangle a{Vec3(0.002108196486322093, -0.0059301591825497131, -0.011650712114790763),
                   Vec3(-0.0075151691644316206, 0.009217196688513063, 0.0075266078996590064),
                   Vec3(0.0016579778006440696, 0.0012744485939280206, -0.0069595926626227697)};
  const Triangle b{Vec3(0.010831124765719761, -0.0066682995006570218, -0.021445793224904537),
                   Vec3(-0.009808455905700543, 0.011202883712159325, 0.011148158040229445),
                   Vec3(-0.018605251860443144, 0.021801225953041806, 0.026781335827692106)};
  ASSERT_GT(sgn(exact_distance2(a, b)), 0);
  EXPECT_FALSE(intersects(a, b));
  EXPECT_GT(nearest_triangle_triangle(a, b).squared_distance, 0);
}

}  // namespace
}  // namespace palpate
