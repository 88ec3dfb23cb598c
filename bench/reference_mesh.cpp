#include "reference_mesh.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace palpate::bench {

namespace {

using Stream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

Vec3 three_numbers(const char* text) {
  char* at = nullptr;
  Vec3 p;
  p.x() = std::strtod(text, &at);
  p.y() = std::strtod(at, &at);
  p.z() = std::strtod(at, &at);
  return p;
}

TriangleCorners three_indices(const char* text, std::uint32_t base) {
  char* at = const_cast<char*>(text);
  TriangleCorners t{};
  for (std::uint32_t& v : t) v = static_cast<std::uint32_t>(std::strtoul(at, &at, 10)) - base;
  return t;
}

}  // namespace

MeshFile plain_obj(const std::string& path) {
  const Stream file(std::fopen(path.c_str(), "r"), std::fclose);
  MeshFile mesh;
  char line[512];
  while (std::fgets(line, sizeof line, file.get()) != nullptr) {
    if (line[0] == 'v' && line[1] == ' ') mesh.positions.push_back(three_numbers(line + 2));
    if (line[0] == 'f' && line[1] == ' ') mesh.triangles.push_back(three_indices(line + 2, 1));
  }
  return mesh;
}

MeshFile plain_ply(const std::string& path) {
  const Stream file(std::fopen(path.c_str(), "r"), std::fclose);
  MeshFile mesh;
  char line[512];
  std::size_t vertices = 0, triangles = 0;
  while (std::fgets(line, sizeof line, file.get()) != nullptr && std::string(line) != "end_header\n") {
    std::sscanf(line, "element vertex %zu", &vertices);
    std::sscanf(line, "element face %zu", &triangles);
  }
  for (std::size_t i = 0; i < vertices && std::fgets(line, sizeof line, file.get()) != nullptr; ++i)
    mesh.positions.push_back(three_numbers(line));
  for (std::size_t i = 0; i < triangles && std::fgets(line, sizeof line, file.get()) != nullptr; ++i)
    mesh.triangles.push_back(three_indices(line + 2, 0));
  return mesh;
}

}  // namespace palpate::bench
