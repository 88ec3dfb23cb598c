#include <palpate/rigid/free_turn.h>

#include <algorithm>
#include <cmath>

namespace palpate {

namespace {

constexpr double most_angle = 0.25;  // of a part [rad]
constexpr double most_parts = 64;    // beyond, parts are longer, and phases are not right any more
constexpr int most_rounds = 40;

// tan(a)/a, where a is half of the angle: to 1e-9 for the parts above, and bounded for longer ones.
double stretched(double half_angle_squared) {
  const double a = std::min(half_angle_squared, 1.0);
  return 1 + a * (1.0 / 3 + a * (2.0 / 15 + a * (17.0 / 315)));
}

// By the inverse of the turn that the vector r (tangent of half the angle, along the axis) stands for.
Vec3 turned_back(const Vec3& l, const Vec3& r) {
  const Vec3 once = l.cross(r);
  return l + (2 / (1 + r.squaredNorm())) * (once + once.cross(r));
}

}  // namespace

void free_turn(const Vec3& inverse_moments, double seconds, Vec3& momentum, Quat& turn) {
  const double rate = momentum.norm() * inverse_moments.maxCoeff();
  if (!(rate > 0)) return;
  const int parts = static_cast<int>(std::clamp(std::ceil(rate * seconds / most_angle), 1.0, most_parts));
  const double h = seconds / parts;
  const bool too_fast = rate * h > 2 * most_angle;  // for anything but to stay finite
  const bool round = inverse_moments.x() == inverse_moments.y() && inverse_moments.y() == inverse_moments.z();
  for (int part = 0; part < parts; ++part) {
    // Whatever it is not settled to only shows in the energy, and there squared.
    const double enough = 1e-15 * momentum.cwiseAbs().maxCoeff();
    Vec3 after = momentum + h * momentum.cross(inverse_moments.cwiseProduct(momentum)), tangent;
    for (int i = 0; i < most_rounds; ++i) {
      const Vec3 w = inverse_moments.cwiseProduct(0.5 * (momentum + after));
      tangent = 0.5 * h * stretched(0.25 * h * h * w.squaredNorm()) * w;
      if (round) break;
      // The same turn without a quotient, as long as that is sure to settle.
      const Vec3 next =
          too_fast ? turned_back(momentum, tangent) : Vec3(momentum + (momentum + after).cross(tangent));
      const bool settled = (next - after).cwiseAbs().maxCoeff() <= enough;
      after = next;
      if (settled) break;
    }
    momentum = turned_back(momentum, tangent);
    turn = (turn * Quat(1, tangent.x(), tangent.y(), tangent.z())).normalized();
  }
}

}  // namespace palpate
