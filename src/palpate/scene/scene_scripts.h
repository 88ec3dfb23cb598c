// Motions of a scene as scripts. Keyframes of a body are where it is; of nodes, and velocities of both, they
// are moves away from the beginning, with turns about a centre.
#pragma once

#include <memory>

#include <palpate/scene/scene.h>
#include <palpate/world/script.h>

namespace palpate {

std::shared_ptr<const Script> node_script(const SceneMotion& motion, const Vec3& centre);
// Of a kinematic body; null without a motion.
std::shared_ptr<const Script> tool_script(const SceneBody& body);

}  // namespace palpate
