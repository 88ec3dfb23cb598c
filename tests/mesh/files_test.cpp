// Files of meshes from the outside: names and formats, disks and pipes, what is refused before it is written.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <palpate/mesh/files.h>
#include <support/mesh_files.h>

namespace palpate {
namespace {

using namespace testing;
namespace fs = std::filesystem;

// A folder of its own, removed afterwards.
class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::path(::testing::TempDir()) / "palpate files XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t files_there() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

 private:
  fs::path folder_;
};

const TriangleMesh one{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}};

// The whole message of the Error that this throws.
template <class Body>
std::string message_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_FALSE(error.where().empty());
    EXPECT_FALSE(error.remedy().empty());
    return error.what();
  }
  ADD_FAILURE() << "no Error";
  return "";
}
void expect_in(const std::string& text, const std::string& piece) {
  EXPECT_NE(text.find(piece), std::string::npos) << text;
}

TEST(MeshFormats, ByTheEndingOfTheName) {
  EXPECT_EQ(format_of_path("a.obj"), MeshFormat::obj);
  EXPECT_EQ(format_of_path("b.a/x.y.PlY"), MeshFormat::ply);
  EXPECT_EQ(format_of_path("a.STL"), MeshFormat::stl);
  EXPECT_EQ(format_of_path("a.off"), MeshFormat::off);
  EXPECT_EQ(format_of_path("a.ele"), MeshFormat::tetgen);
  EXPECT_EQ(format_of_path("a.glb"), MeshFormat::gltf);
  for (const char* name : {"", "obj", "a.", "a.obj.gz", "a.obj/b", "a.obj "})
    EXPECT_FALSE(format_of_path(name)) << name;
  EXPECT_EQ(name_of(MeshFormat::ply), "PLY");
  EXPECT_TRUE(can_read(MeshFormat::stl) && can_write(MeshFormat::stl));
  EXPECT_TRUE(can_write(MeshFormat::gltf) && !can_read(MeshFormat::gltf));
  EXPECT_TRUE(can_read(MeshFormat::vtk) && !can_write(MeshFormat::vtk));
}

TEST_F(Files, WrittenAndReadAgain) {
  for (const char* name : {"a.obj", "a.ply", "a.stl", "a.OFF"}) {
    write_mesh(path(name), one);
    const MeshFile got = read_mesh(path(name));
    expect_same(got, one);
    EXPECT_EQ(got.format, format_of_path(name));
    EXPECT_EQ(read_triangle_mesh(path(name)), one);
    expect_in(message_of([&] { (void)read_tet_mesh(path(name)); }), "triangles but no tetrahedra");
  }
  EXPECT_EQ(files_there(), 4u) << "nothing but the files themselves";
  fs::rename(path("a.ply"), path("nameless"));
  expect_in(message_of([&] { (void)read_mesh(path("nameless")); }),
            "its name does not say what format it has");
  expect_same(read_mesh(path("nameless"), {.format = MeshFormat::ply, .progress = {}}), one);
}

TEST_F(Files, RefusesWhatCannotBeRead) {
  expect_in(message_of([&] { (void)read_mesh(path("none.obj")); }), "none.obj: cannot open it: No such file");
  fs::create_directory(path("folder.obj"));
  expect_in(message_of([&] { (void)read_mesh(path("folder.obj")); }), "this is a folder");
  expect_in(message_of([&] { (void)read_mesh("a.xyz"); }), "Palpate knows .obj, .ply");
  expect_in(message_of([&] { (void)read_mesh("a"); }), "does not say what format");
  std::ofstream(path("a.glb")) << "x";
  expect_in(message_of([&] { (void)read_mesh(path("a.glb")); }), "writes glTF binary but does not read it");
  std::ofstream(path("empty.ply")).flush();
  expect_in(message_of([&] { (void)read_mesh(path("empty.ply")); }), "empty.ply:1:1: a PLY file begins");
}

