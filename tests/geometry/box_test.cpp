// Boxes: what is rounded is rounded outward, and by no more than one number. Checked with rationals and with
// the neighbours of each bound.
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/geometry/box.h>
#include <palpate/geometry/rounding.h>
#include <support/cases.h>
#include <support/rational.h>
#include <support/shapes.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::exact;
using testing::nudged;
using testing::Random;
using testing::Rational;
using testing::Shapes;
using testing::show;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr float infinity_f = std::numeric_limits<float>::infinity();
constexpr double float_max = std::numeric_limits<float>::max();

// value <= bound in exact arithmetic, where the bound may be infinite.
template <class Real>
bool at_most(const Rational& value, Real bound) {
  if (std::isinf(bound)) return bound > 0;
  return value <= exact(static_cast<double>(bound));
}
template <class Real>
bool at_least(const Rational& value, Real bound) {
  return at_most(Rational(-value), -bound);
}

// The float is the largest not above the value: it holds, and the next one does not.
void expect_tight_below(float bound, const Rational& value) {
  EXPECT_TRUE(at_least(value, bound)) << bound << " is above " << value.get_d();
  EXPECT_FALSE(at_least(value, std::nextafter(bound, infinity_f)))
      << bound << " is not the nearest to " << value.get_d();
}
void expect_tight_above(float bound, const Rational& value) { expect_tight_below(-bound, -value); }

void expect_rounded_outward(const Box& box, const Vec3& origin) {
  const Boxf rounded = round_outward(box, origin);
  for (int i = 0; i < 3; ++i) {
    expect_tight_below(rounded.lo[i], exact(box.lo[i]) - exact(origin[i]));
    expect_tight_above(rounded.hi[i], exact(box.hi[i]) - exact(origin[i]));
  }
  if (::testing::Test::HasFailure()) ADD_FAILURE() << show(box.lo) << show(box.hi) << show(origin);
}

Box box_of(const Vec3& a, const Vec3& b) {
  Box box;
  box.add(a);
  box.add(b);
  return box;
}

TEST(Box, Empty) {
  const Box none, some{Vec3(-1, -1, -1), Vec3(1, 1, 1)},
      everything{Vec3::Constant(-1e308), Vec3::Constant(1e308)};
  EXPECT_TRUE(none.empty());
  EXPECT_FALSE(none.overlaps(none));
  EXPECT_FALSE(none.overlaps(everything));
  EXPECT_FALSE(everything.overlaps(none));
  EXPECT_TRUE(some.contains(none));
  EXPECT_TRUE(none.contains(none));
  EXPECT_FALSE(none.contains(Vec3(0, 0, 0)));
  EXPECT_EQ(none.size(), Vec3(0, 0, 0));
  EXPECT_EQ(squared_distance(none, some), infinity);
  EXPECT_EQ(squared_distance(some, none), infinity);
  EXPECT_EQ(squared_distance(none, none), infinity);
  Box sum = some;
  sum.add(none);
  EXPECT_EQ(sum.lo, some.lo);
  EXPECT_EQ(sum.hi, some.hi);
  EXPECT_TRUE(grown(none, 1).empty());
  EXPECT_FALSE(grown(none, 1e308).overlaps(everything));
  const Boxf rounded = round_outward(none, Vec3(1, 2, 3));
  EXPECT_TRUE(rounded.empty());
  EXPECT_FALSE(rounded.overlaps(round_outward(some)));
}

// Beyond the largest float a bound is infinite; it still has nothing in common with nothing.
TEST(Box, EmptyAndInfiniteDoNotOverlap) {
  const Boxf none = round_outward(Box{}),
             everything = round_outward({Vec3::Constant(-1e308), Vec3::Constant(1e308)});
  EXPECT_TRUE(everything.overlaps(everything));
  EXPECT_FALSE(none.overlaps(everything));
  EXPECT_FALSE(everything.overlaps(none));
}

TEST(Box, TouchingOverlaps) {
  const Box a{Vec3(0, 0, 0), Vec3(1, 1, 1)};
  EXPECT_TRUE(a.overlaps({Vec3(1, 1, 1), Vec3(2, 2, 2)}));
  EXPECT_FALSE(a.overlaps({Vec3(next_above(1.0), 0, 0), Vec3(2, 2, 2)}));
  EXPECT_TRUE(a.contains(Vec3(1, 0, 1)));
  EXPECT_FALSE(a.contains(Vec3(1, -5e-324, 1)));
  EXPECT_TRUE(a.contains(a));
  EXPECT_FALSE(a.contains(Box{Vec3(0, 0, 0), Vec3(1, 1, next_above(1.0))}));
  EXPECT_EQ(a.center(), Vec3(0.5, 0.5, 0.5));
  EXPECT_EQ(Box({Vec3::Constant(1.7e308), Vec3::Constant(1.7e308)}).center(), Vec3(Vec3::Constant(1.7e308)));
}

