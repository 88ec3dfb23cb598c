// The parts of reading a scene, a function for each section.
#pragma once

#include <map>

#include <palpate/scene/scene.h>
#include <palpate/scene/scene_table.h>

namespace palpate::detail {

// Where mesh files are looked for.
struct SceneFolder {
  std::filesystem::path path;  // absolute
  bool was_asked_for = false;  // a name was relative to it
};

// Materials of the file, by name: each begins with what it is like.
std::map<std::string, Material> read_materials(const SceneValue* tables);
// A name or a table.
Material read_material(const SceneValue& value, const std::map<std::string, Material>& known);

// Refuses texts that no file or folder can be called.
void require_file_name(const SceneValue& text);
MeshSource read_mesh_source(const SceneValue& value, SceneFolder& folder);
Quat read_rotation(const SceneValue& value);
// Of [contact] or a body; what it does not say is as `otherwise`.
ContactMaterial read_touch(const SceneTable& table, const ContactMaterial& otherwise);
SceneMotion read_motion(const SceneValue& value);
SceneFix read_fix(const SceneValue& value);
// One, or as many as there are copies. Damping and materials come from the scene as far as it is read.
std::vector<SceneBody> read_bodies(const SceneValue& value, const Scene& scene, SceneFolder& folder);
// Bodies that they speak of must be in the scene.
SceneForce read_force(const SceneValue& value, const Scene& scene);
SceneJoint read_joint(const SceneValue& value, const Scene& scene);
// Throws Error for a name that no body has, with the nearest one.
const SceneBody& require_body(const Scene& scene, const std::string& name, const Place& place);

}  // namespace palpate::detail
