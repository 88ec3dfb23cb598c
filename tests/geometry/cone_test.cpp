// Cones of directions, measured in long double: never narrower than what they hold, and not much wider.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include <Eigen/Geometry>

#include <gtest/gtest.h>

#include <palpate/geometry/cone.h>
#include <support/cases.h>
#include <support/shapes.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;
using testing::random_direction;
using WideVec3 = Eigen::Matrix<long double, 3, 1>;

constexpr long double pi = std::numbers::pi_v<long double>;
constexpr long double wide_rounding = 1e-18L;  // of the measurements here

// By the half-angle formula on unit vectors: good to the last digits of long double for any angle.
long double measured_angle(const Vec3& a, const Vec3& b) {
  const auto unit = [](const Vec3& v) {
    const WideVec3 w = v.cast<long double>();
    return WideVec3(w / w.norm());
  };
  const WideVec3 u = unit(a), v = unit(b);
  return 2 * std::atan2((u - v).norm(), (u + v).norm());
}

std::string show(const Cone& cone) {
  char angle[40];
  std::snprintf(angle, sizeof angle, " angle %.17g", cone.angle);
  return testing::show(cone.axis) + angle;
}

void expect_valid(const Cone& cone) {
  ASSERT_FALSE(cone.empty()) << show(cone);
  ASSERT_LE(static_cast<long double>(cone.angle), pi + 1e-15L) << show(cone);
  ASSERT_NEAR(cone.axis.norm(), 1, 1e-15) << show(cone);
}
void expect_holds(const Cone& cone, const Vec3& direction) {
  ASSERT_TRUE(cone.contains(direction)) << show(cone) << testing::show(direction);
  if (cone.full()) return;
  ASSERT_LE(measured_angle(cone.axis, direction), static_cast<long double>(cone.angle) + wide_rounding)
      << show(cone) << testing::show(direction);
}
void expect_holds(const Cone& outer, const Cone& inner) {
  if (outer.full()) return;
  const long double needed = measured_angle(outer.axis, inner.axis) + static_cast<long double>(inner.angle);
  ASSERT_LE(needed, static_cast<long double>(outer.angle) + wide_rounding) << show(outer) << "\n"
                                                                           << show(inner);
}

double random_angle(Random& random) {
  switch (random.below(6)) {
    case 0:
      return 0;
    case 1:
      return std::abs(random.magnitude(1e-300, 1e-3));
    case 2:
      return std::numbers::pi;
    case 3:
      return std::numbers::pi - std::abs(random.magnitude(1e-15, 1e-3));
    default:
      return random.uniform(0, std::numbers::pi);
  }
}
// The same as, opposite to, nearly so, or unrelated to a direction.
Vec3 direction_near(Random& random, const Vec3& d) {
  const Vec3 aside = std::abs(random.magnitude(1e-17, 1e-2)) * random_direction(random);
  switch (random.below(6)) {
    case 0:
      return d;
    case 1:
      return -d;
    case 2:
      return d + aside;
    case 3:
      return -d + aside;
    default:
      return random_direction(random);
  }
}

TEST(Cone, EmptyAndFull) {
  const Cone none, ray = Cone::of(Vec3(0, 0, 2)), full = Cone::of(Vec3(1, 0, 0), std::numbers::pi);
  EXPECT_TRUE(none.empty());
  EXPECT_FALSE(none.full());
  EXPECT_FALSE(none.contains(Vec3::UnitZ()));
  EXPECT_FALSE(ray.empty());
  EXPECT_FALSE(ray.full());
  EXPECT_EQ(ray.axis, Vec3(0, 0, 1));
  EXPECT_TRUE(ray.contains(Vec3(0, 0, 1e-300)));
  EXPECT_FALSE(ray.contains(Vec3(0, 1e-9, 1)));
  EXPECT_TRUE(full.full());
  for (const Vec3& d : {Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(0, -3, 1e-300)}) EXPECT_TRUE(full.contains(d));
  EXPECT_TRUE(Cone::of(Vec3(1, 0, 0), -1).empty());
  EXPECT_TRUE(Cone::around(std::vector<Vec3>{}).empty());
  EXPECT_TRUE(Cone::around(none, none).empty());
  EXPECT_TRUE(Cone::around(full, ray).full());
  EXPECT_TRUE(Cone::around(ray, full).full());
  for (const Cone& sum : {Cone::around(none, ray), Cone::around(ray, none)}) {
    EXPECT_EQ(sum.axis, ray.axis);
    EXPECT_EQ(sum.angle, ray.angle);
  }
}

