// Wavefront OBJ: the statements v and f. Normals, texture coordinates, materials and groups are known and
// passed over; lines, points and whatever else there is are counted as skipped.
//
// A face may name vertices that come later, so the range of indices is judged at the end of the file. There
// are no counts: nothing tells a file that was cut off between two lines from a whole one.
#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include <palpate/mesh/formats/formats.h>
#include <palpate/mesh/formats/number_text.h>
#include <palpate/mesh/formats/polygon.h>
#include <palpate/mesh/formats/progress.h>
#include <palpate/mesh/formats/skipped.h>
#include <palpate/mesh/formats/text_cursor.h>

namespace palpate::detail {

namespace {

constexpr std::array<std::string_view, 8> ignored = {"vn", "vt", "vp", "usemtl", "mtllib", "o", "g", "s"};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// A backslash at the end of a line continues it. Such files are rare: they are copied, with blanks in place
// of backslash and line end, so that nothing else has to know. Comments are not continued.
std::string with_joined_lines(std::string_view text) {
  std::string joined(text);
  bool comment = false, line_begins = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (line_begins) comment = text[i] == '#';
    line_begins = text[i] == '\n';
    if (text[i] != '\\' || comment) continue;
    const std::size_t end = text.substr(i + 1, 1) == "\r" ? i + 2 : i + 1;
    if (text.substr(end, 1) != "\n") continue;
    std::fill(joined.begin() + static_cast<std::ptrdiff_t>(i),
              joined.begin() + static_cast<std::ptrdiff_t>(end) + 1, ' ');
    i = end;
  }
  return joined;
}

bool has_continued_lines(std::string_view text) {
  return text.find('\\') != text.npos && (text.find("\\\n") != text.npos || text.find("\\\r\n") != text.npos);
}

// Something stands in the last line, and no line end after it.
bool ends_within_line(std::string_view text) {
  const std::string_view last = text.substr(text.rfind('\n') + 1);  // npos + 1 == 0
  return !std::all_of(last.begin(), last.end(), is_blank);
}

// Words of ASCII characters that one can see.
bool is_keyword(std::string_view word) {
  return std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c < 127; });
}

class ObjReader {
 public:
  ObjReader(const FileBytes& file, std::string_view text)
      : text_(text, file.name), progress_(file), ends_within_line_(ends_within_line(text)) {
    text_.count_lines_in(file.bytes);
  }

  MeshFile read() {
    for (text_.skip_space(); !text_.at_end(); text_.skip_space()) {
      progress_.at(text_.offset());
      read_statement();
    }
    if (last_needed_ > positions_.size())
      text_.refuse_at(last_needed_at_,
                      fmt::format("there is no vertex {}: the file has {}", last_needed_, positions_.size()));
    MeshFile mesh;
    mesh.encoding = "ASCII";
    faces_.finish(positions_, mesh.warnings);
    mesh.positions = std::move(positions_);
    mesh.triangles = std::move(faces_.triangles);
    if (weights_ > 0)
      mesh.warnings.push_back(
          fmt::format("{} vertices have a weight w that is not 1; it was ignored", weights_));
    if (ends_within_line_)
      mesh.warnings.push_back(fmt::format(
          "the file ends in the middle of a line (line {}): it may have been cut off", text_.line()));
    skipped_.append_to(mesh.warnings);
    return mesh;
  }

 private:
  void read_statement() {
    const char first = text_.peek();
    const char second = text_.left() > 1 ? text_.here()[1] : '\n';
    const bool alone = is_blank(second) || second == '\n';
    if (first == 'v' && alone) {
      read_vertex();
    } else if (first == 'f' && alone) {
      read_face();
    } else {
      pass_over();
    }
    text_.skip_line();
  }

  // Where the statement ends: at the line's end or before a comment.
  bool at_statement_end() { return text_.at_line_end() || text_.peek() == '#'; }

  void read_vertex() {
    if (positions_.size() == no_index - 1)
      text_.refuse("there are more vertices than Palpate can number", "Cut the mesh into several files.");
    text_.move_to(text_.offset() + 1);
    const double x = text_.number("coordinate"), y = text_.number("coordinate");
    positions_.emplace_back(x, y, text_.number("coordinate"));
    if (!at_statement_end()) read_extra_numbers();
  }

