// Cases for the pairs of triangles whose boxes come near, which peers find as well.
#pragma once

#include <optional>

#include "contact_scenes.h"
#include "harness.h"

namespace palpate::bench {

// Ours and every peer that is installed.
Case pair_case(const ListedScene& listed);
// CGAL alone, if it is installed.
std::optional<Method> cgal_boxes(const ContactScene& scene, double distance);

}  // namespace palpate::bench
