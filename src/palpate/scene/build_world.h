// From a scene to the world it describes.
#pragma once

#include <memory>

#include <palpate/scene/scene.h>
#include <palpate/world/world.h>

namespace palpate {

WorldOptions world_options(const Scene& scene);

// Reads the meshes, makes the bodies and what is between them. Throws Error with the line of the scene for
// whatever cannot be.
std::unique_ptr<World> build_world(const Scene& scene);

}  // namespace palpate
