// Sums of vectors with a point for each node, several numbers at a time.
//
// What is added up is kept in eight sums, of every eighth number each, and nothing is rounded once instead of
// twice: the same bits on every kind of processor.
#pragma once

#include <span>

#include <palpate/geometry/vec.h>

namespace palpate {

double dot(std::span<const Vec3> a, std::span<const Vec3> b);

// One of several vectors that are added up, and how much of it.
struct Share {
  const Vec3* of;  // as many points as `out` has
  double much;
};
// out = scale * from + the shares, one after the other. `out` may be any of them.
void add_up(double scale, std::span<const Vec3> from, std::span<const Share> shares, std::span<Vec3> out);

}  // namespace palpate
