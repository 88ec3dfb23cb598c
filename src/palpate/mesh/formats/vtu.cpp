// VTK's XML files: unstructured grids (.vtu), and what .vtp files hold, too, since they differ in names only.
//
// An XML parser reads everything but appended data, which may be raw bytes and come last; vtu_arrays.h gets
// numbers out of the arrays.
#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/format.h>
#include <pugixml.hpp>

#include <palpate/mesh/formats/formats.h>
#include <palpate/mesh/formats/vtk_cells.h>
#include <palpate/mesh/formats/vtu_arrays.h>

namespace palpate::detail {

namespace {

constexpr std::int64_t most_points = no_index - 1;
constexpr std::int64_t most_cells = std::int64_t{1} << 40;

struct Outline {
  std::string closed;  // the XML without appended data, their element closed by hand; empty if there are none
  VtuStorage storage;
};

[[noreturn]] void refuse_at(const FileBytes& file, std::size_t offset, const std::string& what,
                            const std::string& remedy = TextCursor::default_remedy) {
  TextCursor(file.bytes, file.name).refuse_at(std::min(offset, file.bytes.size()), what, remedy);
}

Outline make_outline(const FileBytes& file) {
  Outline outline;
  const std::size_t tag = file.bytes.find("<AppendedData");
  if (tag == std::string_view::npos) return outline;
  const std::size_t close = file.bytes.find('>', tag);
  if (close == std::string_view::npos) refuse_at(file, tag, "this element does not end");
  outline.closed = fmt::format("{}</AppendedData></VTKFile>", file.bytes.substr(0, close + 1));
  TextCursor text(file.bytes, file.name, close + 1);
  text.skip_space();
  if (text.peek() != '_') text.refuse("appended data have to begin with '_'");
  outline.storage.appended_begin = text.offset() + 1;
  outline.storage.appended_end = file.bytes.size();
  return outline;
}

class VtuReader {
 public:
  explicit VtuReader(const FileBytes& file) : file_(file), outline_(make_outline(file)) {}

  MeshFile read() {
    const std::string_view xml = outline_.closed.empty() ? file_.bytes : outline_.closed;
    const pugi::xml_parse_result parsed =
        document_.load_buffer(xml.data(), xml.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!parsed)
      refuse_at(file_, static_cast<std::size_t>(parsed.offset),
                fmt::format("the XML is wrong: {}", parsed.description()),
                "The file was cut off or edited: get it again.");
    const pugi::xml_node root = document_.child("VTKFile");
    if (!root)
      refuse_at(file_, 0, "this is not a VTK XML file: it has no <VTKFile>",
                "If it is another format, give the file the ending of that format.");
    VtuArrays arrays(file_, read_storage(root));
    read_pieces(root, arrays);
    if (!outline_.closed.empty()) expect_closing_tags();
    sink_.finish();
    mesh_.encoding = arrays.encoding();
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void refuse(pugi::xml_node element, const std::string& what,
                           const std::string& remedy = TextCursor::default_remedy) const {
    VtuArrays(file_, outline_.storage).refuse(element, what, remedy);
  }

  // The parser has not seen what comes after appended data: a file without it was cut off, perhaps within an
  // array that nobody asked for.
  void expect_closing_tags() const {
    const std::size_t tail = file_.bytes.rfind("</AppendedData");
    pugi::xml_document document;
    if (tail != std::string_view::npos && tail >= outline_.storage.appended_begin) {
      const std::string xml = fmt::format("<VTKFile><AppendedData>{}", file_.bytes.substr(tail));
      if (document.load_buffer(xml.data(), xml.size(), pugi::parse_default, pugi::encoding_utf8)) return;
    }
    throw Error(Place::file(file_.name).element("byte", file_.bytes.size()),
                "the file ends before </AppendedData> and </VTKFile>", "It was cut off: get the file again.");
  }

  VtuStorage read_storage(pugi::xml_node root) const {
    VtuStorage storage = outline_.storage;
    const std::string_view order = root.attribute("byte_order").value();
    if (order != "BigEndian" && order != "LittleEndian" && !order.empty())
      refuse(root, fmt::format("byte_order '{:.40}' is neither LittleEndian nor BigEndian", order));
    storage.big_endian = order == "BigEndian";
    const std::string_view header = root.attribute("header_type").value();
    if (header != "UInt32" && header != "UInt64" && !header.empty())
      refuse(root, fmt::format("header_type '{:.40}' is neither UInt32 nor UInt64", header));
    storage.long_headers = header == "UInt64";
    const std::string_view compressor = root.attribute("compressor").value();
    storage.zlib = compressor == "vtkZLibDataCompressor";
    if (!storage.zlib) storage.other_compressor = compressor;
    if (const pugi::xml_node appended = root.child("AppendedData")) {
      const std::string_view encoding = appended.attribute("encoding").value();
      if (encoding != "raw" && encoding != "base64")
        refuse(appended, fmt::format("encoding '{:.40}' is neither raw nor base64", encoding));
      storage.appended_base64 = encoding == "base64";
      if (storage.appended_base64)
        storage.appended_end = std::min(file_.bytes.find('<', storage.appended_begin), file_.bytes.size());
    }
    return storage;
  }

  void read_pieces(pugi::xml_node root, VtuArrays& arrays) {
    const std::string type = root.attribute("type").value();
    if (type != "UnstructuredGrid" && type != "PolyData")
      refuse(root, fmt::format("a file of type '{:.40}' is not read", type),
             "Palpate reads UnstructuredGrid (.vtu) and PolyData: convert it in ParaView and save it again.");
    const pugi::xml_node grid = root.child(type.c_str());
    if (!grid) refuse(root, fmt::format("there is no <{}> in the file", type));
    const auto pieces = grid.children("Piece");
    steps_ = 4 * static_cast<std::size_t>(std::distance(pieces.begin(), pieces.end()));
    for (const pugi::xml_node piece : pieces) read_piece(piece, arrays, type == "PolyData");
  }

  // After each array; there are four in a piece, or at times more in one of polygons.
  void tell() {
    ++step_;
    if (file_.progress && step_ <= steps_)
      file_.progress(static_cast<double>(step_) / static_cast<double>(steps_));
  }

  // A count in an attribute; one that is absent is 0 where the format allows that.
  std::int64_t count(pugi::xml_node piece, const char* name, std::int64_t most, bool required) const {
    const std::string_view text = piece.attribute(name).value();
    if (text.empty() && !required) return 0;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > most)
      refuse(piece, fmt::format("{} '{:.40}' is not a count", name, text));
    return value;
  }

