// Meshes that other programs made, where they are there.
#include <gtest/gtest.h>

#include <palpate/mesh/files.h>
#include <support/data.h>

namespace palpate::testing {
namespace {

struct RealFile {
  const char *name, *encoding;
  std::size_t vertices, triangles, tets;
};

void expect_counts(const std::vector<RealFile>& files) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << no_data;
  for (const RealFile& file : files) {
    SCOPED_TRACE(file.name);
    const MeshFile mesh = read_mesh((*folder / file.name).string());
    EXPECT_EQ(mesh.positions.size(), file.vertices);
    EXPECT_EQ(mesh.triangles.size(), file.triangles);
    EXPECT_EQ(mesh.tets.size(), file.tets);
    EXPECT_NE(mesh.encoding.find(file.encoding), std::string::npos) << mesh.encoding;
  }
}

TEST(RealFiles, Tetrahedra) {
  expect_counts({{"tets/armadillo.node", "ASCII", 14779, 0, 54855},
                 {"tets/armadillo.ele", "ASCII", 14779, 0, 54855},
                 {"tets/hippo.node", "ASCII", 2885, 0, 10361},
                 {"tets/liver.vtk", "2.0 ASCII", 10641, 0, 40240},
                 {"tets/bar-651.msh", "4.1 ASCII", 292, 0, 651},
                 {"tets/bar-2523.msh", "4.1 ASCII", 886, 0, 2523},
                 {"tets/sphere1K.msh", "4.1 ASCII", 1760, 0, 6851},
                 {"tets/mat40x40.msh", "4.1 ASCII", 3200, 0, 9126}});
}

TEST(RealFiles, Surfaces) {
  expect_counts({{"surfaces/cloth-ball-92.ply", "big-endian", 46598, 92230, 0},
                 {"surfaces/cloth-ball-93.ply", "big-endian", 46598, 92230, 0},
                 {"surfaces/armadillo-rollers-326.ply", "binary", 12135, 24242, 0},
                 {"surfaces/armadillo-rollers-327.ply", "binary", 12135, 24242, 0},
                 {"surfaces/cloth-funnel-227.ply", "binary", 9450, 18484, 0},
                 {"surfaces/cloth-funnel-228.ply", "binary", 9450, 18484, 0},
                 {"surfaces/bunny.ply", "little-endian", 2503, 5002, 0}});
}

// Written in our formats and read back, a mesh is the same.
TEST(RealFiles, TetrahedraSurviveOurFormats) {
  const auto folder = data_folder();
  if (!folder) GTEST_SKIP() << no_data;
  const MeshFile mesh = read_mesh((*folder / "tets/liver.vtk").string());
  for (const MeshFormat format : {MeshFormat::vtu, MeshFormat::msh})
    for (const bool ascii : {false, true}) {
      WriteOptions options;
      options.ascii = ascii;
      const MeshFile back = parse_mesh(format, format_mesh(format, mesh, options), "f");
      EXPECT_EQ(back.positions, mesh.positions);
      EXPECT_EQ(back.tets, mesh.tets);
    }
}

}  // namespace
}  // namespace palpate::testing
