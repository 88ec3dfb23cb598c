// `palpate mesh info FILE`: counts, sizes, shape and mass of a mesh, as a table or as JSON.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <palpate/base/error.h>
#include <palpate/cli/exit_codes.h>
#include <palpate/cli/mesh_commands.h>
#include <palpate/geometry/box.h>
#include <palpate/mesh/boundary.h>
#include <palpate/mesh/mass.h>
#include <palpate/mesh/quality.h>
#include <palpate/mesh/topology.h>

namespace palpate::cli {

namespace {

using nlohmann::json;

struct Settings {
  Input input;
  bool as_json = false;
  double density = 1000;  // [kg/m^3]
};

constexpr double degrees = 180 / std::numbers::pi;

json spread_json(const Spread& spread) {
  return {{"least", spread.least}, {"mean", spread.mean}, {"largest", spread.largest}};
}

json facts_json(const TopologyFacts& facts) {
  return {{"edges", facts.edges},
          {"border_edges", facts.border_edges},
          {"border_loops", facts.border_loops},
          {"nonmanifold_edges", facts.nonmanifold_edges},
          {"nonmanifold_vertices", facts.nonmanifold_vertices},
          {"inconsistent_edges", facts.inconsistent_edges},
          {"components", facts.components},
          {"euler_characteristic", facts.euler_characteristic},
          {"closed", facts.closed()},
          {"manifold", facts.manifold()},
          {"oriented", facts.oriented()}};
}

json mass_json(const MassProperties& mass) {
  json inertia = json::array();
  for (Eigen::Index i = 0; i < 3; ++i)
    inertia.push_back({mass.inertia(i, 0), mass.inertia(i, 1), mass.inertia(i, 2)});
  return {{"mass", mass.mass},
          {"centre", {mass.centre.x(), mass.centre.y(), mass.centre.z()}},
          {"inertia", inertia}};
}

void line(const char* name, const std::string& text) { print("{:<14}{}\n", name, text); }

std::string lengths_text(const Spread& spread) {
  return fmt::format("{} to {}, mean {}", with_unit(spread.least), with_unit(spread.largest),
                     with_unit(spread.mean));
}

// "closed, manifold, oriented; 1 part; Euler characteristic 0"
std::string facts_text(const TopologyFacts& facts) {
  std::string text = facts.closed()
                         ? "closed"
                         : fmt::format("open ({} border edges in {} loops)", with_commas(facts.border_edges),
                                       with_commas(facts.border_loops));
  text += facts.manifold()
              ? ", manifold"
              : fmt::format(", not manifold ({} edges, {} vertices, {} degenerate triangles)",
                            with_commas(facts.nonmanifold_edges), with_commas(facts.nonmanifold_vertices),
                            with_commas(facts.degenerate_triangles));
  text += facts.oriented() ? ", consistently turned"
                           : fmt::format(", {} edges between triangles that face opposite ways",
                                         with_commas(facts.inconsistent_edges));
  text += fmt::format("; {} part{}", with_commas(facts.components), facts.components == 1 ? "" : "s");
  if (facts.closed() && facts.manifold() && facts.oriented() && facts.components == 1)
    text += fmt::format("; genus {}", 1 - facts.euler_characteristic / 2);
  return text;
}

std::string mass_text(const MassProperties& mass, double density) {
  return fmt::format("{:.4g} kg at {:g} kg/m^3, centre ({:.4g}, {:.4g}, {:.4g}) m", mass.mass, density,
                     mass.centre.x(), mass.centre.y(), mass.centre.z());
}

// Ten bars: how many elements have which quality.
void print_histogram(const std::array<std::size_t, 10>& counts) {
  const std::size_t most = *std::max_element(counts.begin(), counts.end());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::size_t bar = most == 0 ? 0 : (40 * counts[i] + most - 1) / most;
    fmt::print("{:14}{:.1f} to {:.1f} {:>11}  {:#<{}}\n", "", static_cast<double>(i) / 10,
               static_cast<double>(i + 1) / 10, with_commas(counts[i]), "", bar);
  }
}

void describe_surface(const TriangleMesh& mesh, const Settings& settings, json& out) {
  const TopologyFacts facts = describe(Topology(mesh.positions.size(), mesh.triangles));
  const TriangleQuality quality = quality_of(mesh);
  const double area = quality.area.mean * static_cast<double>(quality.triangles);
  out["surface"] = facts_json(facts);
  out["area"] = area;
  out["edge_length"] = spread_json(quality.edge_length);
  out["angle"] = spread_json(quality.angle);
  out["radius_ratio"] = spread_json(quality.radius_ratio);
  out["radius_ratio_histogram"] = quality.histogram;
  if (!settings.as_json) {
    line("edges", with_commas(facts.edges));
    line("surface", facts_text(facts));
    line("area", fmt::format("{:.4g} m^2", area));
    line("edge lengths", lengths_text(quality.edge_length));
    line("angles", fmt::format("{:.1f} to {:.1f} degrees", quality.angle.least * degrees,
                               quality.angle.largest * degrees));
    line("quality",
         fmt::format("{:.3g} to {:.3g}, mean {:.3g} (radius ratio; 1 is equilateral)",
                     quality.radius_ratio.least, quality.radius_ratio.largest, quality.radius_ratio.mean));
    print_histogram(quality.histogram);
  }
  if (!facts.closed() || !facts.oriented()) return;
  try {
    const MassProperties mass = enclosed_mass(mesh, settings.density);
    out["volume"] = mass.measure;
    out["solid"] = mass_json(mass);
    if (!settings.as_json) {
      line("volume", fmt::format("{:.4g} m^3", mass.measure));
      line("mass", mass_text(mass, settings.density));
    }
  } catch (const Error& error) {  // inside out
    if (!settings.as_json) line("volume", error.problem());
  }
}

void describe_tets(const TetMesh& mesh, const Settings& settings, json& out) {
  const TetQuality quality = quality_of(mesh);
  const BoundarySurface boundary = boundary_surface(mesh);
  const TopologyFacts facts = describe(Topology(boundary.mesh.positions.size(), boundary.mesh.triangles));
  out["inverted"] = quality.inverted;
  out["flat"] = quality.flat;
  out["boundary"] = facts_json(facts);
  out["boundary"]["triangles"] = boundary.mesh.triangles.size();
  out["boundary"]["vertices"] = boundary.mesh.positions.size();
  out["volume"] = quality.volume.mean * static_cast<double>(quality.tets);
  out["edge_length"] = spread_json(quality.edge_length);
  out["dihedral_angle"] = spread_json(quality.dihedral_angle);
  out["radius_ratio"] = spread_json(quality.radius_ratio);
  out["volume_length_ratio"] = spread_json(quality.volume_length_ratio);
  out["radius_ratio_histogram"] = quality.histogram;
  if (!settings.as_json) {
    line("boundary", fmt::format("{} triangles, {} vertices: {}", with_commas(boundary.mesh.triangles.size()),
                                 with_commas(boundary.mesh.positions.size()), facts_text(facts)));
    line("volume", fmt::format("{:.4g} m^3", out["volume"].get<double>()));
    line("edge lengths", lengths_text(quality.edge_length));
    line("dihedral", fmt::format("{:.2f} to {:.2f} degrees", quality.dihedral_angle.least * degrees,
                                 quality.dihedral_angle.largest * degrees));
    line("quality",
         fmt::format("{:.3g} to {:.3g}, mean {:.3g} (radius ratio; 1 is regular)", quality.radius_ratio.least,
                     quality.radius_ratio.largest, quality.radius_ratio.mean));
    print_histogram(quality.histogram);
    if (quality.inverted + quality.flat > 0)
      line("beware", fmt::format("{} inverted and {} flat tetrahedra", with_commas(quality.inverted),
                                 with_commas(quality.flat)));
  }
  if (quality.inverted > 0) return;
  const MassProperties mass = solid_mass(mesh, settings.density);
  out["solid"] = mass_json(mass);
  if (!settings.as_json) line("mass", mass_text(mass, settings.density));
}

void run(const Settings& settings) {
  const MeshFile file = read(settings.input);
  const Box box = bounds(file.positions);
  json out = {
      {"file", settings.input.path},
      {"format", name_of(file.format)},
      {"encoding", file.encoding},
      {"vertices", file.positions.size()},
      {"triangles", file.triangles.size()},
      {"tetrahedra", file.tets.size()},
      {"box", {{"lo", {box.lo.x(), box.lo.y(), box.lo.z()}}, {"hi", {box.hi.x(), box.hi.y(), box.hi.z()}}}},
      {"warnings", file.warnings}};
  if (!settings.as_json) {
    line("file", fmt::format("{} ({}, {})", settings.input.path, name_of(file.format), file.encoding));
    line("vertices", with_commas(file.positions.size()));
    if (!file.triangles.empty()) line("triangles", with_commas(file.triangles.size()));
    if (!file.tets.empty()) line("tetrahedra", with_commas(file.tets.size()));
    line("size", fmt::format("{} x {} x {}", with_unit(box.size().x()), with_unit(box.size().y()),
                             with_unit(box.size().z())));
  }
  if (file.tets.empty()) {
    describe_surface({file.positions, file.triangles}, settings, out);
  } else {
    describe_tets({file.positions, file.tets}, settings, out);
  }
  if (settings.as_json) fmt::print("{}\n", json_text(out));
}

}  // namespace

void add_mesh_info(CLI::App& mesh) {
  auto settings = std::make_shared<Settings>();
  CLI::App* command = mesh.add_subcommand("info", "Counts, sizes, shape and mass of a mesh");
  add_input(*command, settings->input);
  command->add_flag("--json", settings->as_json, "For programs");
  command->add_option("--density", settings->density, "For the mass [kg/m^3]")
      ->capture_default_str()
      ->check(positive_number());
  command->callback([settings] { run(*settings); });
}

}  // namespace palpate::cli