  // A weight, a colour or both.
  void read_extra_numbers() {
    const std::size_t from = text_.offset();
    std::size_t count = 0;
    double first = 0;
    for (; !at_statement_end(); ++count) {
      const double value = text_.number("weight or colour");
      if (count == 0) first = value;
    }
    if (count == 2 || count > 4)
      text_.refuse_at(from, fmt::format("{} numbers follow the three coordinates; it can be 1 (a weight), "
                                        "3 or 4 (a colour)",
                                        count));
    if (count == 1 && first != 1) ++weights_;
  }

  void read_face() {
    const std::size_t from = text_.offset();
    text_.move_to(from + 1);
    corners_.clear();
    while (!at_statement_end()) corners_.push_back(read_corner());
    if (corners_.size() < 3)
      text_.refuse_at(from,
                      fmt::format("a face needs 3 corners or more, and this one has {}", corners_.size()));
    faces_.add(positions_, corners_);
  }

  // v, v/vt, v//vn or v/vt/vn; only v counts.
  std::uint32_t read_corner() {
    const char* at = text_.here();
    const char* const end = at + text_.left();
    const bool backwards = *at == '-';
    if (backwards) ++at;
    const char* const digits = at;
    std::uint64_t number = 0;
    while (at != end && *at >= '0' && *at <= '9' && at - digits < 11)
      number = 10 * number + static_cast<std::uint64_t>(*at++ - '0');
    const bool any = at != digits;
    for (int slashes = 0; slashes < 2 && at != end && *at == '/'; ++slashes) {
      if (++at != end && *at == '-') ++at;
      while (at != end && *at >= '0' && *at <= '9') ++at;
    }
    if (!any || (at != end && *at != '\n' && !is_blank(*at)))
      text_.refuse(fmt::format("'{}' is not a corner of a face, which is v, v/vt, v//vn or v/vt/vn",
                               text_.shown_word()));
    const std::uint32_t vertex = vertex_of(number, backwards);
    text_.move_to(text_.offset() + static_cast<std::size_t>(at - text_.here()));
    return vertex;
  }

  std::uint32_t vertex_of(std::uint64_t number, bool backwards) {
    if (number == 0) text_.refuse("vertex 0 cannot be: vertices are counted from 1");
    if (backwards) {
      if (number > positions_.size())
        text_.refuse(fmt::format("vertex -{} cannot be: there are {} vertices before this face", number,
                                 positions_.size()));
      return static_cast<std::uint32_t>(positions_.size() - number);
    }
    if (number >= no_index)
      text_.refuse(fmt::format("there is no vertex {}: a file can have {}", number, no_index - 1));
    if (number > last_needed_) {
      last_needed_ = number;
      last_needed_at_ = text_.offset();
    }
    return static_cast<std::uint32_t>(number - 1);
  }

  void pass_over() {
    if (text_.peek() == '#') return;
    const std::size_t from = text_.offset();
    const std::string_view keyword = text_.word();
    if (std::find(ignored.begin(), ignored.end(), keyword) != ignored.end()) return;
    text_.move_to(from);
    if (!is_keyword(keyword))
      text_.refuse(
          fmt::format("'{}' is not a statement of OBJ: it has bytes that no keyword has", text_.shown_word()),
          "The file is damaged, or another format with the wrong ending: export the mesh again.");
    const char* const meaning = keyword == "l" ? " (lines)" : keyword == "p" ? " (points)" : "";
    skipped_.add(fmt::format("'{}' statements{}", text_.shown_word(), meaning));
  }

  TextCursor text_;
  Progress progress_;
  bool ends_within_line_;
  std::vector<Vec3> positions_;
  FaceList faces_;
  std::vector<std::uint32_t> corners_;
  std::uint64_t last_needed_ = 0;  // the highest number a face has named, and where
  std::size_t last_needed_at_ = 0;
  std::size_t weights_ = 0;
  Skipped skipped_;
};

}  // namespace

MeshFile read_obj(const FileBytes& file) {
  if (!has_continued_lines(file.bytes)) return ObjReader(file, file.bytes).read();
  const std::string joined = with_joined_lines(file.bytes);
  return ObjReader(file, joined).read();
}

std::string write_obj(const MeshView& mesh, const WriteOptions&) {
  std::string out;
  out.reserve(64 * mesh.positions.size() + 26 * mesh.triangles.size());
  for (const Vec3& p : mesh.positions) {
    out += "v ";
    append_numbers(out, p);
    out += '\n';
  }
  for (const auto& [a, b, c] : mesh.triangles) {
    out += "f ";
    append_numbers(out, std::array{std::uint64_t{a} + 1, std::uint64_t{b} + 1, std::uint64_t{c} + 1});
    out += '\n';
  }
  return out;
}

}  // namespace palpate::detail
