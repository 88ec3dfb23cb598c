// Files that end too early, as full disks and broken downloads leave them. Every sample of every format is
// cut at every byte: what is read without a warning has to be the mesh of the whole file.
#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <palpate/base/error.h>
#include <palpate/mesh/files.h>
#include <support/format_samples.h>
#include <support/mangled.h>
#include <support/mesh_files.h>
#include <support/ply_files.h>
#include <support/vtu_samples.h>

namespace palpate::testing {
namespace {

constexpr std::string_view spaces = " \t\r\n";

bool is_blank(std::string_view text) { return text.find_first_not_of(spaces) == std::string_view::npos; }

// Where a format gives no way to see that something is missing: `whole` cut at `size`.
using Exemption = std::function<bool(std::string_view whole, std::size_t size)>;

bool never(std::string_view, std::size_t) { return false; }

// OBJ has neither counts nor an end: cuts between two lines. A line that goes on in the next is none.
bool between_lines(std::string_view whole, std::size_t size) {
  const std::size_t end = whole.substr(0, size).rfind('\n');
  if (end == std::string_view::npos) return is_blank(whole.substr(0, size));
  return is_blank(whole.substr(end, size - end)) && (end == 0 || whole[end - 1] != '\\');
}

// VTK's polydata may have any of its sections: cuts before the next.
bool before_strips(std::string_view whole, std::size_t size) {
  const std::size_t next = std::min(whole.find_first_not_of(spaces, size), whole.size());
  return whole.substr(next).starts_with("TRIANGLE_STRIPS");
}

// Text in STL may have any number of solids: cuts after the word endsolid and before the next solid. (A name
// follows, in the same line.)
bool between_solids(std::string_view whole, std::size_t size) {
  const std::string_view cut = whole.substr(0, size);
  const std::size_t end = cut.rfind("endsolid");
  if (end == std::string_view::npos) return false;
  const std::size_t line_end = std::min(cut.find('\n', end), size);
  return is_blank(cut.substr(line_end));
}

bool warns_of_cut(const MeshFile& mesh) { return warns_of(mesh, "may have been cut off"); }

struct Tally {
  std::size_t refused = 0, warned = 0, exempt = 0, same = 0;
};

using Parse = std::function<MeshFile(std::string_view)>;

Tally cut_everywhere(const std::string& whole, const Parse& parse, const Exemption& exempt = never) {
  Tally tally;
  const MeshFile expected = parse(whole);
  EXPECT_FALSE(warns_of_cut(expected));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    try {
      const MeshFile got = parse(std::string_view(whole).substr(0, size));
      if (warns_of_cut(got)) {
        ++tally.warned;
      } else if (exempt(whole, size)) {
        ++tally.exempt;
      } else {
        ++tally.same;
        EXPECT_TRUE(got.positions == expected.positions && got.triangles == expected.triangles &&
                    got.tets == expected.tets)
            << "cut at byte " << size << " of " << whole.size() << ", after '"
            << whole.substr(size < 30 ? 0 : size - 30, std::min<std::size_t>(size, 30)) << "'";
      }
    } catch (const Error& error) {
      ++tally.refused;
      EXPECT_FALSE(error.remedy().empty());
    }
  }
  return tally;
}

Tally cut_everywhere(MeshFormat format, const std::string& whole, const Exemption& exempt = never) {
  SCOPED_TRACE(name_of(format));
  return cut_everywhere(
      whole, [&](std::string_view bytes) { return parse_mesh(format, bytes, "f"); }, exempt);
}

// Enough vertices for indices of several digits, and coordinates of many.
TriangleMesh fan() {
  TriangleMesh mesh;
  for (std::uint32_t i = 0; i < 124; ++i) mesh.positions.emplace_back(i, 0.125 * (i % 7), -1.5 * i);
  mesh.triangles = {{0, 1, 2}, {2, 1, 13}, {100, 101, 123}};
  return mesh;
}

TEST(CutFiles, WrittenSurfaces) {
  for (const bool ascii : {false, true})
    for (const bool big_endian : {false, true}) {
      const WriteOptions options{.ascii = ascii, .big_endian = big_endian};
      const Tally ply = cut_everywhere(MeshFormat::ply, format_mesh(MeshFormat::ply, fan(), options));
      EXPECT_EQ(ply.warned, ascii ? 2u : 0u) << "after 1 and 12; after 123 it cannot go on";
      EXPECT_EQ(ply.same, ascii ? 1u : 0u);
    }
  EXPECT_EQ(cut_everywhere(MeshFormat::off, format_mesh(MeshFormat::off, fan())).warned, 2u);
  for (const bool ascii : {false, true}) {
    const Tally stl = cut_everywhere(MeshFormat::stl, format_mesh(MeshFormat::stl, fan(), {.ascii = ascii}));
    EXPECT_EQ(stl.warned, 0u);
    EXPECT_EQ(stl.same, ascii ? std::string_view(" palpate\n").size() : 0u) << "the name at the end";
    cut_everywhere(MeshFormat::msh, format_mesh(MeshFormat::msh, fan(), {.ascii = ascii}));
    for (const bool compressed : {false, true})
      cut_everywhere(MeshFormat::vtu,
                     format_mesh(MeshFormat::vtu, fan(), {.ascii = ascii, .compressed = compressed}));
  }
}

TEST(CutFiles, Obj) {
  const std::string text =
      format_mesh(MeshFormat::obj, fan()) +
      "vn 0 0 1\n# and more\nf 1/2/3 1//2 \\\n 33/1 124\nl 1 2\r\nv 0 0 0 0.5\nf -1 -12 -3 -44\n";
  const Tally tally = cut_everywhere(MeshFormat::obj, text, between_lines);
  EXPECT_EQ(tally.same, 0u) << "without counts every cut is a warning, an error or between two lines";
  EXPECT_GT(tally.exempt, 3u);
  EXPECT_GT(tally.warned, 10u);
}

TEST(CutFiles, TextOfStlWithSeveralSolids) {
  const std::string one = format_mesh(MeshFormat::stl, fan(), {.ascii = true});
  const Tally tally = cut_everywhere(MeshFormat::stl, one + "\n" + one, between_solids);
  EXPECT_EQ(tally.exempt, 2 * (std::string_view(" palpate\n").size() + 1));
  EXPECT_EQ(tally.same, 0u);
}

TEST(CutFiles, PlyWithMoreThanItNeeds) {
  const std::string elements = "element vertex 12\n" + ply_xyz + "property uchar red\nelement face 1\n" +
                               ply_corners + "property float quality\nelement material 2\nproperty int m\n";
  std::string data;
  for (int i = 0; i < 12; ++i) data += fmt::format("{} {} 0.25 255\n", i, i * i);
  cut_everywhere(MeshFormat::ply, ascii_ply(elements, data + "3 0 1 11 0.5\n17\n18\n"));
  // Vertices last: a coordinate is what is cut.
  const Tally tally = cut_everywhere(
      MeshFormat::ply, ascii_ply("element face 1\n" + ply_corners + "element vertex 3\n" + ply_xyz,
                                 "3 0 1 2\n0 0 0\n1 0 0\n0 1 12.5\n"));
  EXPECT_EQ(tally.warned, 4u) << "after 1, 12, '12.' and 12.5";
}

TEST(CutFiles, OffWithColours) {
  std::string text = "COFF\n12 1 0\n";
  for (int i = 0; i < 12; ++i) text += fmt::format("{} {} 0.25 255 0 0\n", i, i * i);
  cut_everywhere(MeshFormat::off, text + "3 0 1 11 255 0 0\n# end\n");
}

TEST(CutFiles, Vtk) {
  for (const bool binary : {false, true})
    for (const bool offsets : {false, true}) {
      SCOPED_TRACE(fmt::format("binary {}, offsets {}", binary, offsets));
      cut_everywhere(MeshFormat::vtk, vtk_sample(binary, offsets));
      const Tally tally =
          cut_everywhere(MeshFormat::vtk, vtk_polydata_sample(binary, offsets), before_strips);
      EXPECT_GT(tally.exempt, 0u);
    }
}

TEST(CutFiles, VtkWithoutAttributes) {
  const std::string start = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET ";
  std::string points = "POINTS 13 float\n";
  for (int i = 0; i < 13; ++i) points += fmt::format("{} {} {}.5\n", i, i * i, 5 * i);
  EXPECT_EQ(cut_everywhere(MeshFormat::vtk, start + "UNSTRUCTURED_GRID\n" + points +
                                                "CELLS 2 10\n4 0 1 2 3 4 1 2 3 4\nCELL_TYPES 2\n10 10\n")
                .warned,
            2u)
      << "a type 1, and 10 that could be 10x";
  EXPECT_EQ(
      cut_everywhere(MeshFormat::vtk, start + "POLYDATA\n" + points + "POLYGONS 1 4\n3 0 2 12\n").warned, 1u);
}

TEST(CutFiles, Vtu) {
  for (const VtuStyle& style : all_vtu_styles()) cut_everywhere(MeshFormat::vtu, vtu_sample(style));
}

TEST(CutFiles, Msh) {
  for (const bool binary : {false, true})
    for (const bool big_endian : {false, true}) {
      if (big_endian && !binary) continue;
      cut_everywhere(MeshFormat::msh, msh2_sample(binary, big_endian));
      for (const bool older : {false, true})
        cut_everywhere(MeshFormat::msh, msh4_sample(binary, older, big_endian));
    }
}

TEST(CutFiles, Tetgen) {
  for (const int first : {0, 1}) {
    const std::string nodes = node_sample(first), elements = ele_sample(first);
    cut_everywhere(nodes,
                   [&](std::string_view cut) { return parse_mesh(MeshFormat::tetgen, cut, "f", elements); });
    cut_everywhere(elements,
                   [&](std::string_view cut) { return parse_mesh(MeshFormat::tetgen, nodes, "f", cut); });
  }
  std::string nodes = "13 3\n", elements = "1 4\n0 9 10 11 12\n";
  for (int i = 0; i < 13; ++i) nodes += fmt::format("{} {} {} {}.5\n", i, i, i * i, 5 * i);
  EXPECT_EQ(
      cut_everywhere(elements,
                     [&](std::string_view cut) { return parse_mesh(MeshFormat::tetgen, nodes, "f", cut); })
          .warned,
      1u);
  const MeshFile mesh =
      parse_mesh(MeshFormat::tetgen, nodes.substr(0, nodes.size() - 3), "f", "1 4\n0 0 10 11 1");
  EXPECT_EQ(
      mesh.warnings,
      (std::vector<std::string>{
          "the .node file ends in the middle of a line, right after 60 (line 14): it may have been cut off",
          "the .ele file ends in the middle of a line, right after 1 (line 2): it may have been cut off"}));
}

TEST(CutFiles, TheWarningNamesTheLastNumber) {
  const auto warnings = [](MeshFormat format, std::string_view bytes) {
    return parse_mesh(format, bytes, "f").warnings;
  };
  std::string points;
  for (int i = 0; i < 13; ++i) points += fmt::format("{} {} 0\n", i, i * i);
  const std::vector<std::string> expected = {
      "the file ends in the middle of a line, right after 1 (line 16): it may have been cut off"};
  EXPECT_EQ(warnings(MeshFormat::off, "OFF\n13 1 0\n" + points + "3 0 2 1"), expected);
  EXPECT_TRUE(warnings(MeshFormat::off, "OFF\n13 1 0\n" + points + "3 0 2 1 ").empty());
  EXPECT_TRUE(warnings(MeshFormat::off, "OFF\n13 1 0\n" + points + "3 0 2 5").empty()) << "there is no 5x";
  EXPECT_TRUE(warnings(MeshFormat::off, "OFF\n13 1 0\n" + points + "3 2 1 0").empty()) << "nor 0x";
  EXPECT_EQ(
      warnings(MeshFormat::obj, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3"),
      (std::vector<std::string>{"the file ends in the middle of a line (line 4): it may have been cut off"}));
}

}  // namespace
}  // namespace palpate::testing
