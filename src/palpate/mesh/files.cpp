#include <palpate/mesh/files.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/mesh/boundary.h>
#include <palpate/mesh/formats/clean_text.h>
#include <palpate/mesh/formats/disk.h>
#include <palpate/mesh/formats/formats.h>

namespace palpate {

namespace {

using namespace detail;

struct Format {
  MeshFormat format;
  std::string_view name;
  std::array<std::string_view, 3> endings;  // written are files with the first one only
  MeshFile (*read)(const FileBytes&);
  std::string (*write)(const MeshView&, const WriteOptions&);
  bool holds_tets;
};

constexpr std::array<Format, 9> formats = {{
    {MeshFormat::obj, "OBJ", {"obj"}, read_obj, write_obj, false},
    {MeshFormat::ply, "PLY", {"ply"}, read_ply, write_ply, false},
    {MeshFormat::stl, "STL", {"stl"}, read_stl, write_stl, false},
    {MeshFormat::off, "OFF", {"off"}, read_off, write_off, false},
    {MeshFormat::vtk, "VTK legacy", {"vtk"}, read_vtk, nullptr, true},
    {MeshFormat::vtu, "VTU", {"vtu", "vtp"}, read_vtu, write_vtu, true},
    {MeshFormat::msh, "Gmsh MSH", {"msh"}, read_msh, write_msh, true},
    {MeshFormat::tetgen, "TetGen", {"node", "ele"}, nullptr, nullptr, true},
    {MeshFormat::gltf, "glTF binary", {"glb"}, nullptr, write_gltf, false},
}};

const Format& facts(MeshFormat format) { return formats[static_cast<std::size_t>(format)]; }

std::string endings_of(bool (*chosen)(MeshFormat)) {
  std::string text;
  for (const Format& format : formats)
    if (chosen(format.format))
      for (const std::string_view ending : format.endings)
        if (!ending.empty() && (chosen == can_read || ending == format.endings[0]))
          text += fmt::format("{}.{}", text.empty() ? "" : ", ", ending);
  return text;
}

std::string ending_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  std::string ending(dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1));
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return ending;
}

MeshFormat format_for(const std::string& path, const std::optional<MeshFormat>& chosen) {
  if (const auto format = chosen ? chosen : format_of_path(path)) return *format;
  throw Error(
      Place::file(path), "its name does not say what format it has",
      fmt::format("Palpate knows {}; give the format if the name cannot change.", endings_of(can_read)));
}

// The two files of a TetGen mesh, whichever was named.
std::array<std::string, 2> tetgen_paths(const std::string& path) {
  const std::filesystem::path stem = std::filesystem::path(path).replace_extension();
  const bool upper = !path.empty() && path.back() >= 'A' && path.back() <= 'Z';
  return {stem.string() + (upper ? ".NODE" : ".node"), stem.string() + (upper ? ".ELE" : ".ele")};
}

constexpr std::size_t grain = std::size_t{1} << 15;

// The first of n elements that is not good, or n. Elements are looked at without branches first, in parallel:
// nearly always all are good.
template <class Good>
std::size_t first_bad(std::size_t n, Good&& good) {
  const char all = parallel_reduce(
      n, grain, char{1},
      [&](Chunk chunk) {
        bool good_so_far = true;
        for (std::size_t i = chunk.begin; i < chunk.end; ++i) good_so_far &= good(i);
        return static_cast<char>(good_so_far);
      },
      [](char a, char b) { return static_cast<char>(a & b); });
  std::size_t i = all != 0 ? n : 0;
  while (i < n && good(i)) ++i;
  return i;
}

bool is_finite(const Vec3& p, double largest = std::numeric_limits<double>::max()) {
  return (std::abs(p.x()) <= largest) & (std::abs(p.y()) <= largest) & (std::abs(p.z()) <= largest);
}

template <std::size_t corners>
bool in_range(const std::array<std::uint32_t, corners>& element, std::size_t vertices) {
  bool good = true;
  for (const std::uint32_t v : element) good &= v < vertices;
  return good;
}

