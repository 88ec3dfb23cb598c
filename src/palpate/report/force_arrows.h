// Forces as arrows, to be drawn with the surfaces they act on.
#pragma once

#include <span>

#include <palpate/mesh/mesh.h>
#include <palpate/respond/response.h>

namespace palpate {

// A pyramid for each contact that pushes, from its point along the force on the second body; the strongest is
// `longest` long, others as strong as they are, but none shorter than a fifth of that [m].
TriangleMesh force_arrows(std::span<const ContactForce> forces, double longest);

}  // namespace palpate
