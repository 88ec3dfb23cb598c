#include "soft_damped.h"

#include <algorithm>
#include <memory>
#include <string>

#include <palpate/soft/soft_body.h>

namespace palpate::bench {

namespace {

constexpr double frame = 1.0 / 60;

SoftBody body_of(const TetMesh& mesh, const SoftShape& shape, double damping) {
  SoftBodyOptions options;
  options.gravity = Vec3(9.81, 0, 0);
  options.solve.iterations = 6;
  SoftBody body(mesh, {.density = shape.density, .young = 1e6, .poisson = 0.4, .damping = damping}, options);
  const auto by_x = [](const Vec3& a, const Vec3& b) { return a.x() < b.x(); };
  const auto [low, high] = std::minmax_element(mesh.positions.begin(), mesh.positions.end(), by_x);
  const double feet = high->x() - 0.05 * (high->x() - low->x());
  std::vector<std::uint32_t> held;
  for (std::uint32_t v = 0; v < mesh.positions.size(); ++v)
    if (mesh.positions[v].x() > feet) held.push_back(v);
  body.fix(held);
  return body;
}

struct Pair {
  SoftBody undamped, damped;
  std::vector<Vec3> positions, velocities;  // in the middle of the fall

  explicit Pair(const SoftShape& shape) : Pair(shape.make(), shape) {}
  Pair(const TetMesh& mesh, const SoftShape& shape)
      : undamped(body_of(mesh, shape, 0)), damped(body_of(mesh, shape, 0.01)) {
    for (int i = 0; i < 20; ++i) undamped.step(frame);
    positions.assign(undamped.positions().begin(), undamped.positions().end());
    velocities.assign(undamped.velocities().begin(), undamped.velocities().end());
    damped.step(frame);
  }
};

}  // namespace

std::vector<Method> damped(const SoftShape& shape) {
  const auto pair = std::make_shared<Pair>(shape);
  const auto method = [&](const std::string& name, Role role, SoftBody& body) {
    const auto report = std::make_shared<SolveReport>();
    Method result;
    result.name = name;
    result.role = role;
    result.prepare = [pair, &body] {
      body.set_positions(pair->positions);
      body.set_velocities(pair->velocities);
    };
    result.run = [pair, &body, report] { *report = body.step(frame); };
    result.parallel = true;
    result.facts = [report] {
      return std::vector<std::pair<std::string, double>>{
          {"evaluations", static_cast<double>(report->evaluations)}};
    };
    return result;
  };
  return {method("undamped", Role::reference, pair->undamped), method("damped", Role::ours, pair->damped)};
}

}  // namespace palpate::bench