// Refuses an element that has a corner out of range.
template <class Element>
void check_corners(const Place& place, const char* kind, std::span<const Element> elements,
                   std::size_t vertices, const char* remedy) {
  const std::size_t bad =
      first_bad(elements.size(), [&](std::size_t i) { return in_range(elements[i], vertices); });
  if (bad == elements.size()) return;
  for (const std::uint32_t v : elements[bad])
    if (v >= vertices) throw Error(place.element(kind, bad), fmt::format("there is no vertex {}", v), remedy);
}

// Two files, one progress: it never goes back.
MeshFile read_two(FileBytes nodes, FileBytes elements) {
  std::string node_copy, element_copy;
  nodes.bytes = clean_text(nodes.bytes, node_copy);
  elements.bytes = clean_text(elements.bytes, element_copy);
  if (const auto progress = nodes.progress) {
    const double first =
        static_cast<double>(nodes.bytes.size()) /
        static_cast<double>(std::max<std::size_t>(nodes.bytes.size() + elements.bytes.size(), 1));
    nodes.progress = [=](double fraction) { progress(first * fraction); };
    elements.progress = [=](double fraction) { progress(first + (1 - first) * fraction); };
  }
  return read_tetgen(nodes, elements);
}

// Whatever a reader did: indices in range and nothing but finite coordinates leave this file. Binary PLY is
// read nearly as fast as memory; its reader has just looked at every number, and looking again would take a
// third of the time more. (The fuzzers look again at everything.)
void check_parsed(const MeshFile& mesh, std::string_view name) {
  const Place place = Place::file(name);
  const char* const remedy = "Export the mesh again.";
  const std::size_t vertices = mesh.positions.size();
  if (mesh.triangles.empty() && mesh.tets.empty())
    throw Error(place,
                fmt::format("there are no triangles and no tetrahedra in it{}{}",
                            mesh.warnings.empty() ? "" : ": ", fmt::join(mesh.warnings, ", ")),
                "Export it as triangles or tetrahedra.");
  if (mesh.format == MeshFormat::ply) return;
  const std::size_t bad = first_bad(vertices, [&](std::size_t i) { return is_finite(mesh.positions[i]); });
  if (bad < vertices) throw Error(place.element("vertex", bad), "a coordinate is not finite", remedy);
  check_corners(place, "triangle", std::span<const TriangleCorners>(mesh.triangles), vertices, remedy);
  check_corners(place, "tetrahedron", std::span<const TetCorners>(mesh.tets), vertices, remedy);
}

MeshFile finished(MeshFile mesh, MeshFormat format, std::string_view name, const ReadOptions& options) {
  mesh.format = format;
  check_parsed(mesh, name);
  if (options.progress) options.progress(1);
  return mesh;
}

// Binary STL has floats, and who reads it finds neighbours by equal corners: a triangle whose corners fall
// together takes them with it.
void check_stays_apart(const Place& place, const MeshView& mesh) {
  const char* const remedy = "Write it as text (--ascii) or as PLY, or scale it and move it nearer to 0.";
  double largest = 0;
  for (const Vec3& p : mesh.positions) largest = std::max(largest, p.cwiseAbs().maxCoeff());
  // Below this floats lose their digits and then vanish.
  if (largest > 0 && largest < static_cast<double>(std::numeric_limits<float>::min()))
    throw Error(place, fmt::format("its largest coordinate, {:.3g}, is too small for a float", largest),
                remedy);
  const auto falls_together = [&](std::uint32_t a, std::uint32_t b) {
    const Vec3 &p = mesh.positions[a], &q = mesh.positions[b];
    return p != q && p.cast<float>() == q.cast<float>();
  };
  const std::size_t bad = first_bad(mesh.triangles.size(), [&](std::size_t i) {
    const auto& [a, b, c] = mesh.triangles[i];
    return !(falls_together(a, b) || falls_together(b, c) || falls_together(c, a));
  });
  if (bad < mesh.triangles.size())
    throw Error(place.element("triangle", bad),
                "two of its corners become one in the floats that binary STL has", remedy);
}

void check_writable(const Place& place, const Format& format, const MeshView& mesh, bool floats) {
  if (!mesh.tets.empty() && !format.holds_tets)
    throw Error(place, "the format holds triangles only, and the mesh has tetrahedra",
                "Write VTU or MSH, or the mesh's boundary surface.");
  const std::size_t vertices = mesh.positions.size();
  const double largest = floats ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  const std::size_t bad =
      first_bad(vertices, [&](std::size_t i) { return is_finite(mesh.positions[i], largest); });
  if (bad < vertices)
    throw Error(place.element("vertex", bad), "a coordinate is not finite, or too large for a float",
                "Check where this vertex comes from.");
  const char* const remedy = "Check how this element was made.";
  check_corners(place, "triangle", mesh.triangles, vertices, remedy);
  check_corners(place, "tetrahedron", mesh.tets, vertices, remedy);
}

