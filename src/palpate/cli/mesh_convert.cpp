// `palpate mesh convert IN OUT` and `palpate mesh repair IN OUT`.
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <palpate/base/error.h>
#include <palpate/cli/exit_codes.h>
#include <palpate/cli/mesh_commands.h>
#include <palpate/cli/progress.h>
#include <palpate/mesh/boundary.h>
#include <palpate/mesh/repair.h>

namespace palpate::cli {

namespace {

struct Settings {
  Input input;
  std::string output;
  WriteOptions write;
  bool surface = false;
  RepairOptions repair;
  bool json = false;
};

void add_output(CLI::App& command, Settings& settings) {
  command.add_option("OUT", settings.output, "File to write: .obj .ply .stl .off .vtu .msh .glb")->required();
  command.add_flag("--surface", settings.surface, "Of tetrahedra, write the boundary surface");
  add_write_options(command, settings.write);
}

void write_mesh_or_surface(const Settings& settings, const MeshFile& file) {
  if (!settings.surface || file.tets.empty()) {
    write(settings.output, file, settings.write);
  } else {
    write(settings.output, boundary_surface(TetMesh{file.positions, file.tets}).mesh, settings.write);
  }
}

std::vector<std::string> mend(MeshFile& file, const Settings& settings) {
  const Progress progress("repairing " + settings.input.path);
  std::vector<std::string> messages;
  if (file.tets.empty()) {
    TriangleMesh mesh{std::move(file.positions), std::move(file.triangles)};
    messages = repair(mesh, settings.repair);
    file.positions = std::move(mesh.positions);
    file.triangles = std::move(mesh.triangles);
  } else {
    // Triangles that came with the tetrahedra would not follow; the boundary can always be made again.
    if (!file.triangles.empty())
      messages.push_back(
          fmt::format("left out {} triangles: the tetrahedra have them as faces", file.triangles.size()));
    file.triangles.clear();
    TetMesh mesh{std::move(file.positions), std::move(file.tets)};
    const std::vector<std::string> more = repair(mesh, settings.repair);
    messages.insert(messages.end(), more.begin(), more.end());
    file.positions = std::move(mesh.positions);
    file.tets = std::move(mesh.tets);
  }
  return messages;
}

void run_repair(const Settings& settings) {
  check_output(settings.output, settings.write);
  MeshFile file = read(settings.input);
  const std::vector<std::string> messages = mend(file, settings);
  if (file.triangles.empty() && file.tets.empty())
    throw Error(Place::file(settings.input.path),
                fmt::format("nothing is left of it: {}", fmt::join(messages, ", ")),
                "Is --merge-within larger than the mesh? It is in metres.");
  write_mesh_or_surface(settings, file);
  if (settings.json) {
    const nlohmann::json out = {{"file", settings.input.path},       {"output", settings.output},
                                {"vertices", file.positions.size()}, {"triangles", file.triangles.size()},
                                {"tetrahedra", file.tets.size()},    {"done", messages}};
    fmt::print("{}\n", json_text(out));
    return;
  }
  for (const std::string& message : messages) print("{}\n", message);
  if (messages.empty()) print("nothing to repair\n");
}

}  // namespace

void add_mesh_convert(CLI::App& mesh) {
  auto settings = std::make_shared<Settings>();
  CLI::App* command = mesh.add_subcommand("convert", "Write a mesh in another format, scale or unit");
  add_input(*command, settings->input);
  add_output(*command, *settings);
  command->callback([settings] {
    check_output(settings->output, settings->write);
    write_mesh_or_surface(*settings, read(settings->input));
  });
}

void add_mesh_repair(CLI::App& mesh) {
  auto settings = std::make_shared<Settings>();
  RepairOptions& repair = settings->repair;
  CLI::App* command = mesh.add_subcommand("repair", "Mend a mesh and say what was done");
  add_input(*command, settings->input);
  add_output(*command, *settings);
  command->add_flag("--json", settings->json, "For programs");
  CLI::Option* merge_within = command
                                  ->add_option("--merge-within", repair.merge_tolerance,
                                               "Merge vertices nearer than this [m]; 0: equal ones")
                                  ->capture_default_str()
                                  ->check(number_between(0, 1e9));
  command->add_flag("!--no-merge", repair.merge, "Do not merge duplicate vertices")->excludes(merge_within);
  command->add_flag("!--keep-degenerate", repair.degenerate, "Keep elements without area or volume");
  command->add_flag("!--keep-duplicates", repair.duplicates, "Keep elements that are there twice");
  command->add_flag("!--keep-unused", repair.unused, "Keep vertices that no element uses");
  command->add_flag("!--no-orient", repair.orient, "Do not turn triangles or flip inverted tetrahedra");
  CLI::Option* slivers =
      command->add_flag("--slivers", repair.slivers, "Improve nearly flat tetrahedra; inner nodes move");
  command
      ->add_option("--wanted-quality", repair.sliver_options.wanted_quality,
                   "Work on tetrahedra of a lower quality (1: regular)")
      ->capture_default_str()
      ->check(number_inside(0, 1))
      ->needs(slivers);
  command
      ->add_option(
          "--surface-tolerance", repair.sliver_options.surface_tolerance,
          "How far mending slivers may move the surface, as a part of the edges nearby; 0: not at all")
      ->capture_default_str()
      ->check(number_between(0, 1))
      ->needs(slivers);
  command->callback([settings] { run_repair(*settings); });
}

}  // namespace palpate::cli
