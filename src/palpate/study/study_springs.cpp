#include <palpate/study/study_springs.h>

#include <algorithm>
#include <cmath>

#include <palpate/rigid/forces.h>
#include <palpate/rigid/rigid_bodies.h>

namespace palpate {

namespace {

constexpr double duration = 10;  // [s]

// Both cubes have mass 1 and moments 1; attachments lie in the plane of x and y, and so does all that
// happens. Per cube: x, y, angle, and their rates.
using State = std::array<long double, 12>;

struct Planar {
  long double stiffness, damping, length;
  std::array<std::array<long double, 2>, 2> at;

  explicit Planar(const SpringSystem& s)
      : stiffness(s.stiffness),
        damping(s.damping),
        length(s.length),
        at{{{s.at_one.x(), s.at_one.y()}, {s.at_two.x(), s.at_two.y()}}} {}

  State slope(const State& s) const {
    std::array<std::array<long double, 2>, 2> arm{}, point{}, speed{};
    for (std::size_t k = 0; k < 2; ++k) {
      const long double c = std::cos(s[6 * k + 2]), n = std::sin(s[6 * k + 2]);
      arm[k] = {c * at[k][0] - n * at[k][1], n * at[k][0] + c * at[k][1]};
      point[k] = {s[6 * k] + arm[k][0], s[6 * k + 1] + arm[k][1]};
      speed[k] = {s[6 * k + 3] - s[6 * k + 5] * arm[k][1], s[6 * k + 4] + s[6 * k + 5] * arm[k][0]};
    }
    const long double dx = point[1][0] - point[0][0], dy = point[1][1] - point[0][1], l = std::hypot(dx, dy);
    const long double rate = ((speed[1][0] - speed[0][0]) * dx + (speed[1][1] - speed[0][1]) * dy) / l;
    const long double force = stiffness * (l - length) + damping * rate;
    State out{};
    for (std::size_t k = 0; k < 2; ++k) {
      const long double sign = k == 0 ? 1 : -1, fx = sign * force * dx / l, fy = sign * force * dy / l;
      for (std::size_t i = 0; i < 3; ++i) out[6 * k + i] = s[6 * k + 3 + i];
      out[6 * k + 3] = fx;
      out[6 * k + 4] = fy;
      out[6 * k + 5] = arm[k][0] * fy - arm[k][1] * fx;
    }
    return out;
  }
  static State ahead(const State& s, const State& slope, long double by) {
    State out = s;
    for (std::size_t i = 0; i < s.size(); ++i) out[i] += by * slope[i];
    return out;
  }
  State runge_kutta(const State& s, long double h) const {
    const State k1 = slope(s), k2 = slope(ahead(s, k1, h / 2)), k3 = slope(ahead(s, k2, h / 2)),
                k4 = slope(ahead(s, k3, h));
    State out = s;
    for (std::size_t i = 0; i < s.size(); ++i) out[i] += h * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]) / 6;
    return out;
  }
};

State start() {
  State s{};
  s[0] = -1;
  s[6] = 1;
  return s;
}

Vec3 between(const State& s) {
  return {static_cast<double>(s[6] - s[0]), static_cast<double>(s[7] - s[1]), 0};
}

double largest(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, (a[i] - b[i]).norm());
  return most;
}

}  // namespace

std::array<SpringSystem, 4> SpringSystem::all() {
  const Vec3 one(0.5, 0, 0), two(-0.5, 0, 0);
  return {{{1, 5, 0, 1.2, one, two},
           {2, 0.5, 0, 0.8, one, two},
           {3, 5, 0.5, 0.8, one, two},
           {4, 5, 0, 0.8, Vec3(0.5, 0.1, 0), Vec3(-0.5, 0.3, 0)}}};
}

std::vector<Vec3> SpringSystem::exact(double step, std::size_t steps) const {
  std::vector<Vec3> result;
  if (number < 4) {
    // The distance u between the ends: u'' = -2 k (u - l) - 2 c u', from u = 1 at rest.
    const double decay = damping, rate = std::sqrt(2 * stiffness - decay * decay);
    for (std::size_t i = 0; i <= steps; ++i) {
      const double t = step * static_cast<double>(i);
      const double swing = std::cos(rate * t) + decay / rate * std::sin(rate * t);
      result.emplace_back(1 + length + (1 - length) * std::exp(-decay * t) * swing, 0, 0);
    }
    return result;
  }
  const Planar planar(*this);
  const int parts = std::max(1, static_cast<int>(std::ceil(step / 1e-3)));
  State s = start();
  for (std::size_t i = 0; i <= steps; ++i) {
    result.push_back(between(s));
    for (int k = 0; k < parts; ++k) s = planar.runge_kutta(s, static_cast<long double>(step) / parts);
  }
  return result;
}

std::vector<Vec3> SpringSystem::classic_euler(double step, std::size_t steps) const {
  const Planar planar(*this);
  State s = start();
  std::vector<Vec3> result;
  for (std::size_t i = 0; i <= steps; ++i) {
    result.push_back(between(s));
    s = Planar::ahead(s, planar.slope(s), step);
  }
  return result;
}

std::vector<Vec3> SpringSystem::ours(double step, std::size_t steps, double* energy_drift) const {
  RigidOptions options;
  options.gravity.setZero();
  options.sleep_speed = 0;
  RigidBodies bodies(options);
  const BodyId one{0, 1}, two{1, 1};
  bodies.add(one, {.state = {.pose = {Quat::Identity(), Vec3(-1, 0, 0)}}});
  bodies.add(two, {.state = {.pose = {Quat::Identity(), Vec3(1, 0, 0)}}});
  bodies.add(std::make_shared<SpringForce>(SpringForce::Options{.a = one,
                                                                .b = two,
                                                                .at_a = at_one,
                                                                .at_b = at_two,
                                                                .stiffness = stiffness,
                                                                .damping = damping,
                                                                .length = length}));
  const double energy = bodies.kinetic_energy() + bodies.potential_energy();
  double drift = 0;
  std::vector<Vec3> result = {bodies.centre(two) - bodies.centre(one)};
  for (std::size_t i = 0; i < steps; ++i) {
    bodies.step(step);
    result.emplace_back(bodies.centre(two) - bodies.centre(one));
    drift = std::max(drift, std::abs(bodies.kinetic_energy() + bodies.potential_energy() - energy) / energy);
  }
  if (energy_drift != nullptr) *energy_drift = drift;
  return result;
}

SpringStudy study_springs(bool quick, const std::function<bool(double)>& progress) {
  SpringStudy study;
  const int halvings = quick ? 4 : 8;
  for (const SpringSystem& system : SpringSystem::all()) {
    SpringResult result{system, {}};
    for (int k = 0; k < halvings; ++k) {
      const double step = 1.0 / (15 << k);
      const auto steps = static_cast<std::size_t>(std::lround(duration / step));
      SpringError error{step};
      const std::vector<Vec3> exact = system.exact(step, steps);
      error.ours = largest(system.ours(step, steps, &error.drift), exact);
      error.euler = largest(system.classic_euler(step, steps), exact);
      result.errors.push_back(error);
      const double done = static_cast<double>(study.results.size()) + static_cast<double>(k + 1) / halvings;
      if (progress && !progress(done / 4)) {
        study.interrupted = true;
        return study;
      }
    }
    const SpringError &last = result.errors.back(), &before = result.errors[result.errors.size() - 2];
    result.order = std::log2(before.ours / last.ours);
    result.euler_order = std::log2(before.euler / last.euler);
    study.results.push_back(std::move(result));
  }
  return study;
}

}  // namespace palpate