std::string format_at(const Place& place, MeshFormat format, const MeshView& mesh,
                      const WriteOptions& options) {
  const Format& one = facts(format);
  if (one.write == nullptr)
    throw Error(Place::named("format", one.name), "Palpate reads it but does not write it",
                fmt::format("It writes {}.", endings_of(can_write)));
  const bool floats = format == MeshFormat::stl || format == MeshFormat::gltf ||
                      (options.single_precision && (format == MeshFormat::ply || format == MeshFormat::vtu));
  check_writable(place, one, mesh, floats);
  if (format == MeshFormat::stl && !options.ascii) check_stays_apart(place, mesh);
  return one.write(mesh, options);
}

}  // namespace

std::string_view name_of(MeshFormat format) { return facts(format).name; }
bool can_read(MeshFormat format) { return facts(format).read != nullptr || format == MeshFormat::tetgen; }
bool can_write(MeshFormat format) { return facts(format).write != nullptr; }

std::optional<MeshFormat> format_of_path(std::string_view path) {
  const std::string ending = ending_of(path);
  for (const Format& format : formats)
    for (const std::string_view known : format.endings)
      if (!known.empty() && known == ending) return format.format;
  return std::nullopt;
}

MeshFile parse_mesh(MeshFormat format, std::string_view bytes, std::string_view name,
                    std::string_view elements, const ReadOptions& options) {
  if (!can_read(format))
    throw Error(Place::file(name), fmt::format("Palpate writes {} but does not read it", name_of(format)),
                fmt::format("It reads {}.", endings_of(can_read)));
  if (format == MeshFormat::tetgen)
    return finished(read_two({bytes, name, options.progress}, {elements, name, options.progress}), format,
                    name, options);
  std::string copy;
  return finished(facts(format).read({clean_text(bytes, copy), name, options.progress}), format, name,
                  options);
}

MeshFile read_mesh(const std::string& path, const ReadOptions& options) {
  const MeshFormat format = format_for(path, options.format);
  if (format != MeshFormat::tetgen) return parse_mesh(format, read_bytes(path), path, {}, options);
  const auto [node_path, element_path] = tetgen_paths(path);
  const Bytes nodes = read_bytes(node_path), elements = read_bytes(element_path);
  return finished(read_two({nodes, node_path, options.progress}, {elements, element_path, options.progress}),
                  format, path, options);
}

TriangleMesh read_triangle_mesh(const std::string& path, const ReadOptions& options) {
  MeshFile file = read_mesh(path, options);
  if (!file.triangles.empty()) return {std::move(file.positions), std::move(file.triangles)};
  return boundary_surface(TetMesh{std::move(file.positions), std::move(file.tets)}).mesh;
}

TetMesh read_tet_mesh(const std::string& path, const ReadOptions& options) {
  MeshFile file = read_mesh(path, options);
  if (file.tets.empty())
    throw Error(Place::file(path), "it has triangles but no tetrahedra",
                "Fill it first: palpate mesh tetrahedralize SURFACE OUT.");
  return {std::move(file.positions), std::move(file.tets)};
}

std::string format_mesh(MeshFormat format, const MeshView& mesh, const WriteOptions& options) {
  return format_at(Place::named("mesh", fmt::format("for {}", name_of(format))), format, mesh, options);
}

void write_mesh(const std::string& path, const MeshView& mesh, const WriteOptions& options) {
  const auto format = format_of_path(path);
  if (!format)
    throw Error(Place::file(path), "its name does not say what format to write",
                fmt::format("End it with one of {}.", endings_of(can_write)));
  if (can_write(*format) && ending_of(path) != facts(*format).endings[0])
    throw Error(Place::file(path), fmt::format(".{} files are read but not written", ending_of(path)),
                fmt::format("Write .{}.", facts(*format).endings[0]));
  write_bytes(path, format_at(Place::file(path), *format, mesh, options));
}

}  // namespace palpate
