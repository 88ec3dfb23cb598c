// Spheres: enclosing checked without rounding, size against the smallest possible.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <palpate/geometry/sphere.h>
#include <support/cases.h>
#include <support/exact_distance.h>
#include <support/shapes.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::exact;
using testing::Random;
using testing::random_direction;
using testing::Rational;
using testing::Shapes;

std::string show(const Sphere& s) {
  char radius[40];
  std::snprintf(radius, sizeof radius, " radius %.17g", s.radius);
  return testing::show(s.center) + radius;
}

Rational squared(const Rational& x) { return x * x; }
Rational squared_distance(const Vec3& a, const Vec3& b) {
  const testing::Q3 d = exact(a) - exact(b);
  return dot(d, d);
}

template <class Points>
void expect_encloses(const Sphere& sphere, const Points& points) {
  ASSERT_FALSE(sphere.empty());
  ASSERT_TRUE(sphere.center.allFinite() && std::isfinite(sphere.radius)) << show(sphere);
  for (const Vec3& p : points)
    ASSERT_LE(squared_distance(p, sphere.center), squared(exact(sphere.radius)))
        << testing::show(p) << show(sphere);
}
// A sphere is inside if the way to its centre and its radius fit: |c - c'| <= r - r'.
void expect_encloses(const Sphere& outer, const Sphere& inner) {
  const Rational room = exact(outer.radius) - exact(inner.radius);
  ASSERT_GE(sgn(room), 0) << show(outer) << "\n" << show(inner);
  ASSERT_LE(squared_distance(outer.center, inner.center), squared(room)) << show(outer) << "\n"
                                                                         << show(inner);
}

// Of the smallest sphere around a triangle: half the longest side if the angle there is not acute, else the
// circumcircle.
double smallest_radius(const Triangle& t) {
  const testing::IntegerPoints z = testing::to_integers(std::vector<Vec3>{t[0], t[1], t[2]});
  std::array<Rational, 3> side{testing::grid::point_point(z[0], z[1]), testing::grid::point_point(z[1], z[2]),
                               testing::grid::point_point(z[2], z[0])};
  std::sort(side.begin(), side.end());
  const testing::Z3 n = cross<testing::Integer>(z[1] - z[0], z[2] - z[0]);
  Rational result = side[2] / 4;
  if (side[2] < side[0] + side[1]) result = side[0] * side[1] * side[2] / (4 * Rational(dot(n, n)));
  return testing::root(z.squared_length(result)).get_d();
}

// Close to the smallest sphere of many points: the centre walks towards the farthest, less and less.
double nearly_smallest_radius(const std::vector<Vec3>& points) {
  Vec3 center = points[0];
  double radius = INFINITY;
  for (int i = 1; i < 1000; ++i) {
    Vec3 farthest = center;
    double distance = 0;
    for (const Vec3& p : points)
      if (const double d = (p - center).norm(); d > distance) distance = d, farthest = p;
    radius = std::min(radius, distance);
    center += (farthest - center) / (i + 1);
  }
  return radius;
}

TEST(Sphere, Empty) {
  const Sphere none, some{Vec3(1, 2, 3), 4}, point{Vec3(1, 2, 3), 0};
  EXPECT_TRUE(none.empty());
  EXPECT_FALSE(point.empty());
  EXPECT_TRUE(Sphere::around(std::vector<Vec3>{}).empty());
  EXPECT_TRUE(Sphere::around(none, none).empty());
  for (const Sphere& sum : {Sphere::around(none, some), Sphere::around(some, none)}) {
    EXPECT_EQ(sum.center, some.center);
    EXPECT_EQ(sum.radius, some.radius);
  }
  EXPECT_FALSE(overlap(none, some));
  EXPECT_FALSE(overlap(some, none));
  EXPECT_FALSE(overlap(none, none));
  EXPECT_TRUE(overlap(point, point));
}

TEST(Sphere, OfOnePointAndOfTwo) {
  const Vec3 p(0.1, 0.2, 0.3), q(1.1, 0.2, 0.3);
  const Sphere one = Sphere::around(std::vector<Vec3>{p, p});
  expect_encloses(one, std::vector<Vec3>{p});
  EXPECT_LT(one.radius, 1e-15);
  const Sphere two = Sphere::around(std::vector<Vec3>{p, q});
  expect_encloses(two, std::vector<Vec3>{p, q});
  EXPECT_NEAR(two.radius, 0.5, 1e-14);
}

TEST(Sphere, TouchingSpheresOverlap) {
  EXPECT_TRUE(overlap({Vec3(0, 0, 0), 1}, {Vec3(3, 0, 0), 2}));
  EXPECT_FALSE(overlap({Vec3(0, 0, 0), 1}, {Vec3(3 + 1e-12, 0, 0), 2}));
  EXPECT_TRUE(overlap({Vec3(0, 0, 0), 5}, {Vec3(1, 0, 0), 1}));
}

