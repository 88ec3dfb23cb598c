#include <palpate/mesh/formats/ply_header.h>

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <palpate/mesh/formats/text_cursor.h>

namespace palpate::detail {

namespace {

constexpr std::pair<std::string_view, PlyType> type_names[] = {
    {"char", PlyType::int8},      {"int8", PlyType::int8},       {"uchar", PlyType::uint8},
    {"uint8", PlyType::uint8},    {"short", PlyType::int16},     {"int16", PlyType::int16},
    {"ushort", PlyType::uint16},  {"uint16", PlyType::uint16},   {"int", PlyType::int32},
    {"int32", PlyType::int32},    {"uint", PlyType::uint32},     {"uint32", PlyType::uint32},
    {"float", PlyType::float32},  {"float32", PlyType::float32}, {"double", PlyType::float64},
    {"float64", PlyType::float64}};

class HeaderReader {
 public:
  explicit HeaderReader(const FileBytes& file) : text_(file.bytes, file.name) {}

  PlyHeader read() {
    if (text_.word() != "ply" || !text_.at_line_end()) {
      text_.refuse_at(0, "a PLY file begins with a line 'ply', and this one does not",
                      "Is it another format with the wrong ending?");
    }
    text_.skip_line();
    while (read_line()) {
    }
    header_.end = text_.offset();
    if (!has_format_) text_.refuse("the header has no line 'format'");
    check_vertices();
    for (const PlyElement& element : header_.elements) check_corners(element);
    return std::move(header_);
  }

 private:
  // False after the last line of the header.
  bool read_line() {
    text_.skip_space();
    if (text_.at_end()) text_.refuse("the file ends inside its header: there is no line 'end_header'");
    const std::size_t from = text_.offset();
    const std::string_view keyword = text_.word();
    if (keyword == "comment" || keyword == "obj_info") {
      text_.skip_line();
      return true;
    }
    if (keyword == "format") {
      read_format(from);
    } else if (keyword == "element") {
      read_element();
    } else if (keyword == "property") {
      read_property(from);
    } else if (keyword != "end_header") {
      text_.move_to(from);
      text_.refuse(fmt::format("'{}' is not a line of a PLY header", text_.shown_word()));
    }
    text_.expect_line_end(fmt::format("'{}'", keyword));
    return keyword != "end_header";
  }

  void read_format(std::size_t from) {
    if (has_format_) text_.refuse_at(from, "there are two lines 'format'");
    text_.skip_blanks();
    const std::size_t at = text_.offset();
    const std::string_view encoding = text_.word();
    if (encoding == "binary_little_endian") {
      header_.encoding = PlyHeader::Encoding::little_endian;
    } else if (encoding == "binary_big_endian") {
      header_.encoding = PlyHeader::Encoding::big_endian;
    } else if (encoding != "ascii") {
      text_.refuse_at(at, "the format has to be ascii, binary_little_endian or binary_big_endian");
    }
    text_.skip_blanks();
    const std::size_t version_at = text_.offset();
    if (text_.word() != "1.0") text_.refuse_at(version_at, "the only version of PLY is 1.0");
    has_format_ = true;
  }

  std::string_view new_name(std::set<std::string_view>& known, const char* kind) {
    text_.skip_blanks();
    const std::size_t at = text_.offset();
    const std::string shown = text_.shown_word();
    const std::string_view name = text_.word();
    if (name.empty()) text_.refuse(fmt::format("the name of the {} is missing", kind));
    if (!known.insert(name).second)
      text_.refuse_at(
          at, fmt::format("there are two {} '{}'", kind == element_ ? "elements" : "properties", shown));
    return name;
  }

  void read_element() {
    PlyElement element;
    element.name = new_name(element_names_, element_);
    element.count = static_cast<std::uint64_t>(text_.integer("count", 0, INT64_MAX));
    header_.elements.push_back(std::move(element));
    property_names_.clear();
  }