  void read_piece(pugi::xml_node piece, VtuArrays& arrays, bool polydata) {
    const std::size_t first = mesh_.positions.size();
    read_points(piece, arrays);
    if (!polydata) {
      read_cells(piece, arrays, "Cells", count(piece, "NumberOfCells", most_cells, true), first, -1);
      return;
    }
    read_cells(piece, arrays, "Verts", count(piece, "NumberOfVerts", most_cells, false), first, 2);
    read_cells(piece, arrays, "Lines", count(piece, "NumberOfLines", most_cells, false), first, 4);
    read_cells(piece, arrays, "Strips", count(piece, "NumberOfStrips", most_cells, false), first, 6);
    read_cells(piece, arrays, "Polys", count(piece, "NumberOfPolys", most_cells, false), first, 7);
  }

  void read_points(pugi::xml_node piece, VtuArrays& arrays) {
    const std::int64_t points = count(piece, "NumberOfPoints", most_points, true);
    if (points > most_points - static_cast<std::int64_t>(mesh_.positions.size()))
      refuse(piece, "there are more points than Palpate can number");
    const pugi::xml_node array = piece.child("Points").child("DataArray");
    if (!array && points == 0) return;
    if (!array) refuse(piece, "there are no <Points> with a <DataArray>");
    const std::string_view components = array.attribute("NumberOfComponents").value();
    if (components != "3" && !components.empty())
      refuse(array, fmt::format("points have {:.40} coordinates and not 3", components));
    const std::vector<double> values = arrays.reals(array, 3 * static_cast<std::uint64_t>(points));
    tell();
    mesh_.positions.reserve(mesh_.positions.size() + static_cast<std::size_t>(points));
    for (std::size_t i = 0; i < values.size(); i += 3)
      mesh_.positions.emplace_back(values[i], values[i + 1], values[i + 2]);
  }

  pugi::xml_node array_named(pugi::xml_node group, const char* name) const {
    const pugi::xml_node array = group.find_child_by_attribute("DataArray", "Name", name);
    if (!array) refuse(group, fmt::format("there is no <DataArray> named '{}'", name));
    return array;
  }

  // Cells of the types in the file, or all of one type.
  void read_cells(pugi::xml_node piece, VtuArrays& arrays, const char* name, std::int64_t count_of_cells,
                  std::size_t first, int type) {
    if (count_of_cells == 0) return;
    const pugi::xml_node group = piece.child(name);
    if (!group) refuse(piece, fmt::format("there are no <{}>", name));
    const auto size = static_cast<std::uint64_t>(count_of_cells);
    VtkCells cells;
    const pugi::xml_node offsets = array_named(group, "offsets");
    std::int64_t before = 0;
    for (const std::int64_t end : arrays.wholes(offsets, size, 0, std::int64_t{1} << 60)) {
      if (end < before) refuse(offsets, fmt::format("offset {} comes after the larger {}", end, before));
      cells.ends.push_back(static_cast<std::size_t>(before = end));
    }
    tell();
    const auto points = static_cast<std::int64_t>(mesh_.positions.size() - first);
    const auto corners =
        arrays.wholes(array_named(group, "connectivity"), static_cast<std::uint64_t>(before), 0, points - 1);
    tell();
    cells.corners.reserve(corners.size());
    for (const std::int64_t v : corners)
      cells.corners.push_back(static_cast<std::uint32_t>(first + static_cast<std::size_t>(v)));
    std::vector<std::int64_t> types;
    if (type < 0) types = arrays.wholes(array_named(group, "types"), size, 0, 255);
    tell();
    for (std::size_t i = 0; i < cells.ends.size(); ++i) {
      const std::string wrong = add_vtk_cell(sink_, cells, i, type < 0 ? types[i] : type);
      if (!wrong.empty()) refuse(group, wrong);
    }
  }

  const FileBytes& file_;
  Outline outline_;
  pugi::xml_document document_;
  MeshFile mesh_;
  ElementSink sink_{mesh_};
  std::size_t step_ = 0, steps_ = 0;
};

}  // namespace

MeshFile read_vtu(const FileBytes& file) { return VtuReader(file).read(); }

}  // namespace palpate::detail
