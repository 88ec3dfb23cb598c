// Scene files in, scenes out: docs/scenes.md tells how they are written.
//
// Whatever is not right is refused with its place, what is wrong and what to do:
//
//   tori.toml:7:8: step is -1. It must be a number above 0 [s].
//   tori.toml:12:1: there is no key 'positon' in a body. Did you mean 'position'?
//   override 'body.livr.position=[0, 0, 1]': there is no body 'livr'. Did you mean 'liver'?
//
// Mesh files are not opened here: that they exist is found when a mesh is made (scene_mesh.h).
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include <palpate/scene/scene.h>

namespace palpate {

// A file. Overrides are "key=value", with the names of bodies in place of numbers: "run.step=0.01",
// "body.liver.material.young=1e4". Names of mesh files in them are relative to the current folder, those of
// the file to its own.
Scene read_scene(const std::filesystem::path& file, std::span<const std::string> overrides = {});

// The same from memory; `name` stands for the file in messages. Names of mesh files are relative to the
// folder; empty: the current one.
Scene parse_scene(std::string_view text, std::string_view name, std::span<const std::string> overrides = {},
                  const std::filesystem::path& folder = {});

}  // namespace palpate
