// Two features of surfaces that move in a step.
//
// Vertices of deformable surfaces go in straight lines. Those of a rigid surface turn with it, at the same
// rate all the time, while its origin goes straight: over a part of the step they leave the straight line by
// no more than an eighth of the square of the angle turned, times how far they are from the origin. That much
// is added to the separation, and the part halved until it is small; 1,000 parts at most.
#pragma once

#include <palpate/collide/crossing.h>
#include <palpate/collide/kernel.h>
#include <palpate/collide/surfaces.h>

namespace palpate {

bool share_a_vertex(const Surfaces& all, ContactKind kind, const FeaturePair& pair);
// A quick proof, for nearly all pairs: their boxes are apart along the same axis, on the same side, at the
// start and at the end.
bool stay_apart(const Surfaces& all, ContactKind kind, const FeaturePair& pair,
                const CrossingOptions& options);
CrossingTime find_crossing(const Surfaces& all, ContactKind kind, const FeaturePair& pair,
                           const CrossingOptions& options);

}  // namespace palpate