TEST(Sphere, MergeOfNestedIsTheLarger) {
  const Sphere large{Vec3(1, 1, 1), 5}, small{Vec3(2, 1, 1), 3};
  for (const Sphere& sum : {Sphere::around(large, small), Sphere::around(small, large)}) {
    expect_encloses(sum, large);
    EXPECT_LT(sum.radius, 5 * (1 + 1e-14));
  }
}

TEST(SphereProperty, EnclosesItsPointsExactly) {
  each_case(10'000, [](Random& random) {
    Shapes shapes(random);
    const double scale = random.chance(0.2) ? random.magnitude(1e-75, 1e70) : 1;
    std::vector<Vec3> points;
    for (std::size_t n = 1 + random.below(5); n > 0; --n)
      for (const Vec3& p : shapes.triangle()) points.push_back(scale * p);
    expect_encloses(Sphere::around(points), points);
  });
}

TEST(SphereProperty, TriangleEnclosedBySmallest) {
  each_case(20'000, [](Random& random) {
    Shapes shapes(random);
    Triangle t = shapes.triangle();
    const double scale = random.chance(0.2) ? random.magnitude(1e-75, 1e70) : 1;
    double magnitude = 0;
    for (Vec3& p : t) magnitude = std::max(magnitude, (p *= scale).lpNorm<Eigen::Infinity>());
    const Sphere sphere = Sphere::around(t);
    expect_encloses(sphere, t);
    // The centre has the rounding of coordinates, and the radius has to make up for it.
    EXPECT_LE(sphere.radius, smallest_radius(t) * (1 + 1e-9) + 1e-15 * magnitude + 1e-290)
        << testing::show(t) << show(sphere);
  });
}

TEST(SphereProperty, NotMuchLargerThanTheSmallest) {
  double sum = 0, count = 0;
  each_case(100, [&](Random& random) {
    const bool ball = random.chance(0.5);
    const Vec3 stretch(1, std::abs(random.magnitude(0.1, 1)), std::abs(random.magnitude(0.1, 1)));
    std::vector<Vec3> points(4 + random.below(200));
    for (Vec3& p : points) {
      p = ball ? random_direction(random)
               : Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
      p = p.cwiseProduct(stretch);
    }
    const double ratio = Sphere::around(points).radius / nearly_smallest_radius(points);
    EXPECT_LT(ratio, 1.5) << testing::show(points);
    sum += ratio;
    count += 1;
  });
  EXPECT_LT(sum / count, 1.1);
}

Sphere random_sphere(Random& random, Shapes& shapes) {
  return {shapes.point(),
          random.chance(0.1) ? 0 : shapes.step().norm() * std::abs(random.magnitude(1e-12, 10))};
}
// Inside a, touching it from within or without, or anywhere.
Sphere sphere_near(Random& random, Shapes& shapes, const Sphere& a) {
  Sphere b = random_sphere(random, shapes);
  const Vec3 d = random_direction(random);
  switch (random.below(5)) {
    case 0:
      return {a.center, b.radius};
    case 1:
      return {testing::nudged(random, a.center), a.radius};
    case 2:
      return {a.center + (a.radius + b.radius) * d, b.radius};
    case 3:
      return {a.center + (a.radius - b.radius) * d, b.radius};
    default:
      return b;
  }
}

TEST(SphereProperty, MergeEnclosesBothAndIsSmall) {
  each_case(20'000, [](Random& random) {
    Shapes shapes(random);
    const Sphere a = random_sphere(random, shapes), b = sphere_near(random, shapes, a);
    const Sphere sum = Sphere::around(a, b);
    ASSERT_TRUE(sum.center.allFinite() && std::isfinite(sum.radius)) << show(a) << "\n" << show(b);
    expect_encloses(sum, a);
    expect_encloses(sum, b);
    const double apart = testing::root(squared_distance(a.center, b.center)).get_d();
    const double optimum = std::max({a.radius, b.radius, (apart + a.radius + b.radius) / 2});
    const double magnitude = a.center.norm() + b.center.norm() + optimum;
    EXPECT_LE(sum.radius, optimum + 0x1p-48 * magnitude + 1e-290) << sum.radius - optimum << show(a) << "\n"
                                                                  << show(b) << "\n"
                                                                  << show(sum);
  });
}

TEST(SphereProperty, ApartIsTrue) {
  each_case(20'000, [](Random& random) {
    Shapes shapes(random);
    const Sphere a = random_sphere(random, shapes), b = sphere_near(random, shapes, a);
    const bool found = overlap(a, b);
    EXPECT_EQ(found, overlap(b, a)) << show(a) << "\n" << show(b);
    const Rational apart2 = squared_distance(a.center, b.center), reach = exact(a.radius) + exact(b.radius);
    if (!found) {
      EXPECT_GT(apart2, squared(reach)) << show(a) << "\n" << show(b);
    } else {
      const double apart = testing::root(apart2).get_d();
      // 1e-150: squares of smaller numbers underflow.
      EXPECT_LE(apart - reach.get_d(), 1e-14 * apart + 1e-150) << show(a) << "\n" << show(b);
    }
  });
}

}  // namespace
}  // namespace palpate
