// How a body turns when nothing twists it: Euler's equations over a step.
//
// l is the angular momentum in the body's own principal axes, q turns those axes into the world. With
// w = the angular velocity of the mean of l before and after,
//
//   l_after = l_before + s h  l_mean x w,      q_after = q_before * (the turn about w that does the same).
//
// Implicit midpoint: energy and |l| are quadratic, so it keeps both; and as both lines are one and the same
// Cayley turn, the momentum in the world stays where it is. All three hold for any s. The one that is taken
// makes a steady turn go by the right angle: s = tan(a)/a, a half of the angle of the step. No sines: the
// same bits everywhere. Fast turns are cut into parts; into how many depends on |l|, which is kept.
//
// Four bodies at a time, one in each lane, as most bodies of a step turn freely. The mean is found by
// Newton's method, two rounds for most; a lane that is done stays as it is, so it does not matter who the
// others are.
#pragma once

#include <palpate/geometry/pose.h>

namespace palpate {

// Rows of numbers, one of each body. A lane without momentum stays as it is.
struct FourTurns {
  double inverse_moments[3][4], momentum[3][4];
  double turn[4][4];  // x, y, z, w
};
void free_turn(double seconds, FourTurns& four);

// In place: the momentum [kg m^2/s] and the turn, after so much time [s].
void free_turn(const Vec3& inverse_moments, double seconds, Vec3& momentum, Quat& turn);

}  // namespace palpate
