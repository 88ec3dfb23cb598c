// Oriented boxes: enclosing checked by an exact solve, "apart" by exact projections on the 15 directions.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <palpate/geometry/obb.h>
#include <support/cases.h>
#include <support/exact_obb.h>
#include <support/shapes.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::exact;
using testing::nudged;
using testing::Random;
using testing::random_direction;
using testing::Shapes;
using testing::show;

Quat random_turn(Random& random, double largest_angle = 3.2) {
  return Quat(Eigen::AngleAxisd(random.uniform(0, largest_angle), random_direction(random)));
}

std::string show(const Obb& box) {
  std::string text = "center " + testing::show(box.center) + " half " + testing::show(box.half) + " axes";
  for (Eigen::Index i = 0; i < 3; ++i) text += " " + testing::show(Vec3(box.axes.col(i)));
  return text;
}

void expect_encloses(const Obb& box, const std::vector<Vec3>& points) {
  ASSERT_FALSE(box.empty()) << show(points);
  const Mat3 product = box.axes.transpose() * box.axes;
  ASSERT_LE((product - Mat3::Identity()).cwiseAbs().maxCoeff(), 1e-14) << show(box) << show(points);
  for (const Vec3& p : points) ASSERT_TRUE(testing::exactly_inside(exact(p), box)) << show(p) << show(box);
}

Vec3 sorted_half(const Obb& box) {
  Vec3 half = box.half;
  std::sort(half.begin(), half.end());
  return half;
}

// A box of any proportions, sometimes flat, sometimes aligned with the axes.
Obb random_box(Random& random, double scale) {
  Obb box;
  box.center = scale * random.uniform(0, 3) * random_direction(random);
  if (random.chance(0.8)) box.axes = random_turn(random).toRotationMatrix();
  for (double& h : box.half) h = random.chance(0.15) ? 0 : scale * std::abs(random.magnitude(1e-3, 1));
  return box;
}

// Beside a, moved so that a face, an edge or a corner of one comes to lie on the other, up to `gap`.
Obb beside(Random& random, const Obb& a, double gap) {
  Obb b = a;
  const double scale = std::max(a.half.maxCoeff(), 1e-300);
  for (double& h : b.half)
    if (random.chance(0.7)) h = random.chance(0.15) ? 0 : scale * std::abs(random.magnitude(1e-3, 1));
  switch (random.below(4)) {
    case 0:
      break;  // the same axes
    case 1:
      b.axes =
          (Quat(a.axes) * random_turn(random, std::abs(random.magnitude(1e-17, 1e-1)))).toRotationMatrix();
      break;
    case 2:  // one axis shared
      b.axes = a.axes *
               Eigen::AngleAxisd(random.uniform(0, 3), Vec3::Unit(static_cast<Eigen::Index>(random.below(3))))
                   .toRotationMatrix();
      break;
    default:
      b.axes = random_turn(random).toRotationMatrix();
  }
  // A normal: of a face of either, or of an edge of each.
  const auto any = [&] { return static_cast<Eigen::Index>(random.below(3)); };
  Vec3 n = a.axes.col(any());
  if (random.chance(0.3)) n = b.axes.col(any());
  if (random.chance(0.5)) n = Vec3(a.axes.col(any())).cross(Vec3(b.axes.col(any())));
  if (!(n.norm() > 1e-9)) n = a.axes.col(0);
  n.normalize();
  // The support points along n meet; along directions that n does not see, anything goes.
  Vec3 from = a.center, to = Vec3::Zero();
  for (Eigen::Index i = 0; i < 3; ++i) {
    const auto side = [&](double cosine) {
      if (std::abs(cosine) < 1e-12) return random.uniform(-1, 1);
      return cosine > 0 ? 1.0 : -1.0;
    };
    from += side(n.dot(a.axes.col(i))) * a.half[i] * a.axes.col(i);
    to -= side(n.dot(b.axes.col(i))) * b.half[i] * b.axes.col(i);
  }
  b.center = from - to + gap * n;
  return b;
}

TEST(Obb, Empty) {
  EXPECT_TRUE(Obb{}.empty());
  EXPECT_TRUE(Obb::around(std::vector<Vec3>{}).empty());
  EXPECT_TRUE(Obb::of(Box{}).empty());
  const Obb some = Obb::of({Vec3(-1, -1, -1), Vec3(1, 1, 1)});
  EXPECT_FALSE(some.empty());
  EXPECT_FALSE(overlap(Obb{}, some));
  EXPECT_FALSE(overlap(some, Obb{}));
}

