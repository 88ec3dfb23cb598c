// A matrix taken apart into a turn and a stretch.
#pragma once

#include <palpate/geometry/vec.h>

namespace palpate {

// F = U diag(s) V^T with rotations U and V: the last number is negative for what was turned inside out.
struct Turned {
  Mat3 u, v;
  Vec3 s;
};
Turned turned(const Mat3& f);
// The nearest rotation, in the sum of squares; of a sum of m y x^T over points, the one that turns the x best
// onto the y.
Mat3 rotation_of(const Mat3& f);

}  // namespace palpate
