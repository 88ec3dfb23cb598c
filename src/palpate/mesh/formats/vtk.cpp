// VTK's own older files, "legacy" to VTK: a few lines of text, then keywords, each with numbers after it.

#include <fmt/format.h>

#include <palpate/mesh/formats/formats.h>
#include <palpate/mesh/formats/mixed_cursor.h>
#include <palpate/mesh/formats/vtk_attributes.h>
#include <palpate/mesh/formats/vtk_cells.h>
#include <palpate/mesh/formats/vtk_field.h>

namespace palpate::detail {

namespace {

constexpr std::int64_t most_points = no_index - 1;

class VtkReader {
 public:
  explicit VtkReader(const FileBytes& file) : in_(file) {}

  MeshFile read() {
    read_header();
    read_dataset_kind();
    while (read_section()) {
    }
    if (!has_points_) in_.refuse("there are no POINTS in the file");
    if (is_grid_ && !has_cells_) in_.refuse("there are no CELLS in the file");
    if (is_grid_ && !has_types_) in_.refuse("CELL_TYPES, which say what the cells are, are missing");
    sink_.finish();
    in_.text().warn_if_cut(mesh_.warnings);
    return std::move(mesh_);
  }

 private:
  // The next keyword in capitals; empty at the end. keyword_at_ is where it stands.
  std::string keyword() {
    in_.text().skip_space();
    keyword_at_ = in_.offset();
    return in_capitals(in_.text().word());
  }
  [[noreturn]] void refuse_keyword(const std::string& what,
                                   const std::string& remedy = TextCursor::default_remedy) {
    in_.refuse_at(keyword_at_, what, remedy);
  }

  void read_header() {
    constexpr std::string_view start = "# vtk DataFile Version ";
    TextCursor& text = in_.text();
    const std::string_view line = text.rest_of_line();
    if (!line.starts_with(start))
      in_.refuse_at(0, "this is not a VTK legacy file: it does not begin with '# vtk DataFile Version'",
                    "If it is another format, give the file the ending of that format.");
    const std::string_view version = line.substr(start.size());
    const std::string_view number = version.substr(0, 3);
    const bool known = number.size() == 3 && number[0] >= '1' && number[0] <= '5' && number[1] == '.' &&
                       number[2] >= '0' && number[2] <= '9' && number <= "5.1";
    if (!known)
      in_.refuse_at(start.size(),
                    fmt::format("version '{}' is not one that Palpate reads", MixedCursor::shown(version)),
                    "It reads VTK legacy 1.0 to 5.1: save the mesh in one of these, or as VTU.");
    text.skip_line();  // the title, which may be anything
    const std::string encoding = keyword();
    if (encoding != "ASCII" && encoding != "BINARY")
      refuse_keyword(fmt::format("'{}' is neither ASCII nor BINARY", MixedCursor::shown(encoding)));
    text.expect_line_end("the encoding");
    mesh_.encoding = fmt::format("{} {}", number, encoding == "BINARY" ? "binary" : "ASCII");
    if (encoding == "BINARY") in_.become_binary(true);
  }

  void read_dataset_kind() {
    if (keyword() != "DATASET")
      refuse_keyword("DATASET should come here",
                     "The file holds no mesh, or something before it is wrong: export the mesh again.");
    const std::string kind = keyword();
    is_grid_ = kind == "UNSTRUCTURED_GRID";
    if (!is_grid_ && kind != "POLYDATA")
      refuse_keyword(fmt::format("a dataset of kind {} is not read", MixedCursor::shown(kind)),
                     "Palpate reads UNSTRUCTURED_GRID and POLYDATA: convert it in ParaView (Tetrahedralize, "
                     "or Extract Surface) and save it again.");
  }

  // One keyword with what belongs to it; false at the end of the geometry.
  bool read_section() {
    const std::string word = keyword();
    // What is known of points and cells (fields, normals, colours) comes last and is not geometry.
    if (word.empty()) return false;
    if (word == "POINT_DATA" || word == "CELL_DATA") {
      in_.text().move_to(keyword_at_);
      skip_vtk_attributes(in_, mesh_.warnings);
      return false;
    }
    if (word == "POINTS")
      read_points();
    else if (word == "FIELD")
      skip_field();
    else if (word == "METADATA")
      skip_vtk_metadata(in_);
    else if (is_grid_ && word == "CELLS")
      read_grid_cells();
    else if (is_grid_ && word == "CELL_TYPES")
      read_cell_types();
    else if (!is_grid_ && word == "POLYGONS")
      read_polydata_cells(7);
    else if (!is_grid_ && word == "TRIANGLE_STRIPS")
      read_polydata_cells(6);
    else if (!is_grid_ && word == "LINES")
      read_polydata_cells(4);
    else if (!is_grid_ && word == "VERTICES")
      read_polydata_cells(2);
    else
      refuse_keyword(
          fmt::format("'{}' is not a keyword that can come here", MixedCursor::shown(word)),
          "Something before this place is longer or shorter than it says, or the file is damaged.");
    return true;
  }

  void skip_field() {
    if (skip_vtk_field(in_)) return;
    in_.refuse(fmt::format("arrays of '{}' before the geometry cannot be skipped", in_.text().shown_word()),
               "Remove the field from the file: save the mesh without its field data.");
  }