TEST(Obb, OfABox) {
  const double half = std::sqrt(0.5);
  const Pose pose{Quat(half, 0, 0, half), Vec3(10, 0, 0)};  // a quarter turn about z
  const Obb box = Obb::of({Vec3(0, 0, 0), Vec3(2, 4, 6)}, pose);
  EXPECT_LT((box.center - Vec3(8, 1, 3)).norm(), 1e-12);
  EXPECT_LT((sorted_half(box) - Vec3(1, 2, 3)).norm(), 1e-12);
  const Obb plain = Obb::of({Vec3(0, 0, 0), Vec3(2, 4, 6)});
  EXPECT_EQ(plain.center, Vec3(1, 2, 3));
}

TEST(Obb, DegeneratePointSets) {
  const Vec3 p(1e6, -2, 0.1), d(0.3, -0.7, 0.2), e(0.1, 0.9, -0.4);
  const std::vector<Vec3> one{p}, same{p, p, p, p};
  for (const auto& points : {one, same}) {
    const Obb box = Obb::around(points);
    expect_encloses(box, points);
    EXPECT_LT(box.half.maxCoeff(), 1e-9);
  }
  std::vector<Vec3> line, plane;
  for (int i = -4; i <= 4; ++i) line.push_back(i * d);
  for (int i = -4; i <= 4; ++i)
    for (int j = -4; j <= 4; ++j) plane.push_back(i * d + j * e);
  const Obb along = Obb::around(line), across = Obb::around(plane);
  expect_encloses(along, line);
  expect_encloses(across, plane);
  EXPECT_LT(sorted_half(along)[1], 1e-12);
  EXPECT_NEAR(sorted_half(along)[2], 4 * d.norm(), 1e-12);
  EXPECT_LT(sorted_half(across)[0], 1e-12);
}

TEST(Obb, EnclosesDenormals) {
  const std::vector<Vec3> one{Vec3(5e-324, 0.5, -1)}, two{Vec3(0, 0.5, -1), Vec3(5e-324, 0.5, -1)};
  expect_encloses(Obb::around(one), one);
  expect_encloses(Obb::around(two), two);
}

TEST(Obb, Touching) {
  const Obb a = Obb::of({Vec3(-1, -1, -1), Vec3(1, 1, 1)});
  EXPECT_TRUE(overlap(a, Obb::of({Vec3(1, -1, -1), Vec3(3, 1, 1)})));  // faces
  EXPECT_TRUE(overlap(a, Obb::of({Vec3(1, 1, -1), Vec3(3, 3, 1)})));   // edges
  EXPECT_TRUE(overlap(a, Obb::of({Vec3(1, 1, 1), Vec3(3, 3, 3)})));    // corners
  EXPECT_TRUE(overlap(a, Obb::of({Vec3(1, 0, 0), Vec3(1, 0, 0)})));    // a point
  EXPECT_FALSE(overlap(a, Obb::of({Vec3(1 + 1e-12, -1, -1), Vec3(3, 1, 1)})));
  // Edge on edge, crossed: only a product of edges separates.
  const Pose about_z{Quat(Eigen::AngleAxisd(M_PI / 4, Vec3::UnitZ())), Vec3::Zero()};
  const Pose about_x{Quat(Eigen::AngleAxisd(M_PI / 4, Vec3::UnitX())), Vec3(0, 2 * std::sqrt(2.0) + 1e-9, 0)};
  const Box cube{Vec3(-1, -1, -1), Vec3(1, 1, 1)};
  EXPECT_FALSE(overlap(Obb::of(cube, about_z), Obb::of(cube, about_x)));
  const Pose nearer{about_x.rotation, Vec3(0, 2 * std::sqrt(2.0) - 1e-9, 0)};
  EXPECT_TRUE(overlap(Obb::of(cube, about_z), Obb::of(cube, nearer)));
}

TEST(ObbProperty, EnclosesItsPointsExactly) {
  each_case(3'000, [](Random& random) {
    Shapes shapes(random);
    const double scale = random.chance(0.2) ? std::abs(random.magnitude(1e-75, 1e70)) : 1;
    std::vector<Vec3> points;
    for (std::size_t n = 1 + random.below(8); n > 0; --n) {
      const Triangle t = shapes.triangle();  // brings lines, points and near-planes along
      points.insert(points.end(), t.begin(), t.begin() + static_cast<std::ptrdiff_t>(1 + random.below(3)));
    }
    for (Vec3& p : points) p *= scale;
    expect_encloses(Obb::around(points), points);
  });
}

