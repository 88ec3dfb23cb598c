// Seeds for the fuzzers: small meshes by our writers in all their options, and samples of what is only read.
// Usage: make_corpus FOLDER, which gets a folder for each format.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <zlib.h>

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

std::string number(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t k = 0; k < bytes; ++k) text.push_back(static_cast<char>(value >> (8 * k)));
  return text;
}

// A small recording, as docs/protocol.md has it.
std::string recording(bool ended) {
  std::string file = "\x89PLP\r\n\x1a\n" + number(1, 4) + number(0, 4);
  std::vector<std::uint64_t> places;
  const auto add = [&](const std::string& message) {
    places.push_back(file.size());
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef*>(message.data()), static_cast<uInt>(message.size()));
    file += number(message.size(), 4) + number(sum, 4) + message;
  };
  const std::string pad(3, '\0');
  add("\1{}");
  add("\7title = \"x\"");
  add("\10snapshot");
  add("\2" + pad + number(1, 4) + number(0, 4));
  add("\3" + pad + number(1, 4) + number(0, 8) + std::string(56, '\0'));
  add("\5" + pad + number(1, 8) + number(77, 8));
  add("\6" + pad + number(1, 8) + "{}");
  if (!ended) return file;
  std::string index = "\xff";
  for (std::size_t i = 0; i < 3; ++i) index += number(places[i], 8);
  index += number(1, 8) + number(0, 8) + number(places[4], 8) + number(places[3], 8);
  index += number(1, 8) + number(1, 8) + number(77, 8);
  index += number(1, 8) + number(1, 8) + number(places[6], 8);
  add(index);
  return file + number(places.back(), 8) + "\x89PLPEND\n";
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
  const char* const commands[] = {
      R"({"do":"grab","hand":1,"body":"a","vertices":[0,1,2],"weights":[0.2,0.3,0.5],"stiffness":10})",
      R"({"do":"move","hand":1,"to":[0,1e-3,2]})",
      R"({"do":"release","hand":1})",
      R"({"do":"poke","body":"a","vertices":[0,1,2],"weights":[1,0,0],"push":[0,0,1]})",
      R"({"do":"pin","body":"a","vertices":[0,1,2],"weights":[1,0,0]})",
      R"({"do":"probe","to":[0,0,1],"radius":0.1})",
      R"({"do":"set","key":"materials.gel.young","value":6e4})",
      R"({"do":"set","key":"world.gravity","value":[0,0,-1]})",
      R"({"id":-7.5e3,"do":"want","nodes":true,"boxes":[[[[[[[["]\"]"]]]]]]]]})",
      "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"};
  for (std::size_t i = 0; i < std::size(commands); ++i)
    save(root / "command", std::to_string(i), commands[i]);
  for (const bool ended : {false, true}) save(root / "recording", ended ? "ended" : "cut", recording(ended));
  for (std::size_t i = 0; i < testing::scene_samples.size(); ++i)
    save(root / "scene", std::to_string(i), testing::scene_samples[i] + "--set run.steps=5\n");
  return 0;
}
