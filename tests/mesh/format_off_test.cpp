// OFF: what is read, what is passed over, what is refused and where.
#include <string>

#include <gtest/gtest.h>

#include <palpate/mesh/files.h>
#include <support/mesh_files.h>

namespace palpate {
namespace {

using namespace testing;

MeshFile read(std::string_view text) { return parse_mesh(MeshFormat::off, text, "f"); }

const std::vector<Vec3> corners = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
const std::vector<TriangleCorners> one = {{0, 1, 2}};

TEST(FormatOff, ReadsHeadersOfAllKinds) {
  const std::string data = "\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  for (const char* header : {"OFF\n3 1 0", "OFF 3 1 0", "3 1 0", "OFF\n3 1",
                             "# c\n\nOFF # c\n# c\n3 1 99 # c", "OFF\r\n3 1 0\r"}) {
    const MeshFile mesh = read(header + data);
    EXPECT_EQ(mesh.positions, corners) << header;
    EXPECT_EQ(mesh.triangles, one) << header;
    EXPECT_TRUE(mesh.warnings.empty()) << header;
    EXPECT_EQ(mesh.encoding, "ASCII");
  }
}

TEST(FormatOff, PassesOverColoursNormalsAndTextures) {
  for (const char* keyword : {"COFF", "NOFF", "STOFF", "CNOFF", "STCNOFF", "STNOFF"}) {
    const MeshFile mesh =
        read(std::string(keyword) + "\n3 1 0\n0 0 0 9 9\n1 0 0 9 9\n0 1 0 9 9 # c\n3 0 1 2 255 0 0\n");
    EXPECT_EQ(mesh.positions, corners) << keyword;
    EXPECT_EQ(mesh.triangles, one) << keyword;
    EXPECT_TRUE(mesh.warnings.empty()) << keyword;
  }
  EXPECT_TRUE(
      warns_of(read("OFF\n3 1 0\n0 0 0 9\n1 0 0\n0 1 0\n3 0 1 2"), "skipped 1 rests of vertex lines"));
}

TEST(FormatOff, PolygonsAndWhatIsNone) {
  const MeshFile mesh =
      read("OFF\n4 4 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n\n4 0 1 2 3 0.5\n2 0 1\n1 0\n3 0 1 2\n");
  EXPECT_EQ(mesh.triangles, (std::vector<TriangleCorners>{{0, 1, 2}, {0, 2, 3}, {0, 1, 2}}));
  EXPECT_TRUE(warns_of(mesh, "skipped 2 faces with fewer than 3 corners"));
  // A count that is too small is as wrong as one that is too large.
  expect_refused(MeshFormat::off,
                 {{"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 2 1 0\n", "f:7:1", "more in the file"}});
}

TEST(FormatOff, RefusesWithPlaceAndReason) {
  const std::string v = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n";  // 5 lines
  expect_refused(MeshFormat::off,
                 {{"", "f:1:1", "not the beginning of an OFF file"},
                  {"solid\n", "f:1:1", "'solid' is not the beginning"},
                  {"OFF BINARY\n", "f:1:5", "binary OFF is not read"},
                  {"4OFF\n", "f:1:1", "4OFF has vertices of other than three dimensions"},
                  {"C4nOFF\n", "f:1:1", "other than three dimensions"},
                  {"nOFF\n3\n", "f:1:1", "other than three dimensions"},
                  {"OFF", "f:1:4", "a number of vertices is missing"},
                  {"OFF\n3", "f:2:2", "a number of faces is missing"},
                  {"OFF\n-3 1 0\n", "f:2:1", "number of vertices -3 is out of range"},
                  {"OFF\n3.5 1 0\n", "f:2:1", "'3.5' is not a whole number"},
                  {"OFF\n3 1 0\n0 0 0\n", "f:2:1", "3 vertices and 1 faces cannot be in the 6 bytes"},
                  {"OFF\n3 99999999999999 0\n" + std::string(100, ' '), "f:2:1", "cannot be in"},
                  {"OFF\n4294967295 1 0\n", "f:2:1", "out of range"},
                  {"OFF\n2 1 0\n0 0 0\n              \n", "f:5:1", "the file ends before all 2 vertices"},
                  {"OFF\n2 1 0\n0 0\n1 1 1\n3 0 0 0\n", "f:3:4", "a coordinate is missing"},
                  {"OFF\n1 1 0\n0 0 inf\n", "f:3:5", "'inf' is not a finite number"},
                  {v + "      \n", "f:7:1", "the file ends before all 1 faces"},
                  {v + "3 0 1 3\n", "f:6:7", "vertex index 3 is out of range"},
                  {v + "3 0 1 -1\n", "f:6:7", "vertex index -1 is out of range"},
                  {v + "3 0 1\n", "f:6:6", "a vertex index is missing"},
                  {v + "2 0 1\n", "f", "no triangles"},
                  {v + "x 0 1\n", "f:6:1", "'x' is not a whole number"}});
}

TEST(FormatOffProperty, WhatIsWrittenIsReadToTheLastBit) {
  each_case(300, [](Random& random) {
    const TriangleMesh mesh = random_mesh(random);
    expect_same(read(format_mesh(MeshFormat::off, mesh)), mesh);
  });
}

TEST(FormatOffProperty, DamagedFilesGiveAMeshOrAnError) {
  each_case(40, [](Random& random) {
    expect_no_surprise(random, MeshFormat::off,
                       format_mesh(MeshFormat::off, random_mesh(random)) + "# end\n");
  });
}

}  // namespace
}  // namespace palpate
