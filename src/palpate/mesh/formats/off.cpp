// OFF, as Geomview has it: counts, a line for each vertex, a line for each face. Colours, normals and texture
// coordinates (COFF, NOFF, STOFF and their combinations) stand behind the coordinates and are passed over.
#include <algorithm>

#include <fmt/format.h>

#include <palpate/mesh/formats/formats.h>
#include <palpate/mesh/formats/number_text.h>
#include <palpate/mesh/formats/polygon.h>
#include <palpate/mesh/formats/progress.h>
#include <palpate/mesh/formats/skipped.h>
#include <palpate/mesh/formats/text_cursor.h>

namespace palpate::detail {

namespace {

class OffReader {
 public:
  explicit OffReader(const FileBytes& file) : text_(file.bytes, file.name), progress_(file) {}

  MeshFile read() {
    read_keyword();
    read_counts();
    MeshFile mesh;
    mesh.encoding = "ASCII";
    read_vertices(mesh.positions);
    read_faces(mesh.positions);
    text_.skip_space_and_comments();
    if (!text_.at_end())
      text_.refuse("there is more in the file than its counts say",
                   "The counts on its first lines are wrong: export the mesh again.");
    text_.warn_if_cut(mesh.warnings);
    faces_.finish(mesh.positions, mesh.warnings);
    mesh.triangles = std::move(faces_.triangles);
    skipped_.append_to(mesh.warnings);
    return mesh;
  }

 private:
  // [ST][C][N][4][n]OFF [BINARY]; Geomview may leave it out.
  void read_keyword() {
    text_.skip_space_and_comments();
    const std::size_t at = text_.offset();
    const std::string shown = text_.shown_word();
    if (is_integer(shown)) return;
    std::string_view word = text_.word();
    const auto has = [&](std::string_view prefix) {
      const bool found = word.starts_with(prefix);
      if (found) word.remove_prefix(prefix.size());
      return found;
    };
    extras_ = has("ST");
    extras_ |= has("C");
    extras_ |= has("N");
    const bool four = has("4"), any = has("n");
    if (word != "OFF")
      text_.refuse_at(at, fmt::format("'{}' is not the beginning of an OFF file", shown),
                      "Is it another format with the wrong ending?");
    if (four || any)
      text_.refuse_at(at, fmt::format("{} has vertices of other than three dimensions", shown),
                      "Export the mesh in three dimensions, as OFF.");
    text_.skip_blanks();
    const std::size_t binary_at = text_.offset();
    if (text_.word() == "BINARY")
      text_.refuse_at(binary_at, "binary OFF is not read", "Export the mesh as ASCII OFF, or as binary PLY.");
    text_.move_to(binary_at);
  }

  static bool is_integer(std::string_view word) {
    return !word.empty() &&
           std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  }

  // The number of edges, which follows, is of no use and often wrong or missing.
  void read_counts() {
    text_.skip_space_and_comments();
    const std::size_t at = text_.offset();
    vertices_ = text_.integer("number of vertices", 0, no_index - 1);
    count_ = text_.integer("number of faces", 0, INT64_MAX);
    text_.skip_line();
    // "0 0 0" and "3 0 0 0" or "1 0" with their line ends: less cannot be.
    const auto fits = [&](std::int64_t count, std::size_t least) {
      return static_cast<std::uint64_t>(count) <= (text_.left() + 1) / least;
    };
    if (!fits(vertices_, 6) || !fits(count_, 2))
      text_.refuse_at(at,
                      fmt::format("{} vertices and {} faces cannot be in the {} bytes that follow", vertices_,
                                  count_, text_.left()),
                      "The file was cut off, or its counts are wrong: get the file again.");
  }

  void begin_line(const char* what, std::int64_t count) {
    text_.skip_space_and_comments();
    progress_.at(text_.offset());
    if (text_.at_end())
      text_.refuse(fmt::format("the file ends before all {} {}", count, what),
                   "It was cut off: get the file again.");
  }

  void read_vertices(std::vector<Vec3>& positions) {
    positions.reserve(static_cast<std::size_t>(vertices_));
    std::size_t unexpected = 0;
    for (std::int64_t i = 0; i < vertices_; ++i) {
      begin_line("vertices", vertices_);
      const double x = text_.number("coordinate"), y = text_.number("coordinate");
      positions.emplace_back(x, y, text_.number("coordinate"));
      if (!text_.at_line_end() && text_.peek() != '#' && !extras_) ++unexpected;
      text_.skip_line();
    }
    if (unexpected > 0) skipped_.add("rests of vertex lines that the keyword does not announce", unexpected);
  }

  void read_faces(std::span<const Vec3> positions) {
    faces_.triangles.reserve(static_cast<std::size_t>(count_));
    for (std::int64_t i = 0; i < count_; ++i) {
      begin_line("faces", count_);
      corners_.clear();
      for (std::int64_t left = text_.integer("number of corners", 0, UINT32_MAX); left > 0; --left)
        corners_.push_back(static_cast<std::uint32_t>(text_.integer("vertex index", 0, vertices_ - 1)));
      text_.skip_line();  // a colour may follow
      if (corners_.size() < 3) {
        skipped_.add("faces with fewer than 3 corners");
      } else {
        faces_.add(positions, corners_);
      }
    }
  }

  TextCursor text_;
  Progress progress_;
  bool extras_ = false;  // the keyword says that more than coordinates stands in vertex lines
  std::int64_t vertices_ = 0, count_ = 0;
  FaceList faces_;
  std::vector<std::uint32_t> corners_;
  Skipped skipped_;
};

}  // namespace

MeshFile read_off(const FileBytes& file) { return OffReader(file).read(); }

std::string write_off(const MeshView& mesh, const WriteOptions&) {
  std::string out = fmt::format("OFF\n{} {} 0\n", mesh.positions.size(), mesh.triangles.size());
  out.reserve(out.size() + 62 * mesh.positions.size() + 28 * mesh.triangles.size());
  for (const Vec3& p : mesh.positions) {
    append_numbers(out, p);
    out += '\n';
  }
  for (const TriangleCorners& corners : mesh.triangles) {
    out += "3 ";
    append_numbers(out, corners);
    out += '\n';
  }
  return out;
}

}  // namespace palpate::detail
