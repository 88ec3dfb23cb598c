#include <palpate/soft/soft_body.h>

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/soft/elements.h>

namespace palpate {

namespace {

void require_finite(std::span<const Vec3> list, std::size_t nodes, std::string_view what) {
  if (list.size() != nodes)
    throw Error(Place::named("soft body", what), fmt::format("there are {} for {} nodes", list.size(), nodes),
                "Give one for each node.");
  for (std::size_t i = 0; i < list.size(); ++i)
    if (!list[i].allFinite())
      throw Error(Place::named("soft body", what).element("node", i), "it is not a finite number",
                  "Look at where it was computed.");
}

}  // namespace

SoftBody::SoftBody(TetMesh rest, std::span<const Material> materials, const SoftBodyOptions& options)
    : rest_(std::move(rest)),
      options_(options),
      elastic_(std::make_unique<TetTerm>(rest_, materials)),
      damping_(std::make_unique<DampingTerm>(rest_, materials)) {
  require_finite(rest_.positions, rest_.positions.size(), "rest positions");
  require_finite({&options.gravity, 1}, 1, "gravity");
  if (options_.substeps < 1)
    throw Error(Place::named("soft body", "substeps"), fmt::format("there are {}", options_.substeps),
                "At least 1 is needed.");
  solver_ = make_solver(options_.solver, options_.acceleration);
  equations_.masses = node_masses(rest_, materials);
  for (std::size_t i = 0; i < equations_.size(); ++i)
    if (!(equations_.masses[i] > 0))
      throw Error(Place::named("soft body", "mesh").element("node", i),
                  "no tetrahedron has it: it has no mass",
                  "Run `palpate mesh repair` on the file: it drops unused vertices.");
  equations_.held.assign(equations_.size(), 0);
  equations_.targets = rest_.positions;
  equations_.terms = {elastic_.get()};
  if (damping_->size() > 0) {
    if (options_.solver.starts_with("xpbd"))
      throw Error(Place::named("solver", options_.solver), "it knows no damping of materials",
                  "Set the damping to 0, or use the solver quasi_newton or vertex.");
    equations_.terms.push_back(damping_.get());
  }
  if (options_.solver.starts_with("xpbd"))
    for (const Model model : {Model::stvk, Model::neo_hookean, Model::corotated}) {
      auto constraints = std::make_unique<TetConstraints>(rest_, materials, model);
      if (constraints->size() == 0) continue;
      equations_.constraints.push_back(constraints.get());
      constraints_.push_back(std::move(constraints));
    }
  x_ = old_ = goal_ = gradient_ = rest_.positions;
  v_.assign(x_.size(), Vec3::Zero());
  force_.assign(x_.size(), Vec3::Zero());
}

void SoftBody::set_positions(std::span<const Vec3> positions) {
  require_finite(positions, x_.size(), "positions");
  std::copy(positions.begin(), positions.end(), x_.begin());
  std::copy(positions.begin(), positions.end(), goal_.begin());
}

void SoftBody::set_velocities(std::span<const Vec3> velocities) {
  require_finite(velocities, v_.size(), "velocities");
  std::copy(velocities.begin(), velocities.end(), v_.begin());
}

void SoftBody::require_node(std::uint32_t node) const {
  if (node >= x_.size())
    throw Error(Place::named("soft body", "node").element("node", node),
                fmt::format("there are {} nodes", x_.size()), "Nodes are counted from 0.");
}

void SoftBody::fix(std::span<const std::uint32_t> nodes) {
  for (const std::uint32_t v : nodes) require_node(v);
  for (const std::uint32_t v : nodes) {
    equations_.held[v] = 1;
    goal_[v] = x_[v];
  }
  prepared_ = false;
}

void SoftBody::release(std::span<const std::uint32_t> nodes) {
  for (const std::uint32_t v : nodes) require_node(v);
  for (const std::uint32_t v : nodes) equations_.held[v] = 0;
  prepared_ = false;
}

void SoftBody::move(std::uint32_t node, const Vec3& to) {
  require_node(node);
  require_finite({&to, 1}, 1, "goal of a fixed node");
  if (equations_.held[node] == 0)
    throw Error(Place::named("soft body", "node").element("node", node),
                "it is not fixed, so it cannot be moved", "Call fix() first.");
  goal_[node] = to;
}

void SoftBody::set_force(std::uint32_t node, const Vec3& force) {
  require_node(node);
  require_finite({&force, 1}, 1, "force");
  force_[node] = force;
}

void SoftBody::prepare(double substep) {
  if (prepared_ && substep == equations_.step) return;
  equations_.step = substep;
  damping_->begin_step(x_, substep);
  solver_->prepare(equations_);
  prepared_ = true;
  untangler_.reset();
}

SolveReport SoftBody::step(double seconds) {
  if (!(seconds > 0) || !std::isfinite(seconds))
    throw Error(Place::named("soft body", "step"), fmt::format("its length is {} s", seconds),
                "It must be above 0.");
  const double h = seconds / options_.substeps;
  prepare(h);
  SolveReport report;
  for (int s = 0; s < options_.substeps; ++s) {
    const double left = options_.substeps - s;
    old_ = x_;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      equations_.targets[i] =
          x_[i] + h * v_[i] + h * h * (options_.gravity + force_[i] / equations_.masses[i]);
      if (equations_.held[i] != 0) x_[i] += (goal_[i] - x_[i]) / left;
    }
    damping_->begin_step(old_, h);
    const bool done =
        options_.untangle && untangler_.untangle(equations_, rest_, elastic_->shapes(), inverted(), x_);
    SolveReport one;
    if (done) {
      one.untangled = true;
      one.evaluations = 1;
      one.potential = potential(equations_, x_, gradient_);
      one.residual = residual(equations_, gradient_);
    } else {
      one = solver_->solve(equations_, x_, options_.solve);
    }
    report.untangled = report.untangled || one.untangled;
    report.iterations += one.iterations;
    report.evaluations += one.evaluations;
    report.refused += one.refused;
    report.failed = report.failed || one.failed;
    report.potential = one.potential;
    report.residual = one.residual;
    for (std::size_t i = 0; i < x_.size(); ++i) v_[i] = (x_[i] - old_[i]) / h;
  }
  return report;
}

void SoftBody::elastic_forces(std::span<Vec3> out) {
  require_finite(x_, out.size(), "forces");
  std::fill(out.begin(), out.end(), Vec3::Zero());
  elastic_->add_gradient(x_, out);
  for (Vec3& force : out) force = -force;
}

double SoftBody::elastic_energy() { return elastic_->value(x_); }

std::size_t SoftBody::inverted() const {
  return static_cast<std::size_t>(
      std::count_if(rest_.tets.begin(), rest_.tets.end(), [&](const TetCorners& t) {
        return (x_[t[1]] - x_[t[0]]).cross(x_[t[2]] - x_[t[0]]).dot(x_[t[3]] - x_[t[0]]) <= 0;
      }));
}

}  // namespace palpate