TEST(Box, GrownBothWays) {
  const Box a{Vec3(0, 0, 0), Vec3(1, 2, 3)};
  EXPECT_EQ(grown(a, 0.5).lo, Vec3(-0.5, -0.5, -0.5));
  EXPECT_EQ(grown(a, 0.5).hi, Vec3(1.5, 2.5, 3.5));
  EXPECT_EQ(grown(a, -0.25).lo, Vec3(0.25, 0.25, 0.25));
  EXPECT_EQ(grown(a, 0).hi, a.hi);
  EXPECT_TRUE(grown(a, 1e-30).lo.x() < 0);
  EXPECT_TRUE(grown(a, 1e-30).hi.x() > 1);
  EXPECT_TRUE(grown(a, 1.7e308).contains(a));
}

// A box that shrank away is empty in every respect, not a box turned inside out.
TEST(Box, CannotBeGrownByNaN) {
  EXPECT_THROW(grown(Box{Vec3(0, 0, 0), Vec3(1, 1, 1)}, std::numeric_limits<double>::quiet_NaN()), Error);
}

TEST(Box, ShrunkAwayOverlapsNothing) {
  const Box a{Vec3(0, 0, 0), Vec3(1, 2, 3)}, large{Vec3(-9, -9, -9), Vec3(9, 9, 9)};
  const Box gone = grown(a, -0.75);
  EXPECT_TRUE(gone.empty());
  EXPECT_FALSE(gone.overlaps(large));
  EXPECT_FALSE(large.overlaps(gone));
  EXPECT_EQ(squared_distance(gone, large), infinity);
  EXPECT_TRUE(round_outward(gone).empty());
  EXPECT_FALSE(round_outward(gone).overlaps(round_outward(large)));
  EXPECT_TRUE(grown(gone, 0.5).empty());
}

TEST(Box, RoundOutwardAtTheEndsOfFloat) {
  const float denormal = std::numeric_limits<float>::denorm_min();
  const double values[] = {0.0,
                           -0.0,
                           5e-324,
                           1e-300,
                           denormal,
                           denormal * 0.5,
                           denormal * 1.5,
                           1.1754943508222875e-38,
                           0.1,
                           16777217,
                           float_max,
                           nudged(float_max, 1),
                           nudged(float_max, -1),
                           3.5e38,
                           1e300,
                           1.7e308};
  for (const double x : values)
    for (const double y : values) {
      expect_rounded_outward(box_of(Vec3(x, -x, x), Vec3(y, -y, -y)), Vec3::Zero());
      expect_rounded_outward(box_of(Vec3(x, -x, x), Vec3(y, -y, -y)), Vec3(y, 0.1, -x));
    }
  const Boxf far = round_outward({Vec3::Constant(1e300), Vec3::Constant(1e300)});
  EXPECT_EQ(far.lo.x(), static_cast<float>(float_max));
  EXPECT_EQ(far.hi.x(), infinity_f);
}

TEST(Box, DistanceOfBoxes) {
  const Box a{Vec3(0, 0, 0), Vec3(1, 1, 1)};
  EXPECT_EQ(squared_distance(a, a), 0);
  EXPECT_EQ(squared_distance(a, {Vec3(1, 1, 1), Vec3(2, 2, 2)}), 0);
  EXPECT_EQ(squared_distance(a, {Vec3(3, 0.5, 0), Vec3(4, 9, 1)}), 4);
  EXPECT_EQ(squared_distance(a, {Vec3(-5, -5, -5), Vec3(-1, -2, -3)}), 14);
}

TEST(Box, BoundsAreTheSameForAnyThreadCount) {
  for (const std::size_t n : {0u, 1u, 2u, 1000u, 5000u, 100'000u, 300'001u}) {
    Random random(n);
    std::vector<Vec3> points(n);
    Box expected;
    for (Vec3& p : points) {
      p = Vec3(random.uniform(-1, 1), random.magnitude(1e-9, 1e9), std::floor(random.uniform(-2, 2)));
      expected.lo = expected.lo.cwiseMin(p);
      expected.hi = expected.hi.cwiseMax(p);
    }
    for (const int threads : {1, 2, 4})
      Threads(threads).run([&] {
        const Box box = bounds(points);
        EXPECT_EQ(box.lo, expected.lo) << n << " points, " << threads << " threads";
        EXPECT_EQ(box.hi, expected.hi) << n << " points, " << threads << " threads";
        EXPECT_EQ(box.empty(), n == 0);
      });
  }
}

