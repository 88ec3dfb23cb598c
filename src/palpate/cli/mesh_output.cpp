// Where meshes and pictures go. All that can be wrong with the target is looked for before the work is done:
// nobody wants to learn after an hour that the folder does not exist. What the command line alone shows to
// be wrong is its fault (exit code 2), what is on the disk is not (1).
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <palpate/base/error.h>
#include <palpate/cli/exit_codes.h>
#include <palpate/cli/mesh_commands.h>
#include <palpate/cli/progress.h>

namespace palpate::cli {

namespace {

// An option of writing and the formats that have it, by their endings.
struct FormatOption {
  bool given;
  const char* name;
  std::vector<const char*> endings;
};

void refuse_options_without_effect(const std::string& path, MeshFormat format, const WriteOptions& options) {
  for (const FormatOption& option : {FormatOption{options.ascii, "--ascii", {".ply", ".stl", ".vtu", ".msh"}},
                                     FormatOption{options.single_precision, "--float", {".ply", ".vtu"}},
                                     FormatOption{options.big_endian, "--big-endian", {".ply"}},
                                     FormatOption{!options.compressed, "--uncompressed", {".vtu"}}}) {
    const auto has_it = [&](const char* ending) { return format_of_path(ending) == format; };
    if (option.given && std::none_of(option.endings.begin(), option.endings.end(), has_it))
      throw BadCommandLine(
          Place::file(path), fmt::format("its format, {}, has no {}", name_of(format), option.name),
          fmt::format("Leave the option out, or write {}.", fmt::join(option.endings, ", ")));
  }
  if (options.ascii && options.big_endian)
    throw BadCommandLine(Place::named("option", "--big-endian"), "text has no order of bytes",
                         "Leave out --ascii or --big-endian.");
}

}  // namespace

bool holds_tets(MeshFormat format) { return format == MeshFormat::vtu || format == MeshFormat::msh; }

void check_place(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status))
    throw Error(Place::file(path), "this is a folder, not a file", "Name a file in it to write.");
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const bool good = std::filesystem::exists(status)
                        ? ::access(path.c_str(), W_OK) == 0
                        : ::access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0;
  if (!good)
    throw Error(Place::file(path), fmt::format("cannot write it: {}", std::strerror(errno)),
                std::filesystem::exists(status) ? "May you write to it?"
                                                : "Is there such a folder, and may you write to it?");
}

MeshFormat check_output(const std::string& path, const WriteOptions& options) {
  const auto format = format_of_path(path);
  if (!format || !can_write(*format)) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) check_place(path);  // says that it is one
    throw BadCommandLine(path.empty() ? Place::named("file", "") : Place::file(path),
                         "its name does not end in a format that Palpate writes",
                         "It writes .obj, .ply, .stl, .off, .vtu, .msh and .glb.");
  }
  refuse_options_without_effect(path, *format, options);
  check_place(path);
  return *format;
}

void add_write_options(CLI::App& command, WriteOptions& options) {
  command.add_flag("--ascii", options.ascii, "Write text (PLY, STL, VTU, MSH; OBJ and OFF always are)");
  command.add_flag("--float", options.single_precision, "Write floats instead of doubles (PLY, VTU)");
  command.add_flag("--big-endian", options.big_endian, "Write big-endian numbers (binary PLY)");
  command.add_flag("!--uncompressed", options.compressed, "Do not compress (VTU)");
}

void write(const std::string& path, const MeshView& mesh, const WriteOptions& options) {
  if (const auto format = format_of_path(path); format && !mesh.tets.empty() && !holds_tets(*format))
    throw Error(
        Place::file(path),
        fmt::format("its format, {}, holds triangles only, and the mesh has tetrahedra", name_of(*format)),
        "Give --surface to write their boundary surface, or write .vtu or .msh.");
  {
    const Progress progress("writing " + path);
    write_mesh(path, mesh, options);
  }
  std::string what = with_commas(mesh.positions.size()) + " vertices";
  if (!mesh.triangles.empty()) what += fmt::format(", {} triangles", with_commas(mesh.triangles.size()));
  if (!mesh.tets.empty()) what += fmt::format(", {} tetrahedra", with_commas(mesh.tets.size()));
  say("palpate: wrote {}: {}\n", path, what);
}

}  // namespace palpate::cli
