// Pieces turned as a whole, against a search over turns.
#include <palpate/solve/pieces.h>

#include <algorithm>

#include <Eigen/Geometry>

#include <solve/term_checks.h>
#include <support/cases.h>
#include <support/shapes.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

double off(const Equations& equations, std::span<const Vec3> x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += equations.masses[i] * (x[i] - equations.targets[i]).squaredNorm();
  return sum;
}
Mat3 turn_about(const Vec3& axis, double angle) { return Eigen::AngleAxisd(angle, axis).toRotationMatrix(); }

struct Case {
  Equations equations;
  std::vector<MetricEntry> entries;
  std::vector<Vec3> x;
};
// Two pieces, each a chain of nodes; of the first so many nodes are held, all on a line (or at one place).
Case two_pieces(Random& random, std::size_t held, bool at_one_place) {
  Case c;
  const std::size_t n = 10;
  c.x = testing::random_directions(random, 2 * n);
  const Vec3 along = testing::random_direction(random);
  for (std::size_t k = 1; k < held; ++k)
    c.x[k] = at_one_place ? c.x[0] : Vec3(c.x[0] + random.uniform(-2, 2) * along);
  c.equations.targets = testing::random_directions(random, 2 * n);
  for (std::uint32_t i = 0; i < 2 * n; ++i) {
    c.equations.masses.push_back(random.uniform(0.1, 2));
    c.equations.held.push_back(i < held ? 1 : 0);
    if (c.equations.held[i] != 0) c.equations.targets[i] = c.x[i];
    if (i % n != 0) c.entries.push_back({i, i - 1, -1});
  }
  return c;
}

TEST(PiecesProperty, TurnToTheBestPlaceThatTheyCanReach) {
  each_case(200, [](Random& random) {
    const std::size_t held = random.below(5);
    const bool at_one_place = random.chance(0.3);
    Case c = two_pieces(random, held, at_one_place);
    Pieces pieces;
    pieces.prepare(c.equations, c.entries);
    ASSERT_EQ(pieces.size(), 2u);
    std::vector<Vec3> x = c.x;
    pieces.shift(c.equations, x);
    ASSERT_TRUE(pieces.turn(c.equations, x));
    // Shapes stay as they are, and so does what is held.
    for (const std::size_t first : {0, 10})
      for (std::size_t i = first; i < first + 10; ++i)
        for (std::size_t j = first; j < i; ++j)
          EXPECT_NEAR((x[i] - x[j]).norm(), (c.x[i] - c.x[j]).norm(), 1e-12);
    for (std::size_t i = 0; i < held; ++i) EXPECT_EQ(x[i], c.x[i]);
    // No other turn about the same point or line is better; a small one hardly worse.
    const double best = off(c.equations, x);
    EXPECT_LE(best, off(c.equations, c.x));
    for (int tries = 0; tries < 60; ++tries) {
      const double angle = tries % 2 == 0 ? random.uniform(-3, 3) : random.uniform(-1e-3, 1e-3);
      for (const std::size_t first : {0, 10}) {
        Vec3 pivot = Vec3::Zero(), axis = testing::random_direction(random);
        double mass = 0;
        for (std::size_t i = first; i < first + 10; ++i) {
          pivot += c.equations.masses[i] * x[i];
          mass += c.equations.masses[i];
        }
        pivot /= mass;
        if (first == 0 && held > 0) pivot = x[0];
        if (first == 0 && held > 1 && !at_one_place) axis = (x[1] - x[0]).normalized();
        std::vector<Vec3> other = x;
        for (std::size_t i = first; i < first + 10; ++i)
          other[i] = pivot + turn_about(axis, angle) * (x[i] - pivot);
        EXPECT_GE(off(c.equations, other), best - 1e-10);
      }
    }
  });
}

TEST(Pieces, WhatIsHeldByThreePointsStays) {
  Random random(3);
  Case c = two_pieces(random, 2, false);
  for (std::size_t i = 0; i < 3; ++i) c.equations.held[i] = 1;
  Pieces pieces;
  pieces.prepare(c.equations, c.entries);
  std::vector<Vec3> x = c.x;
  EXPECT_TRUE(pieces.turn(c.equations, x));  // the other one
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(x[i], c.x[i]);
  for (std::size_t i = 10; i < 13; ++i) c.equations.held[i] = 1;
  pieces.prepare(c.equations, c.entries);
  EXPECT_FALSE(pieces.turn(c.equations, x));
}

// Nothing says which way: nothing that is not a number comes out.
TEST(PiecesProperty, DegeneratePiecesStayFinite) {
  each_case(200, [](Random& random) {
    Case c = two_pieces(random, random.below(4), random.chance(0.5));
    const Vec3 along = testing::random_direction(random);
    const std::size_t kind = random.below(4);
    for (std::size_t i = 0; i < c.x.size(); ++i) {
      if (kind == 0) c.x[i] = c.x[0];
      if (kind == 1) c.equations.targets[i] = c.x[0];
      if (kind == 2) c.x[i] = c.x[i].dot(along) * along;
      if (kind == 3) c.x[i] = 1e150 * c.x[i];
    }
    Pieces pieces;
    pieces.prepare(c.equations, c.entries);
    std::vector<Vec3> x = c.x;
    pieces.shift(c.equations, x);
    pieces.turn(c.equations, x);
    for (const Vec3& p : x) EXPECT_TRUE(p.allFinite()) << kind;
  });
}

}  // namespace
}  // namespace palpate
