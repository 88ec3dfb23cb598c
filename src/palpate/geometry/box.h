// Axis-aligned boxes: Box in double for state, Boxf in float for culling.
//
// Everything that makes a box larger or smaller in precision rounds outward, so a test that says "apart" is
// true. A Boxf is made relative to a local origin: far from zero, floats would be coarser than the shapes.
// Boxes are closed: touching counts as overlapping. An empty box has lo = +inf, hi = -inf and overlaps
// nothing.
#pragma once

#include <limits>
#include <span>

#include <palpate/geometry/vec.h>

namespace palpate {

template <class Vector>
struct BasicBox {
  using Scalar = typename Vector::Scalar;
  Vector lo = Vector::Constant(std::numeric_limits<Scalar>::infinity());
  Vector hi = Vector::Constant(-std::numeric_limits<Scalar>::infinity());

  bool empty() const { return !(lo.array() <= hi.array()).all(); }
  void add(const Vector& point) {
    lo = lo.cwiseMin(point);
    hi = hi.cwiseMax(point);
  }
  void add(const BasicBox& other) {
    lo = lo.cwiseMin(other.lo);
    hi = hi.cwiseMax(other.hi);
  }
  bool overlaps(const BasicBox& other) const {
    return ((lo.array() <= other.hi.array()) && (other.lo.array() <= hi.array())).all() && !empty() &&
           !other.empty();
  }
  bool contains(const Vector& point) const {
    return ((lo.array() <= point.array()) && (point.array() <= hi.array())).all();
  }
  bool contains(const BasicBox& other) const {
    return other.empty() || ((lo.array() <= other.lo.array()) && (other.hi.array() <= hi.array())).all();
  }
  Vector size() const { return empty() ? Vector(Vector::Zero()) : Vector(hi - lo); }
  Vector center() const { return lo / 2 + hi / 2; }  // halves first: no overflow
};

using Box = BasicBox<Vec3>;
using Boxf = BasicBox<Vec3f>;

// The box of points; empty for none. Parallel for many points, the same for any thread count.
Box bounds(std::span<const Vec3> points);

// Larger by `margin` [m] on every side, rounded outward; a negative margin shrinks, and may leave it empty.
Box grown(const Box& box, double margin);

// The smallest Boxf around box - origin, the subtraction included: it holds for the exact differences.
Boxf round_outward(const Box& box, const Vec3& origin = Vec3::Zero());

// Squared distance of two boxes, 0 if they overlap; +inf if one is empty.
double squared_distance(const Box& a, const Box& b);

}  // namespace palpate