// Points that fill a box are enclosed by about that box, wherever it is and however it is turned.
TEST(ObbProperty, FindsTheBoxOfItsPoints) {
  each_case(100, [](Random& random) {
    const Mat3 axes = random_turn(random).toRotationMatrix();
    const Vec3 half(1, 3, 10), center = random.magnitude(1e-3, 1e6) * random_direction(random);
    std::vector<Vec3> points(300);
    for (Vec3& p : points)
      p = center +
          axes * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)).cwiseProduct(half);
    const Obb box = Obb::around(points);
    expect_encloses(box, points);
    const Vec3 ratio = sorted_half(box).cwiseQuotient(half);
    EXPECT_GT(ratio.minCoeff(), 0.9) << ratio.transpose();
    EXPECT_LT(ratio.maxCoeff(), 1.6) << ratio.transpose();
  });
}

TEST(ObbProperty, CarriedByAPose) {
  each_case(5'000, [](Random& random) {
    Shapes shapes(random);
    Box box;
    box.add(shapes.point());
    box.add(shapes.point());
    const Pose pose{random_turn(random), shapes.point()};
    const Obb turned = Obb::of(box, pose);
    const auto corners = turned.corners();
    const double size = box.lo.norm() + box.hi.norm() + pose.position.norm();
    for (int i = 0; i < 8; ++i) {
      const Vec3 corner(i & 1 ? box.hi.x() : box.lo.x(), i & 2 ? box.hi.y() : box.lo.y(),
                        i & 4 ? box.hi.z() : box.lo.z());
      double least = INFINITY;
      for (const Vec3& c : corners) least = std::min(least, (c - pose.apply(corner)).norm());
      ASSERT_LE(least, 1e-13 * size) << show(box.lo) << show(box.hi) << show(turned);
    }
  });
}

void expect_sound(const Obb& a, const Obb& b) {
  const bool found = overlap(a, b);
  ASSERT_EQ(found, overlap(b, a)) << show(a) << "\n" << show(b);
  const testing::Separation exact_answer = testing::separation(a, b);
  const double size = a.half.norm() + b.half.norm() + (a.center - b.center).norm();
  if (!found) {
    ASSERT_TRUE(exact_answer.apart) << "said to be apart\n" << show(a) << "\n" << show(b);
  } else {
    ASSERT_LE(exact_answer.sturdy, 1e-12 * size) << "apart, not seen\n" << show(a) << "\n" << show(b);
    ASSERT_LE(exact_answer.any, 1e-9 * size) << "apart, not seen\n" << show(a) << "\n" << show(b);
  }
}

TEST(ObbProperty, ApartIsAProof) {
  each_case(5'000, [](Random& random) {
    const double scale = random.chance(0.5) ? 1 : std::abs(random.magnitude(1e-6, 1e6));
    expect_sound(random_box(random, scale), random_box(random, scale));
  });
}

// Touching up to rounding, or a little apart, or a little inside each other.
TEST(ObbProperty, ApartIsAProofWhereBoxesTouch) {
  each_case(10'000, [](Random& random) {
    const double scale =
        std::abs(random.chance(0.1) ? random.magnitude(1e-75, 1e75) : random.magnitude(1e-6, 1e6));
    const Obb a = random_box(random, scale);
    const double gap = random.chance(0.5) ? 0 : scale * random.magnitude(1e-17, 1e-6);
    Obb b = beside(random, a, gap);
    if (random.chance(0.5)) b.center = nudged(random, b.center);
    expect_sound(a, b);
  });
}

TEST(ObbProperty, ClearlySeparatedIsApart) {
  each_case(10'000, [](Random& random) {
    const Obb a = random_box(random, 1);
    const Obb b = beside(random, a, std::abs(random.magnitude(1e-8, 1)));
    const double size = a.half.norm() + b.half.norm() + (a.center - b.center).norm();
    if (testing::separation(a, b).any > 1e-9 * size) {
      EXPECT_FALSE(overlap(a, b)) << show(a) << "\n" << show(b);
    }
  });
}

}  // namespace
}  // namespace palpate
