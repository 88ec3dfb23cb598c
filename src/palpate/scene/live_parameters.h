// What of a scene may be changed while it runs, for panels: each with its name, unit, range and a line on it.
//
// The descriptions are those of the table of keys (scene_keys.h), so that a panel and docs/scenes.md say the
// same; the values are those of the scene as it is now.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include <palpate/scene/scene.h>
#include <palpate/scene/scene_keys.h>

namespace palpate {

struct LiveParameter {
  std::string key;    // as the command "set" takes it: "contact.distance", "body.liver.material.young"
  std::string group;  // for people: "Contacts", "liver"
  const SceneKey* about = nullptr;
  std::variant<bool, double, std::string> value;
};

// In the order of the table; materials of bodies that bend last, in the order of the scene.
std::vector<LiveParameter> live_parameters(const Scene& scene);

}  // namespace palpate
