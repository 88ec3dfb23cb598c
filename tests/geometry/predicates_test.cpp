// The signs of orient2d and orient3d against rationals, where floating point has least to say.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include <palpate/geometry/predicates.h>
#include <support/cases.h>
#include <support/rational.h>
#include <support/shapes.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::nudged;
using testing::Random;
using testing::Shapes;
using testing::show;

template <std::size_t n>
int parity(const std::array<std::size_t, n>& order) {
  int sign = 1;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (order[j] > order[i]) sign = -sign;
  return sign;
}

std::string show(const Vec2& p) { return show(Vec3(p.x(), p.y(), 0)); }

void expect_right_2d(const std::array<Vec2, 3>& p) {
  const int sign = testing::orient2d_sign(p[0], p[1], p[2]);
  std::array<std::size_t, 3> order{0, 1, 2};
  do {
    ASSERT_EQ(orient2d(p[order[0]], p[order[1]], p[order[2]]), parity(order) * sign)
        << show(p[order[0]]) << show(p[order[1]]) << show(p[order[2]]);
  } while (std::next_permutation(order.begin(), order.end()));
}

void expect_right_3d(const std::array<Vec3, 4>& p) {
  const int sign = testing::orient3d_sign(p[0], p[1], p[2], p[3]);
  std::array<std::size_t, 4> order{0, 1, 2, 3};
  do {
    ASSERT_EQ(orient3d(p[order[0]], p[order[1]], p[order[2]], p[order[3]]), parity(order) * sign)
        << show(std::array{p[order[0]], p[order[1]], p[order[2]], p[order[3]]});
  } while (std::next_permutation(order.begin(), order.end()));
}

// Any finite double, all exponents alike.
double any_double(Random& random) {
  for (;;) {
    const double x = std::bit_cast<double>(random.bits());
    if (std::isfinite(x)) return x;
  }
}

// A few exponents, so that terms of very different size meet.
double extreme(Random& random) {
  constexpr double sizes[] = {0,     5e-324, 3e-310, 2.3e-308, 1e-300, 1e-160,
                              1e-20, 1,      1e20,   1e150,    1e300,  1.7e308};
  const double size = sizes[random.below(std::size(sizes))];
  const double sign = random.chance(0.5) ? 1 : -1;
  return sign * (random.chance(0.5) ? size : size * random.uniform(0.5, 1));
}

TEST(Predicates, TurnOfThreePoints) {
  EXPECT_EQ(orient2d({0, 0}, {1, 0}, {0, 1}), 1);
  EXPECT_EQ(orient2d({0, 0}, {0, 1}, {1, 0}), -1);
  EXPECT_EQ(orient2d({0, 0}, {1, 1}, {2, 2}), 0);
  EXPECT_EQ(orient2d({0.1, 0.1}, {0.1, 0.1}, {0.7, 0.3}), 0);
}

TEST(Predicates, SideOfAPlane) {
  const Vec3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0);
  EXPECT_EQ(orient3d(a, b, c, {0.3, 0.3, 1}), 1);
  EXPECT_EQ(orient3d(a, b, c, {0.3, 0.3, -1}), -1);
  EXPECT_EQ(orient3d(a, b, c, {7, -3, 0}), 0);
  EXPECT_EQ(orient3d(a, b, c, {7, -3, 5e-324}), 1);
  EXPECT_EQ(orient3d(a, b, c, {7, -3, -5e-324}), -1);
}

// The classic picture: a patch of next-neighbour doubles around a point of the line, on which plain
// arithmetic draws blocks and stripes.
TEST(Predicates, NeighboursOfALine) {
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 64; ++j) {
      const Vec2 p(nudged(0.5, i), nudged(0.5, j));
      ASSERT_EQ(orient2d(p, {12, 12}, {24, 24}), i == j ? 0 : (i < j ? 1 : -1)) << i << ' ' << j;
    }
}

TEST(Predicates, OverflowOfDifferences) {
  const double huge = 1.7e308;
  EXPECT_EQ(orient2d({-huge, -huge}, {huge, -huge}, {huge, huge}), 1);
  EXPECT_EQ(orient2d({-huge, -huge}, {huge, huge}, {huge, -huge}), -1);
  EXPECT_EQ(orient2d({-huge, -huge}, {huge, huge}, {0, 0}), 0);
  EXPECT_EQ(orient2d({-huge, -huge}, {huge, huge}, {0, 5e-324}), 1);
  EXPECT_EQ(orient3d({-huge, -huge, 0}, {huge, -huge, 0}, {huge, huge, 0}, {0, 0, 5e-324}), 1);
  EXPECT_EQ(orient3d({-huge, -huge, -huge}, {huge, -huge, -huge}, {-huge, huge, -huge}, {0, 0, huge}), 1);
  EXPECT_EQ(orient3d({-huge, -huge, -huge}, {huge, huge, huge}, {0, 0, 0}, {1, 2, 3}), 0);
}

TEST(Predicates, UnderflowOfProducts) {
  const double tiny = 5e-324;
  EXPECT_EQ(orient2d({0, 0}, {tiny, 0}, {0, tiny}), 1);
  EXPECT_EQ(orient2d({tiny, tiny}, {-tiny, -tiny}, {0, 0}), 0);
  EXPECT_EQ(orient3d({0, 0, 0}, {tiny, 0, 0}, {0, tiny, 0}, {0, 0, tiny}), 1);
  EXPECT_EQ(orient3d({0, 0, 0}, {tiny, 0, 0}, {0, tiny, 0}, {0, 0, -tiny}), -1);
  EXPECT_EQ(orient3d({0, 0, 0}, {1e300, 0, 0}, {0, 1e-300, 0}, {0, 0, tiny}), 1);
}