TEST(Cone, ZeroVectorsMakeItFull) {
  EXPECT_TRUE(Cone::around(std::vector<Vec3>{Vec3::Zero()}).full());
  EXPECT_TRUE(Cone::around(std::vector<Vec3>{Vec3(1, 0, 0), Vec3(0, 0, -0.0), Vec3(1, 1, 0)}).full());
  const Cone none = Cone::of(Vec3::Zero());
  EXPECT_TRUE(none.axis.allFinite());
  EXPECT_TRUE(none.full());
}

TEST(Cone, OppositeAxes) {
  for (const Vec3& d :
       {Vec3(1, 0, 0), Vec3(0, -1, 0), Vec3(0, 0, 1), Vec3(1, 2, 3), Vec3(-0.1, 1e-9, 1e-200)}) {
    const Cone sum = Cone::around(Cone::of(d), Cone::of(-d));
    expect_valid(sum);
    expect_holds(sum, d);
    expect_holds(sum, Vec3(-d));
    EXPECT_NEAR(sum.angle, std::numbers::pi / 2, 1e-6) << show(sum);
    const Cone around = Cone::around(std::vector<Vec3>{d, -d});
    expect_valid(around);
    expect_holds(around, d);
    expect_holds(around, Vec3(-d));
  }
}

TEST(Cone, AngleBetween) {
  EXPECT_EQ(angle_between(Vec3(1, 0, 0), Vec3(2, 0, 0)), 0);
  EXPECT_EQ(angle_between(Vec3::Zero(), Vec3(2, 0, 0)), 0);
  EXPECT_EQ(angle_between(Vec3(2, 0, 0), Vec3::Zero()), 0);
  EXPECT_NEAR(angle_between(Vec3(1, 0, 0), Vec3(-3, 0, 0)), std::numbers::pi, 1e-15);
  EXPECT_NEAR(angle_between(Vec3(1, 0, 0), Vec3(0, 0, 7)), std::numbers::pi / 2, 1e-15);
  EXPECT_NEAR(angle_between(Vec3(1, 0, 0), Vec3(1, 1e-12, 0)), 1e-12, 1e-26);
  EXPECT_NEAR(angle_between(Vec3(1, 0, 0), Vec3(-1, 1e-12, 0)), std::numbers::pi - 1e-12, 1e-15);
}

TEST(ConeProperty, AnglesOfDirectionsOfAnyLength) {
  each_case(50'000, [](Random& random) {
    Vec3 a = random_direction(random), b = direction_near(random, a);
    if (random.chance(0.3)) a *= std::abs(random.magnitude(1e-300, 1e300));
    if (random.chance(0.3)) b *= std::abs(random.magnitude(1e-300, 1e300));
    EXPECT_NEAR(angle_between(a, b), static_cast<double>(measured_angle(a, b)), 1e-15)
        << testing::show(a) << testing::show(b);
    EXPECT_EQ(angle_between(a, b), angle_between(b, a)) << testing::show(a) << testing::show(b);
  });
}

