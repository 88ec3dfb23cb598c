// Intersection of segments and triangles. The oracle does not test signs of orientations: two closed shapes
// intersect if and only if their exact distance is zero.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <Eigen/Geometry>

#include <gtest/gtest.h>

#include <palpate/geometry/intersect.h>
#include <support/cases.h>
#include <support/exact_distance.h>
#include <support/nearest_checks.h>

namespace palpate {
namespace {

using testing::all_points;
using testing::each_case;
using testing::exact_distance2;
using testing::Random;
using testing::Rational;
using testing::Shapes;
using testing::show;

template <class A, class B>
bool exactly_intersect(const A& a, const B& b) {
  return sgn(exact_distance2(a, b)) == 0;
}

bool has_plane(const Triangle& t) {
  const testing::IntegerPoints z = testing::to_integers(std::vector<Vec3>{t[0], t[1], t[2]});
  return !is_zero(cross<testing::Integer>(z[1] - z[0], z[2] - z[0]));
}
// All points of the other shape in the plane of t, or t has none.
template <class Corners>
bool in_plane_of(const Triangle& t, const Corners& corners) {
  return std::all_of(corners.begin(), corners.end(),
                     [&](const Vec3& p) { return testing::orient3d_sign(t[0], t[1], t[2], p) == 0; });
}

// Points are known to about 1e-15 (7e-15 is allowed here) of this: the size of the shapes together, and that
// of their coordinates.
constexpr double units = 64;
double size_of(const std::vector<Vec3>& points) {
  return std::max(testing::magnitude_of(points), testing::root(testing::exact_diameter2(points)).get_d());
}

template <class Corners>
::testing::AssertionResult lies_on(const Vec3& point, const Corners& shape, double size) {
  const double off = testing::root(exact_distance2(point, shape)).get_d();
  if (off <= units * testing::unit * size + testing::underflow) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << show(point) << " is off " << show(shape) << " by " << off << ", "
                                       << off / size / testing::unit << " units";
}

void expect_right(const Segment& s, const Triangle& t) {
  const bool expected = exactly_intersect(s, t);
  ASSERT_EQ(intersects(s, t), expected) << show(s) << "\n" << show(t);
  const auto found = intersection(s, t);
  ASSERT_EQ(found.has_value(), expected) << show(s) << "\n" << show(t);
  if (!found) return;
  const double size = size_of(all_points(s, t));
  EXPECT_EQ(found->coplanar, in_plane_of(t, s)) << show(s) << "\n" << show(t);
  for (const ::testing::AssertionResult& result :
       {testing::valid_weights(found->segment_weights), testing::valid_weights(found->triangle_weights),
        testing::at_weights(found->point, found->segment_weights, s, size, units),
        testing::at_weights(found->point, found->triangle_weights, t, size, units),
        lies_on(found->point, s, size), lies_on(found->point, t, size)})
    EXPECT_TRUE(result) << show(s) << "\n" << show(t);
}

void expect_right(const Triangle& a, const Triangle& b) {
  const bool expected = exactly_intersect(a, b);
  ASSERT_EQ(intersects(a, b), expected) << show(a) << "\n" << show(b);
  ASSERT_EQ(intersects(b, a), expected) << show(b) << "\n" << show(a);
  const auto found = intersection(a, b);
  ASSERT_EQ(found.has_value(), expected) << show(a) << "\n" << show(b);
  if (!found) return;
  if (has_plane(a) && has_plane(b)) {
    EXPECT_EQ(found->coplanar, in_plane_of(a, b)) << show(a) << "\n" << show(b);
  }
  const double size = size_of(all_points(a, b));
  for (const TriangleIntersection::End& end : {found->from, found->to})
    for (const ::testing::AssertionResult& result :
         {testing::valid_weights(end.weights_a), testing::valid_weights(end.weights_b),
          testing::at_weights(end.point, end.weights_a, a, size, units),
          testing::at_weights(end.point, end.weights_b, b, size, units), lies_on(end.point, a, size),
          lies_on(end.point, b, size)})
      EXPECT_TRUE(result) << show(a) << "\n" << show(b);
}

TEST(IntersectProperty, SegmentTriangle) {
  each_case(15'000, [](Random& random) {
    Shapes shapes(random);
    const Triangle t = shapes.triangle();
    expect_right(shapes.segment_near(t), t);
  });
}

TEST(IntersectProperty, TriangleTriangle) {
  each_case(8'000, [](Random& random) {
    Shapes shapes(random);
    const Triangle t = shapes.triangle();
    expect_right(t, shapes.triangle_near(t));
  });
}

