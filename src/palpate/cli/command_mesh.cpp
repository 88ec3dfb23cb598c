// `palpate mesh`: look at, make, convert and mend meshes.
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
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

constexpr const char* input_formats = "obj, ply, stl, off, vtk, vtu, msh, node, ele";

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
  const auto format = format_of_path("x." + given);
  return format && can_read(*format)
             ? std::string()
             : fmt::format("'{}' is not a format that Palpate reads. There are: {}.", given, input_formats);
}

// Folders and empty files first: what a format says about them is not what is wrong with them.
MeshFormat format_of(const Input& input) {
  if (input.path.empty())
    throw BadCommandLine(Place::named("FILE", ""), "the name is empty", "Name a mesh file.");
  std::error_code ignored;
  if (std::filesystem::is_directory(input.path, ignored))
    throw Error(Place::file(input.path), "this is a folder, not a file", "Name a mesh file in it.");
  if (std::filesystem::is_regular_file(input.path, ignored) &&
      std::filesystem::file_size(input.path, ignored) == 0)
    throw Error(Place::file(input.path), "the file is empty", "Export the mesh again.");
  if (const auto format = format_of_path(input.format.empty() ? input.path : "x." + input.format))
    return *format;
  throw Error(Place::file(input.path), "its name does not say what format it has",
              fmt::format("Give the format with --from. There are: {}.", input_formats));
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

CLI::Validator number_inside(double low, double high) {
  return CLI::Validator(
      [=](const std::string& given) {
        const auto number = finite_number(given);
        return number && *number > low && *number < high
                   ? std::string()
                   : fmt::format("'{}' is not a number above {:g} and below {:g}", given, low, high);
      },
      fmt::format("above {:g}, below {:g}", low, high));
}

CLI::Validator any_number() {
  return CLI::Validator(
      [](const std::string& given) {
        return finite_number(given) ? std::string() : fmt::format("'{}' is not a number", given);
      },
      "NUMBER");
}

CLI::Validator whole_number(double least) {
  constexpr double most = 4294967294.0;  // what has an index
  return CLI::Validator(
      [=](std::string& given) {
        const auto number = finite_number(given);
        if (!number || *number < least || *number > most || *number != std::floor(*number))
          return fmt::format("'{}' is not a whole number from {:.0f} to {:.0f}", given, least, most);
        given = fmt::format("{:.0f}", std::abs(*number));  // 1e6 is one too, but CLI11 does not read it so
        return std::string();
      },
      "WHOLE");
}

void add_from(CLI::App& command, std::string& format, const char* whose) {
  command
      .add_option("--from", format, fmt::format("{} format, if the name does not say: obj, ply, ...", whose))
      ->check(CLI::Validator(check_format, ""));
}

void add_input(CLI::App& command, Input& input) {
  command.add_option("FILE", input.path, "Mesh file: .obj .ply .stl .off .vtk .vtu .vtp .msh .node/.ele")
      ->required();
  add_from(command, input.format, "Its");
  command
      .add_option("--unit", input.unit,
                  "The unit of its coordinates: m (default), dm, cm, mm, um, nm, km, in, ft")
      ->check(CLI::Validator(check_unit, ""));
  command.add_option("--scale", input.scale, "Multiply the coordinates by this")->check(positive_number());
}

MeshFile read(const Input& input) {
  const MeshFormat format = format_of(input);
  MeshFile mesh;
  {
    Progress progress("reading " + input.path);
    mesh = read_mesh(input.path, {format, progress.callback()});
  }
  for (const std::string& warning : mesh.warnings) say("palpate: {}: {}\n", input.path, warning);
  const double scale = input.scale * size_of_unit(input.unit);
  for (Vec3& p : mesh.positions) p *= scale;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i)
    if (!mesh.positions[i].allFinite())
      throw Error(Place::file(input.path).element("vertex", i), "its position overflows with this scale",
                  "Give a smaller --scale or another --unit.");
  return mesh;
}

std::string json_text(const nlohmann::json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
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