TEST(ConeProperty, MergeHoldsBothAndIsNotMuchWider) {
  each_case(50'000, [](Random& random) {
    const Vec3 d = random_direction(random);
    const Cone a = Cone::of(d, random_angle(random)),
               b = Cone::of(direction_near(random, d), random_angle(random));
    const Cone sum = Cone::around(a, b);
    expect_valid(sum);
    expect_holds(sum, a);
    expect_holds(sum, b);
    const long double apart = measured_angle(a.axis, b.axis), wa = static_cast<long double>(a.angle),
                      wb = static_cast<long double>(b.angle);
    const long double optimum = std::min(pi, std::max({wa, wb, (apart + wa + wb) / 2}));
    EXPECT_LE(static_cast<long double>(sum.angle), optimum + 1e-6L) << show(a) << "\n"
                                                                    << show(b) << "\n"
                                                                    << show(sum);
  });
}

// Merged again and again, a cone still holds the very first direction.
TEST(ConeProperty, ChainOfMerges) {
  each_case(500, [](Random& random) {
    const double spread = std::abs(random.magnitude(1e-16, 3));
    const Vec3 middle = random_direction(random);
    std::vector<Vec3> directions;
    std::vector<Cone> parts;
    Cone sum;
    for (int i = 0; i < 50; ++i) {
      directions.push_back(middle + spread * random_direction(random));
      parts.push_back(Cone::of(directions.back()));  // its axis is the direction, rounded
      sum = Cone::around(sum, parts.back());
      for (const Cone& part : parts) expect_holds(sum, part);
      for (const Vec3& d : directions) ASSERT_TRUE(sum.contains(d)) << show(sum) << testing::show(d);
    }
  });
}

TEST(ConeProperty, AroundDirectionsHoldsThemAll) {
  each_case(10'000, [](Random& random) {
    const Vec3 middle = random_direction(random);
    const double spread = random.chance(0.3) ? 2 : std::abs(random.magnitude(1e-17, 1));
    std::vector<Vec3> directions(1 + random.below(10));
    long double widest = 0;
    for (Vec3& d : directions) {
      d = middle + spread * random_direction(random);
      if (random.chance(0.05)) d = direction_near(random, middle);
      if (!(d.norm() > 0)) d = middle;
      widest = std::max(widest, measured_angle(middle, d));
      if (random.chance(0.3)) d *= std::abs(random.magnitude(1e-300, 1e300));
    }
    const Cone cone = Cone::around(directions);
    expect_valid(cone);
    for (const Vec3& d : directions) expect_holds(cone, d);
    // Any axis between the directions would do for this: twice what is needed, if that is less than a half
    // space.
    if (widest < 1) {
      EXPECT_LE(static_cast<long double>(cone.angle), 2 * widest + 1e-14L)
          << show(cone) << testing::show(directions);
    }
  });
}

// Inside is always seen; outside by more than rounding is seen too.
TEST(ConeProperty, ContainsOnItsBorder) {
  each_case(50'000, [](Random& random) {
    const Cone cone = Cone::of(random_direction(random), random_angle(random));
    const Vec3 aside = cone.axis.unitOrthogonal();
    const double angle = cone.angle + (random.chance(0.3) ? 0 : random.magnitude(1e-17, 1e-10));
    Vec3 d = std::cos(angle) * cone.axis + std::sin(angle) * aside;
    d *= std::abs(random.magnitude(1e-100, 1e100));
    const long double over = measured_angle(cone.axis, d) - static_cast<long double>(cone.angle);
    if (over <= 0) {
      EXPECT_TRUE(cone.contains(d)) << show(cone) << testing::show(d);
    }
    if (over > 3e-14L) {
      EXPECT_FALSE(cone.contains(d)) << show(cone) << testing::show(d);
    }
  });
}

TEST(ConeProperty, ZeroAmongDirectionsMakesItFull) {
  each_case(1'000, [](Random& random) {
    std::vector<Vec3> directions(1 + random.below(5));
    for (Vec3& d : directions) d = random_direction(random);
    directions[random.below(directions.size())] = Vec3::Zero();
    EXPECT_TRUE(Cone::around(directions).full()) << testing::show(directions);
  });
}

}  // namespace
}  // namespace palpate