TEST_F(Files, RefusesWhatCannotBeWritten) {
  expect_in(message_of([&] { write_mesh(path("a.xyz"), one); }), "End it with one of .obj");
  expect_in(message_of([&] { write_mesh(path("a.vtk"), one); }), "reads it but does not write it");
  expect_in(message_of([&] { write_mesh(path("no/such/folder/a.obj"), one); }),
            "cannot write it: No such file");
  fs::create_directory(path("folder.obj"));
  expect_in(message_of([&] { write_mesh(path("folder.obj"), one); }), "cannot write it: Is a directory");
  EXPECT_EQ(files_there(), 1u);
}

TEST_F(Files, MessagesOfWritersNameTheFile) {
  TriangleMesh mesh = one;
  mesh.positions[1].x() = 1e39;
  expect_in(message_of([&] { write_mesh(path("big.stl"), mesh); }),
            "big.stl, vertex 1: a coordinate is not finite");
  mesh.positions[1].x() = 1e-30;
  for (Vec3& p : mesh.positions) p *= 1e-50;
  expect_in(message_of([&] { write_mesh(path("small.stl"), mesh); }), "small.stl: its largest coordinate");
  EXPECT_EQ(files_there(), 0u);
}

// VTK's polydata are read by the reader of its grids; written are grids alone.
TEST_F(Files, VtpIsReadAndNotWritten) {
  EXPECT_EQ(format_of_path("a.VTP"), MeshFormat::vtu);
  std::ofstream(path("a.vtp"))
      << "<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"3\" NumberOfPolys=\"1\"><Points>"
         "<DataArray type=\"Float32\">0 0 0 1 0 0 0 1 0</DataArray></Points><Polys><DataArray type=\"Int32\" "
         "Name=\"connectivity\">0 1 2</DataArray><DataArray type=\"Int32\" Name=\"offsets\">3</DataArray>"
         "</Polys></Piece></PolyData></VTKFile>";
  EXPECT_EQ(read_triangle_mesh(path("a.vtp")), one);
  expect_in(message_of([&] { write_mesh(path("b.vtp"), one); }),
            "b.vtp: .vtp files are read but not written");
  expect_in(message_of([&] { write_mesh(path("b.xyz"), one); }), ".off, .vtu, .msh, .glb");
}

// Byte order marks and line ends of old systems, in every format of text; also in both files of TetGen.
TEST_F(Files, TextFromOtherSystems) {
  const auto put = [&](const std::string& name, std::string text, bool mark) {
    std::replace(text.begin(), text.end(), '\n', '\r');
    std::ofstream(path(name), std::ios::binary) << (mark ? "\xef\xbb\xbf" : "") << text;
  };
  for (const bool mark : {false, true}) {
    for (const char* name : {"a.obj", "a.ply", "a.stl", "a.off", "a.vtu", "a.msh"}) {
      put(name, format_mesh(*format_of_path(name), one, {.ascii = true}), mark);
      expect_same(read_mesh(path(name)), one);
    }
    put("a.vtk",
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0 0 1 0 0 0 1 0\n"
        "POLYGONS 1 4\n3 0 1 2\n",
        mark);
    expect_same(read_mesh(path("a.vtk")), one);
    put("a.node", "4 3\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n", mark);
    put("a.ele", "1 4\n0 0 1 2 3\n", mark);
    EXPECT_EQ(read_tet_mesh(path("a.ele")).tets, (std::vector<TetCorners>{{0, 1, 2, 3}}));
  }
}

TEST_F(Files, AFullDiskLeavesTheOldFile) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full, a disk that is always full";
  fs::create_symlink("/dev/full", path("full.obj"));
  expect_in(message_of([&] { write_mesh(path("full.obj"), one); }), "No space left");
  // Refused before anything is written: the old file stays as it is.
  write_mesh(path("a.obj"), one);
  TriangleMesh bad = one;
  bad.triangles[0][2] = 3;
  EXPECT_THROW(write_mesh(path("a.obj"), bad), Error);
  expect_same(read_mesh(path("a.obj")), one);
  EXPECT_EQ(files_there(), 2u);
}

