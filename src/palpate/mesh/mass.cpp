#include <palpate/mesh/mass.h>

#include <cmath>

#include <fmt/core.h>
#include <Eigen/Geometry>

#include <palpate/base/error.h>
#include <palpate/geometry/box.h>
#include <palpate/geometry/predicates.h>
#include <palpate/mesh/quality.h>
#include <palpate/mesh/require.h>

namespace palpate {

namespace {

void require_density(double density, const char* unit) {
  if (!(density > 0 && std::isfinite(density)))
    throw Error({}, fmt::format("the density is {} {}", density, unit), "Give a positive number.");
}

void require_upright(const TetMesh& mesh) {
  for (std::size_t i = 0; i < mesh.tets.size(); ++i) {
    const auto [a, b, c, d] = tet_at(mesh.positions, mesh.tets[i]);
    if (orient3d(a, b, c, d) < 0)
      throw Error(Place().element("tetrahedron", i), "it is inverted: its volume is negative",
                  "Swap two of its corners, or repair the mesh.");
  }
}

// Sums of integrals over simplices of n corners: of 1, of x and of x x^T.
template <std::size_t n>
struct Moments {
  double measure = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();

  // A linear function has its mean at the middle; a quadratic one x x^T has the mean
  // (sum of x_i x_i^T + s s^T) / (n (n + 1)) with s the sum of the corners.
  void add(double size, const std::array<Vec3, n>& corners) {
    Vec3 sum = Vec3::Zero();
    Mat3 squares = Mat3::Zero();
    for (const Vec3& x : corners) {
      sum += x;
      squares += x * x.transpose();
    }
    constexpr double count = n;
    measure += size;
    first += size / count * sum;
    second += size / (count * (count + 1)) * (squares + sum * sum.transpose());
  }
};

// visit(origin, moments) adds all elements relative to an origin. A measure up to `least` counts as nothing.
template <std::size_t n, class Visit>
MassProperties measured(std::span<const Vec3> positions, double density, double least, const char* missing,
                        const char* remedy, Visit&& visit) {
  const Box box = bounds(positions);
  const Vec3 middle = box.empty() ? Vec3(Vec3::Zero()) : box.center();
  Moments<n> rough;
  visit(middle, rough);
  if (!(rough.measure > least)) throw Error({}, fmt::format(fmt::runtime(missing), rough.measure), remedy);
  if (!std::isfinite(rough.measure))
    throw Error({}, "the mesh is too large for its volume or area to be a number", "Scale it down.");
  MassProperties result;
  result.centre = middle + rough.first / rough.measure;
  Moments<n> fine;
  visit(result.centre, fine);
  // The rest of the first moment is rounding; it is taken off all the same.
  const Mat3 second = fine.second - fine.first * fine.first.transpose() / fine.measure;
  result.measure = fine.measure;
  result.mass = density * fine.measure;
  result.inertia = density * (second.trace() * Mat3::Identity() - second);
  return result;
}

}  // namespace

MassProperties solid_mass(const TetMesh& mesh, double density) {
  detail::require_sound(mesh);
  require_density(density, "kg/m^3");
  require_upright(mesh);
  const auto visit = [&](const Vec3& origin, Moments<4>& moments) {
    for (const TetCorners& t : mesh.tets) {
      Tetrahedron x = tet_at(mesh.positions, t);
      const double volume = signed_volume(x);
      for (Vec3& corner : x) corner -= origin;
      moments.add(volume, x);
    }
  };
  return measured<4>(mesh.positions, density, 0, "the volume of the solid is {} m^3",
                     "Give it at least one tetrahedron that is not flat.", visit);
}

MassProperties enclosed_mass(const TriangleMesh& surface, double density) {
  detail::require_sound(surface);
  require_density(density, "kg/m^3");
  // Each triangle and the origin make a tetrahedron, counted with its sign: what lies outside cancels.
  const auto visit = [&](const Vec3& origin, Moments<4>& moments) {
    for (const TriangleCorners& t : surface.triangles) {
      const auto corners = triangle_at(surface.positions, t);
      const Vec3 a = corners[0] - origin, b = corners[1] - origin, c = corners[2] - origin;
      moments.add(a.dot(b.cross(c)) / 6, {Vec3::Zero(), a, b, c});
    }
  };
  // The volume of an open or flat surface may be rounding alone.
  const double rounding = 1e-15 * std::pow(bounds(surface.positions).size().norm(), 3);
  return measured<4>(surface.positions, density, rounding, "the volume inside the surface is {} m^3",
                     "The surface is inside out or open: turn its triangles or close it.", visit);
}

MassProperties shell_mass(const TriangleMesh& surface, double surface_density) {
  detail::require_sound(surface);
  require_density(surface_density, "kg/m^2");
  const auto visit = [&](const Vec3& origin, Moments<3>& moments) {
    for (const TriangleCorners& t : surface.triangles) {
      Triangle x = triangle_at(surface.positions, t);
      const double size = area(x);
      for (Vec3& corner : x) corner -= origin;
      moments.add(size, x);
    }
  };
  return measured<3>(surface.positions, surface_density, 0, "the area of the surface is {} m^2",
                     "Give it at least one triangle that is not degenerate.", visit);
}

std::vector<double> lumped_masses(const TetMesh& mesh, double density) {
  detail::require_sound(mesh);
  require_density(density, "kg/m^3");
  require_upright(mesh);
  std::vector<double> masses(mesh.positions.size(), 0.0);
  for (const TetCorners& t : mesh.tets) {
    const double quarter = density * signed_volume(tet_at(mesh.positions, t)) / 4;
    for (const std::uint32_t v : t) masses[v] += quarter;
  }
  return masses;
}

std::vector<double> lumped_masses(const TriangleMesh& shell, double surface_density) {
  detail::require_sound(shell);
  require_density(surface_density, "kg/m^2");
  std::vector<double> masses(shell.positions.size(), 0.0);
  for (const TriangleCorners& t : shell.triangles) {
    const double third = surface_density * area(triangle_at(shell.positions, t)) / 3;
    for (const std::uint32_t v : t) masses[v] += third;
  }
  return masses;
}

}  // namespace palpate
