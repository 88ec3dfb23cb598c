// `palpate mesh`: look at, make, convert and mend meshes.
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/cli/commands.h>
#include <palpate/cli/exit_codes.h>
#include <palpate/cli/mesh_commands.h>
#include <palpate/cli/progress.h>

namespace palpate::cli {

namespace {

constexpr std::array<std::pair<const char*, double>, 9> units = {{{"m", 1},
                                                                  {"dm", 0.1},
                                                                  {"cm", 0.01},
                                                                  {"mm", 1e-3},
                                                                  {"um", 1e-6},
                                                                  {"nm", 1e-9},
                                                                  {"km", 1e3},
                                                                  {"in", 0.0254},
                                                                  {"ft", 0.3048}}};

std::string check_unit(const std::string& given) {
  std::string all;
  for (const auto& [name, size] : units) {
    if (given == name) return {};
    all += fmt::format("{}{}", all.empty() ? "" : ", ", name);
  }
  return fmt::format("'{}' is not a unit. There are: {}.", given, all);
}

std::optional<double> finite_number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string check_format(const std::string& given) {
  return format_of_path("x." + given)
             ? std::string()
             : fmt::format("'{}' is not a format. Give an ending: obj, ply, stl, ...", given);
}

double size_of_unit(const std::string& unit) {
  for (const auto& [name, size] : units)
    if (unit == name) return size;
  return 1;
}

}  // namespace

CLI::Validator positive_number() {
  return CLI::Validator(
      [](const std::string& given) {
        const auto number = finite_number(given);
        return number && *number > 0 ? std::string() : fmt::format("'{}' is not a positive number", given);
      },
      "POSITIVE");
}

CLI::Validator number_between(double low, double high) {
  return CLI::Validator(
      [=](const std::string& given) {
        const auto number = finite_number(given);
        return number && *number >= low && *number <= high
                   ? std::string()
                   : fmt::format("'{}' is not a number from {:g} to {:g}", given, low, high);
      },
      fmt::format("{:g} to {:g}", low, high));
}

void add_input(CLI::App& command, Input& input) {
  command.add_option("FILE", input.path, "Mesh file: .obj .ply .stl .off .vtk .vtu .msh .node/.ele")
      ->required();
  command.add_option("--from", input.format, "Its format, if the name does not say: obj, ply, ...")
      ->check(CLI::Validator(check_format, ""));
  command
      .add_option("--unit", input.unit,
                  "The unit of its coordinates: m (default), dm, cm, mm, um, nm, km, in, ft")
      ->check(CLI::Validator(check_unit, ""));
  command.add_option("--scale", input.scale, "Multiply the coordinates by this")->check(positive_number());
}

MeshFile read(const Input& input) {
  Progress progress("reading " + input.path);
  ReadOptions options;
  if (!input.format.empty()) options.format = format_of_path("x." + input.format);
  options.progress = [&](double fraction) { progress.show(fraction); };
  MeshFile mesh = read_mesh(input.path, options);
  for (const std::string& warning : mesh.warnings) say("palpate: {}: {}\n", input.path, warning);
  const double scale = input.scale * size_of_unit(input.unit);
  for (Vec3& p : mesh.positions) p *= scale;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i)
    if (!mesh.positions[i].allFinite())
      throw Error(Place::file(input.path).element("vertex", i), "its position overflows with this scale",
                  "Give a smaller --scale or another --unit.");
  return mesh;
}

void check_output(const std::string& path) {
  if (const auto format = format_of_path(path); format && can_write(*format)) return;
  throw Error(Place::file(path), "its name does not end in a format that Palpate writes",
              "It writes .obj, .ply, .stl, .off, .vtu, .msh and .glb.");
}

std::string json_text(const nlohmann::json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

void add_write_options(CLI::App& command, WriteOptions& options) {
  command.add_flag("--ascii", options.ascii, "Write text, where the format has both (PLY, STL, VTU, MSH)");
  command.add_flag("--float", options.single_precision, "Write floats instead of doubles (PLY, VTU)");
  command.add_flag("--big-endian", options.big_endian, "Write big-endian numbers (PLY)");
  command.add_flag("!--uncompressed", options.compressed, "Do not compress (VTU)");
}

void write(const std::string& path, const MeshView& mesh, const WriteOptions& options) {
  Progress progress("writing " + path);
  write_mesh(path, mesh, options);
  std::string what = with_commas(mesh.positions.size()) + " vertices";
  if (!mesh.triangles.empty()) what += fmt::format(", {} triangles", with_commas(mesh.triangles.size()));
  if (!mesh.tets.empty()) what += fmt::format(", {} tetrahedra", with_commas(mesh.tets.size()));
  say("palpate: wrote {}: {}\n", path, what);
}

std::string with_commas(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3;) text.insert(i -= 3, ",");
  return text;
}

std::string with_unit(double metres) {
  const double size = std::abs(metres);
  if (size == 0) return "0 m";
  if (size >= 1 || size < 1e-9) return fmt::format("{:.4g} m", metres);
  if (size >= 0.01) return fmt::format("{:.4g} cm", metres * 100);
  if (size >= 1e-4) return fmt::format("{:.4g} mm", metres * 1e3);
  return fmt::format("{:.4g} um", metres * 1e6);
}

void add_mesh(CLI::App& app, int& exit_code) {
  CLI::App* mesh = app.add_subcommand("mesh", "Look at, make, convert and mend meshes");
  mesh->require_subcommand(1);
  add_mesh_info(*mesh);
  add_mesh_check(*mesh, exit_code);
  add_mesh_make(*mesh);
  add_mesh_convert(*mesh);
  add_mesh_repair(*mesh);
  add_mesh_tetrahedralize(*mesh);
  add_mesh_picture(*mesh);
}

}  // namespace palpate::cli