// On a grid of 27 points nearly every pair touches in some special way.
TEST(IntersectProperty, SmallGrid) {
  each_case(8'000, [](Random& random) {
    Shapes shapes(random, Shapes::signed_zeros);
    const auto triangle = [&] { return Triangle{shapes.point(), shapes.point(), shapes.point()}; };
    expect_right(triangle(), triangle());
    expect_right(Segment{shapes.point(), shapes.point()}, triangle());
  });
}

// The answer is about sets of points: the numbering of corners cannot change it.
TEST(IntersectProperty, AnyNumbering) {
  each_case(10'000, [](Random& random) {
    Shapes shapes(random);
    const Triangle a = shapes.triangle(), b = shapes.triangle_near(a);
    const Segment s = shapes.segment_near(a);
    const bool both = intersects(a, b), crossed = intersects(s, a);
    for (const auto& order : testing::permutations<3>()) {
      const Triangle p = testing::permuted(a, order);
      ASSERT_EQ(intersects(p, shapes.shuffled(b)), both) << show(p) << "\n" << show(b);
      ASSERT_EQ(intersects(shapes.shuffled(b), p), both) << show(b) << "\n" << show(p);
      ASSERT_EQ(intersects(s, p), crossed) << show(s) << "\n" << show(p);
      ASSERT_EQ(intersects(Segment{s[1], s[0]}, p), crossed) << show(s) << "\n" << show(p);
    }
  });
}

// Any finite numbers: exponents far apart, products that under- and overflow.
TEST(IntersectProperty, ExtremeCoordinates) {
  each_case(500, [](Random& random) {
    constexpr double sizes[] = {0, 5e-324, 1e-300, 1e-160, 1, 1e160, 1e300, 1.7e308};
    const auto point = [&] {
      Vec3 p;
      for (double& x : p) {
        x = sizes[random.below(std::size(sizes))] * (random.chance(0.5) ? 1 : -1);
        if (random.chance(0.3)) x *= random.uniform(0, 1);
      }
      return p;
    };
    const Triangle a{point(), point(), point()};
    const Triangle b{random.chance(0.2) ? a[0] : point(), point(), point()};
    const Segment s{point(), random.chance(0.5) ? Vec3(a[0] / 2 + a[1] / 2) : point()};
    ASSERT_EQ(intersects(s, a), exactly_intersect(s, a)) << show(s) << "\n" << show(a);
    ASSERT_EQ(intersects(a, b), exactly_intersect(a, b)) << show(a) << "\n" << show(b);
  });
}

// Where the planes cross at a fair angle, both ends of the common segment are known well: they are the
// extreme ones among the points where an edge of one meets the other.
TEST(IntersectProperty, EndsOfTheCommonSegment) {
  each_case(10'000, [](Random& random) {
    Shapes shapes(random, Shapes::generic);
    const Triangle a{shapes.point(), shapes.point(), shapes.point()};
    const Triangle b{shapes.point(), shapes.point(), shapes.point()};
    const Vec3 na = (a[1] - a[0]).cross(a[2] - a[0]), nb = (b[1] - b[0]).cross(b[2] - b[0]);
    if (na.norm() < 0.1 || nb.norm() < 0.1 || na.cross(nb).norm() < 0.1 * na.norm() * nb.norm()) return;
    const auto found = intersection(a, b);
    if (!found) return;
    std::vector<Vec3> ends;
    for (const auto& [s, t] : {std::pair{&a, &b}, std::pair{&b, &a}})
      for (std::size_t i = 0; i < 3; ++i) {
        const Vec3 &p = (*s)[i], &q = (*s)[(i + 1) % 3];
        if (!exactly_intersect(Segment{p, q}, *t)) continue;
        const Vec3 n = ((*t)[1] - (*t)[0]).cross((*t)[2] - (*t)[0]);
        ends.push_back(p + n.dot((*t)[0] - p) / n.dot(q - p) * (q - p));
      }
    ASSERT_GE(ends.size(), 2u) << show(a) << "\n" << show(b);
    for (const Vec3& end : ends) {  // nothing lies beyond from--to, and the ends are among the points
      const double over = nearest_point_segment(end, {found->from.point, found->to.point}).squared_distance;
      EXPECT_LT(over, 1e-24) << show(end) << show(a) << "\n" << show(b);
    }
    for (const TriangleIntersection::End& end : {found->from, found->to}) {
      double least = 1;
      for (const Vec3& p : ends) least = std::min(least, (p - end.point).norm());
      EXPECT_LT(least, 1e-12) << show(end.point) << show(a) << "\n" << show(b);
    }
  });
}

