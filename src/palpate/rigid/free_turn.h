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
#pragma once

#include <palpate/geometry/pose.h>

namespace palpate {

// In place: the momentum [kg m^2/s] and the turn, after so much time [s].
void free_turn(const Vec3& inverse_moments, double seconds, Vec3& momentum, Quat& turn);

}  // namespace palpate
