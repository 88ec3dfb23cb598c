// What shells and strings are made of: springs that keep lengths, hinges that keep the angle between two
// triangles, and turns that keep the angle of a string at a node.
//
// All of them are finite everywhere, also where edges have no length and triangles no area.
#pragma once

#include <array>

#include <palpate/geometry/vec.h>
#include <palpate/solve/compliant.h>

namespace palpate {

// The length of an edge, less that at rest [m]; k in [N/m].
struct SpringRule {
  static constexpr std::size_t nodes = 2, rows = 1;
  double length;  // at rest

  CompliantValue<rows, nodes> at(const std::array<Vec3, nodes>& x) const;
  // A spring that is pulled resists to the side, too.
  void add_curvature(const std::array<Vec3, nodes>& x, const CompliantValue<rows, nodes>& value,
                     Eigen::Matrix<double, 6, 6>& matrix) const;
  void rest_at(const std::array<Vec3, nodes>& x) { length = (x[1] - x[0]).norm(); }
  std::array<double, nodes> weights() const { return {1, -1}; }
  double scale() const { return length; }
};

// The angle between triangles (a, b, c) and (a, d, b) over their edge ab, less that at rest, between -pi and
// pi [rad]; k in [N m]. (Grinspun et al. 2003)
struct HingeRule {
  static constexpr std::size_t nodes = 4, rows = 1;

  explicit HingeRule(const std::array<Vec3, nodes>& rest);
  CompliantValue<rows, nodes> at(const std::array<Vec3, nodes>& x) const;
  void rest_at(const std::array<Vec3, nodes>& x);
  std::array<double, nodes> weights() const { return weights_; }
  double scale() const { return 1; }
  double angle() const { return angle_; }  // at rest [rad]

 private:
  double angle_ = 0;
  double least_ = 0;  // squared normals count as no smaller than this [m^4]
  std::array<double, nodes> weights_;
};

// How much the direction of a string changes at its middle node, as the distance of the two unit vectors (an
// angle, as long as it is small), less that at rest, in whatever plane; k in [N m].
struct TurnRule {
  static constexpr std::size_t nodes = 3, rows = 1;

  explicit TurnRule(const std::array<Vec3, nodes>& rest);
  CompliantValue<rows, nodes> at(const std::array<Vec3, nodes>& x) const;
  // A string that is bent more than at rest resists to all sides.
  void add_curvature(const std::array<Vec3, nodes>& x, const CompliantValue<rows, nodes>& value,
                     Eigen::Matrix<double, 9, 9>& matrix) const;
  void rest_at(const std::array<Vec3, nodes>& x);
  std::array<double, nodes> weights() const { return weights_; }
  double scale() const { return 1; }

 private:
  double turn_ = 0;   // at rest
  double least_ = 0;  // edges count as no shorter than this [m]
  std::array<double, nodes> weights_;
};

}  // namespace palpate