// Coplanar triangles: from--to is the longest among the points where a border of one meets the other. Those
// points are corners inside the other triangle and crossings of edges.
TEST(IntersectProperty, CoplanarEndsAreFarthestApart) {
  each_case(10'000, [](Random& random) {
    Shapes shapes(random, Shapes::grid);
    Triangle a{shapes.point(), shapes.point(), shapes.point()},
        b{shapes.point(), shapes.point(), shapes.point()};
    for (Triangle* t : {&a, &b})
      for (Vec3& p : *t) p.z() = p.x() - 2 * p.y();
    if (!has_plane(a) || !has_plane(b)) return;
    const auto found = intersection(a, b);
    ASSERT_EQ(found.has_value(), exactly_intersect(a, b)) << show(a) << "\n" << show(b);
    if (!found) return;
    EXPECT_TRUE(found->coplanar) << show(a) << "\n" << show(b);
    std::vector<Vec3> meets;
    for (std::size_t i = 0; i < 3; ++i) {
      if (exactly_intersect(Segment{a[i], a[i]}, b)) meets.push_back(a[i]);
      if (exactly_intersect(Segment{b[i], b[i]}, a)) meets.push_back(b[i]);
      for (std::size_t j = 0; j < 3; ++j) {
        const Segment e{a[i], a[(i + 1) % 3]}, f{b[j], b[(j + 1) % 3]};
        const Vec3 u = e[1] - e[0], v = f[1] - f[0], r = f[0] - e[0];
        const double turn = u.x() * v.y() - u.y() * v.x();
        if (turn != 0 && exactly_intersect(e, f))
          meets.push_back(e[0] + (r.x() * v.y() - r.y() * v.x()) / turn * u);
      }
    }
    double longest = 0;
    for (const Vec3& p : meets)
      for (const Vec3& q : meets) longest = std::max(longest, (p - q).norm());
    EXPECT_NEAR((found->from.point - found->to.point).norm(), longest, 1e-13) << show(a) << "\n" << show(b);
  });
}

TEST(Intersect, SegmentThroughTouchingAndMissing) {
  const Triangle t{Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0)};
  const auto through = intersection(Segment{Vec3(1, 1, -1), Vec3(1, 1, 3)}, t);
  ASSERT_TRUE(through);
  EXPECT_EQ(through->point, Vec3(1, 1, 0));
  EXPECT_EQ(through->segment_weights, Vec2(0.75, 0.25));
  EXPECT_EQ(through->triangle_weights, Vec3(0.5, 0.25, 0.25));
  EXPECT_FALSE(through->coplanar);
  EXPECT_TRUE(intersects(Segment{Vec3(1, 1, 0), Vec3(1, 1, 3)}, t));    // an end on the face
  EXPECT_TRUE(intersects(Segment{Vec3(2, 2, -1), Vec3(2, 2, 1)}, t));   // through an edge
  EXPECT_TRUE(intersects(Segment{Vec3(-1, 1, 0), Vec3(1, -1, 0)}, t));  // past a corner, in the plane
  EXPECT_FALSE(intersects(Segment{Vec3(1, 1, 5e-324), Vec3(1, 1, 3)}, t));
  EXPECT_FALSE(intersects(Segment{Vec3(3, 3, -1), Vec3(3, 3, 1)}, t));
  EXPECT_FALSE(intersects(Segment{Vec3(5, 0, 0), Vec3(9, 0, 0)}, t));
}

