// Rays and triangles against exact arithmetic, most of them degenerate in some way.
#include <palpate/geometry/ray.h>

#include <cmath>

#include <support/cases.h>
#include <support/exact_distance.h>
#include <support/shapes.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;
using testing::Shapes;

// The part of a ray up to `end` directions, exactly, and a triangle.
testing::IntegerPoints up_to(const Ray& ray, const testing::Rational& end, const Triangle& t) {
  const testing::Q3 o = testing::exact(ray.origin), d = testing::exact(ray.direction);
  return testing::to_integers(std::vector<testing::Q3>{o, o + end * d, testing::exact(t[0]),
                                                       testing::exact(t[1]), testing::exact(t[2])});
}
testing::Rational squared_gap(const Ray& ray, const testing::Rational& end, const Triangle& t) {
  const testing::IntegerPoints z = up_to(ray, end, t);
  return z.squared_length(testing::grid::segment_triangle(z[0], z[1], z[2], z[3], z[4]));
}

double reach(const Ray& ray, const Triangle& t) {
  double most = 0;
  for (const Vec3& p : t) most = std::max(most, (p - ray.origin).norm());
  return most;
}

// Longer than the way to any corner.
testing::Rational beyond(const Ray& ray, const Triangle& t) {
  const double steps = reach(ray, t) / ray.direction.cwiseAbs().maxCoeff();
  return testing::exact(std::exp2(std::ceil(std::log2(std::max(steps, 1e-300))) + 2));
}

Ray random_ray(Shapes& shapes, const Triangle& t) {
  const Segment s = shapes.segment_near(t);
  Ray ray{s[0], s[1] - s[0]};
  if (shapes.random().chance(0.3)) ray.origin = shapes.point_near(t);
  if (shapes.random().chance(0.3)) ray.direction = t[shapes.random().below(3)] - ray.origin;
  if (shapes.random().chance(0.2)) ray.direction = shapes.step();
  while (!(ray.direction.cwiseAbs().maxCoeff() > 1e-75)) ray.direction = shapes.step();
  return ray;
}

bool near_underflow(const Ray& ray, const Triangle& t) {
  for (const Vec3& v : {ray.origin, ray.direction, t[0], t[1], t[2]})
    for (const double x : v)
      if (x != 0 && std::abs(x) < 1e-90) return true;
  return false;
}

TEST(RayProperty, MeetsATriangleExactlyWhenItDoes) {
  std::size_t hits = 0, along = 0;
  const std::size_t cases = each_case(20'000, [&](Random& random) {
    Shapes shapes(random);
    const Triangle t = shapes.triangle();
    const Ray ray = random_ray(shapes, t);
    const std::optional<RayTriangle> found = first_common_point(ray, t);
    ASSERT_EQ(found.has_value(), squared_gap(ray, beyond(ray, t), t) == 0)
        << testing::show(t) << ' ' << testing::show(ray.origin) << ' ' << testing::show(ray.direction);
    if (!found) return;
    ++hits;
    along += found->side == 0;
    const double size = reach(ray, t), tolerance = 1e-14 * size;
    // On both, not before and not later.
    const Vec3 there = found->at * ray.direction;
    Vec3 offset = Vec3::Zero();
    for (int k = 0; k < 3; ++k) {
      ASSERT_GE(found->weights[k], 0);
      offset += found->weights[k] * (t[static_cast<std::size_t>(k)] - ray.origin);
    }
    ASSERT_NEAR(found->weights.sum(), 1, 1e-14);
    ASSERT_LE((there - offset).norm(), tolerance)
        << testing::show(t) << ' ' << testing::show(ray.origin) << ' ' << testing::show(ray.direction) << ' '
        << found->at << ' ' << testing::show(found->weights) << found->side;
    if (near_underflow(ray, t)) return;
    const double slack = 1e-13 * (found->at + size / ray.direction.norm());
    ASSERT_EQ(squared_gap(ray, testing::exact(found->at + slack), t), 0)
        << testing::show(t) << testing::show(ray.origin) << testing::show(ray.direction) << found->at << " "
        << found->side << testing::show(found->weights);
    if (found->at > slack) {
      ASSERT_GT(squared_gap(ray, testing::exact(found->at - slack), t), 0);
    }
    ASSERT_GE(found->at, 0);
  });
  EXPECT_GE(20 * hits, 3 * cases);
  EXPECT_GE(40 * along, cases);
}

TEST(RayProperty, SidesOfEdgesAreExact) {
  each_case(20'000, [](Random& random) {
    Shapes shapes(random);
    const Triangle t = shapes.triangle();
    Ray ray = random_ray(shapes, t);
    if (random.chance(0.1)) ray.direction *= 1e-120;
    const testing::Q3 o = testing::exact(ray.origin);
    const testing::Rational exact =
        dot(testing::exact(ray.direction),
            cross<testing::Rational>(testing::exact(t[0]) - o, testing::exact(t[1]) - o));
    ASSERT_EQ(side_of_ray(ray, t[0], t[1]), sgn(exact));
    ASSERT_EQ(side_of_ray(ray, t[1], t[0]), -sgn(exact));
  });
}

TEST(Ray, SaysFromWhichSide) {
  const Triangle t{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  const auto down = first_common_point({Vec3(0.25, 0.25, 2), Vec3(0, 0, -4)}, t);
  ASSERT_TRUE(down);
  EXPECT_EQ(down->side, 1);
  EXPECT_EQ(down->at, 0.5);
  EXPECT_EQ(down->weights, Vec3(0.5, 0.25, 0.25));
  const auto up = first_common_point({Vec3(0.25, 0.25, -2), Vec3(0, 0, 1)}, t);
  ASSERT_TRUE(up);
  EXPECT_EQ(up->side, -1);
  EXPECT_FALSE(first_common_point({Vec3(0.25, 0.25, 2), Vec3(0, 0, 1)}, t));
  const auto along = first_common_point({Vec3(-1, 0.25, 0), Vec3(1, 0, 0)}, t);
  ASSERT_TRUE(along);
  EXPECT_EQ(along->side, 0);
  EXPECT_EQ(along->at, 1);
  const auto inside = first_common_point({Vec3(0.25, 0.25, 0), Vec3(1, 0, 0)}, t);
  ASSERT_TRUE(inside);
  EXPECT_EQ(inside->at, 0);
}

TEST(Ray, ExtremeSizes) {
  for (const double size : {1e-70, 1e-40, 1.0, 1e40, 1e70}) {
    const Triangle t{Vec3(0, 0, size), Vec3(size, 0, size), Vec3(0, size, size)};
    for (const double length : {1e-60, 1.0, 1e60}) {
      const auto found = first_common_point({Vec3(size / 4, size / 4, 0), Vec3(0, 0, length)}, t);
      ASSERT_TRUE(found);
      EXPECT_NEAR(found->at * length / size, 1, 1e-15);
      EXPECT_NEAR(found->weights[1], 0.25, 1e-15);
    }
  }
}

}  // namespace
}  // namespace palpate
