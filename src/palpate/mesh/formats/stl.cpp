// STL, binary and ASCII: a soup of triangles, whose vertices are merged where they are equal. The normals in
// the file say nothing that the corners do not, and are ignored (some programs write nan).
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include <palpate/geometry/scaling.h>
#include <palpate/mesh/formats/byte_cursor.h>
#include <palpate/mesh/formats/formats.h>
#include <palpate/mesh/formats/number_text.h>
#include <palpate/mesh/formats/progress.h>
#include <palpate/mesh/formats/text_cursor.h>
#include <palpate/mesh/formats/vertex_merger.h>

namespace palpate::detail {

namespace {

constexpr std::size_t header_bytes = 80, data_at = 84, triangle_bytes = 50;

bool same_word(std::string_view word, std::string_view lower_case) {
  const auto equal = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  return std::equal(word.begin(), word.end(), lower_case.begin(), lower_case.end(), equal);
}

bool looks_like_text(std::string_view bytes) {
  const std::string_view beginning = bytes.substr(0, 1000);
  return std::none_of(beginning.begin(), beginning.end(),
                      [](char c) { return (c >= 0 && c < '\t') || (c > '\r' && c < ' ') || c == 127; });
}

// A file of text that is no STL: nothing, or another format.
[[noreturn]] void refuse_other_text(const FileBytes& file) {
  const Place place = Place::file(file.name).element("byte", 0);
  if (TextCursor(file.bytes, file.name).word_anywhere().empty())
    throw Error(place, "the file ends too early: there is nothing in it", "Export the mesh again.");
  throw Error(place,
              fmt::format("{}this is text that does not begin with 'solid', as text in STL does",
                          file.bytes.size() < data_at ? "the file ends too early for binary STL, and " : ""),
              "If it is another format, give the file the ending of that format.");
}

// Binary files may begin with "solid" too. The size of a binary file tells nearly always; in one with bytes
// to spare, numbers give bytes that no text has.
bool is_text(const FileBytes& file) {
  if (file.bytes.size() >= data_at) {
    ByteCursor bytes(file.bytes, file.name, header_bytes);
    const std::uint64_t count = bytes.take<std::uint32_t>("count");
    if (bytes.left() == count * triangle_bytes) return false;
  }
  if (!looks_like_text(file.bytes)) return false;
  if (same_word(TextCursor(file.bytes, file.name).word_anywhere(), "solid")) return true;
  refuse_other_text(file);
}

void number_one(VertexMerger& vertices, std::array<Vec3, 3> corners,
                std::vector<TriangleCorners>& triangles) {
  // One after the other: the order of evaluation in a list of arguments is not fixed.
  TriangleCorners triangle{};
  for (std::size_t k = 0; k < 3; ++k) triangle[k] = vertices.number_of(corners[k]);
  triangles.push_back(triangle);
}

MeshFile read_binary(const FileBytes& file) {
  ByteCursor bytes(file.bytes, file.name);
  bytes.skip(header_bytes, "header");
  const std::uint32_t count = bytes.take<std::uint32_t>("count of triangles");
  bytes.need(count, triangle_bytes, "triangles");
  Progress progress(file);
  MeshFile mesh;
  mesh.encoding = "binary, float";
  mesh.triangles.reserve(count);
  VertexMerger vertices(count / 2);  // as a closed surface has
  for (std::uint32_t i = 0; i < count; ++i) {
    progress.at(bytes.offset());
    bytes.skip(12, "normal");
    std::array<Vec3, 3> corners;
    for (Vec3& corner : corners)
      for (double& x : corner) {
        x = static_cast<double>(bytes.take<float>("coordinate"));
        if (!std::isfinite(x))
          bytes.refuse_at(
              bytes.offset() - 4,
              fmt::format("a coordinate of triangle {} is {}, which is not a finite number", i, x),
              "Export the mesh again.");
      }
    bytes.skip(2, "attribute");
    if (vertices.size() > no_index - 4)
      bytes.refuse("there are more vertices than Palpate can number", "Cut the mesh into several files.");
    number_one(vertices, corners, mesh.triangles);
  }
  mesh.positions = vertices.take();
  if (bytes.left() >= 50)
    bytes.refuse(
        fmt::format("there are {} bytes more in the file than {} triangles take", bytes.left(), count),
        "The count of triangles is wrong: export the mesh again.");
  if (bytes.left() > 0)
    mesh.warnings.push_back(
        fmt::format("{} bytes after the data, from byte {} on, were ignored", bytes.left(), bytes.offset()));
  return mesh;
}

class TextReader {
 public:
  explicit TextReader(const FileBytes& file) : text_(file.bytes, file.name), progress_(file) {}

