#include <palpate/study/soft_start.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <utility>

#include <fmt/format.h>

#include <palpate/mesh/files.h>
#include <palpate/mesh/generate.h>
#include <palpate/solve/solver.h>

namespace palpate {

std::vector<SoftShape> soft_beams() {
  std::vector<SoftShape> all;
  const auto beam = [&](std::size_t tets, double cell, std::size_t along, std::size_t across) {
    all.push_back({fmt::format("beam-{}", tets), tets, 1000,
                   [=] { return make(BeamShape{.cell = cell, .along = along, .across = across}); }});
  };
  beam(460, 0.005, 23, 2);
  beam(1395, 0.01 / 3, 31, 3);
  beam(3120, 0.0025, 39, 4);
  return all;
}

std::string soft_animal_file(const std::string& name) {
  const char* folder = std::getenv("PALPATE_DATA");
  return fmt::format("{}/tets/{}.node", folder != nullptr ? folder : "../shared/data", name);
}

std::vector<SoftShape> soft_animals() {
  std::vector<SoftShape> all;
  const auto animal = [&](const std::string& name, std::size_t tets, double density) {
    const std::string file = soft_animal_file(name);
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) return;
    all.push_back({name, tets, density, [file] {
                     TetMesh mesh = read_tet_mesh(file);
                     for (Vec3& p : mesh.positions) p *= 0.1;
                     return mesh;
                   }});
  };
  animal("hippo", 10361, 1227);
  animal("armadillo", 54855, 1027);
  return all;
}

std::vector<Vec3> deformed(const TetMesh& mesh, const SoftDeformation& deformation) {
  Vec3 low = mesh.positions[0], high = low;
  for (const Vec3& p : mesh.positions) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  int axis = 0;
  const double length = (high - low).maxCoeff(&axis);
  const Vec3 middle = 0.5 * (low + high);
  double edge = 0;
  for (const TetCorners& t : mesh.tets) edge += (mesh.positions[t[1]] - mesh.positions[t[0]]).norm();
  edge /= static_cast<double>(mesh.tets.size());
  std::mt19937_64 random(1);
  const auto shake = [&] {
    return deformation.shake * edge * (2 * static_cast<double>(random() >> 11) * 0x1p-53 - 1);
  };
  std::vector<Vec3> result;
  result.reserve(mesh.positions.size());
  for (const Vec3& p : mesh.positions) {
    const Vec3 from = p - middle;
    const double angle = from[axis] / length * deformation.twist;
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    Vec3 to;
    to[axis] = deformation.stretch * from[axis];
    to[i] = std::cos(angle) * from[i] - std::sin(angle) * from[j];
    to[j] = std::sin(angle) * from[i] + std::cos(angle) * from[j];
    for (double& number : to) number += shake();
    result.emplace_back(middle + to);
  }
  return result;
}

SoftStep::SoftStep(TetMesh of, const Material& made_of, const SoftDeformation& deformation, int reference)
    : mesh(std::move(of)), material{made_of}, term(mesh, material), start(deformed(mesh, deformation)) {
  equations.step = length;
  equations.masses = node_masses(mesh, material);
  equations.held.assign(mesh.positions.size(), 0);
  equations.terms = {&term};
  equations.targets = targets(start, std::vector<Vec3>(start.size(), Vec3::Zero()), length);
  first = potential(equations, start);
  const auto solver = make_solver("quasi_newton");
  solver->prepare(equations);
  std::vector<Vec3> x = start;
  least = solver->solve(equations, x, {.iterations = reference, .tolerance = 1e-11}).potential;
}

std::vector<Vec3> SoftStep::targets(std::span<const Vec3> x, std::span<const Vec3> v, double step) {
  std::vector<Vec3> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + step * v[i] + step * step * Vec3(0, 0, -9.81);
  return y;
}

double SoftStep::error(std::span<const Vec3> x) {
  return (potential(equations, x) - least) / (first - least);
}

}  // namespace palpate
