#include <gtest/gtest.h>

#include <support/format_samples.h>
#include <support/mangled.h>

namespace palpate::testing {
namespace {

MeshFile parse(const std::string& bytes) { return parse_mesh(MeshFormat::vtk, bytes, "f"); }

std::vector<std::string> samples() {
  std::vector<std::string> all;
  for (const bool binary : {false, true})
    for (const bool offsets : {false, true}) {
      all.push_back(vtk_sample(binary, offsets));
      all.push_back(vtk_polydata_sample(binary, offsets));
    }
  return all;
}

const std::string start = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n";
const std::string four = start + "POINTS 4 float\n0 0 0 1 0 0\n0 1 0 0 0 1\n";

std::string grid(std::string_view cells, std::string_view types) {
  return four + std::string(cells) + "\n" + std::string(types) + "\n";
}

TEST(FormatVtk, GridsInBothEncodingsAndLayouts) {
  const MeshFile expected = sample_mesh();
  for (const bool binary : {false, true})
    for (const bool offsets : {false, true}) {
      const MeshFile mesh = parse(vtk_sample(binary, offsets));
      EXPECT_EQ(mesh.positions, expected.positions);
      EXPECT_EQ(mesh.triangles, expected.triangles);
      EXPECT_EQ(mesh.tets, expected.tets);
      EXPECT_EQ(mesh.warnings, (std::vector<std::string>{"skipped 1 lines", "skipped 1 points"}));
      EXPECT_EQ(mesh.encoding,
                std::string(offsets ? "5.1 " : "3.0 ") + std::string(binary ? "binary" : "ASCII"));
    }
}

TEST(FormatVtk, PolydataInBothEncodingsAndLayouts) {
  const std::vector<TriangleCorners> expected = {{0, 2, 1}, {0, 1, 4}, {0, 4, 3},
                                                 {0, 1, 2}, {1, 3, 2}, {2, 3, 4}};
  for (const bool binary : {false, true})
    for (const bool offsets : {false, true}) {
      const MeshFile mesh = parse(vtk_polydata_sample(binary, offsets));
      EXPECT_EQ(mesh.positions.size(), 6U);
      ASSERT_EQ(mesh.triangles.size(), expected.size());
      EXPECT_EQ(mesh.triangles[0], expected[0]);
      EXPECT_TRUE(std::equal(expected.begin() + 3, expected.end(), mesh.triangles.begin() + 3));
      EXPECT_EQ(mesh.warnings, (std::vector<std::string>{"skipped 1 polylines", "skipped 1 sets of points"}));
    }
}

TEST(FormatVtk, EveryNumberTypeOfPoints) {
  const auto with_type = [](std::string_view type, auto zero) {
    SampleBytes out(true, true);
    out.text("# vtk DataFile Version 2.0\nt\nBINARY\nDATASET POLYDATA\n");
    out.text(fmt::format("POINTS 3 {}\n", type));
    for (const int c : {0, 0, 0, 1, 2, 3, 7, 5, 6}) out.number(static_cast<decltype(zero)>(c));
    put_vtk_cells(out.text("\n"), "POLYGONS", {{0, 1, 2}}, false);
    return out.bytes();
  };
  for (const std::string& bytes :
       {with_type("char", std::int8_t{}), with_type("unsigned_char", std::uint8_t{}),
        with_type("short", std::int16_t{}), with_type("unsigned_short", std::uint16_t{}),
        with_type("int", std::int32_t{}), with_type("unsigned_int", std::uint32_t{}),
        with_type("long", std::int64_t{}), with_type("unsigned_long", std::uint64_t{}),
        with_type("vtkIdType", std::int32_t{}), with_type("vtktypeint64", std::int64_t{}),
        with_type("FLOAT", float{}), with_type("double", double{})}) {
    const MeshFile mesh = parse(bytes);
    EXPECT_EQ(mesh.positions, (std::vector<Vec3>{{0, 0, 0}, {1, 2, 3}, {7, 5, 6}}));
  }
}

TEST(FormatVtk, PixelsHaveTheirLastTwoCornersSwapped) {
  const MeshFile pixel = parse(grid("CELLS 1 5\n4 0 1 2 3", "CELL_TYPES 1\n8"));
  const MeshFile quad = parse(grid("CELLS 1 5\n4 0 1 3 2", "CELL_TYPES 1\n9"));
  EXPECT_EQ(pixel.triangles, quad.triangles);
  EXPECT_EQ(pixel.triangles.size(), 2U);
}

TEST(FormatVtk, SecondOrderIsReadByItsCorners) {
  const std::string ten = start + "POINTS 10 int\n" + std::string("0 1 2 ") + std::string(54, ' ') +
                          "3 4 5 1 1 1 0 2 1 5 5 5 6 6 6 7 7 7 8 8 8 9 9 9 3 2 1\n";
  const MeshFile mesh = parse(ten +
                              "CELLS 3 27\n10 0 1 2 3 4 5 6 7 8 9\n6 3 2 1 4 5 6\n8 0 1 2 3 4 5 6 7\n"
                              "CELL_TYPES 3\n24 22 23\n");
  EXPECT_EQ(mesh.tets, (std::vector<TetCorners>{{0, 1, 2, 3}}));
  ASSERT_EQ(mesh.triangles.size(), 3U);
  EXPECT_EQ(mesh.triangles[0], (TriangleCorners{3, 2, 1}));
  ASSERT_EQ(mesh.warnings.size(), 3U);
  EXPECT_NE(mesh.warnings[1].find("1 quadratic tetrahedra by their corners"), std::string::npos);
}

TEST(FormatVtk, OtherCellsAreSkippedByName) {
  const MeshFile mesh = parse(
      grid("CELLS 5 22\n4 0 1 2 3\n8 0 1 2 3 0 1 2 3\n0\n1 0\n4 0 1 2 3", "CELL_TYPES 5\n10 12 0 77 42"));
  EXPECT_EQ(mesh.warnings, (std::vector<std::string>{"skipped 1 Bezier quadrilaterals with too few corners",
                                                     "skipped 1 empty cells", "skipped 1 hexahedra",
                                                     "skipped 1 polyhedra"}));
}

TEST(FormatVtk, FieldsBeforeTheGeometryAreSkipped) {
  const std::string text =
      with(vtk_sample(false, false, false), "POINTS",
           "FIELD f 4\nnames 1 3 string\nPOINTS 3 float\n\nlast%20one\nbits 1 3 bit\n1 0 1\n"
           "NULL_ARRAY\nempty 3 0 float\n\nMETADATA\nCOMPONENT_NAMES\na\n\nPOINTS");
  EXPECT_EQ(parse(text).tets, sample_mesh().tets);
  SampleBytes binary(true, true);
  binary.text("FIELD f 2\nbits 1 11 bit\nPO\nnames 1 3 string\n");
  binary.number(std::uint8_t{0xc0 | 2}).text("\n ");
  binary.number(std::uint16_t{0x8000 | 300}).text(std::string(300, 'P'));
  binary.number(std::uint32_t{0x40000000 | 20000}).text(std::string(20000, 'O'));
  const std::string with_strings = with(vtk_sample(true, true, false), "POINTS", binary.bytes() + "\nPOINTS");
  EXPECT_EQ(parse(with_strings).tets, sample_mesh().tets);
}

// Every kind of attribute, each with its own way to say how long it is.
std::string with_attributes(bool binary) {
  const std::string good = vtk_sample(binary, false);
  SampleBytes out(binary, true);
  out.text(good.substr(0, good.find("CELL_DATA")));
  const auto floats = [&](std::size_t n) { out.numbers(std::vector<float>(n, 0.5F)).text("\n"); };
  const auto colours = [&](std::size_t n) {
    if (binary)
      out.text(std::string(n, 'A')).text("\n");
    else
      floats(n);
  };
  out.text("POINT_DATA 6\nSCALARS a float\nLOOKUP_TABLE mine\n");
  floats(6);
  out.text("LOOKUP_TABLE mine 2\n");
  colours(8);
  out.text("SCALARS b float 2\nLOOKUP_TABLE default\n");
  floats(12);
  out.text("METADATA\nINFORMATION 0\n\nvectors v float\n");
  floats(18);
  out.text("NORMALS n float\n");
  floats(18);
  out.text("TEXTURE_COORDINATES t 2 float\n");
  floats(12);
  out.text("CELL_DATA 6\nCOLOR_SCALARS c 3\n");
  colours(18);
  out.text("TENSORS t float\n");
  floats(54);
  out.text("TENSORS6 s float\n");
  floats(36);
  out.text("GLOBAL_IDS g vtkIdType\n").numbers(std::vector<std::int32_t>(6, 1)).text("\n");
  out.text("FIELD f 2\nbits 1 9 bit\n").text(binary ? "AB\n" : "1 0 1 0 1 0 1 0 1\n");
  out.text("names 1 2 string\n").text(binary ? "\xc2hi\xc0" : "hi\n\n");
  return out.bytes();
}

TEST(FormatVtk, AttributesAreReadOverAndMustBeThere) {
  const std::vector<std::string> skipped = {"skipped 1 lines", "skipped 1 points"};
  for (const bool binary : {false, true}) {
    const std::string good = with_attributes(binary);
    EXPECT_EQ(parse(good).tets, sample_mesh().tets);
    EXPECT_EQ(parse(good).warnings, skipped);
    // Whatever attribute is the last one and lacks its last value: here after the type, the count or the
    // name.
    for (const char* const from :
         {"mine\n", "mine 2\n", "default\n", "v float\n", "n float\n", "t 2 float\n", "c 3\n", "t float\n",
          "s float\n", "vtkIdType\n", "9 bit\n", "2 string\n"}) {
      SCOPED_TRACE(from);
      const std::size_t data = good.find(from) + std::string_view(from).size();
      EXPECT_THROW(parse(good.substr(0, data)), Error);
      EXPECT_THROW(parse(good.substr(0, data - 1)), Error);
    }
    for (const char* const next :
         {"LOOKUP_TABLE mine 2", "SCALARS b", "METADATA\nINFORMATION 0\n\nv", "NORMALS", "TEXTURE",
          "CELL_DATA", "TENSORS t", "TENSORS6", "GLOBAL", "FIELD f 2", "names"}) {
      SCOPED_TRACE(next);
      // A value and the line end before it.
      const std::size_t end = good.find(next) - (binary ? 2 : 5);
      EXPECT_THROW(parse(good.substr(0, end)), Error);
    }
  }
  const std::string ascii = with_attributes(false);
  const std::size_t scalars = ascii.find("SCALARS b");
  expect_refused(MeshFormat::vtk, ascii.substr(0, scalars + 60), "f:44:1", "12 numbers for value do not fit");
}

TEST(FormatVtk, UnknownAttributesAreSkippedWithAWarning) {
  const std::string good = vtk_sample(false, false, false);
  const auto warning = [&](const std::string& more) { return parse(good + more).warnings.at(0); };
  EXPECT_EQ(warning("GHOSTS g float\n1 2 3\n"), "skipped everything from 'GHOSTS' on, which is not known");
  EXPECT_EQ(warning("SCALARS g variant\n1 2 3\n"),
            "skipped everything from 'SCALARS' on, which is not known");
  EXPECT_EQ(warning("FIELD f 1\na 1 1 variant\n5\n"),
            "skipped everything from 'FIELD' on, which is not known");
  EXPECT_EQ(warning("7 8 9\n"), "skipped everything from '7' on, which is not known");
  expect_refused(MeshFormat::vtk, good + "NORMA", "f:30:1", "the file ends in the middle of this");
  expect_refused(MeshFormat::vtk, good + "FIELD f 1\na 1 1 doub", "f:30:1",
                 "the file ends in the middle of this");
}

TEST(FormatVtk, WindowsLineEndsAndSmallLetters) {
  std::string text = vtk_sample(false, false);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, 1, '\r');
  EXPECT_EQ(parse(text).tets, sample_mesh().tets);
  EXPECT_EQ(parse(with(with(text, "DATASET", "dataset"), "POINTS", "points")).tets, sample_mesh().tets);
}

TEST(FormatVtk, BrokenFilesAreRefusedWithTheirPlace) {
  const std::string cells = "CELLS 1 5\n4 0 1 2 3", types = "CELL_TYPES 1\n10";
  ASSERT_NO_THROW(parse(grid(cells, types)));
  const std::string good = vtk_sample(false, false, false);
  const struct {
    std::string bytes;
    const char *where, *reason;
  } cases[] = {
      {"", "f:1:1", "not a VTK legacy file"},
      {"ply\n", "f:1:1", "not a VTK legacy file"},
      {"# vtk DataFile Version 7.0\n", "f:1:24", "version '7.0'"},
      {"# vtk DataFile Version 5.2\n", "f:1:24", "version '5.2'"},
      {"# vtk DataFile Version 3\n", "f:1:24", "version '3'"},
      {"# vtk DataFile Version 3.0\n", "f:2:1", "neither ASCII nor BINARY"},
      {"# vtk DataFile Version 3.0\nt\nTEXT\n", "f:3:1", "neither ASCII nor BINARY"},
      {"# vtk DataFile Version 3.0\nt\nASCII\nFIELD", "f:4:1", "DATASET should come"},
      {"# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_GRID\n", "f:4:9",
       "STRUCTURED_GRID is not read"},
      {start, "f:5:1", "no POINTS"},
      {start + "POINTS 4 float\n0 0 0", "f:5:15", "12 numbers for points do not fit"},
      {start + "POINTS 4000000000 float\n0 0 0", "f:5:24", "do not fit"},
      {start + "POINTS -1 float\n", "f:5:8", "out of range"},
      {start + "POINTS 4 string\n", "f:5:10", "not a type"},
      {start + "POINTS 2 float\n0 0 0 0 nan 0", "f:6:9", "'nan' is not a finite number"},
      {start + "POINTS 2 float\n0 0 0 0 1e999 0", "f:6:9", "not a finite number"},
      {start + "POINTS 2 float\n0 0 0 0 0        ", "f:6:18", "coordinate is missing"},
      {four, "f:8:1", "no CELLS"},
      {grid(cells, ""), "f:11:1", "CELL_TYPES"},
      {grid("CELLS 1 5\n4 0 1 2 4", types), "f:9:9", "point index 4 is out of range"},
      {grid("CELLS 1 5\n4 0 1 2 -1", types), "f:9:9", "point index -1"},
      {grid("CELLS 1 5\n5 0 1 2 3", types), "f:9:1", "number of nodes of a cell 5"},
      {grid("CELLS 1 5\n3 0 1 2 3", types), "f:9:8", "the cells have 4 integers, but 5 were"},
      {grid("CELLS 9 5\n3 0 1 2 3", types), "f:8:10", "9 cells cannot be in 5 integers"},
      {grid("CELLS 1000000 5000000\n4 0 1 2 3", types), "f:8:22", "do not fit"},
      {grid(cells, "CELL_TYPES 2\n10 5"), "f:10:12", "2 cell types for 1 cells"},
      {grid(cells, "CELL_TYPES 1\n5"), "f:11:2", "cell 0 has 4 nodes, but its type 5 (triangles) has 3"},
      {grid(cells, "CELL_TYPES 1\nten"), "f:11:1", "not a whole number"},
      {grid(types, cells), "f:8:1", "CELLS have to come before"},
      {grid(cells + "\n" + cells, types), "f:10:1", "CELLS come a second time"},
      {start + cells, "f:5:1", "POINTS have to come before"},
      {grid("CELLS 2 4\nOFFSETS vtktypeint64\n0 5\nCONNECTIVITY int\n0 1 2 3", types), "f:10:3", "offset 5"},
      {grid("CELLS 2 4\nOFFSETS vtktypeint64\n0 3\nCONNECTIVITY int\n0 1 2 3", types), "f:10:4",
       "the last offset is 3"},
      {grid("CELLS 2 4\nOFFSETS float\n0 4\nCONNECTIVITY int\n0 1 2 3", types), "f:9:9", "not a type"},
      {grid("CELLS 2 4\nOFFSETS int\n0 4\n0 1 2 3", types), "f:11:1", "CONNECTIVITY should come"},
      {with(good, "CELLS 6", "HELLO 6"), "f:16:1", "'HELLO' is not a keyword"},
      {start + "FIELD f 1\na 1 1 variant\n", "f:6:7", "cannot be skipped"},
      {start + "FIELD f 1\na 9 99999 int\n 5\n", "f:7:1", "do not fit"},
      {start + "FIELD f 3\n", "f:6:1", "ends within FIELD"},
  };
  for (const auto& [bytes, where, reason] : cases) {
    SCOPED_TRACE(bytes.substr(bytes.size() > 80 ? bytes.size() - 80 : 0));
    expect_refused(MeshFormat::vtk, bytes, where, reason);
  }
}

TEST(FormatVtk, BrokenBinaryFilesAreRefusedWithTheirByte) {
  const std::string good = vtk_sample(true, false, false);
  const std::size_t points = good.find("double\n") + 7, cells = good.find("CELLS"),
                    data = good.find('\n', cells) + 1;
  std::string not_a_number = good, out_of_range = good;
  for (std::size_t i = 0; i < 8; ++i) not_a_number[points + 16 + i] = '\xff';
  out_of_range[data + 7] = 6;
  expect_refused(MeshFormat::vtk, not_a_number, fmt::format("f, byte {}", points + 16),
                 "not a finite number");
  expect_refused(MeshFormat::vtk, out_of_range, fmt::format("f, byte {}", data + 4),
                 "point index 6 is out of range");
  expect_refused(MeshFormat::vtk, good.substr(0, points + 100), fmt::format("f, byte {}", points),
                 "do not fit");
  expect_refused(MeshFormat::vtk, with(good, "POINTS 6", "POINTS x"), fmt::format("f, byte {}", points - 9),
                 "not a whole number");
}

TEST(FormatVtk, TellsHowFarItIs) {
  std::string text = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 200000 float\n";
  for (int i = 0; i < 200000; ++i) text += "0.25 1.5 -3.125\n";
  text += "POLYGONS 1 4\n3 0 1 2\n";
  std::vector<double> told;
  ReadOptions options;
  options.progress = [&](double fraction) { told.push_back(fraction); };
  parse_mesh(MeshFormat::vtk, text, "f", {}, options);
  EXPECT_GE(told.size(), 2U);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  for (const double fraction : told) EXPECT_TRUE(fraction >= 0 && fraction <= 1);
}

TEST(FormatVtkProperty, NothingMakesItFallOver) { expect_sturdy(MeshFormat::vtk, samples(), 20'000); }

}  // namespace
}  // namespace palpate::testing
