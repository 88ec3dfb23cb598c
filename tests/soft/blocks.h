// Small tetrahedral meshes for the tests of soft bodies.
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include <support/cases.h>

#include <palpate/mesh/mesh.h>
#include <palpate/soft/elasticity.h>

namespace palpate::testing {

// A small block of tetrahedra with edges of about `size`.
inline TetMesh block(std::size_t nx, std::size_t ny, std::size_t nz, double size) {
  TetMesh mesh;
  const auto at = [&](std::size_t i, std::size_t j, std::size_t k) {
    return static_cast<std::uint32_t>((k * (ny + 1) + j) * (nx + 1) + i);
  };
  for (std::size_t k = 0; k <= nz; ++k)
    for (std::size_t j = 0; j <= ny; ++j)
      for (std::size_t i = 0; i <= nx; ++i)
        mesh.positions.push_back(
            size * Vec3(static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)));
  // Six around the diagonal of each cube.
  constexpr std::array<std::array<std::size_t, 3>, 6> paths = {
      {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
  for (std::size_t k = 0; k < nz; ++k)
    for (std::size_t j = 0; j < ny; ++j)
      for (std::size_t i = 0; i < nx; ++i)
        for (const auto& path : paths) {
          std::array<std::size_t, 3> corner{i, j, k};
          TetCorners tet{};
          for (std::size_t step = 0; step < 4; ++step) {
            tet[step] = at(corner[0], corner[1], corner[2]);
            if (step < 3) ++corner[path[step]];
          }
          if (TetShape(tet_at(mesh.positions, tet)).volume < 0) std::swap(tet[2], tet[3]);
          mesh.tets.push_back(tet);
        }
  return mesh;
}

// Turned and carried off as a whole, by up to twenty times `size` along each axis.
inline std::vector<Vec3> moved_as_a_whole(std::span<const Vec3> x, double size, Random& random) {
  const auto any = [&] { return Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)); };
  const Eigen::AngleAxisd turn(random.uniform(-3, 3), any().normalized());
  const Vec3 away = random.chance(0.2) ? Vec3(Vec3::Zero()) : Vec3(20 * size * any());
  std::vector<Vec3> result(x.begin(), x.end());
  for (Vec3& p : result) p = turn * p + away;
  return result;
}

}  // namespace palpate::testing