  void read_property(std::size_t from) {
    if (header_.elements.empty()) text_.refuse_at(from, "a property comes before the first element");
    PlyProperty property{};
    text_.skip_blanks();
    const std::size_t at = text_.offset();
    if (text_.word() == "list") {
      text_.skip_blanks();
      const std::size_t count_at = text_.offset();
      property.count_type = read_type();
      if (!is_integer(*property.count_type))
        text_.refuse_at(count_at, "the count of a list has to be of an integer type");
    } else {
      text_.move_to(at);
    }
    property.type = read_type();
    property.name = new_name(property_names_, property_);
    header_.elements.back().properties.push_back(property);
  }

  PlyType read_type() {
    text_.skip_blanks();
    const std::size_t at = text_.offset();
    const std::string shown = text_.shown_word();
    const std::string_view word = text_.word();
    for (const auto& [name, type] : type_names)
      if (name == word) return type;
    text_.refuse_at(at, fmt::format("'{}' is not a type of PLY, as char, uint8, int or float are", shown));
  }

  void check_vertices() {
    const auto vertex = std::find_if(header_.elements.begin(), header_.elements.end(),
                                     [](const PlyElement& e) { return e.name == "vertex"; });
    if (vertex == header_.elements.end()) text_.refuse("the file has no element 'vertex'");
    for (const char* const name : {"x", "y", "z"}) {
      const PlyProperty* const found = vertex->find(name);
      if (found == nullptr || found->count_type)
        text_.refuse(fmt::format("the element 'vertex' has no {} '{}'",
                                 found == nullptr ? "property" : "scalar property", name));
    }
    if (vertex->count >= no_index)
      text_.refuse(fmt::format("{} vertices are more than Palpate can number", vertex->count),
                   "Cut the mesh into several files.");
  }

  void check_corners(const PlyElement& element) {
    const bool strips = element.name == "tristrips";
    if ((element.name != "face" && !strips) || element.count == 0) return;
    const PlyProperty* const corners = corner_list(element);
    if (corners == nullptr)
      text_.refuse(fmt::format("the element '{}' has no list 'vertex_indices'", element.name));
    if (!is_integer(corners->type))
      text_.refuse(
          fmt::format("'{}' is a list of floating point numbers, and indices are integers", corners->name));
  }

  static constexpr const char* element_ = "element";
  static constexpr const char* property_ = "property";

  TextCursor text_;
  PlyHeader header_;
  bool has_format_ = false;
  std::set<std::string_view> element_names_, property_names_;  // a hostile header may have very many
};

}  // namespace

const PlyProperty* PlyElement::find(std::string_view property) const {
  for (const PlyProperty& one : properties)
    if (one.name == property) return &one;
  return nullptr;
}

bool PlyElement::has_lists() const {
  return std::any_of(properties.begin(), properties.end(),
                     [](const PlyProperty& p) { return p.count_type.has_value(); });
}

std::size_t PlyElement::least_bytes() const {
  std::size_t sum = 0;
  for (const PlyProperty& p : properties) sum += size_of(p.count_type.value_or(p.type));
  return sum;
}

const PlyProperty* corner_list(const PlyElement& element) {
  for (const char* const name : {"vertex_indices", "vertex_index"})
    if (const PlyProperty* const found = element.find(name); found != nullptr && found->count_type)
      return found;
  return nullptr;
}

const PlyElement& PlyHeader::vertices() const {
  return *std::find_if(elements.begin(), elements.end(),
                       [](const PlyElement& e) { return e.name == "vertex"; });
}

PlyHeader read_ply_header(const FileBytes& file) { return HeaderReader(file).read(); }

std::string encoding_for_people(const PlyHeader& header) {
  if (header.encoding == PlyHeader::Encoding::ascii) return "ASCII";
  constexpr std::string_view names[] = {"8-bit",  "8-bit",  "16-bit", "16-bit",
                                        "32-bit", "32-bit", "float",  "double"};
  return fmt::format("binary {}-endian, {}",
                     header.encoding == PlyHeader::Encoding::little_endian ? "little" : "big",
                     names[static_cast<std::size_t>(header.vertices().find("x")->type)]);
}

}  // namespace palpate::detail