TEST(Intersect, DegenerateShapes) {
  const Triangle t{Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0)};
  const Triangle line{Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(2, 0, 0)};
  const Triangle dot{Vec3(1, 1, 0), Vec3(1, 1, 0), Vec3(1, 1, 0)};
  EXPECT_TRUE(intersects(t, dot));
  EXPECT_TRUE(intersects(dot, t));
  EXPECT_TRUE(intersects(dot, dot));
  EXPECT_FALSE(intersects(line, dot));
  EXPECT_TRUE(intersects(t, line));
  EXPECT_TRUE(intersects(line, line));
  EXPECT_TRUE(intersects(Segment{Vec3(1, 1, 0), Vec3(1, 1, 0)}, t));
  EXPECT_FALSE(intersects(Segment{Vec3(1, 1, 1), Vec3(1, 1, 1)}, t));
  const auto on_line = intersection(Segment{Vec3(3, -1, 0), Vec3(3, 1, 0)}, line);
  ASSERT_TRUE(on_line);
  EXPECT_EQ(on_line->point, Vec3(3, 0, 0));
  EXPECT_TRUE(on_line->coplanar);
}

TEST(Intersect, TrianglesTouchingAndCrossing) {
  const Triangle t{Vec3(0, 0, 0), Vec3(4, 0, 0), Vec3(0, 4, 0)};
  const auto crossing = intersection(t, Triangle{Vec3(1, 1, -1), Vec3(1, 1, 1), Vec3(1, -9, 0)});
  ASSERT_TRUE(crossing);
  EXPECT_FALSE(crossing->coplanar);
  EXPECT_NEAR((crossing->from.point - crossing->to.point).norm(), 1, 1e-15);
  const auto touch = intersection(t, Triangle{Vec3(1, 1, 0), Vec3(1, 1, 1), Vec3(2, 1, 1)});
  ASSERT_TRUE(touch);
  EXPECT_EQ(touch->from.point, Vec3(1, 1, 0));
  EXPECT_EQ(touch->to.point, Vec3(1, 1, 0));
  const auto edge = intersection(t, Triangle{t[0], t[1], Vec3(0, 0, 7)});
  ASSERT_TRUE(edge);
  EXPECT_EQ((edge->from.point - edge->to.point).norm(), 4);
  const auto inside = intersection(t, Triangle{Vec3(1, 1, 0), Vec3(2, 1, 0), Vec3(1, 2, 0)});
  ASSERT_TRUE(inside);
  EXPECT_TRUE(inside->coplanar);
  EXPECT_NEAR((inside->from.point - inside->to.point).norm(), std::sqrt(2.0), 1e-15);
  EXPECT_FALSE(intersects(t, Triangle{Vec3(3, 3, 0), Vec3(5, 3, 0), Vec3(3, 5, 0)}));
  EXPECT_FALSE(intersects(t, Triangle{Vec3(0, 0, 1), Vec3(4, 0, 1), Vec3(0, 4, 1)}));
}

// Flat triangles whose common points are hard to compute: they must still lie on both.
TEST(Intersect, HardCases) {
  expect_right(Triangle{Vec3(-92055.398634865371, -116873.52879278219, -97043.732532692724),
                        Vec3(39632.638417761547, 59455.11256811022, 85173.818919121564),
                        Vec3(39632.638311050381, 59455.112285409625, 85173.818796609965)},
               Triangle{Vec3(-113305.08666951512, 35834.507981911825, -68735.463275925649),
                        Vec3(-92055.398634865371, -116873.52879278219, -97043.732532692724),
                        Vec3(39632.638331592098, 59455.112338211846, 85173.818819050764)});
  expect_right(Triangle{Vec3(1.028331038765633e-06, 1.2395576961411682e-06, -3.6092332480941809e-07),
                        Vec3(-1.2788797640118538e-06, 8.1898518644492604e-07, -1.0980676625599594e-06),
                        Vec3(1.0284049012457519e-06, 1.2395680808655679e-06, -3.6096204448826582e-07)},
               Triangle{Vec3(-6.1122355461659866e-07, 1.0870809120413296e-06, 1.4973682173689113e-07),
                        Vec3(1.0283310631093527e-06, 1.2395576802459006e-06, -3.6092333564728009e-07),
                        Vec3(1.0284049255894711e-06, 1.2395680649703001e-06, -3.6096205532612808e-07)});
}

}  // namespace
}  // namespace palpate
