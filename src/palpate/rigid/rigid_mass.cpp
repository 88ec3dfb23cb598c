#include <palpate/rigid/rigid_mass.h>

#include <cmath>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <palpate/base/error.h>
#include <palpate/mesh/topology.h>

namespace palpate {

void require_closed(const TriangleMesh& surface, std::string_view body) {
  const std::size_t edges = describe(Topology(surface.positions.size(), surface.triangles)).border_edges;
  if (edges > 0)
    throw Error(Place::named("body", body),
                fmt::format("its surface is open, with {} border edge{}, and encloses no volume", edges,
                            edges == 1 ? "" : "s"),
                "Close the surface, or give the mass and the inertia.");
}

RigidMass RigidMass::of(const MassProperties& properties) {
  const Place where = Place::named("rigid body", "mass");
  if (!(properties.mass > 0) || !std::isfinite(properties.mass))
    throw Error(where, fmt::format("it is {} kg", properties.mass), "It must be above 0.");
  if (!properties.centre.allFinite() || !properties.inertia.allFinite())
    throw Error(where, "its centre or inertia is not a finite number", "Look at where it was computed.");
  const Mat3 inertia = 0.5 * (properties.inertia + properties.inertia.transpose());
  RigidMass result;
  result.mass = properties.mass;
  const bool diagonal = inertia(0, 1) == 0 && inertia(0, 2) == 0 && inertia(1, 2) == 0;
  if (diagonal) {  // as it is: a user's axes are not renamed
    result.moments = inertia.diagonal();
  } else {
    const Eigen::SelfAdjointEigenSolver<Mat3> solver(inertia);
    Mat3 axes = solver.eigenvectors();
    if (axes.determinant() < 0) axes.col(2) = -axes.col(2);
    result.moments = solver.eigenvalues();
    result.frame.rotation = Quat(axes).normalized();
  }
  result.frame.position = properties.centre;
  const Vec3& m = result.moments;
  const double slack = 1e-9 * m.sum();
  if (!(m.minCoeff() > 0) || m[0] > m[1] + m[2] + slack || m[1] > m[0] + m[2] + slack ||
      m[2] > m[0] + m[1] + slack)
    throw Error(where,
                fmt::format("no body has the moments of inertia {}, {} and {} kg m^2", m[0], m[1], m[2]),
                "Each must be above 0 and none larger than the two others together.");
  return result;
}

}  // namespace palpate
