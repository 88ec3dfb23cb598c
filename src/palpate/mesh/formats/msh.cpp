// Gmsh's MSH files: sections from $Name to $EndName. Read are the versions 2.x, 4.0 and 4.1; in all of them
// nodes are called by numbers and elements follow with the numbers of their nodes.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include <fmt/format.h>

#include <palpate/mesh/formats/formats.h>
#include <palpate/mesh/formats/mixed_cursor.h>
#include <palpate/mesh/formats/msh_contents.h>

namespace palpate::detail {

namespace {

// Sections that hold no geometry and whose absence nobody misses.
constexpr std::array quiet_sections = {
    "PhysicalNames",   "Entities",    "PartitionedEntities", "Periodic",      "Comments",
    "NodeData",        "ElementData", "ElementNodeData",     "GhostElements", "InterpolationScheme",
    "Parametrizations"};

class MshReader {
 public:
  explicit MshReader(const FileBytes& file) : in_(file) {}

  MeshFile read() {
    read_until_format();
    while (read_section()) {
    }
    if (!has_nodes_) in_.refuse("there is no $Nodes section in the file");
    if (early_elements_) {
      in_.text().move_to(*early_elements_);
      read_elements();
    }
    if (!has_elements_) in_.refuse("there is no $Elements section in the file");
    sink_.finish();
    return std::move(mesh_);
  }

 private:
  // The next section's name without its '$'; nothing at the end of the file. The cursor is behind it.
  std::optional<std::string_view> section_name() {
    in_.text().skip_space();
    if (in_.text().at_end()) return std::nullopt;
    section_at_ = in_.offset();
    const std::string_view word = in_.text().word();
    if (word.size() < 2 || word[0] != '$' || word.starts_with("$End"))
      in_.refuse_at(section_at_,
                    fmt::format("a section should begin here, not '{}'", MixedCursor::shown(word)),
                    "Something before this place is longer than it says, or the file is damaged.");
    return word.substr(1);
  }
  void begin_body(std::string_view section) { in_.text().expect_line_end(section); }
  void expect_end(std::string_view section) {
    in_.text().skip_space();
    const std::size_t at = in_.offset();
    if (in_.text().word() != section)
      in_.refuse_at(at, fmt::format("{} should come here", section),
                    "The section is longer than it says, or the file is damaged.");
  }

  void read_until_format() {
    auto name = section_name();
    while (name && *name == "Comments") {
      skip_section(*name);
      name = section_name();
    }
    if (name && *name == "NOD")
      in_.refuse_at(section_at_, "this is a file of MSH version 1, which is not read",
                    "Open it in Gmsh and save it as version 4.1 or 2.2.");
    if (!name || *name != "MeshFormat")
      in_.refuse_at(section_at_, "this is not a Gmsh file: it does not begin with $MeshFormat",
                    "If it is another format, give the file the ending of that format.");
    begin_body("$MeshFormat");
    read_format();
    expect_end("$EndMeshFormat");
  }

  void read_format() {
    in_.begin_line();
    const std::size_t at = in_.offset();
    const std::string version(in_.text().word());
    const bool is_2 = version == "2" || version == "2.0" || version == "2.1" || version == "2.2";
    const bool is_4_0 = version == "4" || version == "4.0";
    if (!is_2 && !is_4_0 && version != "4.1")
      in_.refuse_at(at, fmt::format("MSH version '{}' is not read", MixedCursor::shown(version)),
                    "Palpate reads 2.2, 4.0 and 4.1: open the file in Gmsh and save it as one of them.");
    const bool binary = in_.text().integer("file type (0 ASCII, 1 binary)", 0, 1) == 1;
    const std::size_t size_at = in_.offset_of_number();
    const std::int64_t size = in_.text().integer("size of numbers", 4, 8);
    if (size != 8 && (size != 4 || is_2 || is_4_0))
      in_.refuse_at(size_at, fmt::format("numbers of {} bytes are not read", size),
                    "Save the file with a Gmsh for 64-bit machines.");
    contents_.emplace(in_,
                      MshFormat{is_2     ? MshVersion::v2
                                : is_4_0 ? MshVersion::v4_0
                                         : MshVersion::v4_1,
                                size == 4 ? NumberType::uint32 : NumberType::uint64},
                      mesh_, sink_);
    in_.end_line("the format");
    mesh_.encoding = fmt::format("{} {}", is_4_0 ? "4.0" : version, binary ? "binary" : "ASCII");
    if (binary) read_byte_order();
  }

  // The number 1 in the writer's byte order.
  void read_byte_order() {
    in_.become_binary(false);
    if (in_.text().left() < 4) in_.refuse("the file ends in its header", "Get the file again.");
    const std::size_t at = in_.offset();
    const auto one = from_bytes<std::uint32_t>(in_.text().here(), false);
    if (one != 1 && one != 0x01000000)
      in_.refuse_at(at, "the number 1 that tells the byte order is missing", "Export the mesh again.");
    const bool big_endian = (one == 1) == (std::endian::native == std::endian::big);
    in_.become_binary(big_endian);
    if (big_endian) mesh_.encoding += " big-endian";
    in_.skip_bytes(4, "the header");
  }

  bool read_section() {
    const auto name = section_name();
    if (!name) return false;
    if (*name == "Nodes" || *name == "ParametricNodes") {
      if (has_nodes_) in_.refuse_at(section_at_, "$Nodes come a second time");
      begin_body(fmt::format("${}", *name));
      contents_->read_nodes(*name == "ParametricNodes");
      expect_end(fmt::format("$End{}", *name));
      has_nodes_ = true;
    } else if (*name == "Elements") {
      if (has_elements_ || early_elements_) in_.refuse_at(section_at_, "$Elements come a second time");
      if (has_nodes_) {
        begin_body("$Elements");
        read_elements();
      } else {
        skip_early_elements(*name);
      }
    } else {
      const bool quiet =
          std::find(quiet_sections.begin(), quiet_sections.end(), *name) != quiet_sections.end();
      if (!quiet) sink_.skip(fmt::format("sections ${} (not known)", MixedCursor::shown(*name)));
      skip_section(*name);
    }
    return true;
  }

  // Elements are read when the nodes are known.
  void skip_early_elements(std::string_view name) {
    const std::size_t before = in_.offset();
    begin_body("$Elements");
    early_elements_ = in_.offset();
    in_.text().move_to(before);
    skip_section(name);
  }

  void read_elements() {
    contents_->read_elements();
    expect_end("$EndElements");
    has_elements_ = true;
  }

  void skip_section(std::string_view name) {
    const std::string end = fmt::format("\n$End{}", name);
    const std::string_view rest(in_.text().here(), in_.text().left());
    for (std::size_t at = rest.find(end); at != std::string_view::npos; at = rest.find(end, at + 1)) {
      const std::size_t behind = at + end.size();
      if (behind < rest.size() && rest[behind] > ' ') continue;  // the name goes on: another one
      in_.text().move_to(in_.offset() + behind);
      return;
    }
    in_.refuse_at(section_at_, fmt::format("the section has no $End{}", MixedCursor::shown(name)),
                  "The file was cut off: get it again.");
  }

  MixedCursor in_;
  MeshFile mesh_;
  ElementSink sink_{mesh_};
  std::optional<MshContents> contents_;  // when the version is known
  bool has_nodes_ = false, has_elements_ = false;
  std::optional<std::size_t> early_elements_;
  std::size_t section_at_ = 0;
};

}  // namespace

MeshFile read_msh(const FileBytes& file) { return MshReader(file).read(); }

}  // namespace palpate::detail
