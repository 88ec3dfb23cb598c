// `palpate mesh picture FILE... -o OUT.png`: a quick look.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/cli/exit_codes.h>
#include <palpate/cli/mesh_commands.h>
#include <palpate/cli/progress.h>
#include <palpate/geometry/box.h>
#include <palpate/mesh/boundary.h>
#include <palpate/mesh/formats/disk.h>
#include <palpate/report/picture.h>

namespace palpate::cli {

namespace {

struct Settings {
  std::vector<std::string> paths;
  std::string output, format;
  PictureView view;
  bool side_by_side = false;
};

// Each to the right of the one before, as the eye sees it, all equally large.
void put_side_by_side(std::vector<TriangleMesh>& meshes, const PictureView& view) {
  const double a = view.azimuth * std::numbers::pi / 180;
  const Vec3 right(-std::sin(a), std::cos(a), 0);
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    const Box box = bounds(meshes[i].positions);
    const double size = std::max(box.size().norm(), 1e-300);
    for (Vec3& p : meshes[i].positions) p = (p - box.center()) / size + static_cast<double>(i) * right;
  }
}

std::string drawn(const std::vector<TriangleMesh>& meshes, const PictureView& view) {
  const Progress progress("drawing");
  return png(draw_picture(meshes, view), view.width, view.height);
}

void check_target(const std::string& path) {
  if (!path.ends_with(".png") && !path.ends_with(".PNG")) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) check_place(path);  // says that it is one
    throw BadCommandLine(Place::file(path), "pictures are PNG files", "End its name with .png.");
  }
  check_place(path);
}

void run(const Settings& settings) {
  check_target(settings.output);
  std::vector<TriangleMesh> meshes;
  for (const std::string& path : settings.paths) {
    MeshFile file = read(Input{path, settings.format, {}, 1});
    meshes.push_back(file.tets.empty()
                         ? TriangleMesh{std::move(file.positions), std::move(file.triangles)}
                         : boundary_surface({std::move(file.positions), std::move(file.tets)}).mesh);
  }
  if (settings.side_by_side) put_side_by_side(meshes, settings.view);
  const PictureView& view = settings.view;
  detail::write_bytes(settings.output, drawn(meshes, view));
  say("palpate: wrote {}: {} x {} pixels\n", settings.output, view.width, view.height);
}

}  // namespace

void add_mesh_picture(CLI::App& mesh) {
  auto settings = std::make_shared<Settings>();
  CLI::App* command = mesh.add_subcommand("picture", "Draw meshes into a PNG file, for a quick look");
  command->add_option("FILE", settings->paths, "Mesh files; of tetrahedra the boundary is drawn")->required();
  command->add_option("-o,--output", settings->output, "PNG file to write")->required();
  add_from(*command, settings->format, "Their");
  command->add_option("--width", settings->view.width, "In pixels")
      ->capture_default_str()
      ->check(CLI::Range(16, 8192));
  command->add_option("--height", settings->view.height, "In pixels")
      ->capture_default_str()
      ->check(CLI::Range(16, 8192));
  command->add_option("--azimuth", settings->view.azimuth, "Where one stands around z [degrees]")
      ->capture_default_str()
      ->check(number_between(-360, 360));
  command->add_option("--elevation", settings->view.elevation, "How high one stands [degrees]")
      ->capture_default_str()
      ->check(number_between(-90, 90));
  command->add_flag("!--no-edges", settings->view.edges, "Do not draw the sides of triangles");
  command->add_flag("--side-by-side", settings->side_by_side,
                    "Draw several beside each other, equally large");
  command->callback([settings] { run(*settings); });
}

}  // namespace palpate::cli
