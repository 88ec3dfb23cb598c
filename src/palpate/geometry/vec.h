// Small fixed vectors, by Eigen's names made short.
//
// All of them have the alignment of a double: a program compiled with other -m flags than the library (AVX on
// one side only) still agrees with it on every layout. That is why Quat is the unaligned kind.
#pragma once

#include <array>
#include <span>

#include <Eigen/Core>

namespace palpate {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec3f = Eigen::Vector3f;
using Mat3 = Eigen::Matrix3d;

using Segment = std::array<Vec3, 2>;
using Triangle = std::array<Vec3, 3>;

// By x, then y, then z: an order of points that does not depend on how they are numbered.
inline bool before(const Vec3& a, const Vec3& b) {
  return (a.x() < b.x()) | ((a.x() == b.x()) & ((a.y() < b.y()) | ((a.y() == b.y()) & (a.z() < b.z()))));
}

// The numbers of points, one after the other: for hashes and files.
inline std::span<const double> numbers_of(std::span<const Vec3> points) {
  static_assert(sizeof(Vec3) == 3 * sizeof(double));
  return {points.empty() ? nullptr : points[0].data(), 3 * points.size()};
}

}  // namespace palpate
