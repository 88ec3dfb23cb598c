// PLY: what is read, what is passed over, what is refused and where.
#include <string>

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <palpate/mesh/files.h>
#include <support/mesh_files.h>
#include <support/ply_files.h>

namespace palpate {
namespace {

using namespace testing;
using Triangles = std::vector<TriangleCorners>;

MeshFile read(std::string_view bytes) { return parse_mesh(MeshFormat::ply, bytes, "f"); }

TEST(FormatPly, ReadsText) {
  const MeshFile mesh = read(
      ascii_ply("comment a b\nelement vertex 4\nobj_info c\n" + ply_xyz + "element face 2\n" + ply_corners,
                "0 0 0\n1 0 0\n\n1 1 0\n 0 1 0 \n3 0 1 2\n4 0 1 2 3"));
  EXPECT_EQ(mesh.positions, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}));
  EXPECT_EQ(mesh.triangles, (Triangles{{0, 1, 2}, {0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(mesh.encoding, "ASCII");
  EXPECT_TRUE(mesh.warnings.empty());
}

TEST(FormatPly, HeadersMayHaveCarriageReturns) {
  std::string text = ascii_ply("element vertex 3\n" + ply_xyz + "element face 1\n" + ply_corners,
                               "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
  std::string crlf;
  for (const char c : text) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(read(crlf).triangles, (Triangles{{0, 1, 2}}));
  // In a binary file the first byte of the data may look like a line end.
  const std::string data = "\n\n\n" + std::string(33, '\0') + std::string("\3\0\1\2", 4);
  std::string header = binary_ply(
      false, "element vertex 3\n" + ply_xyz + "element face 1\nproperty list uchar uchar vertex_index\n", "");
  EXPECT_NE(read(header + data).positions[0].x(), 0);
  header.insert(header.size() - 1, "\r");
  EXPECT_NE(read(header + data).positions[0].x(), 0);
}

TEST(FormatPly, FacesMayComeBeforeTheirVertices) {
  const std::string elements = "element face 2\n" + ply_corners + "element vertex 4\n" + ply_xyz;
  const Triangles want = {
      {0, 1, 3}, {1, 2, 3}, {0, 1, 2}};  // a dart: it has to be cut at its reflex corner 1
  const MeshFile text = read(ascii_ply(elements, "4 0 1 2 3\n3 0 1 2\n0 0 0\n1 0.2 0\n2 0 0\n1 2 0\n"));
  ASSERT_EQ(text.triangles.size(), 3u);
  EXPECT_EQ(text.triangles[2], want[2]);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(std::count(text.triangles[i].begin(), text.triangles[i].end(), 1u), 1);
  for (const bool big : {false, true}) {
    PlyData data(big);
    data.add<char>(4).add<int>(0, 1, 2, 3).add<char>(3).add<int>(0, 1, 2);
    data.add<float>(0, 0, 0, 1, 0.2f, 0, 2, 0, 0, 1, 2, 0);
    EXPECT_EQ(read(binary_ply(big, elements, data.bytes())).triangles, text.triangles);
  }
}

TEST(FormatPly, EveryTypeByBothNames) {
  const std::vector<std::pair<const char*, const char*>> names = {
      {"char", "int8"}, {"uchar", "uint8"}, {"short", "int16"},   {"ushort", "uint16"},
      {"int", "int32"}, {"uint", "uint32"}, {"float", "float32"}, {"double", "float64"}};
  const auto add = [](PlyData& data, std::size_t type, auto... v) {
    switch (type) {
      case 0:
      case 1:
        data.add<std::int8_t>(v...);
        break;
      case 2:
      case 3:
        data.add<std::int16_t>(v...);
        break;
      case 4:
      case 5:
        data.add<std::int32_t>(v...);
        break;
      case 6:
        data.add<float>(v...);
        break;
      default:
        data.add<double>(v...);
    }
  };
  for (std::size_t x = 0; x < 8; ++x)
    for (std::size_t count = 0; count < 6; ++count)
      for (std::size_t index = 0; index < 6; ++index) {
        const bool big = (x + count + index) % 2 != 0, mixed = index == 3;
        const std::string t = x % 2 == 0 ? names[x].first : names[x].second, z = mixed ? "double" : t;
        const std::string elements = fmt::format(
            "element vertex 3\nproperty {0} x\nproperty {0} y\nproperty {1} z\nelement face 1\nproperty list "
            "{2} {3} "
            "vertex_index\n",
            t, z, names[count].second, names[index].first);
        PlyData data(big);
        for (const auto& p : {std::array{0, 0, 1}, std::array{5, 0, 2}, std::array{0, 6, 3}}) {
          add(data, x, p[0], p[1]);
          add(data, mixed ? 7 : x, p[2]);
        }
        add(data, count, 3);
        add(data, index, 0, 1, 2);
        const MeshFile mesh = read(binary_ply(big, elements, data.bytes()));
        EXPECT_EQ(mesh.positions, (std::vector<Vec3>{{0, 0, 1}, {5, 0, 2}, {0, 6, 3}})) << elements;
        EXPECT_EQ(mesh.triangles, (Triangles{{0, 1, 2}})) << elements;
      }
}

TEST(FormatPly, SkipsOtherPropertiesAndElements) {
  const std::string elements =
      "element empty 999999999999\nelement vertex 3\nproperty uchar red\nproperty float z\nproperty list "
      "uchar short "
      "l\nproperty float x\nproperty double y\nelement edge 2\nproperty list uchar int e\nproperty char "
      "c\nelement face "
      "2\nproperty float quality\nproperty list uchar int vertex_indices\nproperty list int float "
      "texcoord\nelement "
      "material 2\nproperty int m\n";
  const std::string text =
      "9 3 0 1 2\n9 3 2 7 8 4 5\n9 3 1 6 7 8\n2 0 1 9\n1 0 9\n0.5 3 0 1 2 2 0.1 0.2\n0.5 3 2 1 0 0\n1\n2\n";
  const std::vector<Vec3> positions = {{1, 2, 3}, {4, 5, 3}, {7, 8, 3}};
  const Triangles triangles = {{0, 1, 2}, {2, 1, 0}};
  const std::vector<std::string> warnings = {
      "skipped 2 'edge' elements", "skipped 999999999999 'empty' elements", "skipped 2 'material' elements"};
  for (const int kind : {0, 1, 2}) {
    PlyData data(kind == 2);
    data.add<char>(9).add<float>(3).add<char>(0).add<float>(1).add<double>(2);
    data.add<char>(9).add<float>(3).add<char>(2).add<short>(7, 8).add<float>(4).add<double>(5);
    data.add<char>(9).add<float>(3).add<char>(1).add<short>(6).add<float>(7).add<double>(8);
    data.add<char>(2).add<int>(0, 1).add<char>(9).add<char>(1).add<int>(0).add<char>(9);
    data.add<float>(0.5).add<char>(3).add<int>(0, 1, 2).add<int>(2).add<float>(0.1, 0.2);
    data.add<float>(0.5).add<char>(3).add<int>(2, 1, 0).add<int>(0).add<int>(1, 2);
    const MeshFile mesh =
        read(kind == 0 ? ascii_ply(elements, text) : binary_ply(kind == 2, elements, data.bytes()));
    EXPECT_EQ(mesh.positions, positions);
    EXPECT_EQ(mesh.triangles, triangles);
    EXPECT_EQ(mesh.warnings, warnings);
  }
}

TEST(FormatPly, StripsOfTriangles) {
  const std::string elements =
      "element vertex 5\n" + ply_xyz + "element tristrips 2\nproperty list int int vertex_indices\n";
  const Triangles want = {{0, 1, 2}, {2, 1, 3}, {2, 3, 4}, {4, 3, 2}, {0, 1, 2}};
  std::string points;
  for (int i = 0; i < 5; ++i) points += std::to_string(i % 2) + " " + std::to_string(i) + " 0\n";
  // -1 begins anew; triangles with two corners in one only connect.
  EXPECT_EQ(read(ascii_ply(elements, points + "11 0 1 2 3 4 -1 4 3 2 -1 0\n4 0 1 2 2\n")).triangles, want);
  for (const bool big : {false, true}) {
    PlyData data(big);
    data.add<float>(0, 0, 0, 1, 1, 0, 0, 2, 0, 1, 3, 0, 0, 4, 0);
    data.add<int>(11, 0, 1, 2, 3, 4, -1, 4, 3, 2, -1, 0, 4, 0, 1, 2, 2);
    EXPECT_EQ(read(binary_ply(big, elements, data.bytes())).triangles, want);
  }
  EXPECT_EQ(refusal(MeshFormat::ply, ascii_ply(elements, points + "3 0 1 -2\n1 0\n")).where, "f:15:7");
}

TEST(FormatPly, MixedFacesKeepTheirOrder) {
  const std::string elements = "element vertex 4\n" + ply_xyz + "element face 5\n" + ply_corners;
  for (const bool big : {false, true}) {
    PlyData data(big);
    data.add<float>(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0);
    data.add<char>(3).add<int>(0, 1, 2).add<char>(3).add<int>(1, 2, 3).add<char>(4).add<int>(0, 1, 2, 3);
    data.add<char>(2).add<int>(0, 1).add<char>(3).add<int>(3, 2, 1);
    const MeshFile mesh = read(binary_ply(big, elements, data.bytes()));
    EXPECT_EQ(mesh.triangles, (Triangles{{0, 1, 2}, {1, 2, 3}, {0, 1, 2}, {0, 2, 3}, {3, 2, 1}}));
    EXPECT_EQ(mesh.warnings, (std::vector<std::string>{"skipped 1 faces with fewer than 3 corners"}));
    EXPECT_EQ(mesh.encoding, big ? "binary big-endian, float" : "binary little-endian, float");
  }
}

TEST(FormatPly, TellsOfBytesAfterTheData) {
  const std::string elements = "element vertex 3\n" + ply_xyz + "element face 1\n" + ply_corners,
                    data = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  EXPECT_TRUE(read(ascii_ply(elements, data + " \n\n")).warnings.empty());
  expect_refused(MeshFormat::ply, {{ascii_ply(elements, data + "3 0 1 2\n"), "f:14:1", "more in the file"}});
  TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}};
  EXPECT_TRUE(warns_of(read(format_mesh(MeshFormat::ply, mesh) + "ab"), "2 bytes after the data"));
  EXPECT_THROW(read(format_mesh(MeshFormat::ply, mesh) + std::string(13, '\3')), Error);
}

// More than a block of the parallel way, with a face that is no triangle and one that is wrong far behind.
TEST(FormatPly, LargeFilesOfAllEncodings) {
  TriangleMesh mesh;
  for (std::uint32_t i = 0; i < 300'000; ++i) {
    mesh.positions.emplace_back(i, 0.5 * (i % 7), -1.0 * i);
    mesh.triangles.push_back({i, (i * 7) % 300'000, (i * 31) % 300'000});
  }
  for (const bool big : {false, true})
    for (const bool single : {false, true}) {
      std::string bytes = format_mesh(MeshFormat::ply, mesh, {.big_endian = big, .single_precision = single});
      expect_same(read(bytes), mesh);
      const std::size_t face = bytes.size() - 20'000 * 13;
      std::string bad = bytes;
      for (int k = 1; k <= 4; ++k) bad[face + static_cast<std::size_t>(k)] = '\xff';
      const Refusal index = refusal(MeshFormat::ply, bad);
      EXPECT_EQ(index.where, "f, byte " + std::to_string(face + 1));
      EXPECT_NE(index.problem.find("there is no vertex -1: the file has 300000"), std::string::npos)
          << index.problem;
      bad = bytes;
      bad[face] = 2;  // what follows is out of step, and must not go unnoticed
      EXPECT_FALSE(is_read_or_refused(MeshFormat::ply, bad));
      const std::size_t header = bytes.find("end_header\n") + 11, size = single ? 4 : 8;
      const std::size_t vertex = header + 200'001 * size * 3 + size;
      bad = bytes;
      for (std::size_t k = 0; k < size; ++k) bad[vertex + k] = '\xff';
      const Refusal coordinate = refusal(MeshFormat::ply, bad);
      EXPECT_EQ(coordinate.where, "f, byte " + std::to_string(vertex));
      EXPECT_NE(coordinate.problem.find("coordinate y is"), std::string::npos) << coordinate.problem;
    }
  expect_same(read(format_mesh(MeshFormat::ply, mesh, {.ascii = true})), mesh);
}

TEST(FormatPly, RefusesMoreThanFloatsHold) {
  const TriangleMesh mesh{{{0, 0, 1e39}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}};
  EXPECT_NO_THROW((void)format_mesh(MeshFormat::ply, mesh));
  EXPECT_THROW((void)format_mesh(MeshFormat::ply, mesh, {.single_precision = true}), Error);
}

TEST(FormatPlyProperty, WhatIsWrittenIsReadToTheLastBit) {
  each_case(300, [](Random& random) {
    const bool single = random.chance(0.5);
    const TriangleMesh mesh = random_mesh(random, single);
    const WriteOptions options{
        .ascii = random.chance(0.5), .big_endian = random.chance(0.5), .single_precision = single};
    const MeshFile got = read(format_mesh(MeshFormat::ply, mesh, options));
    if (!options.ascii || !single) return expect_same(got, mesh);
    // The shortest digits of a float are those of the nearest double only when rounded again.
    ASSERT_EQ(got.positions.size(), mesh.positions.size());
    for (std::size_t i = 0; i < mesh.positions.size(); ++i)
      EXPECT_EQ(got.positions[i].cast<float>(), mesh.positions[i].cast<float>());
  });
}

}  // namespace
}  // namespace palpate
