// The data of an ASCII PLY file: a line for each element.
#include <algorithm>

#include <fmt/format.h>

#include <palpate/mesh/formats/ply_content.h>
#include <palpate/mesh/formats/progress.h>
#include <palpate/mesh/formats/text_cursor.h>

namespace palpate::detail {

namespace {

class PlyText {
 public:
  PlyText(const FileBytes& file, const PlyHeader& header, PlyContent& content)
      : text_(file.bytes, file.name, header.end), progress_(file), header_(header), content_(content) {}

  void read() {
    for (const PlyElement& element : header_.elements) {
      check_count(element);
      if (element.name == "vertex") {
        read_vertices(element);
      } else if (element.name == "face" || element.name == "tristrips") {
        read_faces(element);
      } else {
        content_.skip(element);
        // An element without properties takes no line, whatever its count.
        for (std::uint64_t i = element.properties.empty() ? element.count : 0; i < element.count; ++i) {
          begin_line(element);
          text_.skip_line();
        }
      }
    }
    text_.skip_space();
    if (!text_.at_end())
      text_.refuse("there is more in the file than its header says",
                   "A count in the header is wrong: export the mesh again.");
    text_.warn_if_cut(content_.warnings);
  }

 private:
  // Every value takes a digit, and a blank or line end behind it but for the last.
  void check_count(const PlyElement& element) const {
    const std::size_t values = element.properties.size();
    if (values == 0 || element.count <= (text_.left() + 1) / 2 / values) return;
    text_.refuse(fmt::format("{} elements '{}' cannot be in the {} bytes that are left", element.count,
                             element.name.substr(0, 40), text_.left()),
                 "The file was cut off, or its header is wrong: get the file again.");
  }

  void begin_line(const PlyElement& element) {
    text_.skip_space();
    progress_.at(text_.offset());
    if (text_.at_end())
      text_.refuse(
          fmt::format("the file ends before all {} elements '{}'", element.count, element.name.substr(0, 40)),
          "It was cut off: get the file again.");
  }

  void skip_word(const PlyProperty& property) {
    if (text_.word().empty())
      text_.refuse(fmt::format("a value of '{}' is missing", property.name.substr(0, 40)));
  }

  std::uint64_t read_list_count() {
    return static_cast<std::uint64_t>(text_.integer("count of a list", 0, UINT32_MAX));
  }

  void skip(const PlyProperty& property) {
    if (!property.count_type) return skip_word(property);
    for (std::uint64_t left = read_list_count(); left > 0; --left) skip_word(property);
  }

  void read_vertices(const PlyElement& element) {
    // Which property gives which coordinate: 3 for none.
    std::vector<std::uint8_t> axes;
    for (const PlyProperty& p : element.properties)
      axes.push_back(p.name == "x" ? 0 : p.name == "y" ? 1 : p.name == "z" ? 2 : 3);
    content_.positions.reserve(element.count);
    Vec3 position;
    for (std::uint64_t i = 0; i < element.count; ++i) {
      begin_line(element);
      for (std::size_t k = 0; k < axes.size(); ++k) {
        if (axes[k] < 3) {
          position[axes[k]] = text_.number("coordinate");
        } else {
          skip(element.properties[k]);
        }
      }
      content_.positions.push_back(position);
      text_.expect_line_end("the values of a vertex");
    }
  }

  void read_faces(const PlyElement& element) {
    const bool strips = element.name == "tristrips";
    const PlyProperty* const list = corner_list(element);
    if (!strips) content_.faces.triangles.reserve(element.count);
    for (std::uint64_t i = 0; i < element.count; ++i) {
      begin_line(element);
      for (const PlyProperty& property : element.properties) {
        if (&property == list) {
          read_corners(strips ? -1 : 0);
        } else {
          skip(property);
        }
      }
      text_.expect_line_end(strips ? "a strip" : "a face");
      strips ? content_.add_strips(corners_) : content_.add_face(corners_);
    }
  }

  void read_corners(std::int64_t lowest) {
    const std::int64_t highest = std::int64_t{content_.vertices} - 1;
    corners_.clear();
    for (std::uint64_t left = read_list_count(); left > 0; --left)
      corners_.push_back(static_cast<std::uint32_t>(text_.integer("vertex index", lowest, highest)));
  }

  TextCursor text_;
  Progress progress_;
  const PlyHeader& header_;
  PlyContent& content_;
  std::vector<std::uint32_t> corners_;
};

}  // namespace

void read_ply_text(const FileBytes& file, const PlyHeader& header, PlyContent& content) {
  PlyText(file, header, content).read();
}

}  // namespace palpate::detail
