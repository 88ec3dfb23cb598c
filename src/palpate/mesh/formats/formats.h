// The formats, a file each: NAME.cpp has the reader and the writer of one. To add one: write its file,
// declare its functions here and add it to the tables in mesh/files.cpp.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <palpate/base/error.h>
#include <palpate/mesh/files.h>

namespace palpate::detail {

// What a reader gets: the bytes, a name for messages, and whom to tell how far it is.
struct FileBytes {
  std::string_view bytes;
  std::string_view name;
  std::function<void(double)> progress = {};
};

MeshFile read_obj(const FileBytes& file);
MeshFile read_ply(const FileBytes& file);
MeshFile read_stl(const FileBytes& file);
MeshFile read_off(const FileBytes& file);
MeshFile read_vtk(const FileBytes& file);
MeshFile read_vtu(const FileBytes& file);
MeshFile read_msh(const FileBytes& file);
MeshFile read_tetgen(const FileBytes& nodes, const FileBytes& elements);

// Writers get a mesh that format_mesh() has checked: indices in range, coordinates finite, nothing in it that
// the format cannot hold.
std::string write_obj(const MeshView& mesh, const WriteOptions& options);
std::string write_ply(const MeshView& mesh, const WriteOptions& options);
std::string write_stl(const MeshView& mesh, const WriteOptions& options);
std::string write_off(const MeshView& mesh, const WriteOptions& options);
std::string write_vtu(const MeshView& mesh, const WriteOptions& options);
std::string write_msh(const MeshView& mesh, const WriteOptions& options);
std::string write_gltf(const MeshView& mesh, const WriteOptions& options);

}  // namespace palpate::detail
