#include <gtest/gtest.h>

#include <support/format_samples.h>
#include <support/mangled.h>

namespace palpate::testing {
namespace {

MeshFile parse(const std::string& bytes) { return parse_mesh(MeshFormat::msh, bytes, "f"); }

std::vector<std::string> samples() {
  std::vector<std::string> all;
  for (const bool binary : {false, true}) {
    for (const bool big_endian : {false, true}) {
      if (!binary && big_endian) continue;
      all.push_back(msh2_sample(binary, big_endian));
      all.push_back(msh4_sample(binary, false, big_endian));
      all.push_back(msh4_sample(binary, true, big_endian));
    }
    WriteOptions options;
    options.ascii = !binary;
    all.push_back(format_mesh(MeshFormat::msh, sample_mesh(), options));
  }
  return all;
}

void expect_sample(const MeshFile& mesh) {
  const MeshFile expected = sample_mesh();
  EXPECT_EQ(mesh.positions, expected.positions);
  EXPECT_EQ(mesh.triangles, expected.triangles);
  EXPECT_EQ(mesh.tets, expected.tets);
}

const std::string start_2 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
const std::string nodes_2 = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n";
const std::string elements_2 = "$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n";
const std::string start_4 = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
const std::string nodes_4 = "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n";
const std::string elements_4 = "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n";

TEST(FormatMsh, AllVersionsEncodingsAndByteOrders) {
  for (const bool big_endian : {false, true}) {
    const std::string end = big_endian ? " big-endian" : "";
    const struct {
      std::string bytes, encoding;
    } cases[] = {{msh2_sample(true, big_endian), "2.2 binary" + end},
                 {msh4_sample(true, false, big_endian), "4.1 binary" + end},
                 {msh4_sample(true, true, big_endian), "4.0 binary" + end},
                 {msh2_sample(false), "2.2 ASCII"},
                 {msh4_sample(false, false), "4.1 ASCII"},
                 {msh4_sample(false, true), "4.0 ASCII"}};
    for (const auto& [bytes, encoding] : cases) {
      SCOPED_TRACE(encoding);
      const MeshFile mesh = parse(bytes);
      expect_sample(mesh);
      EXPECT_EQ(mesh.encoding, encoding);
      ASSERT_FALSE(mesh.warnings.empty());
      EXPECT_EQ(mesh.warnings[0], "skipped 1 lines");
    }
  }
}

TEST(FormatMsh, WhatIsWrittenIsReadBack) {
  Random random(5);
  MeshFile mesh = sample_mesh();
  for (int i = 0; i < 100; ++i) mesh.positions.emplace_back(random.magnitude(1e-300, 1e300), -0.0, 5e-324);
  for (const bool ascii : {false, true}) {
    WriteOptions options;
    options.ascii = ascii;
    const MeshFile back = parse(format_mesh(MeshFormat::msh, mesh, options));
    EXPECT_EQ(back.positions, mesh.positions);
    EXPECT_TRUE(std::signbit(back.positions.back().y()));
    EXPECT_EQ(back.triangles, mesh.triangles);
    EXPECT_EQ(back.tets, mesh.tets);
    EXPECT_TRUE(back.warnings.empty());
    EXPECT_EQ(back.encoding, ascii ? "4.1 ASCII" : "4.1 binary");
    const TriangleMesh surface{mesh.positions, mesh.triangles};
    EXPECT_EQ(parse(format_mesh(MeshFormat::msh, surface, options)).triangles, mesh.triangles);
    const TetMesh solid{mesh.positions, mesh.tets};
    EXPECT_EQ(parse(format_mesh(MeshFormat::msh, solid, options)).tets, mesh.tets);
    EXPECT_NE(format_mesh(MeshFormat::msh, TriangleMesh{}, options).find("$EndElements"), std::string::npos);
  }
}

TEST(FormatMsh, ElementsMayComeBeforeNodes) {
  expect_sample([&] {
    const std::string text = msh4_sample(false, false);
    const std::size_t nodes = text.find("$Nodes"), elements = text.find("$Elements"),
                      data = text.find("$NodeData");
    return parse(text.substr(0, nodes) + text.substr(elements, data - elements) +
                 text.substr(nodes, elements - nodes) + text.substr(data));
  }());
  EXPECT_EQ(parse(start_2 + elements_2 + nodes_2).tets.size(), 1U);
}

TEST(FormatMsh, UnknownSectionsAreSkippedWithAWarning) {
  const std::string more = "$Mine\n$Nodes\n$EndMineElse\nanything\n$EndMine\n";
  const MeshFile mesh = parse("$Comments\nhello\n$EndComments\n" + start_2 + "$Periodic\n0\n$EndPeriodic\n" +
                              more + nodes_2 + elements_2 + more);
  EXPECT_EQ(mesh.tets.size(), 1U);
  EXPECT_EQ(mesh.warnings, (std::vector<std::string>{"skipped 2 sections $Mine (not known)"}));
}

// As Gmsh saves them with the option Mesh.SaveParametric: the entity a node lies on, and where on it.
TEST(FormatMsh, ParametricNodesOfVersion2) {
  const std::string text =
      "$ParametricNodes\n4\n1 0 0 0 0 7\n2 1 0 0 1 8 0.5\n3 0 1 0 2 9 0.25 0.75\n"
      "4 0 0 1 3 1\n$EndParametricNodes\n";
  const MeshFile mesh = parse(start_2 + text + elements_2);
  EXPECT_EQ(mesh.positions, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  EXPECT_EQ(mesh.tets.size(), 1U);
  EXPECT_TRUE(mesh.warnings.empty());
  SampleBytes binary(true);
  binary.text(msh_start("2.2", true, false)).text("$ParametricNodes\n4\n");
  for (int i = 0; i < 4; ++i) {
    binary.number(i + 1).numbers(std::vector<double>{i == 1 ? 1.0 : 0, i == 2 ? 1.0 : 0, i == 3 ? 1.0 : 0});
    binary.number(i).number(7).numbers(std::vector<double>(static_cast<std::size_t>(i % 3), 0.5));
  }
  binary.text("\n$EndParametricNodes\n$Elements\n1\n").numbers(std::vector<int>{4, 1, 0, 1, 1, 2, 3, 4});
  const MeshFile same = parse(binary.text("\n$EndElements\n").bytes());
  EXPECT_EQ(same.positions, mesh.positions);
  EXPECT_EQ(same.tets, mesh.tets);
  expect_refused(MeshFormat::msh, start_2 + with(text, "2 9 0.25 0.75", "2 9 0.25") + elements_2, "f:8:17",
                 "parameter is missing");
  expect_refused(MeshFormat::msh, start_2 + with(text, "$EndParam", "$EndWhat") + elements_2, "f:10:1",
                 "$EndParametricNodes should come here");
  expect_refused(MeshFormat::msh, start_2 + text + nodes_2, "f:11:1", "a second time");
}

TEST(FormatMsh, NodeNumbersMayBeHugeWithoutCost) {
  const std::string nodes =
      with(with(nodes_2, "\n4 0 0 1", "\n9000000000000000000 0 0 1"), "\n1 0", "\n70000 0");
  const MeshFile mesh = parse(start_2 + nodes + with(elements_2, "1 2 3 4", "70000 2 3 9000000000000000000"));
  EXPECT_EQ(mesh.tets, (std::vector<TetCorners>{{0, 1, 2, 3}}));
}

TEST(FormatMsh, SecondOrderAndQuadrilaterals) {
  std::string text = start_2 + "$Nodes\n10\n";
  for (int i = 1; i <= 10; ++i) text += fmt::format("{} {} {} {}\n", i, i, i * i, i % 3);
  text +=
      "$EndNodes\n$Elements\n8\n1 11 0 4 3 2 1 5 6 7 8 9 10\n2 9 1 5 1 2 3 4 5 6\n3 3 0 1 2 3 4\n4 16 0 1 2 "
      "3 4 5 6 7 "
      "8\n"
      "5 10 0 1 2 3 4 5 6 7 8 9\n6 5 0 1 2 3 4 5 6 7 8\n7 6 0 1 2 3 4 5 6\n8 7 0 1 2 3 4 5\n$EndElements\n";
  const MeshFile mesh = parse(text);
  EXPECT_EQ(mesh.tets, (std::vector<TetCorners>{{3, 2, 1, 0}}));
  EXPECT_EQ(mesh.triangles.size(), 7U);
  EXPECT_EQ(mesh.triangles[0], (TriangleCorners{0, 1, 2}));
  ASSERT_EQ(mesh.warnings.size(), 6U);
  EXPECT_NE(mesh.warnings[0].find("read 2 quadratic quadrilaterals by their corners"), std::string::npos);
  EXPECT_EQ(mesh.warnings[3], "skipped 1 hexahedra");
  EXPECT_EQ(mesh.warnings[4], "skipped 1 prisms");
  EXPECT_EQ(mesh.warnings[5], "skipped 1 pyramids");
}

TEST(FormatMsh, BrokenFilesAreRefusedWithTheirPlace) {
  ASSERT_NO_THROW(parse(start_2 + nodes_2 + elements_2));
  ASSERT_NO_THROW(parse(start_4 + nodes_4 + elements_4));
  const struct {
    std::string bytes;
    const char *where, *reason;
  } cases[] = {
      {"", "f:1:1", "not a Gmsh file"},
      {"solid x\n", "f:1:1", "a section should begin here"},
      {"$NOD\n3\n", "f:1:1", "MSH version 1"},
      {"$Nodes\n3\n$EndNodes\n", "f:1:1", "not a Gmsh file"},
      {"$MeshFormat\n3.0 0 8\n", "f:2:1", "MSH version '3.0'"},
      {"$MeshFormat\n4.1 2 8\n", "f:2:5", "file type"},
      {"$MeshFormat\n2.2 0 4\n", "f:2:7", "numbers of 4 bytes"},
      {"$MeshFormat\n4.1 0 8 9\n", "f:2:9", "unexpected after the format"},
      {"$MeshFormat\n4.1 0 8\n$Nodes", "f:3:1", "$EndMeshFormat should come here"},
      {start_2, "f:4:1", "no $Nodes section"},
      {start_2 + nodes_2, "f:11:1", "no $Elements section"},
      {start_2 + nodes_2 + nodes_2, "f:11:1", "$Nodes come a second time"},
      {start_2 + nodes_2 + elements_2 + elements_2, "f:15:1", "$Elements come a second time"},
      {start_2 + nodes_2 + "$Comments\nhm\n", "f:11:1", "no $EndComments"},
      {start_2 + nodes_2 + "$EndNodes\n", "f:11:1", "a section should begin here"},
      {start_2 + with(nodes_2, "4\n1", "5\n1") + elements_2, "f:10:1", "'$EndNodes' is not a whole number"},
      {start_2 + with(nodes_2, "4\n1", "3\n1") + elements_2, "f:9:1", "$EndNodes should come here"},
      {start_2 + with(nodes_2, "4\n1", "4000000000\n1"), "f:6:1", "do not fit"},
      {start_2 + with(nodes_2, "\n3 0 1 0", "\n2 0 1 0"), "f:8:1", "two nodes number 2"},
      {start_2 + with(nodes_2, "\n3 0 1 0", "\n3 0 1"), "f:8:6", "coordinate is missing"},
      {start_2 + with(nodes_2, "\n3 0 1 0", "\n3 0 1 0 7"), "f:8:9", "unexpected after the node"},
      {start_2 + with(nodes_2, "\n3 0 1 0", "\n3 0 nan 0"), "f:8:5", "'nan' is not a finite number"},
      {start_2 + with(nodes_2, "\n3 0 1 0", "\n-3 0 1 0"), "f:8:1", "node number -3 is out of range"},
      {start_2 + nodes_2 + with(elements_2, "1 2 3 4", "1 2 3 5"), "f:13:17", "there is no node 5"},
      {start_2 + nodes_2 + with(elements_2, "1 2 3 4", "1 2 3"), "f:13:16", "node number is missing"},
      {start_2 + nodes_2 + with(elements_2, "1 2 3 4", "1 2 3 4 4"), "f:13:19",
       "unexpected after the element"},
      {start_2 + nodes_2 + with(elements_2, "1 4 2", "1 99 2"), "f:13:3", "element type 99 is not known"},
      {start_2 + nodes_2 + with(elements_2, "\n1\n", "\n99999999\n"), "f:13:1", "do not fit"},
      {start_2 + nodes_2 + with(elements_2, "\n1\n", "\n2\n"), "f:14:1",
       "'$EndElements' is not a whole number"},
      {start_4 + with(nodes_4, "1 4 1 4", "1 5 1 5") + elements_4, "f:15:1", "1 nodes are missing"},
      {start_4 + with(nodes_4, "1 4 1 4", "1 3 1 4") + elements_4, "f:6:7", "number of nodes in a block 4"},
      {start_4 + with(nodes_4, "1 4 1 4", "1 4 1"), "f:5:6", "is missing"},
      {start_4 + with(nodes_4, "1 4 1 4", "99 4 1 4") + elements_4, "f:15:1", "not a whole number"},
      {start_4 + with(nodes_4, "\n3\n", "\n1\n") + elements_4, "f:9:1", "two nodes number 1"},
      {start_4 + with(nodes_4, "3 1 0 4", "4 1 0 4"), "f:6:1", "dimension of an entity 4"},
      {start_4 + nodes_4 + with(elements_4, "1 1 1 1", "1 2 1 2"), "f:20:1", "1 elements are missing"},
      {start_2 + with(nodes_2, "$EndNodes\n", ""), "f:10:1", "$EndNodes should come here"},
      {start_2 + nodes_2 + with(elements_2, "$EndElements\n", ""), "f:14:1", "$EndElements should come here"},
      {start_4 + nodes_4 + with(elements_4, "$EndElements\n", ""), "f:20:1", "$EndElements should come here"},
      {start_4 + nodes_4 + with(elements_4, "3 1 4 1", "3 1 77 1"), "f:18:1", "element type 77"},
      {start_4 + nodes_4 + with(elements_4, "1 1 2 3 4", "1 1 2 3 8"), "f:19:9", "there is no node 8"},
  };
  for (const auto& [bytes, where, reason] : cases) {
    SCOPED_TRACE(bytes);
    expect_refused(MeshFormat::msh, bytes, where, reason);
  }
}

TEST(FormatMsh, BrokenBinaryFilesAreRefusedWithTheirByte) {
  const std::string good = msh4_sample(true, false);
  const std::size_t nodes = good.find("$Nodes\n") + 7;
  std::string order = good, many = good, not_a_number = good;
  order[20] = 2;
  many[nodes + 8 + 3] = 1;
  // Behind the counts, a block's header and its two tags.
  const std::size_t x = nodes + 32 + 20 + 16;
  for (std::size_t i = 0; i < 8; ++i) not_a_number[x + i] = '\xff';
  expect_refused(MeshFormat::msh, order, "f, byte 20", "the byte order is missing");
  expect_refused(MeshFormat::msh, many, fmt::format("f, byte {}", nodes + 32), "do not fit");
  expect_refused(MeshFormat::msh, not_a_number, fmt::format("f, byte {}", x), "not a finite number");
  expect_refused(MeshFormat::msh, good.substr(0, good.find("$EndElements") - 5),
                 fmt::format("f, byte {}", good.find("$EndElements") - 9), "the file ends where");
}

TEST(FormatMshProperty, NothingMakesItFallOver) { expect_sturdy(MeshFormat::msh, samples(), 20'000); }

TEST(FormatMshProperty, AnyMeshIsReadBackTheSame) {
  each_case(300, [](Random& random) {
    MeshFile mesh;
    for (std::size_t i = 4 + random.below(20); i > 0; --i)
      mesh.positions.emplace_back(random.magnitude(1e-20, 1e20), random.uniform(-1, 1),
                                  random.uniform(-1e-3, 1));
    const auto vertex = [&] { return static_cast<std::uint32_t>(random.below(mesh.positions.size())); };
    for (std::size_t i = random.below(20); i > 0; --i)
      mesh.triangles.push_back({vertex(), vertex(), vertex()});
    for (std::size_t i = 1 + random.below(20); i > 0; --i)
      mesh.tets.push_back({vertex(), vertex(), vertex(), vertex()});
    WriteOptions options;
    options.ascii = random.chance(0.5);
    options.compressed = random.chance(0.5);
    for (const MeshFormat format : {MeshFormat::msh, MeshFormat::vtu}) {
      const MeshFile back = parse_mesh(format, format_mesh(format, mesh, options), "f");
      EXPECT_EQ(back.positions, mesh.positions);
      EXPECT_EQ(back.triangles, mesh.triangles);
      EXPECT_EQ(back.tets, mesh.tets);
    }
  });
}

}  // namespace
}  // namespace palpate::testing