  MeshFile read() {
    MeshFile mesh;
    mesh.encoding = "ASCII";
    for (text_.skip_space(); !text_.at_end(); text_.skip_space()) {
      expect("solid");
      text_.skip_line();  // a name may follow, of any words
      while (!take_if("endsolid")) read_facet(mesh.triangles);
      text_.skip_line();
    }
    mesh.positions = vertices_.take();
    return mesh;
  }

 private:
  bool take_if(std::string_view keyword) {
    text_.skip_space();
    const std::size_t at = text_.offset();
    if (same_word(text_.word(), keyword)) return true;
    text_.move_to(at);
    return false;
  }
  void expect(std::string_view keyword) {
    if (take_if(keyword)) return;
    if (text_.at_end())
      text_.refuse(fmt::format("the file ends where '{}' has to be", keyword),
                   "It was cut off: get the file again.");
    text_.refuse(fmt::format("'{}' stands where '{}' has to be", text_.shown_word(), keyword));
  }

  void read_facet(std::vector<TriangleCorners>& triangles) {
    progress_.at(text_.offset());
    expect("facet");
    expect("normal");
    for (int k = 0; k < 3; ++k)
      if (text_.word_anywhere().empty()) expect("a normal");
    expect("outer");
    expect("loop");
    std::array<Vec3, 3> corners;
    for (Vec3& corner : corners) {
      expect("vertex");
      for (double& x : corner) x = text_.number_anywhere("coordinate");
    }
    expect("endloop");
    expect("endfacet");
    if (vertices_.size() > no_index - 4)
      text_.refuse("there are more vertices than Palpate can number", "Cut the mesh into several files.");
    number_one(vertices_, corners, triangles);
  }

  TextCursor text_;
  Progress progress_;
  VertexMerger vertices_;
};

// Of unit length; zero for a triangle without area.
Vec3 normal_of(const Triangle& t) {
  const Vec3 ab = t[1] - t[0], ac = t[2] - t[0];
  const int power = scale_for({ab, ac});
  const Vec3 normal = scaled(ab, power).cross(scaled(ac, power));
  const double size = normal.stableNorm();
  return size > 0 && std::isfinite(size) ? Vec3(normal / size) : Vec3::Zero();
}

std::string write_text(const MeshView& mesh) {
  std::string out = "solid palpate\n";
  for (const TriangleCorners& corners : mesh.triangles) {
    const Triangle t = triangle_at(mesh.positions, corners);
    out += "facet normal ";
    append_numbers(out, normal_of(t).cast<float>().eval());
    out += "\n outer loop\n";
    for (const Vec3& corner : t) {
      out += "  vertex ";
      append_numbers(out, corner);
      out += '\n';
    }
    out += " endloop\nendfacet\n";
  }
  return out + "endsolid palpate\n";
}

}  // namespace

MeshFile read_stl(const FileBytes& file) {
  return is_text(file) ? TextReader(file).read() : read_binary(file);
}

std::string write_stl(const MeshView& mesh, const WriteOptions& options) {
  if (options.ascii) return write_text(mesh);
  if (mesh.triangles.size() > UINT32_MAX)
    throw Error(Place::named("mesh", "for STL"), "there are more triangles than its count can say",
                "Write PLY, or cut the mesh into several files.");
  constexpr bool swap = std::endian::native == std::endian::big;
  std::string out = "binary STL written by Palpate";
  out.resize(header_bytes, ' ');
  out.reserve(data_at + triangle_bytes * mesh.triangles.size());
  append_bytes(out, static_cast<std::uint32_t>(mesh.triangles.size()), swap);
  for (const TriangleCorners& corners : mesh.triangles) {
    const Triangle t = triangle_at(mesh.positions, corners);
    for (const double x : normal_of(t)) append_bytes(out, static_cast<float>(x), swap);
    for (const Vec3& corner : t)
      for (const double x : corner) append_bytes(out, static_cast<float>(x), swap);
    append_bytes(out, std::uint16_t{0}, swap);
  }
  return out;
}

}  // namespace palpate::detail
