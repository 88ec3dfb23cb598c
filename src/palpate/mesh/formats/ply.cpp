// PLY: vertices, faces and strips of triangles; other elements and properties are skipped. The header is read
// in ply_header.cpp, the data in ply_text.cpp or ply_binary.cpp.
#include <array>
#include <limits>

#include <fmt/format.h>

#include <palpate/mesh/formats/byte_cursor.h>
#include <palpate/mesh/formats/formats.h>
#include <palpate/mesh/formats/number_text.h>
#include <palpate/mesh/formats/ply_content.h>

namespace palpate::detail {

void PlyContent::add_strips(std::span<const std::uint32_t> corners) {
  std::size_t from = 0;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    if (corners[i] == no_index) {
      from = i + 1;
      continue;
    }
    if (i - from < 2) continue;
    const std::uint32_t a = corners[i - 2], b = corners[i - 1], c = corners[i];
    if (a == b || b == c || c == a) continue;  // such triangles only lead from one strip to the next
    const bool odd = (i - from) % 2 != 0;
    faces.add(positions, std::array{odd ? b : a, odd ? a : b, c});
  }
}

std::string PlyContent::skipped_name(const PlyElement& element) {
  std::string name;
  for (const char c : element.name.substr(0, 40)) name += c >= ' ' && c < 127 ? c : '?';
  return fmt::format("'{}' elements", name);
}

MeshFile read_ply(const FileBytes& file) {
  const PlyHeader header = read_ply_header(file);
  PlyContent content;
  content.vertices = static_cast<std::uint32_t>(header.vertices().count);
  if (header.encoding == PlyHeader::Encoding::ascii) {
    read_ply_text(file, header, content);
  } else {
    read_ply_binary(file, header, content);
  }
  MeshFile mesh;
  mesh.encoding = encoding_for_people(header);
  mesh.warnings = std::move(content.warnings);
  content.faces.finish(content.positions, mesh.warnings);
  content.skipped.append_to(mesh.warnings);
  mesh.positions = std::move(content.positions);
  mesh.triangles = std::move(content.faces.triangles);
  return mesh;
}

namespace {

template <class Number>
void append_text(std::string& out, const MeshView& mesh) {
  for (const Vec3& p : mesh.positions) {
    append_numbers(out, p.cast<Number>().eval());
    out += '\n';
  }
  for (const TriangleCorners& corners : mesh.triangles) {
    out += "3 ";
    append_numbers(out, corners);
    out += '\n';
  }
}

template <class Number>
void append_binary(std::string& out, const MeshView& mesh, bool swap) {
  for (const Vec3& p : mesh.positions)
    for (const double x : p) append_bytes(out, static_cast<Number>(x), swap);
  for (const TriangleCorners& corners : mesh.triangles) {
    out += '\3';
    for (const std::uint32_t v : corners) append_bytes(out, v, swap);
  }
}

}  // namespace

std::string write_ply(const MeshView& mesh, const WriteOptions& options) {
  if (mesh.positions.size() > std::numeric_limits<std::int32_t>::max())
    throw Error(Place::named("mesh", "for PLY"),
                fmt::format("{} vertices are more than its indices can number", mesh.positions.size()),
                "Cut the mesh into several files.");
  const char* const encoding = options.ascii        ? "ascii"
                               : options.big_endian ? "binary_big_endian"
                                                    : "binary_little_endian";
  const char* const number = options.single_precision ? "float" : "double";
  std::string out = fmt::format(
      "ply\nformat {0} 1.0\nelement vertex {1}\nproperty {2} x\nproperty {2} y\nproperty {2} z\n"
      "element face {3}\nproperty list uchar int vertex_indices\nend_header\n",
      encoding, mesh.positions.size(), number, mesh.triangles.size());
  out.reserve(out.size() + (options.ascii ? 64 : 24) * mesh.positions.size() +
              (options.ascii ? 28 : 13) * mesh.triangles.size());
  const bool swap = options.big_endian == (std::endian::native == std::endian::little);
  if (options.ascii) {
    options.single_precision ? append_text<float>(out, mesh) : append_text<double>(out, mesh);
  } else {
    options.single_precision ? append_binary<float>(out, mesh, swap) : append_binary<double>(out, mesh, swap);
  }
  return out;
}

}  // namespace palpate::detail
