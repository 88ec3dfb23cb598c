#include <palpate/world/soft_forces.h>

#include <algorithm>
#include <numeric>

#include <palpate/base/error.h>

namespace palpate {

namespace {

double mass_of(const SoftBody& body) {
  return std::accumulate(body.masses().begin(), body.masses().end(), 0.0);
}

}  // namespace

SoftConstantForce::SoftConstantForce(const Vec3& force) : force_(force) {
  if (!force.allFinite())
    throw Error(Place::named("force", "constant"), "it is not finite", "Look at where it was computed.");
}

void SoftConstantForce::apply(const SoftBody& body, double /*time*/, double /*step*/,
                              std::span<Vec3> forces) const {
  const double mass = mass_of(body);
  for (std::size_t i = 0; i < forces.size(); ++i)
    if (body.masses()[i] > 0) forces[i] += body.masses()[i] / mass * force_;
}

double SoftConstantForce::energy(const SoftBody& body) const {
  const double mass = mass_of(body);
  double sum = 0;
  for (std::size_t i = 0; i < body.masses().size(); ++i)
    if (body.masses()[i] > 0) sum -= body.masses()[i] / mass * force_.dot(body.positions()[i]);
  return sum;
}

void SoftDragForce::apply(const SoftBody& body, double time, double step, std::span<Vec3> forces) const {
  const double mass = mass_of(body);
  const Vec3 wind = air_.wind_at(time);
  for (std::size_t i = 0; i < forces.size(); ++i) {
    const double own = body.masses()[i];
    if (!(own > 0)) continue;
    const Vec3 v = body.velocities()[i] - wind;
    const double drag = own / mass * (options_.linear + options_.quadratic * v.norm());
    forces[i] -= std::min(drag, own / step) * v;
  }
}

}  // namespace palpate
