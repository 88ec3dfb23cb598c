// k-DOPs of every k: they enclose their points without rounding, and "apart" is a proof.
#include <vector>

#include <gtest/gtest.h>

#include <palpate/geometry/kdop.h>
#include <support/cases.h>
#include <support/exact_distance.h>
#include <support/shapes.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::exact;
using testing::Q3;
using testing::Random;
using testing::Rational;
using testing::Shapes;
using testing::show;

template <class Value>
class KdopOf : public ::testing::Test {};
using AllKinds = ::testing::Types<Kdop<6>, Kdop<14>, Kdop<18>, Kdop<26>>;
TYPED_TEST_SUITE(KdopOf, AllKinds);
template <class Value>
class KdopProperty : public ::testing::Test {};
TYPED_TEST_SUITE(KdopProperty, AllKinds);

Rational along(const detail::KdopDirection& d, const Q3& p) { return d.x * p.x + d.y * p.y + d.z * p.z; }

// Exactly, and by no more than a few units of the coordinates.
template <class Dop>
void expect_tight(const Dop& dop, const std::vector<Vec3>& points) {
  std::vector<Q3> exact_points;
  double magnitude = 0;
  for (const Vec3& p : points) {
    exact_points.push_back(exact(p));
    magnitude = std::max(magnitude, p.lpNorm<1>());
  }
  for (std::size_t i = 0; i < Dop::slabs; ++i) {
    Rational lo = along(Dop::directions[i], exact_points[0]), hi = lo;
    for (const Q3& p : exact_points) {
      const Rational value = along(Dop::directions[i], p);
      lo = std::min(lo, value);
      hi = std::max(hi, value);
    }
    // Infinite bounds hold everything; the rational of an infinity does not exist.
    ASSERT_TRUE(dop.lo[i] == -Dop::infinity || (std::isfinite(dop.lo[i]) && exact(dop.lo[i]) <= lo))
        << i << ": " << dop.lo[i] << show(points);
    ASSERT_TRUE(dop.hi[i] == Dop::infinity || (std::isfinite(dop.hi[i]) && exact(dop.hi[i]) >= hi))
        << i << ": " << dop.hi[i] << show(points);
    if (magnitude > 1e300) continue;
    const Rational slack = exact(magnitude) * exact(0x1p-50) + exact(5e-324);
    ASSERT_TRUE(exact(dop.lo[i]) >= lo - slack && exact(dop.hi[i]) <= hi + slack) << i << show(points);
  }
}

TYPED_TEST(KdopOf, Empty) {
  TypeParam none, some;
  EXPECT_TRUE(none.empty());
  some.add(Vec3(1, 2, 3));
  EXPECT_FALSE(some.empty());
  EXPECT_FALSE(none.overlaps(some));
  EXPECT_FALSE(some.overlaps(none));
  EXPECT_FALSE(none.overlaps(none));
  EXPECT_TRUE(TypeParam::around({}).empty());
  some.add(none);
  EXPECT_TRUE(some.overlaps(some));
}

TYPED_TEST(KdopOf, DirectionsAreDifferent) {
  for (std::size_t i = 0; i < TypeParam::slabs; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const auto &a = TypeParam::directions[i], &b = TypeParam::directions[j];
      const bool parallel = a.y * b.z == a.z * b.y && a.z * b.x == a.x * b.z && a.x * b.y == a.y * b.x;
      EXPECT_FALSE(parallel) << i << ' ' << j;
    }
}

// The largest numbers there are: sums overflow, points stay enclosed.
TYPED_TEST(KdopOf, HugeCoordinates) {
  for (const double x : {1e75, 5e307, 1.7e308})
    for (const double y : {x, -x, 1.0})
      for (const double z : {x, -x, 0.0}) {
        const std::vector<Vec3> points{Vec3(x, y, z), Vec3(-x, z, y)};
        expect_tight(TypeParam::around(points), points);
        expect_tight(TypeParam::around(std::span(points).first(1)), {points[0]});
        if (::testing::Test::HasFailure()) return;
      }
}

// A bevelled corner tells apart what boxes cannot.
TEST(Kdop, BevelsSeparate) {
  const std::vector<Vec3> a{Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}, b{Vec3(0.9, 0.9, 0.9)};
  EXPECT_TRUE(Kdop<6>::around(a).overlaps(Kdop<6>::around(b)));
  EXPECT_FALSE(Kdop<14>::around(a).overlaps(Kdop<14>::around(b)));
  EXPECT_FALSE(Kdop<18>::around(a).overlaps(Kdop<18>::around(b)));
  EXPECT_FALSE(Kdop<26>::around(a).overlaps(Kdop<26>::around(b)));
}

TYPED_TEST(KdopProperty, EnclosesExactly) {
  each_case(2'000, [](Random& random) {
    Shapes shapes(random);
    std::vector<Vec3> points(1 + random.below(6));
    const double scale = random.chance(0.2) ? random.magnitude(1e-320, 1e290) : 1;
    for (Vec3& p : points) p = shapes.point() * scale;
    const TypeParam dop = TypeParam::around(points);
    expect_tight(dop, points);
    // The same by parts.
    TypeParam sum, part;
    for (std::size_t i = 0; i < points.size(); ++i) (i % 2 ? sum : part).add(points[i]);
    sum.add(part);
    EXPECT_EQ(sum.lo, dop.lo) << show(points);
    EXPECT_EQ(sum.hi, dop.hi) << show(points);
  });
}

// Triangles that exactly intersect are never apart; those that overlap in every slab by a margin overlap.
TYPED_TEST(KdopProperty, ApartIsTrue) {
  each_case(2'000, [](Random& random) {
    Shapes shapes(random);
    const Triangle a = shapes.triangle(), b = shapes.triangle_near(a);
    const bool overlap = TypeParam::around(a).overlaps(TypeParam::around(b));
    EXPECT_EQ(overlap, TypeParam::around(b).overlaps(TypeParam::around(a)));
    if (!overlap) {
      EXPECT_GT(sgn(testing::exact_distance2(a, b)), 0) << show(a) << "\n" << show(b);
    }
  });
}

}  // namespace
}  // namespace palpate
