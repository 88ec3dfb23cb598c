#include <palpate/rigid/forces.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <string_view>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include <palpate/base/error.h>
#include <palpate/rigid/rigid_mass.h>

namespace palpate {

namespace {

void require_numbers(std::string_view force, std::initializer_list<double> not_negative,
                     std::initializer_list<Vec3> finite) {
  for (const double number : not_negative)
    if (!(number >= 0) || !std::isfinite(number))
      throw Error(Place::named("force", force), fmt::format("one of its numbers is {}", number),
                  "Stiffness, damping, length, drag and period must be 0 or above.");
  for (const Vec3& vector : finite)
    if (!vector.allFinite())
      throw Error(Place::named("force", force), "one of its vectors is not finite",
                  "Look at where it was computed.");
}

}  // namespace

Vec3 RigidView::point(BodyId id, const Vec3& local) const { return state(id).pose.apply(local); }

Vec3 RigidView::velocity_at(BodyId id, const Vec3& where) const {
  const RigidState s = state(id);
  return s.velocity + s.angular_velocity.cross(where - centre(id));
}

void RigidView::push(BodyId id, const Vec3& force, const Vec3& where) {
  put(id, force, (where - centre(id)).cross(force));
}

// --- springs --------------------------------------------------------------------------------------

SpringForce::SpringForce(const Options& options) : options_(options) {
  require_numbers("spring", {options.stiffness, options.damping, options.length},
                  {options.at_a, options.at_b});
}

void SpringForce::apply(RigidView& bodies) const {
  const Vec3 a = bodies.point(options_.a, options_.at_a), b = bodies.point(options_.b, options_.at_b);
  const Vec3 along = b - a;
  const double length = along.norm();
  if (!(length > 0)) return;  // it pulls no way rather than another
  const Vec3 direction = along / length;
  const double rate = direction.dot(bodies.velocity_at(options_.b, b) - bodies.velocity_at(options_.a, a));
  const Vec3 force = (options_.stiffness * (length - options_.length) + options_.damping * rate) * direction;
  bodies.push(options_.a, force, a);
  bodies.push(options_.b, -force, b);
}

double SpringForce::energy(const RigidView& bodies) const {
  const double stretch =
      (bodies.point(options_.b, options_.at_b) - bodies.point(options_.a, options_.at_a)).norm() -
      options_.length;
  return 0.5 * options_.stiffness * stretch * stretch;
}

// --- air ------------------------------------------------------------------------------------------

DragForce::DragForce(const Options& options) : options_(options) {
  require_numbers("drag", {options.linear, options.quadratic, options.period}, {options.wind, options.axis});
  if (options.period > 0 && !(options.axis.norm() > 0))
    throw Error(Place::named("force", "drag"), "the wind turns about an axis without a direction",
                "Give an axis, or a period of 0.");
}

Vec3 DragForce::wind_at(double time) const {
  if (!(options_.period > 0)) return options_.wind;
  const double angle = 2 * std::numbers::pi * std::fmod(time / options_.period, 1.0);
  return Eigen::AngleAxisd(angle, options_.axis.normalized()) * options_.wind;
}

void DragForce::apply(RigidView& bodies) const {
  const Vec3 v = bodies.state(options_.body).velocity - wind_at(bodies.time());
  double drag = options_.linear + options_.quadratic * v.norm();
  // Half of a step's push is done at a time.
  if (bodies.step() > 0) drag = std::min(drag, 2 * bodies.mass(options_.body).mass / bodies.step());
  bodies.push(options_.body, -drag * v);
}

// --- constants ------------------------------------------------------------------------------------

ConstantForce::ConstantForce(const Options& options) : options_(options) {
  require_numbers("constant", {}, {options.force, options.at, options.torque});
}

void ConstantForce::apply(RigidView& bodies) const {
  bodies.push(options_.body, options_.force, bodies.point(options_.body, options_.at));
  bodies.twist(options_.body, options_.torque);
}

double ConstantForce::energy(const RigidView& bodies) const {
  return -options_.force.dot(bodies.point(options_.body, options_.at));
}

}  // namespace palpate
