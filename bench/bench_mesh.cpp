// mesh/: reading files beside reading their bytes, topology beside sorting edge keys, changes beside
// rebuilding.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <system_error>

#include <palpate/base/hash.h>
#include <palpate/mesh/files.h>
#include <palpate/mesh/generate.h>
#include <palpate/mesh/neighbourhood.h>
#include <palpate/mesh/topology.h>

#include "benchmarks.h"
#include "reference_mesh.h"

namespace palpate::bench {

namespace {

// A million triangles of an uneven surface: coordinates with all their digits, as scans have them.
TriangleMesh uneven_torus(std::size_t triangles) {
  TriangleMesh mesh = make(with_triangles(TorusShape{}, triangles));
  std::mt19937_64 random(5);
  for (Vec3& p : mesh.positions)
    for (double& x : p) x *= 1 + 1e-3 * static_cast<double>(random() >> 11) * 0x1p-53;
  return mesh;
}

std::uint64_t hash_of(const std::vector<Vec3>& positions, const std::vector<TriangleCorners>& triangles) {
  StateHash hash;
  hash.add_bytes(positions.data(), positions.size() * sizeof(Vec3));
  hash.add_bytes(triangles.data(), triangles.size() * sizeof(TriangleCorners));
  return hash.value();
}

// A file that lives as long as the case.
class File {
 public:
  File(const std::string& ending, const std::string& bytes) {
    std::string name = (std::filesystem::temp_directory_path() / "palpate-bench-XXXXXX").string() + ending;
    const int file = ::mkstemps(name.data(), static_cast<int>(ending.size()));
    if (file < 0) throw std::system_error(errno, std::generic_category(), "cannot make a temporary file");
    path_ = name;
    std::size_t at = 0;
    while (at < bytes.size()) {
      const ssize_t put = ::write(file, bytes.data() + at, bytes.size() - at);
      if (put <= 0) throw std::system_error(errno, std::generic_category(), "cannot write " + path_);
      at += static_cast<std::size_t>(put);
    }
    ::close(file);
  }
  ~File() { ::unlink(path_.c_str()); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The floor of every reader: the bytes, from the file into fresh memory.
void read_bytes(const std::string& path, std::size_t size) {
  const auto bytes = std::make_unique_for_overwrite<char[]>(size);
  const int file = ::open(path.c_str(), O_RDONLY);
  std::size_t at = 0;
  while (at < size) {
    const ssize_t got = ::read(file, bytes.get() + at, size - at);
    if (got <= 0) break;
    at += static_cast<std::size_t>(got);
  }
  ::close(file);
  keep(bytes[size - 1]);
}

using Reference = MeshFile (*)(const std::string& path);

std::vector<Method> reading(const std::string& ending, const std::string& bytes, Reference reference) {
  struct Data {
    Data(const std::string& end, const std::string& content) : file(end, content), size(content.size()) {}
    File file;
    std::size_t size;
    MeshFile mesh;
  };
  const auto data = std::make_shared<Data>(ending, bytes);
  const auto forget = [data] { data->mesh = {}; };
  const auto result = [data] { return hash_of(data->mesh.positions, data->mesh.triangles); };
  std::vector<Method> methods;
  methods.push_back(
      {"read() of the bytes", Role::floor, [data] { read_bytes(data->file.path(), data->size); }});
  if (reference != nullptr)
    methods.push_back({"plain reader (stdio)", Role::reference,
                       [data, reference] { data->mesh = reference(data->file.path()); }, forget, result});
  methods.push_back(
      {"read_mesh", Role::ours, [data] { data->mesh = read_mesh(data->file.path()); }, forget, result, true});
  return methods;
}

void add_reading(std::vector<Case>& cases, const TriangleMesh& mesh, const std::string& what,
                 const std::string& ending, const WriteOptions& options, Reference reference) {
  const std::string bytes = format_mesh(*format_of_path(ending), mesh, options);
  cases.push_back({what, bytes.size(), [=] { return reading(ending, bytes, reference); }});
}

std::vector<Method> topology_of(const std::shared_ptr<const TriangleMesh>& mesh) {
  struct Data {
    std::vector<std::uint64_t> edge_keys, keys;
    Topology topology;
  };
  const auto data = std::make_shared<Data>();
  for (const TriangleCorners& t : mesh->triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [a, b] = std::minmax(t[k], t[(k + 1) % 3]);
      data->edge_keys.push_back(std::uint64_t{a} << 32 | b);
    }
  return {
      {"std::sort of the edge keys", Role::reference,
       [data] { std::sort(data->keys.begin(), data->keys.end()); }, [data] { data->keys = data->edge_keys; }},
      {"Topology",
       Role::ours,
       [data, mesh] { data->topology = Topology(mesh->positions.size(), mesh->triangles); },
       [data] { data->topology = {}; },
       {},
       true},
  };
}

// A hundred triangles taken out along a line, and put back: what a cut does in a step.
std::vector<Method> changing(const std::shared_ptr<const TriangleMesh>& mesh) {
  struct Data {
    std::vector<std::uint32_t> gone, places, touched;
    std::vector<TriangleCorners> back;
    Topology topology, rebuilt;
    Neighbourhoods neighbourhoods, built;
  };
  const auto data = std::make_shared<Data>();
  for (std::uint32_t i = 0; i < 100; ++i) {
    data->gone.push_back(1000 + i);
    data->back.push_back(mesh->triangles[1000 + i]);
    for (const std::uint32_t v : data->back.back()) data->touched.push_back(v);
  }
  data->topology = Topology(mesh->positions.size(), mesh->triangles);
  const auto change = [data] {
    data->places.clear();
    data->topology.remove(data->gone);
    data->topology.add(data->back, data->places);
  };
  const auto rebuild = [data, mesh] { data->rebuilt = Topology(mesh->positions.size(), mesh->triangles); };
  return {{"rebuild",
           Role::reference,
           rebuild,
           {},
           [data] { return std::uint64_t{data->rebuilt == data->topology}; }},
          {"remove and add", Role::ours, change, {}, [] { return std::uint64_t{1}; }}};
}

std::vector<Method> neighbours(const std::shared_ptr<const TriangleMesh>& mesh, double reach) {
  struct Data {
    Topology topology;
    std::vector<std::uint32_t> touched;
    Neighbourhoods built, updated;
  };
  const auto data = std::make_shared<Data>();
  data->topology = Topology(mesh->positions.size(), mesh->triangles);
  for (std::uint32_t t = 1000; t < 1100; ++t)
    for (const std::uint32_t v : mesh->triangles[t]) data->touched.push_back(v);
  data->updated = Neighbourhoods(data->topology, mesh->positions, reach);
  data->built = data->updated;
  const auto result = [data] { return std::uint64_t{data->built == data->updated}; };
  return {{"build",
           Role::reference,
           [=] { data->built = Neighbourhoods(data->topology, mesh->positions, reach); },
           {},
           result,
           true},
          {"update",
           Role::ours,
           [=] { data->updated.update(data->topology, mesh->positions, data->touched); },
           {},
           result}};
}

std::vector<Case> cases(bool quick) {
  const std::size_t triangles = quick ? 200'000 : 1'000'000;
  const std::string count = quick ? "200k" : "1M";
  const auto large = std::make_shared<const TriangleMesh>(uneven_torus(triangles));
  const auto middle = std::make_shared<const TriangleMesh>(uneven_torus(65'000));
  std::vector<Case> all;
  const auto text = [](bool floats, bool big) {
    return WriteOptions{.ascii = false, .big_endian = big, .single_precision = floats};
  };
  add_reading(all, *large, "binary PLY of " + count + ", float", ".ply", text(true, false), nullptr);
  add_reading(all, *large, "binary PLY of " + count + ", double", ".ply", text(false, false), nullptr);
  add_reading(all, *large, "binary PLY of " + count + ", float, big-endian", ".ply", text(true, true),
              nullptr);
  add_reading(all, *large, "ASCII PLY of " + count + " (per byte)", ".ply", WriteOptions{.ascii = true},
              plain_ply);
  add_reading(all, *large, "OBJ of " + count + " (per byte)", ".obj", {}, plain_obj);
  add_reading(all, *large, "binary STL of " + count, ".stl", {}, nullptr);
  all.push_back(
      {"topology of " + count + " triangles", large->triangles.size(), [=] { return topology_of(large); }});
  all.push_back({"topology: 100 triangles of 65k out and in", 100, [=] { return changing(middle); }});
  const double edge = 1.4e-3;  // about its mean
  all.push_back({"along-surface neighbours of 65k, reach 2 edges; update around 100",
                 middle->positions.size(), [=] { return neighbours(middle, 2 * edge); }});
  return all;
}

}  // namespace

Benchmark mesh() { return {"mesh", "reading files, topology, along-surface neighbours", cases}; }

}  // namespace palpate::bench
