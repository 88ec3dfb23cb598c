#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include <support/format_samples.h>
#include <support/mangled.h>

namespace palpate::testing {
namespace {

MeshFile parse(const std::string& nodes, const std::string& elements) {
  return parse_mesh(MeshFormat::tetgen, nodes, "f", elements);
}

TEST(FormatTetgen, CountsFromZeroOrOne) {
  for (const int first : {0, 1}) {
    const MeshFile mesh = parse(node_sample(first), ele_sample(first));
    EXPECT_EQ(mesh.positions, sample_mesh().positions);
    EXPECT_EQ(mesh.tets, sample_mesh().tets);
    EXPECT_TRUE(mesh.triangles.empty());
    EXPECT_TRUE(mesh.warnings.empty());
    EXPECT_EQ(mesh.encoding, "ASCII");
  }
}

TEST(FormatTetgen, ShortHeadersAndTenNodes) {
  std::string nodes = "10 3\n";
  for (int i = 0; i < 10; ++i) nodes += fmt::format("{} {} {} {}\n", i, i, i * i, i * i * i);
  const MeshFile mesh = parse(nodes, "1 10\n0 3 2 1 0 4 5 6 7 8 9\n");
  EXPECT_EQ(mesh.tets, (std::vector<TetCorners>{{3, 2, 1, 0}}));
  ASSERT_EQ(mesh.warnings.size(), 1U);
  EXPECT_NE(mesh.warnings[0].find("by their corners"), std::string::npos);
}

TEST(FormatTetgen, BrokenNodeFilesAreRefused) {
  const std::string ele = "1 4\n1 1 2 3 4\n", node = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
  ASSERT_NO_THROW(parse(node, ele));
  const struct {
    std::string nodes;
    const char *where, *reason;
  } cases[] = {
      {"", "f:1:1", "number of nodes is missing"},
      {"0 3 0 0\n", "f:1:1", ".node file has no nodes"},
      {"4 2 0 0\n1 0 0\n", "f:1:3", "2 coordinates and not 3"},
      {"4 3 0 2\n", "f:1:7", "boundary markers 2 is out of range"},
      {"4 3 0 0 9\n", "f:1:9", "unexpected after the counts"},
      {"4000000 3 0 0\n1 0 0 0\n", "f:2:1", "4000000 nodes do not fit"},
      {with(node, "\n1 0 0 0", "\n2 0 0 0"), "f:2:1", "number of the first node 2"},
      {with(node, "\n2 1", "\n3 1"), "f:3:1", "node 2 should come here, not 3"},
      {with(node, "\n3 0", "\n2 0"), "f:4:1", "node 3 should come here, not 2"},
      {with(node, "3 0 1 0", "3 0 1  "), "f:4:8", "coordinate is missing"},
      {with(node, "3 0 1 0", "3 0 1 0 5"), "f:4:9", "unexpected after the node"},
      {with(node, "3 0 1 0", "3 0 inf 0"), "f:4:5", "'inf' is not a finite number"},
      {with(node, "4 0 0 1\n", "         "), "f:5:10", "the file ends where node 4"},
      {node + "5 0 0 0\n", "f:6:1", "more in the file than the nodes"},
      {with(node, "4 3 0 0", "4 3 1 0"), "f:2:1", "4 nodes do not fit"},
      {with(node, "4 3 0 0", "4 3 1 0") + "# a long comment, so that it could be", "f:2:8",
       "attribute is missing"},
  };
  for (const auto& [nodes, where, reason] : cases) {
    SCOPED_TRACE(nodes);
    expect_refused(MeshFormat::tetgen, nodes, where, reason, ele);
  }
}

TEST(FormatTetgen, BrokenElementFilesAreRefused) {
  const std::string node = "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
  const struct {
    const char *elements, *where, *reason;
  } cases[] = {
      {"", "f:1:1", "nothing in the .ele file"},
      {"# only this\n", "f:2:1", "nothing in the .ele file"},
      {"1 3 0\n1 1 2 3\n", "f:1:3", "elements of 3 nodes"},
      {"9 4 0\n1 1 2 3 4\n", "f:2:1", "9 tetrahedra do not fit"},
      {"1 4 0\n0 1 2 3 4\n", "f:2:1", "tetrahedron 1 should come here, not 0"},
      {"1 4 0\n1 0 1 2 3\n", "f:2:3", "node number 0 is out of range: it has to be from 1 to 4"},
      {"1 4 0\n1 1 2 3 5\n", "f:2:9", "node number 5 is out of range"},
      {"1 4 0\n1 1 2 3  \n", "f:2:10", "node number is missing"},
      {"1 4 0\n1 1 2 3 4 8\n", "f:2:11", "unexpected after the tetrahedron"},
      {"1 4 0\n1 1 2 3 4\njunk\n", "f:3:1", "more in the file than the tetrahedra"},
      {"0 4 0\n", "f", "no triangles and no tetrahedra"},
  };
  for (const auto& [elements, where, reason] : cases) {
    SCOPED_TRACE(elements);
    expect_refused(MeshFormat::tetgen, node, where, reason, elements);
  }
}

TEST(FormatTetgen, EitherFileMayBeNamedAndMessagesNameTheRightOne) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / "palpate tetgen test";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder / "a.node") << node_sample(1);
  std::ofstream(folder / "a.ele") << ele_sample(1);
  for (const char* const name : {"a.node", "a.ele"})
    EXPECT_EQ(read_mesh((folder / name).string()).tets, sample_mesh().tets);
  const auto place = [&](const char* name) {
    try {
      read_mesh((folder / name).string());
    } catch (const Error& error) {
      return error.where().substr(folder.string().size() + 1);
    }
    return std::string("was read");
  };
  std::ofstream(folder / "a.ele") << "1 4 0\n1 1 2 3 9\n";
  EXPECT_EQ(place("a.node"), "a.ele:2:9");
  std::ofstream(folder / "a.node") << "4 3 0 0\nx";
  EXPECT_EQ(place("a.ele"), "a.node:2:1");
  fs::remove(folder / "a.node");
  EXPECT_EQ(place("a.ele"), "a.node");
  fs::remove_all(folder);
}

TEST(FormatTetgenProperty, NothingMakesItFallOver) {
  each_case(20'000, [](Random& random) {
    const int first = static_cast<int>(random.below(2));
    const std::string node = node_sample(first), ele = ele_sample(first);
    const bool which = random.chance(0.5);
    expect_mesh_or_error(MeshFormat::tetgen, which ? mangled(random, node) : node,
                         which ? ele : mangled(random, ele));
  });
}

}  // namespace
}  // namespace palpate::testing
