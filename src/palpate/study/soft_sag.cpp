#include <palpate/study/soft_sag.h>

#include <algorithm>
#include <cmath>

#include <Eigen/LU>

#include <palpate/mesh/boundary.h>
#include <palpate/soft/soft_body.h>

namespace palpate {

namespace {

struct Extent {
  Vec3 low, high;
};
Extent extent_of(std::span<const Vec3> points) {
  Extent result{points[0], points[0]};
  for (const Vec3& p : points) {
    result.low = result.low.cwiseMin(p);
    result.high = result.high.cwiseMax(p);
  }
  return result;
}

bool is_beam(const SoftShape& shape) { return shape.name.starts_with("beam"); }

// As the animals stand: the hippopotamus has y upward in its file, the armadillo leans along -x.
TetMesh standing(const SoftShape& shape) {
  TetMesh mesh = shape.make();
  if (shape.name == "hippo")
    for (Vec3& p : mesh.positions) p = Vec3(p.x(), -p.z(), p.y());
  if (shape.name == "armadillo")
    for (Vec3& p : mesh.positions) p = Vec3(p.y(), -p.z(), -p.x());
  return mesh;
}

std::vector<std::uint32_t> held_nodes(const SoftShape& shape, const TetMesh& mesh) {
  const Extent extent = extent_of(mesh.positions);
  const Vec3 size = extent.high - extent.low;
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t i = 0; i < mesh.positions.size(); ++i) {
    const Vec3 from = mesh.positions[i] - extent.low;
    if (is_beam(shape) ? from.x() < 1e-9 : from.z() < 0.06 * size.z()) nodes.push_back(i);
  }
  return nodes;
}

double median_of(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

}  // namespace

SoftSag find_sag(const SoftShape& shape, double young, int steps) {
  const TetMesh mesh = standing(shape);
  SoftBody body(mesh, Material{.density = shape.density, .young = young, .poisson = 0.4},
                {.solve = {.iterations = 40}});
  body.fix(held_nodes(shape, mesh));
  const Extent extent = extent_of(mesh.positions);
  const Vec3 size = extent.high - extent.low;
  SoftSag result{shape.name, young, 0, no_number, 0, false, {}};
  std::vector<Vec3> before;
  // Long steps: implicit Euler then takes the swinging out quickly, and ends at the same place.
  for (int i = 0; i < steps && !result.settled; ++i) {
    before.assign(body.positions().begin(), body.positions().end());
    body.step(1.0 / 20);
    double moved = 0;
    for (std::size_t k = 0; k < before.size(); ++k)
      moved = std::max(moved, (body.positions()[k] - before[k]).norm());
    // At the end of a swing all is slow: by then some time has gone, and the next step shows.
    result.settled = i > 20 && moved < 1e-5 * size.norm();
  }
  for (std::size_t k = 0; k < mesh.positions.size(); ++k)
    result.sag = std::max(result.sag, mesh.positions[k].z() - body.positions()[k].z());
  result.inverted = body.inverted();
  if (is_beam(shape))
    result.closed_form = 1.5 * shape.density * 9.81 * std::pow(size.x(), 4) / (young * size.z() * size.z());
  result.surface = boundary_surface({{body.positions().begin(), body.positions().end()}, mesh.tets}).mesh;
  return result;
}

SoftContraction find_contraction(Model model, double poisson, double strain) {
  const TetMesh mesh = soft_beams()[0].make();
  SoftBody body(mesh, Material{.density = 1000, .young = 1e6, .poisson = poisson, .model = model},
                {.solve = {.iterations = 1000, .tolerance = 1e-6}, .gravity = Vec3::Zero()});
  const Extent extent = extent_of(mesh.positions);
  const double length = extent.high.x() - extent.low.x(), middle = 0.5 * (extent.high.x() + extent.low.x());
  std::vector<Vec3> stretched = mesh.positions;
  std::vector<std::uint32_t> ends;
  for (std::uint32_t i = 0; i < stretched.size(); ++i) {
    stretched[i].x() = middle + (1 + strain) * (stretched[i].x() - middle);
    const double from_end =
        std::min(mesh.positions[i].x() - extent.low.x(), extent.high.x() - mesh.positions[i].x());
    if (from_end < 1e-9) ends.push_back(i);
  }
  body.set_positions(stretched);
  body.fix(ends);
  // A second is long for something so small: hardly any inertia is left, and none after the second time.
  for (int i = 0; i < 2; ++i) {
    body.step(1);
    body.set_velocities(std::vector<Vec3>(stretched.size(), Vec3::Zero()));
  }
  // In the middle third the ends are not felt. Strains of elements there, by their mean gradients.
  std::vector<double> along, across;
  for (const TetCorners& t : mesh.tets) {
    Mat3 rest, now;
    Vec3 centre = Vec3::Zero();
    for (std::size_t k = 1; k < 4; ++k) {
      const auto column = static_cast<Eigen::Index>(k - 1);
      rest.col(column) = mesh.positions[t[k]] - mesh.positions[t[0]];
      now.col(column) = body.positions()[t[k]] - body.positions()[t[0]];
    }
    for (const std::uint32_t v : t) centre += 0.25 * mesh.positions[v];
    if (std::abs(centre.x() - middle) > length / 6) continue;
    const Mat3 f = now * rest.inverse();
    along.push_back(f(0, 0) - 1);
    across.push_back(0.5 * (f(1, 1) + f(2, 2)) - 1);
  }
  SoftContraction result{model, poisson, median_of(along), median_of(across), 0};
  result.closed_form = -poisson * result.strain;
  return result;
}

SoftInversion find_inversion(Model model, const std::string& solver) {
  const TetMesh mesh = soft_beams()[0].make();
  SoftBody body(mesh, Material{.density = 1000, .young = 1e5, .poisson = 0.4, .model = model},
                {.solver = solver, .gravity = Vec3::Zero(), .untangle = false});
  const Extent extent = extent_of(mesh.positions);
  const double third = (extent.high.x() - extent.low.x()) / 3;
  std::vector<Vec3> folded = mesh.positions;
  for (Vec3& p : folded) {
    const double x = p.x() - extent.low.x();
    if (x > third) p.x() = extent.low.x() + (x < 2 * third ? 2 * third - x : x - 2 * third);
  }
  body.set_positions(folded);
  SoftInversion result{model, solver, body.inverted(), 0};
  for (int i = 0; i < 60; ++i) body.step(1.0 / 60);
  result.after = body.inverted();
  return result;
}

}  // namespace palpate
