// OBJ: what is read, what is passed over, what is refused and where.
#include <string>

#include <gtest/gtest.h>

#include <palpate/mesh/files.h>
#include <support/mesh_files.h>

namespace palpate {
namespace {

using namespace testing;

MeshFile read(std::string_view text) { return parse_mesh(MeshFormat::obj, text, "f"); }

const std::string square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

TEST(FormatObj, ReadsEveryFormOfCorner) {
  const std::vector<TriangleCorners> want = {{0, 1, 2}};
  for (const char* face :
       {"f 1 2 3", "f 1/7 2/8 3/9", "f 1//4 2//5 3//6", "f 1/1/1 2/2/2 3/3/3", "f 1// 2// 3//", "f -4 -3 -2",
        "f -4/-1/-1 -3/-1 -2//-2", "f\t1\t2\t3", "f  1  2  3  ", "f 1 2 3 # why"})
    EXPECT_EQ(read(square + "\tvt 0 0\nvn 0 0 1\n" + face).triangles, want) << face;
}

TEST(FormatObj, ReadsLineEndsOfAllKinds) {
  const MeshFile mesh = read("# CRLF\r\nv 0 0 0\r\n\r\n  v 1e0 +0 0\r\nv 0 .5 0\r\nf 1 2 3\r\n");
  EXPECT_EQ(mesh.positions, (std::vector<Vec3>{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0.5, 0)}));
  EXPECT_EQ(mesh.triangles.size(), 1u);
  EXPECT_EQ(mesh.encoding, "ASCII");
  EXPECT_TRUE(mesh.warnings.empty());
}

TEST(FormatObj, JoinsContinuedLines) {
  EXPECT_EQ(read(square + "f 1 \\\n 2\\\r\n 3").triangles, (std::vector<TriangleCorners>{{0, 1, 2}}));
  EXPECT_EQ(read("v 0 0\\\n 7\n" + square + "f 1 2 3\n").positions[0], Vec3(0, 0, 7));
  // A comment ends with its line whatever its last character, and a path may have backslashes in it.
  EXPECT_EQ(read("# C:\\\n" + square + "mtllib a\\b.mtl\nf 1 2 3\n").positions.size(), 4u);
  // Lines are counted as they are in the file.
  expect_refused(MeshFormat::obj, {{"v 0 \\\n0 \\\n0\nv 1 \\\n oh 2\n", "f:5:2", "'oh'"}});
}

TEST(FormatObj, FacesMayComeBeforeTheirVertices) {
  const MeshFile mesh = read("f 1 2 3 4\nf 1 2 3\n" + square);
  // The quadrilateral waits for its positions, and the order stays that of the file.
  EXPECT_EQ(mesh.triangles, (std::vector<TriangleCorners>{{0, 1, 2}, {0, 2, 3}, {0, 1, 2}}));
}

TEST(FormatObj, CutsPolygons) {
  const MeshFile mesh = read("v 0 0 0\nv 1 0.2 0\nv 2 0 0\nv 1 2 0\nf 1 2 3 4\n");
  ASSERT_EQ(mesh.triangles.size(), 2u);
  for (const TriangleCorners& t : mesh.triangles)
    EXPECT_EQ(std::count(t.begin(), t.end(), 1u), 1) << "the reflex one";
}

TEST(FormatObj, ExtraNumbersOfVertices) {
  EXPECT_TRUE(read("v 0 0 0 1\nv 1 0 0 1.0 0 0\nv 0 1 0 1 0 0 0.5\nf 1 2 3\n").warnings.empty());
  EXPECT_TRUE(warns_of(read("v 0 0 0 2\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), "1 vertices have a weight"));
}

TEST(FormatObj, NamesWhatItSkips) {
  const MeshFile mesh =
      read(square + "o a\ng b\ns off\nusemtl c\nmtllib d\nvp 1\nl 1 2\nl 2 3\np 1\ncurv 0 1\nf 1 2 3\n");
  EXPECT_EQ(mesh.warnings,
            (std::vector<std::string>{"skipped 1 'curv' statements", "skipped 2 'l' statements (lines)",
                                      "skipped 1 'p' statements (points)"}));
}

TEST(FormatObj, CarriageReturnsAloneAreLineEnds) {
  const MeshFile mesh = read("# from an old Macintosh\rv 0 0 0\rv 1 0 0\r\rv 0 1 0\rf 1 2 3\r");
  EXPECT_EQ(mesh.positions, (std::vector<Vec3>{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}));
  EXPECT_TRUE(mesh.warnings.empty());
  expect_refused(MeshFormat::obj, {{"v 0 0 0\rv 1 x 0\r", "f:2:5", "'x' is not a finite number"}});
}

TEST(FormatObj, RefusesKeywordsThatAreNoWords) {
  const std::string with_mark = "\xef\xbb\xbf" + square + "f 1 2 3\n";
  EXPECT_TRUE(read(with_mark).warnings.empty());
  EXPECT_EQ(read(with_mark).positions.size(), 4u);
  const std::string e_acute = "\xc3\xa9", null(1, '\0');
  // A name or a comment may have any bytes, a keyword may not.
  EXPECT_TRUE(read(square + "# " + e_acute + "\no " + e_acute + "\nf 1 2 3\n").warnings.empty());
  expect_refused(MeshFormat::obj,
                 {{square + "v" + e_acute + " 1 2 3\nf 1 2 3\n", "f:5:1",
                   "is not a statement of OBJ: it has bytes that no keyword has"},
                  {square + "f 1 2 3\n" + null + "f 1 2 3\n", "f:6:1", "'?f' is not a statement"},
                  {"\xef\xbb\xbf\xef\xbb\xbf" + square, "f:1:1", "v' is not a statement"}});
}

TEST(FormatObj, RefusesWithPlaceAndReason) {
  const std::string v = square;  // 4 lines
  expect_refused(MeshFormat::obj,
                 {{"", "f", "no triangles"},
                  {v, "f", "no triangles"},
                  {"v 0 0\nv 1 0 0\n", "f:1:6", "a coordinate is missing"},
                  {"v 0 0 # 1\n", "f:1:7", "'#' is not a finite number"},
                  {"v 0 nan 0\n", "f:1:5", "'nan' is not a finite number"},
                  {"v 0 0 1e400\n", "f:1:7", "'1e400' is not a finite number"},
                  {"v 0 0 1,5\n", "f:1:7", "'1,5'"},
                  {"v 0 0 0 1 2\n", "f:1:9", "2 numbers follow"},
                  {"v 0 0 0 1 2 3 4 5\n", "f:1:9", "5 numbers follow"},
                  {"v 0 0 0 red\n", "f:1:9", "'red'"},
                  {v + "f 1 2\n", "f:5:1", "a face needs 3 corners or more, and this one has 2"},
                  {v + "f\n", "f:5:1", "has 0"},
                  {v + "f 0 1 2\n", "f:5:3", "vertex 0 cannot be"},
                  {v + "f 1 2 5\n", "f:5:7", "there is no vertex 5: the file has 4"},
                  {v + "f 1 2 -5\n", "f:5:7", "vertex -5 cannot be"},
                  {"f -1 -2 -3\n" + v, "f:1:3", "there are 0 vertices before"},
                  {v + "f 1 2 4294967295\n", "f:5:7", "there is no vertex 4294967295"},
                  {v + "f 1 2 99999999999999999999\n", "f:5:7", "is not a corner"},
                  {v + "f 1 2 3.0\n", "f:5:7", "'3.0' is not a corner"},
                  {v + "f 1 2 +3\n", "f:5:7", "'+3' is not a corner"},
                  {v + "f 1/1/1/1 2 3\n", "f:5:3", "is not a corner"},
                  {v + "f 1 2 -\n", "f:5:7", "'-' is not a corner"},
                  {v + "f 1 2 /3\n", "f:5:7", "'/3' is not a corner"},
                  {"f 1 2 9\nf 1 2 7\n" + v, "f:1:7", "there is no vertex 9"}});
}

TEST(FormatObjProperty, WhatIsWrittenIsReadToTheLastBit) {
  each_case(300, [](Random& random) {
    const TriangleMesh mesh = random_mesh(random);
    expect_same(read(format_mesh(MeshFormat::obj, mesh)), mesh);
  });
}

TEST(FormatObjProperty, DamagedFilesGiveAMeshOrAnError) {
  each_case(40, [](Random& random) {
    std::string text = "# damaged\n" + format_mesh(MeshFormat::obj, random_mesh(random));
    text += "f 1/2/3 1//2 \\\n -1 1\nl 1 2\nvn 0 0 1\nv 0 0 0 0.5\n";
    expect_no_surprise(random, MeshFormat::obj, text);
  });
}

}  // namespace
}  // namespace palpate
