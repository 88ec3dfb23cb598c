#include <palpate/geometry/obb.h>

#include <cmath>

#include <Eigen/Eigenvalues>

namespace palpate {

namespace {

// How far stored axes are from orthonormal, and how much a projection errs, relative to the lengths
// projected.
constexpr double slack = 6e-15;
constexpr double underflow = 1e-300;  // [m] more than products of tiny lengths can lose

Mat3 principal_axes(std::span<const Vec3> points, const Vec3& center, double size) {
  Mat3 covariance = Mat3::Zero();
  for (const Vec3& point : points) {
    const Vec3 out = (point - center) / size;  // of order 1: no under- or overflow
    covariance += out * out.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(covariance);
  Mat3 axes = solver.eigenvectors();
  if (!axes.allFinite()) return Mat3::Identity();
  // Orthonormal to the last digits, which the overlap test counts on.
  axes.col(0).normalize();
  axes.col(1) = (axes.col(1) - axes.col(0) * axes.col(0).dot(axes.col(1))).normalized();
  axes.col(2) = axes.col(0).cross(axes.col(1));
  return axes;
}

}  // namespace

Obb Obb::around(std::span<const Vec3> points) {
  Obb result;
  if (points.empty()) return result;
  const Box box = bounds(points);
  const Vec3 middle = box.center();
  const double size = box.size().maxCoeff();
  if (!(size > 0)) return {points[0], Mat3::Identity(), Vec3::Zero()};
  result.axes = principal_axes(points, middle, size);

  Box extent;  // in the frame of the axes, about the middle
  for (const Vec3& point : points) extent.add(Vec3(result.axes.transpose() * (point - middle)));
  result.center = middle + result.axes * extent.center();
  // Measured from the rounded centre, with room for the axes being orthonormal only up to rounding.
  double radius = 0;
  result.half.setZero();
  for (const Vec3& point : points) {
    const Vec3 out = point - result.center;
    result.half = result.half.cwiseMax((result.axes.transpose() * out).cwiseAbs());
    radius = std::max(radius, out.lpNorm<1>());
  }
  result.half.array() += 1e-14 * radius + underflow;
  return result;
}

Obb Obb::of(const Box& box, const Pose& pose) {
  Obb result;
  if (box.empty()) return result;
  result.center = pose.apply(box.center());
  result.axes = pose.rotation.normalized().toRotationMatrix();
  result.half = box.size() / 2;
  // The corners were rounded, the centre was rounded, and the pose turns by a nearly unit quaternion.
  result.half.array() += 1e-14 * (result.half.sum() + box.center().lpNorm<1>() + pose.position.lpNorm<1>());
  return result;
}

std::array<Vec3, 8> Obb::corners() const {
  std::array<Vec3, 8> result;
  for (int i = 0; i < 8; ++i) {
    const Vec3 sign(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    result[static_cast<std::size_t>(i)] = center + axes * half.cwiseProduct(sign);
  }
  return result;
}

bool overlap(const Obb& one, const Obb& other) {
  if (one.empty() || other.empty()) return false;
  // Always seen from the same one of the two, so that the answer does not depend on who is asked.
  const bool swapped =
      before(other.center, one.center) || (other.center == one.center && before(other.half, one.half));
  const Obb &a = swapped ? other : one, &b = swapped ? one : other;
  const Vec3 offset = b.center - a.center;
  // All lengths below are sums of products of these with entries of axes (at most 1): one slack serves
  // all 15.
  const double reach = slack * (offset.lpNorm<1>() + a.half.sum() + b.half.sum()) + underflow;
  const Mat3 turn = a.axes.transpose() * b.axes;  // b's axes in a's frame
  const Mat3 size = turn.cwiseAbs();
  const Vec3 in_a = a.axes.transpose() * offset;

  for (int i = 0; i < 3; ++i)
    if (std::abs(in_a[i]) > a.half[i] + size.row(i).dot(b.half) + reach) return false;
  for (int j = 0; j < 3; ++j)
    if (std::abs(turn.col(j).dot(in_a)) > b.half[j] + size.col(j).dot(a.half) + reach) return false;
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      const double distance = std::abs(in_a[i2] * turn(i1, j) - in_a[i1] * turn(i2, j));
      const double extent = a.half[i1] * size(i2, j) + a.half[i2] * size(i1, j) +  //
                            b.half[j1] * size(i, j2) + b.half[j2] * size(i, j1);
      if (distance > extent + reach) return false;
    }
  }
  return true;
}

}  // namespace palpate
