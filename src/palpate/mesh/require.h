// The door for meshes that anyone may have filled: indices that exist, coordinates that are finite.
#pragma once

#include <palpate/mesh/mesh.h>

namespace palpate::detail {

void require_sound(const TriangleMesh& mesh);
void require_sound(const TetMesh& mesh);

}  // namespace palpate::detail