// Every four of six points whose differences and products leave the range of double in both directions.
TEST(Predicates, BothEndsOfTheRange) {
  const std::array<Vec3, 6> p{
      Vec3(-1e-160, 1.7e308, -1e-300), Vec3(5e-324, 0, -1e-300),
      Vec3(1e-160, -1e160, 1),         Vec3(-1e-160, -7.4682772316576863e-301, -1e300),
      Vec3(1e-300, 1e-160, 5e-324),    Vec3(1e-160, -1e-300, -1e-160)};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < i; ++j)
      for (std::size_t k = 0; k < j; ++k)
        for (std::size_t l = 0; l < k; ++l) expect_right_3d({p[i], p[j], p[k], p[l]});
}

TEST(Predicates, NotFiniteGivesZero) {
  const double bad[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                        -std::numeric_limits<double>::infinity()};
  for (const double x : bad)
    for (int i = 0; i < 12; ++i) {
      std::array<Vec3, 4> p{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0.2, 0.3, 1)};
      p[static_cast<std::size_t>(i / 3)][i % 3] = x;
      EXPECT_EQ(orient3d(p[0], p[1], p[2], p[3]), 0) << x << " at " << i;
      if (i >= 6) continue;
      std::array<Vec2, 3> q{Vec2(0, 0), Vec2(1, 0), Vec2(0, 1)};
      q[static_cast<std::size_t>(i / 2)][i % 2] = x;
      EXPECT_EQ(orient2d(q[0], q[1], q[2]), 0) << x << " at " << i;
    }
}

TEST(PredicatesProperty, Orient2dNearALine) {
  each_case(20'000, [](Random& random) {
    Shapes shapes(random);
    const Vec3 a = shapes.point(), b = shapes.point();
    const Vec3 c = a + random.uniform(-2, 3) * (b - a);
    std::array<Vec2, 3> p{a.head<2>(), b.head<2>(), c.head<2>()};
    for (Vec2& q : p)
      for (double& x : q) x = nudged(x, static_cast<int>(random.below(7)) - 3);
    expect_right_2d(p);
    p[2] = shapes.point_near(Segment{a, b}).head<2>();
    expect_right_2d({Vec2(a.head<2>()), Vec2(b.head<2>()), p[2]});
  });
}

TEST(PredicatesProperty, Orient3dNearAPlane) {
  each_case(10'000, [](Random& random) {
    Shapes shapes(random);
    const Triangle t = shapes.triangle();
    std::array<Vec3, 4> p{t[0], t[1], t[2], shapes.point_near(t)};
    expect_right_3d(p);
    p[3] = t[0] + random.uniform(-2, 3) * (t[1] - t[0]) + random.uniform(-2, 3) * (t[2] - t[0]);
    for (Vec3& q : p) q = nudged(random, q);
    expect_right_3d(p);
  });
}

// Exactly degenerate with full mantissas: integers below 2^20 times a common scale make exact sums.
TEST(PredicatesProperty, ExactlyDegenerate) {
  each_case(10'000, [](Random& random) {
    const auto integer = [&](double most) { return std::floor(random.uniform(-most, most)); };
    const double scale = std::ldexp(1.0, static_cast<int>(random.below(1500)) - 1000);
    const auto vector = [&] { return Vec3(integer(0x1p20), integer(0x1p20), integer(0x1p20)); };
    const Vec3 a = vector(), u = vector(), v = vector();
    const Vec3 d = a + integer(1000) * u + integer(1000) * v;
    const std::array<Vec3, 4> p{a * scale, (a + u) * scale, (a + v) * scale, d * scale};
    ASSERT_EQ(orient3d(p[0], p[1], p[2], p[3]), 0) << show(p);
    const Vec3 c = a + integer(1000) * u;
    ASSERT_EQ(orient2d(p[0].head<2>(), p[1].head<2>(), Vec2(c.head<2>() * scale)), 0) << show(p);
    std::array<Vec3, 4> moved = p;
    double& x = moved[random.below(4)][static_cast<Eigen::Index>(random.below(3))];
    x = nudged(x, random.chance(0.5) ? 1 : -1);
    expect_right_3d(moved);
  });
}

TEST(PredicatesProperty, ExtremeExponents) {
  each_case(4'000, [](Random& random) {
    const bool any = random.chance(0.3);
    std::array<Vec3, 4> p;
    for (Vec3& q : p)
      for (double& x : q) x = any ? any_double(random) : extreme(random);
    if (random.chance(0.3)) p[3] = p[random.below(3)];
    if (random.chance(0.3)) p[2] = -p[1];
    expect_right_3d(p);
    expect_right_2d({Vec2(p[0].head<2>()), Vec2(p[1].head<2>()), Vec2(p[2].head<2>())});
  });
}

// One scale per case, from denormals to the largest numbers: the determinant itself under- or overflows.
TEST(PredicatesProperty, OneScale) {
  each_case(4'000, [](Random& random) {
    const double scale = std::abs(random.magnitude(1e-322, 1e308));
    std::array<Vec3, 4> p;
    for (Vec3& q : p)
      for (double& x : q) x = scale * random.uniform(-1, 1);
    if (random.chance(0.7)) p[3] = nudged(random, p[0] / 2 + p[1] / 4 + p[2] / 4);
    expect_right_3d(p);
    const Vec2 c = (p[0] / 2 + p[1] / 2).head<2>();
    expect_right_2d({Vec2(p[0].head<2>()), Vec2(p[1].head<2>()), c});
  });
}

}  // namespace
}  // namespace palpate