TEST_F(Files, LinksAndPermissionsStay) {
  write_mesh(path("a.obj"), one);
  fs::permissions(path("a.obj"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("a.obj", path("link.obj"));
  TriangleMesh other = one;
  other.positions[0].x() = -1;
  write_mesh(path("link.obj"), other);
  EXPECT_TRUE(fs::is_symlink(path("link.obj")));
  expect_same(read_mesh(path("a.obj")), other);
  EXPECT_EQ(fs::status(path("a.obj")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Files, PipesAreWrittenToAndReadFrom) {
  TriangleMesh mesh;  // longer than a pipe holds
  for (std::uint32_t i = 0; i < 20'000; ++i) mesh.positions.emplace_back(i, 0.5, -1.0 * i);
  for (std::uint32_t i = 0; i + 2 < 20'000; ++i) mesh.triangles.push_back({i, i + 1, i + 2});
  ASSERT_EQ(::mkfifo(path("pipe.ply").c_str(), 0600), 0);
  std::thread writer([&] { write_mesh(path("pipe.ply"), mesh); });
  const MeshFile got = read_mesh(path("pipe.ply"));
  writer.join();
  expect_same(got, mesh);
  EXPECT_TRUE(fs::is_fifo(path("pipe.ply")));
  EXPECT_EQ(files_there(), 1u);
}

TEST(FormatMesh, RefusesWhatAFormatCannotHold) {
  const TetMesh tets{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}};
  for (const MeshFormat format : {MeshFormat::obj, MeshFormat::ply, MeshFormat::stl, MeshFormat::off})
    expect_in(message_of([&] { (void)format_mesh(format, tets); }), "the mesh has tetrahedra");
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    TriangleMesh mesh = one;
    mesh.positions[1].y() = bad;
    for (const MeshFormat format : {MeshFormat::obj, MeshFormat::ply, MeshFormat::stl, MeshFormat::off})
      expect_in(message_of([&] { (void)format_mesh(format, mesh); }), "vertex 1: a coordinate is not finite");
  }
  TriangleMesh mesh = one;
  mesh.triangles.push_back({0, 1, 7});
  expect_in(message_of([&] { (void)format_mesh(MeshFormat::obj, mesh); }),
            "triangle 1: there is no vertex 7");
  expect_in(message_of([&] { (void)format_mesh(MeshFormat::vtk, one); }), "does not write it");
}

// Far in, where the check runs in parallel: still the first of them.
TEST(FormatMesh, NamesTheFirstThatIsWrong) {
  TriangleMesh mesh = one;
  mesh.triangles.resize(200'000, {0, 1, 2});
  for (const std::size_t i : {150'001u, 150'002u, 199'000u}) mesh.triangles[i][1] = 5;
  expect_in(message_of([&] { (void)format_mesh(MeshFormat::ply, mesh); }),
            "triangle 150001: there is no vertex 5");
}

TEST(FormatMesh, ProgressGrowsToOne) {
  TriangleMesh mesh;
  for (std::uint32_t i = 0; i < 300'000; ++i) mesh.positions.emplace_back(i / 7.0, 1 / 3.0, i);
  for (std::uint32_t i = 0; i + 2 < 300'000; ++i) mesh.triangles.push_back({i, i + 1, i + 2});
  for (const MeshFormat format : {MeshFormat::obj, MeshFormat::ply, MeshFormat::stl, MeshFormat::off})
    for (const bool ascii : {false, true}) {
      std::vector<double> told;
      ReadOptions options;
      options.progress = [&](double fraction) { told.push_back(fraction); };
      (void)parse_mesh(format, format_mesh(format, mesh, {.ascii = ascii}), "f", {}, options);
      EXPECT_GE(told.size(), 3u) << name_of(format);
      EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
      EXPECT_GT(told.front(), 0);
      EXPECT_EQ(told.back(), 1);
    }
}

}  // namespace
}  // namespace palpate