TEST(Rounding, NeighboursAndSides) {
  EXPECT_EQ(next_above(0.0), 5e-324);
  EXPECT_EQ(next_above(-0.0), 5e-324);
  EXPECT_EQ(next_below(0.0f), -std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(next_above(std::numeric_limits<double>::max()), infinity);
  EXPECT_EQ(next_above(infinity), infinity);
  EXPECT_EQ(next_above(-infinity), std::numeric_limits<double>::lowest());
  EXPECT_TRUE(std::isnan(next_above(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_EQ(float_below(1e300), static_cast<float>(float_max));
  EXPECT_EQ(float_above(1e300), infinity_f);
  EXPECT_EQ(float_below(-1e300), -infinity_f);
}

TEST(RoundingProperty, NeighboursAreThoseOfTheStandardLibrary) {
  each_case(100'000, [](Random& random) {
    const double x = std::bit_cast<double>(random.bits());
    const float y = std::bit_cast<float>(static_cast<std::uint32_t>(random.bits()));
    if (std::isfinite(x)) {
      ASSERT_EQ(next_above(x), std::nextafter(x, infinity)) << x;
      ASSERT_EQ(next_below(x), std::nextafter(x, -infinity)) << x;
    }
    if (std::isfinite(y)) {
      ASSERT_EQ(next_above(y), std::nextafter(y, infinity_f)) << y;
      ASSERT_EQ(next_below(y), std::nextafter(y, -infinity_f)) << y;
    }
  });
}

// The sum rounded to a side is on that side of the exact one, and the next number is not.
TEST(RoundingProperty, SumsRoundedToASide) {
  each_case(20'000, [](Random& random) {
    const auto number = [&] {
      if (random.chance(0.2)) return random.magnitude(1e-323, 1.7e308);
      return random.chance(0.5) ? random.magnitude(1e-3, 1e3) : std::ldexp(random.uniform(-1, 1), 1024);
    };
    const double a = number(), b = number();
    const Rational sum = exact(a) + exact(b);
    const double below = add_below(a, b), above = add_above(a, b);
    EXPECT_TRUE(at_least(sum, below) && !at_least(sum, next_above(below))) << show(Vec3(a, b, below));
    EXPECT_TRUE(at_most(sum, above) && !at_most(sum, next_below(above))) << show(Vec3(a, b, above));
  });
}

TEST(BoxProperty, RoundOutwardIsTheSmallestFloatBox) {
  each_case(20'000, [](Random& random) {
    Shapes shapes(random);
    Vec3 p = shapes.point(), q = shapes.point(), origin = shapes.point();
    if (random.chance(0.3)) p = nudged(random, p.cast<float>().cast<double>());  // next to a float
    if (random.chance(0.3)) origin = nudged(random, p);
    if (random.chance(0.2)) q *= random.magnitude(1e-60, 1e60);  // to the ends of float and beyond
    if (random.chance(0.1)) p *= random.magnitude(1e-60, 1e300);
    expect_rounded_outward(box_of(p, q), origin);
    expect_rounded_outward(box_of(p, q), Vec3::Zero());
  });
}

// A margin that is not a sum of doubles must still be there in full.
TEST(BoxProperty, GrownHoldsTheExactMargin) {
  each_case(20'000, [](Random& random) {
    Shapes shapes(random);
    const Box box = box_of(shapes.point(), shapes.point());
    const double margin = random.magnitude(1e-18, 1e3);
    const Box result = grown(box, margin);
    if (result.empty()) {
      ASSERT_LT(margin, 0);
      const Rational narrowest = exact(box.size().minCoeff()) + 2 * exact(margin);
      ASSERT_LE(narrowest.get_d(), 1e-15 * box.size().minCoeff()) << show(box.lo) << show(box.hi) << margin;
      return;
    }
    for (int i = 0; i < 3; ++i) {
      const Rational lo = exact(box.lo[i]) - exact(margin), hi = exact(box.hi[i]) + exact(margin);
      EXPECT_TRUE(at_least(lo, result.lo[i])) << show(box.lo) << margin;
      EXPECT_TRUE(at_most(hi, result.hi[i])) << show(box.hi) << margin;
      EXPECT_FALSE(at_least(lo, nudged(result.lo[i], 2)))
          << show(box.lo) << margin;  // and no more than needed
      EXPECT_FALSE(at_most(hi, nudged(result.hi[i], -2))) << show(box.hi) << margin;
    }
  });
}

TEST(BoxProperty, DistanceAgreesWithRationals) {
  each_case(20'000, [](Random& random) {
    Shapes shapes(random);
    const Box a = box_of(shapes.point(), shapes.point()), b = box_of(shapes.point(), shapes.point());
    Rational expected = 0;
    for (int i = 0; i < 3; ++i) {
      Rational gap =
          std::max(Rational(exact(a.lo[i]) - exact(b.hi[i])), Rational(exact(b.lo[i]) - exact(a.hi[i])));
      if (sgn(gap) > 0) expected += gap * gap;
    }
    const double found = squared_distance(a, b);
    EXPECT_NEAR(found, expected.get_d(), 1e-15 * expected.get_d())
        << show(a.lo) << show(a.hi) << show(b.lo) << show(b.hi);
    EXPECT_EQ(found == 0, a.overlaps(b)) << show(a.lo) << show(a.hi) << show(b.lo) << show(b.hi);
    EXPECT_EQ(found, squared_distance(b, a)) << show(a.lo) << show(a.hi) << show(b.lo) << show(b.hi);
  });
}

}  // namespace
}  // namespace palpate
