// The plain way to find when two moving features touch: bisection with intervals (Snyder 1992; Wang et al.
// 2021).
//
// The two places of contact and the time are three numbers from 0 to 1. Over a box of them, the vector
// between the two places stays within the box of its values at the eight corners, for it is linear in each
// number. If that does not hold 0, nothing touches there; if it is smaller than the tolerance, something may;
// else it is halved along the number that changes the vector most, and the earlier half is looked at first.
// Rounding is covered by a bound on the coordinates. Plain, but not careless: nothing is allocated, corners
// are bounded with minima and maxima alone, and boxes that begin after a contact that was found are left out.
#pragma once

#include <palpate/collide/crossing.h>

namespace palpate::bench {

CrossingTime interval_bisection(ContactKind kind, const FourPoints& start, const FourPoints& end,
                                const CrossingOptions& options);

}  // namespace palpate::bench
