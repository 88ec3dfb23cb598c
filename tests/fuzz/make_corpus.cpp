// Seeds for the fuzzers: small meshes by our writers in all their options, and samples of what is only read.
// Usage: make_corpus FOLDER, which gets a folder for each format.
#include <filesystem>
#include <fstream>
#include <string>

#include <scene/scene_samples.h>
#include <support/format_samples.h>

#include <palpate/mesh/files.h>
#include <palpate/mesh/generate.h>

namespace {

using namespace palpate;

void save(const std::filesystem::path& folder, const std::string& name, const std::string& bytes) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / name, std::ios::binary) << bytes;
}

void save_written(const std::filesystem::path& root, const std::string& ending, const MeshView& mesh,
                  const std::string& name) {
  for (unsigned bits = 0; bits < 16; ++bits) {
    const WriteOptions options{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
    save(root / ending, name + std::to_string(bits),
         format_mesh(*format_of_path("." + ending), mesh, options));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path root = argv[1];
  const TriangleMesh surface = make(IcosphereShape{0.1, 1});
  const TetMesh solid = make(SolidBoxShape{0.1, 0.1, 0.1, 1, 1, 1});
  for (const char* ending : {"obj", "ply", "stl", "off", "vtu", "msh"})
    save_written(root, ending, surface, "surface");
  for (const char* ending : {"vtu", "msh"}) save_written(root, ending, solid, "solid");
  for (const bool binary : {false, true})
    for (const bool other : {false, true}) {
      const std::string name = std::string("sample") + (binary ? "b" : "a") + (other ? "1" : "0");
      save(root / "vtk", name, testing::vtk_sample(binary, other));
      save(root / "vtk", "poly" + name, testing::vtk_polydata_sample(binary, other));
      save(root / "msh", "2" + name, testing::msh2_sample(binary, other && binary));
      save(root / "msh", "4" + name, testing::msh4_sample(binary, other));
    }
  for (const int first : {0, 1})
    save(root / "tetgen", std::to_string(first),
         testing::node_sample(first) + '\1' + testing::ele_sample(first));
  for (std::size_t i = 0; i < testing::scene_samples.size(); ++i)
    save(root / "scene", std::to_string(i), testing::scene_samples[i] + "--set run.steps=5\n");
  return 0;
}