  NumberType required_type(bool whole) {
    in_.text().skip_blanks();
    const std::size_t at = in_.offset();
    const std::string_view name = in_.text().word();
    const auto type = vtk_number_type(name);
    if (!type || (whole && !is_whole(*type)))
      in_.refuse_at(at, fmt::format("'{}' is not a type that can be here", MixedCursor::shown(name)));
    return *type;
  }
  // Counts stand in text, in binary files too. Numbers in binary begin with the next line.
  std::int64_t count(std::string_view what, std::int64_t most = std::int64_t{1} << 60) {
    return in_.text().integer(what, 0, most);
  }
  void begin_numbers(std::string_view after) {
    if (in_.binary()) in_.text().expect_line_end(after);
  }

  void read_points() {
    if (has_points_) refuse_keyword("POINTS come a second time");
    has_points_ = true;
    const auto points = static_cast<std::size_t>(count("number of points", most_points));
    const NumberType type = required_type(false);
    begin_numbers("POINTS");
    in_.need(3 * static_cast<std::uint64_t>(points), type, "points");
    mesh_.positions.reserve(points);
    for (std::size_t i = 0; i < points; ++i) {
      Vec3 p;
      for (double& c : p) c = in_.real(type, "coordinate");
      mesh_.positions.push_back(p);
    }
  }

  void read_cells() {
    if (!has_points_) refuse_keyword("POINTS have to come before this");
    cells_ = {};
    const std::int64_t first = count("number of cells"), second = count("number of integers");
    begin_numbers("the counts");
    const std::size_t begin = in_.offset();
    // The newer layout names its two arrays; an older file has a number here.
    if (keyword() == "OFFSETS") {
      read_offsets_and_connectivity(first, second);
    } else {
      in_.text().move_to(begin);
      read_counted_cells(first, second);
    }
  }

  std::uint32_t corner(NumberType type) {
    const auto last = static_cast<std::int64_t>(mesh_.positions.size()) - 1;
    return static_cast<std::uint32_t>(in_.whole(type, "point index", 0, last));
  }

  void read_counted_cells(std::int64_t cells, std::int64_t integers) {
    constexpr NumberType type = NumberType::int32;
    const std::size_t at = in_.offset();
    in_.need(static_cast<std::uint64_t>(integers), type, "cells");
    if (cells > integers)
      in_.refuse_at(at, fmt::format("{} cells cannot be in {} integers", cells, integers));
    cells_.ends.reserve(static_cast<std::size_t>(cells));
    cells_.corners.reserve(static_cast<std::size_t>(integers - cells));
    std::int64_t left = integers;
    for (std::int64_t i = 0; i < cells; ++i) {
      const std::int64_t nodes = in_.whole(type, "number of nodes of a cell", 0, left - 1);
      for (std::int64_t k = 0; k < nodes; ++k) cells_.corners.push_back(corner(type));
      cells_.ends.push_back(cells_.corners.size());
      left -= nodes + 1;
    }
    if (left != 0)
      in_.refuse(fmt::format("the cells have {} integers, but {} were announced", integers - left, integers));
  }

  void read_offsets_and_connectivity(std::int64_t offsets, std::int64_t nodes) {
    NumberType type = required_type(true);
    begin_numbers("OFFSETS");
    in_.need(static_cast<std::uint64_t>(offsets), type, "offsets");
    if (offsets > 0) in_.whole(type, "first offset", 0, 0);
    cells_.ends.reserve(static_cast<std::size_t>(offsets));
    std::int64_t before = 0;
    for (std::int64_t i = 1; i < offsets; ++i) {
      before = in_.whole(type, "offset", before, nodes);
      cells_.ends.push_back(static_cast<std::size_t>(before));
    }
    if (before != nodes)
      in_.refuse(fmt::format("the last offset is {}, but there are {} node numbers", before, nodes));
    if (keyword() != "CONNECTIVITY") refuse_keyword("CONNECTIVITY should come here");
    type = required_type(true);
    begin_numbers("CONNECTIVITY");
    in_.need(static_cast<std::uint64_t>(nodes), type, "connectivity");
    cells_.corners.reserve(static_cast<std::size_t>(nodes));
    for (std::int64_t i = 0; i < nodes; ++i) cells_.corners.push_back(corner(type));
  }

  void read_grid_cells() {
    if (has_cells_) refuse_keyword("CELLS come a second time");
    read_cells();
    has_cells_ = true;
  }

  void read_cell_types() {
    if (!has_cells_) refuse_keyword("CELLS have to come before CELL_TYPES");
    if (has_types_) refuse_keyword("CELL_TYPES come a second time");
    has_types_ = true;
    in_.text().skip_blanks();
    const std::size_t at = in_.offset();
    const auto types = static_cast<std::size_t>(count("number of cell types"));
    if (types != cells_.ends.size())
      in_.refuse_at(at, fmt::format("there are {} cell types for {} cells", types, cells_.ends.size()));
    begin_numbers("CELL_TYPES");
    for (std::size_t i = 0; i < types; ++i) {
      const std::int64_t type = in_.whole(NumberType::int32, "cell type", 0, 255);
      if (const std::string wrong = add_vtk_cell(sink_, cells_, i, type); !wrong.empty()) in_.refuse(wrong);
    }
    cells_ = {};
  }

  void read_polydata_cells(int type) {
    read_cells();
    for (std::size_t i = 0; i < cells_.ends.size(); ++i) add_vtk_cell(sink_, cells_, i, type);
  }

  MixedCursor in_;
  MeshFile mesh_;
  ElementSink sink_{mesh_};
  VtkCells cells_;
  bool is_grid_ = false, has_points_ = false, has_cells_ = false, has_types_ = false;
  std::size_t keyword_at_ = 0;
};

}  // namespace

MeshFile read_vtk(const FileBytes& file) { return VtkReader(file).read(); }

}  // namespace palpate::detail
