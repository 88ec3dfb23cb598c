#include <palpate/report/force_arrows.h>

#include <algorithm>

#include <Eigen/Geometry>

namespace palpate {

TriangleMesh force_arrows(std::span<const ContactForce> forces, double longest) {
  constexpr double shortest = 0.2, slim = 0.03;
  double most = 0;
  for (const ContactForce& one : forces) most = std::max(most, one.force.norm());
  TriangleMesh mesh;
  for (const ContactForce& one : forces) {
    const double strength = one.force.norm();
    if (!(strength > 0)) continue;
    const double length = longest * std::max(shortest, strength / most);
    const Vec3 along = one.force / strength, across = along.unitOrthogonal(), other = along.cross(across);
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    const double width = slim * longest;
    for (const Vec3& side : {across, other, Vec3(-across), Vec3(-other)})
      mesh.positions.emplace_back(one.point + width * side);
    mesh.positions.emplace_back(one.point + length * along);
    for (std::uint32_t k = 0; k < 4; ++k)
      mesh.triangles.push_back({first + k, first + (k + 1) % 4, first + 4});
  }
  return mesh;
}

}  // namespace palpate
