// Mesh files: what people have in, what other programs read out.
//
//   read   OBJ, PLY, STL, OFF, VTK legacy, VTU and VTP, Gmsh MSH 2.2 and 4.1, TetGen .node/.ele
//   write  OBJ, PLY, STL, OFF, VTU, MSH 4.1, glTF binary
//
// Small strict parsers of our own. A file is read whole or refused with an Error that names file, line and
// column (text) or byte offset (binary), what is wrong and what to do. Vertex order is kept, polygons are
// triangulated, and what is neither triangle nor tetrahedron is skipped with a warning that names it. Counts
// in a file are never believed before the bytes for them are seen to be there, so memory stays within a small
// multiple of the file's size.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <palpate/mesh/mesh.h>

namespace palpate {

enum class MeshFormat { obj, ply, stl, off, vtk, vtu, msh, tetgen, gltf };

// "OBJ", "Gmsh MSH", ...
std::string_view name_of(MeshFormat format);
// By the ending of a file's name, whatever its case (.glb for glTF, .node and .ele for TetGen, .vtp for VTU).
std::optional<MeshFormat> format_of_path(std::string_view path);
bool can_read(MeshFormat format);
bool can_write(MeshFormat format);

// What a file held. A tetrahedral mesh may come with triangles of its boundary, or of surfaces inside.
struct MeshFile {
  MeshFormat format = MeshFormat::obj;
  std::string encoding;  // for people: "binary little-endian, double", "ASCII", "4.1 ASCII"
  std::vector<Vec3> positions;
  std::vector<TriangleCorners> triangles;
  std::vector<TetCorners> tets;
  std::vector<std::string> warnings;  // what was skipped or is odd, a sentence each
};

struct ReadOptions {
  std::optional<MeshFormat> format;               // empty: by the file's name
  std::function<void(double fraction)> progress;  // called now and then while a long file is read
};

// Reads and checks a file. For TetGen either of the two files may be named; the other is found beside it.
MeshFile read_mesh(const std::string& path, const ReadOptions& options = {});
// The same from memory; `name` stands for the file in messages. For TetGen `bytes` is the .node and
// `elements` the .ele file (empty: points only, which is refused).
MeshFile parse_mesh(MeshFormat format, std::string_view bytes, std::string_view name,
                    std::string_view elements = {}, const ReadOptions& options = {});

// Only the one or the other. A file with both kinds: the triangles; with tetrahedra alone: their boundary.
TriangleMesh read_triangle_mesh(const std::string& path, const ReadOptions& options = {});
TetMesh read_tet_mesh(const std::string& path, const ReadOptions& options = {});

// What is written: a view, so that nothing is copied for it.
struct MeshView {
  std::span<const Vec3> positions;
  std::span<const TriangleCorners> triangles;
  std::span<const TetCorners> tets;

  MeshView(const TriangleMesh& mesh)
      : positions(mesh.positions), triangles(mesh.triangles) {}                  // NOLINT: a view
  MeshView(const TetMesh& mesh) : positions(mesh.positions), tets(mesh.tets) {}  // NOLINT: a view
  MeshView(const MeshFile& mesh)                                                 // NOLINT: a view
      : positions(mesh.positions), triangles(mesh.triangles), tets(mesh.tets) {}
};

struct WriteOptions {
  bool ascii = false;             // where the format has both; OBJ and OFF are always text
  bool big_endian = false;        // PLY only
  bool single_precision = false;  // PLY, VTU; binary STL and glTF always have floats
  bool compressed = true;         // VTU only
};

// The bytes of a file. Refuses a mesh that the format cannot hold (tetrahedra in STL), indices out of range
// and coordinates that are not finite (or become infinite as floats); in binary STL, whose readers merge
// equal corners, also triangles with corners that become equal as floats, and meshes that are too small for
// them.
std::string format_mesh(MeshFormat format, const MeshView& mesh, const WriteOptions& options = {});
// Writes beside the target and renames, so that a full disk or Ctrl-C leaves no half file behind.
void write_mesh(const std::string& path, const MeshView& mesh, const WriteOptions& options = {});

}  // namespace palpate
