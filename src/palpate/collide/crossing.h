// Do two features touch while they move? A vertex and a triangle, or two edges, all points in straight lines.
//
// "No" is a proof, in floating point too, put together from stretches of time. On a stretch, one of three
// things is shown, each from the positions at its two ends alone:
//
//   - along some direction the features stay apart: a point that moves in a straight line, seen along a fixed
//     direction, moves linearly;
//   - they are never in one plane: a cubic in time whose Bernstein coefficients have one sign;
//   - seen along a fixed direction, one stays beside the other: quadratics with coefficients of one sign.
//
// The first holds for nearly all pairs and the whole step at once. The other two do not mind that things turn
// while they stay close, which would need ever shorter stretches of the first. What rounding may have done is
// taken off everywhere: it is a matter of 4e-15 of the farthest that the points are from each other.
//
// Where nothing can be shown, the stretch is quartered, until it is shorter than 1e-13 of the step or 64 were
// looked at, and then once more with numbers of twice the digits (200); what is left counts as contact. So
// features that touch in any way do, degenerate ones (without length or area, in one plane, at rest on each
// other) as what they are, and some that pass within rounding.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <palpate/collide/contact.h>

namespace palpate {

// The vertex and the corners of the triangle; or the ends of one edge and of the other.
using FourPoints = std::array<Vec3, 4>;

struct CrossingTime {
  bool hit = false;   // false: it is proven that the two stay apart, as long as was asked for
  bool sure = false;  // it is proven that they touch, not later than the tolerance after `time`
  double time = 1;    // from 0 to 1: until then they are proven to be apart
  int stretches = 0;  // looked at
};

struct CrossingOptions;
using CrossingTest = CrossingTime (*)(ContactKind kind, const FourPoints& start, const FourPoints& end,
                                      const CrossingOptions& options);

// Of a detector: pairs of different surfaces, surfaces with themselves, or both.
enum class CrossingPairs : std::uint8_t { all, between, inside };

struct CrossingOptions {
  double separation = 0;    // what is nearer than this counts as contact [m]
  double tolerance = 1e-9;  // how early the time may be, as part of the step: 1e-12 to 1
  bool likely = false;      // simple proofs were tried already: begin with those that also show contact
  bool brief = false;       // what is not told apart within the tolerance counts as contact
  double until = 1;         // part of the step: what is apart for longer need not be looked at further
  // Of a detector: of each two surfaces, only what comes within so much of the step after the first that
  // does not touch from the start.
  double window = 1;
  CrossingTest test = nullptr;  // of a detector: looks at pairs in place of find_crossing, for studies
  CrossingPairs pairs = CrossingPairs::all;
  // Of a detector, by slots of surfaces (those beyond the end: 0): 1 where features that are near along the
  // surface, as for contacts, need no look, as whoever moved it knows that they do not cross: all tetrahedra
  // that carry it stayed upright, say.
  std::span<const std::uint8_t> without_neighbours = {};
  bool skips_neighbours(std::uint32_t slot) const {
    return slot < without_neighbours.size() && without_neighbours[slot] != 0;
  }
};
// Throws Error for numbers that mean nothing.
void require(const CrossingOptions& options);

// One of the pairs that touch in a step.
struct Crossing {
  std::uint64_t key;  // as of a contact
  double time;        // part of the step until which the two are proven to be apart
  std::uint32_t first_surface, second_surface;
  bool sure;  // it is proven that they touch, not later than the tolerance after

  ContactKind kind() const { return static_cast<ContactKind>(key >> 63); }
  std::uint32_t first() const { return static_cast<std::uint32_t>(key >> 32) & 0x7fffffff; }
  std::uint32_t second() const { return static_cast<std::uint32_t>(key); }
};

CrossingTime find_crossing(ContactKind kind, const FourPoints& start, const FourPoints& end,
                           const CrossingOptions& options = {});

}  // namespace palpate
