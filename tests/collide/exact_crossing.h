// When do four moving points first touch? Decided without rounding: the oracle of continuous collision.
//
// Each point moves in a straight line from its place in `start` (t = 0) to its place in `end` (t = 1).
// A vertex and a triangle (points 0 and 1, 2, 3) touch at t if the vertex is in the convex hull of the
// corners, two edges (0, 1 and 2, 3) if they have a point in common. Everything is closed: borders, ends, t =
// 0 and t = 1. Degenerate shapes count as what they are: a triangle without area is a segment or a point, an
// edge without length is a point.
#pragma once

#include <array>

#include <support/rational.h>

#include <palpate/collide/contact.h>

namespace palpate::testing {

struct ExactCrossing {
  bool hit = false;
  // If hit: the first t with a contact is in [low, high], which are the same number if it is rational, and
  // else at most 2^-80 apart.
  Rational low, high;
};

// Coordinates must be finite.
ExactCrossing exact_crossing(ContactKind kind, const std::array<Vec3, 4>& start,
                             const std::array<Vec3, 4>& end);

using ExactPoints = std::array<std::array<Rational, 3>, 4>;
ExactCrossing exact_crossing(ContactKind kind, const ExactPoints& start, const ExactPoints& end);

}  // namespace palpate::testing
