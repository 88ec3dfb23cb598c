// Poses against 4x4 matrices.
#include <Eigen/Geometry>

#include <gtest/gtest.h>

#include <palpate/geometry/pose.h>
#include <support/cases.h>
#include <support/shapes.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;
using testing::random_direction;
using testing::show;
using WideMat3 = Eigen::Matrix<long double, 3, 3>;
using WideVec3 = Eigen::Matrix<long double, 3, 1>;
using WideMat4 = Eigen::Matrix<long double, 4, 4>;

Pose random_pose(Random& random, double reach) {
  const Quat q(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  if (q.norm() < 0.1) return random_pose(random, reach);
  return {q.normalized(), reach * random_direction(random)};
}

// The rotation written out from the four numbers, not by Eigen's conversion.
WideMat4 matrix(const Pose& pose) {
  const long double w = static_cast<long double>(pose.rotation.w()),
                    x = static_cast<long double>(pose.rotation.x()),
                    y = static_cast<long double>(pose.rotation.y()),
                    z = static_cast<long double>(pose.rotation.z());
  WideMat4 m = WideMat4::Identity();
  m.topLeftCorner<3, 3>() << 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
      2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y),
      2 * (y * z + w * x), 1 - 2 * (x * x + y * y);
  m.topRightCorner<3, 1>() = pose.position.cast<long double>();
  return m;
}
Vec3 apply(const WideMat4& m, const Vec3& p) {
  return (m.topLeftCorner<3, 3>() * p.cast<long double>() + WideVec3(m.topRightCorner<3, 1>()))
      .cast<double>();
}

TEST(Pose, IdentityAndQuarterTurn) {
  EXPECT_EQ(Pose{}.apply({1, 2, 3}), Vec3(1, 2, 3));
  const double half = std::sqrt(0.5);
  const Pose turn{Quat(half, 0, 0, half), Vec3(10, 0, 0)};  // a quarter turn about z
  EXPECT_LT((turn.apply({1, 0, 0}) - Vec3(10, 1, 0)).norm(), 1e-15);
  EXPECT_LT((turn.turn({1, 0, 0}) - Vec3(0, 1, 0)).norm(), 1e-15);
  EXPECT_LT((turn.inverse().apply({10, 1, 0}) - Vec3(1, 0, 0)).norm(), 1e-14);
}

// First the right one, then the left one: a move and a turn do not commute.
TEST(Pose, OrderOfComposition) {
  const double half = std::sqrt(0.5);
  const Pose move{Quat::Identity(), Vec3(1, 0, 0)}, turn{Quat(half, 0, 0, half), Vec3::Zero()};
  EXPECT_LT(((turn * move).apply(Vec3::Zero()) - Vec3(0, 1, 0)).norm(), 1e-15);
  EXPECT_LT(((move * turn).apply(Vec3::Zero()) - Vec3(1, 0, 0)).norm(), 1e-15);
}

// Layout must not depend on the vector instructions a program is compiled for.
TEST(Pose, HasTheAlignmentOfADouble) {
  EXPECT_EQ(alignof(Pose), alignof(double));
  EXPECT_EQ(alignof(Vec3), alignof(double));
  EXPECT_EQ(sizeof(Pose), 7 * sizeof(double));
}

TEST(PoseProperty, AgreesWithMatrices) {
  each_case(20'000, [](Random& random) {
    const double reach = std::abs(random.magnitude(1e-6, 1e6));
    const Pose a = random_pose(random, reach), b = random_pose(random, reach);
    const Vec3 p = reach * random_direction(random);
    const double tolerance = 1e-14 * reach;
    EXPECT_LT((a.apply(p) - apply(matrix(a), p)).norm(), tolerance) << show(p);
    EXPECT_LT((a.turn(p) - Vec3(apply(matrix(a), p) - a.position)).norm(), tolerance) << show(p);
    EXPECT_LT(((a * b).apply(p) - apply(matrix(a) * matrix(b), p)).norm(), tolerance) << show(p);
    EXPECT_LT(((a * b).apply(p) - a.apply(b.apply(p))).norm(), tolerance) << show(p);
    EXPECT_LT((a.inverse().apply(p) - apply(matrix(a).inverse(), p)).norm(), tolerance) << show(p);
    EXPECT_LT((a.inverse().apply(a.apply(p)) - p).norm(), tolerance) << show(p);
    EXPECT_LT(((a.inverse() * a).apply(p) - p).norm(), tolerance) << show(p);
  });
}

TEST(Pose, LongChainsStayRigid) {
  const Pose turn{Quat(Eigen::AngleAxisd(0.1234, Vec3(1, 2, 3).normalized())), Vec3(0.1, 0, 0)};
  Pose chain;
  for (int i = 0; i < 10'000; ++i) chain = chain * turn;
  EXPECT_NEAR(chain.rotation.norm(), 1, 4e-16);
}

}  // namespace
}  // namespace palpate
