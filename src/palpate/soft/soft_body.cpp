#include <palpate/soft/soft_body.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
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

bool projects(const SoftBodyOptions& options) { return options.solver.starts_with("xpbd"); }

}  // namespace

SoftBody::SoftBody(TetMesh rest, std::span<const Material> materials, const SoftBodyOptions& options)
    : rest_(std::move(rest)),
      materials_(materials.begin(), materials.end()),
      options_(options),
      elastic_(std::make_unique<TetTerm>(rest_, materials)),
      damping_(std::make_unique<DampingTerm>(rest_, materials)) {
  equations_.terms = elastic_terms_ = {elastic_.get()};
  if (!damping_->empty()) equations_.terms.push_back(damping_.get());
  if (projects(options_))
    for (const Model model : {Model::stvk, Model::neo_hookean, Model::corotated}) {
      auto constraints = std::make_unique<TetConstraints>(rest_, materials, model);
      if (constraints->size() == 0) continue;
      equations_.constraints.push_back(constraints.get());
      tet_constraints_.push_back(std::move(constraints));
    }
  begin(node_masses(rest_, materials));
}

SoftBody::SoftBody(const ThinParts& parts, const Material& material, const SoftBodyOptions& options)
    : rest_{parts.rest, {}},
      materials_{material},
      options_(options),
      elastic_(std::make_unique<TetTerm>(rest_, materials_)),
      damping_(std::make_unique<DampingTerm>(rest_, materials_)),
      thin_(std::make_unique<ThinTerms>(parts)),
      viscosity_(material.damping) {
  equations_.terms = elastic_terms_ = thin_->all();
  if (viscosity_ > 0) {
    thin_damping_ = std::make_unique<ThinTerms>(parts);
    for (Term* term : thin_damping_->all()) equations_.terms.push_back(term);
  }
  if (projects(options_)) {
    thin_constraints_.push_back(std::make_unique<CompliantConstraints<SpringRule>>(parts.springs));
    thin_constraints_.push_back(std::make_unique<CompliantConstraints<HingeRule>>(parts.hinges));
    thin_constraints_.push_back(std::make_unique<CompliantConstraints<TurnRule>>(parts.turns));
    for (const auto& constraints : thin_constraints_) equations_.constraints.push_back(constraints.get());
  }
  begin(parts.masses);
}

SoftBody SoftBody::shell(const TriangleMesh& rest, double thickness, const Material& material,
                         const SoftBodyOptions& options) {
  require_finite(rest.positions, rest.positions.size(), "rest positions");
  return {shell_parts(rest, thickness, material), material, options};
}

SoftBody SoftBody::string(std::span<const Vec3> points, double radius, const Material& material,
                          const SoftBodyOptions& options, bool closed) {
  require_finite(points, points.size(), "rest positions");
  return {string_parts(points, radius, material, closed), material, options};
}

void SoftBody::begin(std::span<const double> masses) {
  require_finite(rest_.positions, rest_.positions.size(), "rest positions");
  require_finite({&options_.gravity, 1}, 1, "gravity");
  if (options_.substeps < 1)
    throw Error(Place::named("soft body", "substeps"), fmt::format("there are {}", options_.substeps),
                "At least 1 is needed.");
  if (projects(options_) && (viscosity_ > 0 || !damping_->empty()))
    throw Error(Place::named("solver", options_.solver), "it knows no damping of materials",
                "Set the damping to 0, or use the solver quasi_newton or vertex.");
  if (projects(options_) && !thin_)
    for (const Material& m : materials_)
      if (m.poisson < 0 && m.model != Model::stvk)
        throw Error(Place::named("solver", options_.solver),
                    fmt::format("it cannot project elements with a Poisson's ratio of {}", m.poisson),
                    "Use the model stvk, or the solver quasi_newton or vertex.");
  solver_ = make_solver(options_.solver, options_.acceleration);
  coupled_ = dynamic_cast<QuasiNewton*>(solver_.get());
  equations_.masses.assign(masses.begin(), masses.end());
  for (std::size_t i = 0; i < masses.size(); ++i)
    if (!(masses[i] > 0))
      throw Error(Place::named("soft body", "mesh").element("node", i), "no element has it: it has no mass",
                  "Run `palpate mesh repair` on the file: it drops unused vertices.");
  equations_.held.assign(masses.size(), 0);
  fixed_.assign(masses.size(), 0);
  equations_.targets = rest_.positions;
  x_ = old_ = goal_ = gradient_ = guess_ = rest_.positions;
  v_.assign(x_.size(), Vec3::Zero());
  force_.assign(x_.size(), Vec3::Zero());
  push_.assign(x_.size(), Vec3::Zero());
}

void SoftBody::set_positions(std::span<const Vec3> positions) {
  require_finite(positions, x_.size(), "positions");
  std::copy(positions.begin(), positions.end(), x_.begin());
  std::copy(positions.begin(), positions.end(), goal_.begin());
  ++placings_;
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
    fixed_[v] = 1;
    goal_[v] = x_[v];
  }
  hold();
}

void SoftBody::release(std::span<const std::uint32_t> nodes) {
  for (const std::uint32_t v : nodes) require_node(v);
  for (const std::uint32_t v : nodes) fixed_[v] = 0;
  hold();
}

// What is fixed, and what no element has.
void SoftBody::hold() {
  for (std::size_t i = 0; i < fixed_.size(); ++i)
    equations_.held[i] = fixed_[i] != 0 || !(equations_.masses[i] > 0) ? 1 : 0;
  changed_ = true;
}

void SoftBody::move(std::uint32_t node, const Vec3& to) {
  require_node(node);
  require_finite({&to, 1}, 1, "goal of a fixed node");
  if (fixed_[node] == 0)
    throw Error(Place::named("soft body", "node").element("node", node),
                "it is not fixed, so it cannot be moved", "Call fix() first.");
  goal_[node] = to;
}

void SoftBody::set_force(std::uint32_t node, const Vec3& force) {
  require_node(node);
  require_finite({&force, 1}, 1, "force");
  force_[node] = force;
}

void SoftBody::push(std::uint32_t node, const Vec3& force) {
  require_node(node);
  require_finite({&force, 1}, 1, "push");
  push_[node] += force;
  pushed_ = true;
}

void SoftBody::set_gravity(const Vec3& gravity) {
  require_finite({&gravity, 1}, 1, "gravity");
  options_.gravity = gravity;
}

bool SoftBody::takes_terms() const { return !projects(options_); }

void SoftBody::add_term(Term& term) {
  if (!takes_terms())
    throw Error(Place::named("solver", options_.solver), "it knows no terms but those of the body",
                "Use the solver quasi_newton or vertex.");
  if (std::find(equations_.terms.begin(), equations_.terms.end(), &term) != equations_.terms.end())
    throw Error(Place::named("soft body", "terms"), "the term is there already", "Add each one once.");
  equations_.terms.push_back(&term);
  changed_ = true;
}

void SoftBody::remove_term(Term& term) {
  const auto at = std::find(equations_.terms.begin(), equations_.terms.end(), &term);
  if (at == equations_.terms.end())
    throw Error(Place::named("soft body", "terms"), "the term is not there", "Add it first.");
  equations_.terms.erase(at);
  changed_ = true;
}

void SoftBody::begin_damping(std::span<const Vec3> x, double substep) {
  damping_->begin_step(x, substep);
  if (thin_damping_) thin_damping_->begin_step(x, viscosity_ / substep);
}

void SoftBody::prepare(double substep) {
  const bool anew = !prepared_ || substep != prepared_step_;
  equations_.step = substep;
  if (!anew && !changed_) return;
  prepared_step_ = substep;
  begin_damping(x_, substep);
  if (anew)
    solver_->prepare(equations_);
  else
    solver_->update(equations_);
  prepared_ = true;
  changed_ = false;
  untangler_.reset();
}

// A solver that begins where the body is has to find its motion anew in every step; with few iterations,
// bodies would fall as if in honey. So it begins where the body would be if it moved on as before, wherever
// that is the better place.
void SoftBody::begin_where_it_goes(double substep) {
  if (projects(options_)) return;  // they begin at the targets
  for (std::size_t i = 0; i < x_.size(); ++i)
    guess_[i] = equations_.held[i] != 0 ? x_[i] : Vec3(x_[i] + substep * v_[i]);
  const auto take_better = [&](double& best) {
    const double value = potential(equations_, guess_);
    if (!(value < best)) return;
    best = value;
    x_.swap(guess_);
  };
  double best = potential(equations_, x_);
  take_better(best);
  guess_ = x_;
  if (solver_->turn(equations_, guess_)) take_better(best);
}

// Where nodes would go, and fixed ones where they will be. False: what brings it back has done the step.
bool SoftBody::begin_substep(double substep, double left) {
  old_ = x_;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const double mass = equations_.masses[i];
    equations_.targets[i] = mass > 0
                                ? Vec3(x_[i] + substep * v_[i] +
                                       substep * substep * (options_.gravity + (force_[i] + push_[i]) / mass))
                                : x_[i];
    if (fixed_[i] != 0) x_[i] += (goal_[i] - x_[i]) / left;
  }
  begin_damping(old_, substep);
  return !options_.untangle ||
         !untangler_.untangle(equations_, rest_, elastic_->shapes(), count_inverted(partial_), x_);
}

SolveReport SoftBody::solve_alone() {
  begin_where_it_goes(equations_.step);
  SolveOptions options = options_.solve;
  options.untangle = options.untangle && options_.untangle;
  return solver_->solve(equations_, x_, options);
}

namespace {

// Six times the volume is a cubic of the time; above zero if its Bernstein coefficients are.
bool stays_upright(const TetCorners& t, std::span<const Vec3> from, std::span<const Vec3> to) {
  std::array<Vec3, 3> a, b;
  for (std::size_t k = 0; k < 3; ++k) {
    a[k] = from[t[k + 1]] - from[t[0]];
    b[k] = to[t[k + 1]] - to[t[0]];
  }
  const Vec3 start = a[0].cross(a[1]), end = b[0].cross(b[1]), between = a[0].cross(b[1]) + b[0].cross(a[1]);
  return start.dot(a[2]) > 0 && end.dot(b[2]) > 0 && start.dot(b[2]) + between.dot(a[2]) > 0 &&
         end.dot(a[2]) + between.dot(b[2]) > 0;
}

}  // namespace

bool SoftBody::stayed_upright() {
  if (rest_.tets.empty()) return false;
  return parallel_reduce(
             rest_.tets.size(), 2048, std::size_t{0}, partial_,
             [&](Chunk chunk) {
               for (std::size_t e = chunk.begin; e < chunk.end; ++e)
                 if (!is_hole(rest_.tets[e]) && !stays_upright(rest_.tets[e], old_, x_))
                   return std::size_t{1};
               return std::size_t{0};
             },
             std::plus<>()) == 0;
}

namespace {

void require_length(double seconds) {
  if (!(seconds > 0) || !std::isfinite(seconds))
    throw Error(Place::named("soft body", "step"), fmt::format("its length is {} s", seconds),
                "It must be above 0.");
}

}  // namespace

SolveReport SoftBody::step(double seconds) {
  require_length(seconds);
  const double h = seconds / options_.substeps;
  prepare(h);
  SolveReport report;
  for (int s = 0; s < options_.substeps; ++s) {
    SolveReport one;
    if (begin_substep(h, options_.substeps - s)) {
      one = solve_alone();
    } else {
      one.untangled = true;
      one.evaluations = 1;
      one.potential = potential(equations_, x_, gradient_);
      one.residual = residual(equations_, gradient_);
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
  forget_pushes();
  return report;
}

void SoftBody::forget_pushes() {
  if (pushed_) std::fill(push_.begin(), push_.end(), Vec3::Zero());
  pushed_ = false;
}

bool SoftBody::begin_step(double seconds, bool rest_of_step) {
  require_length(seconds);
  if (stepping_) x_ = old_;  // begun again
  stepping_ = true;
  if (rest_of_step)
    equations_.step = seconds;
  else
    prepare(seconds);
  return begin_substep(seconds, 1);
}

void SoftBody::end_step(double part, bool keeps, bool goes_on) {
  const double rate = 1 / equations_.step, undone = goes_on ? 1 - part : 0;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const Vec3 move = x_[i] - old_[i];
    if (!(part < 1)) {
      v_[i] = rate * move;
      continue;
    }
    x_[i] = old_[i] + part * move;
    if (!keeps) {
      v_[i] = (1 - part) * v_[i] + part * rate * move;
      continue;
    }
    const bool pushed = fixed_[i] == 0 && equations_.masses[i] > 0;
    const Vec3 by = pushed ? Vec3(rate * (equations_.targets[i] - old_[i]) - v_[i]) : Vec3(Vec3::Zero());
    v_[i] = rate * move - undone * by;
  }
  stepping_ = false;
  if (!(part < 1) || !goes_on) forget_pushes();
}

void SoftBody::elastic_forces(std::span<Vec3> out) {
  require_finite(x_, out.size(), "forces");
  std::fill(out.begin(), out.end(), Vec3::Zero());
  for (Term* term : elastic_terms_) term->add_gradient(x_, out);
  for (Vec3& force : out) force = -force;
}

void SoftBody::energy_densities(std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  std::vector<double> volume(out.size(), 0.0);
  if (thin_) {
    thin_->add_energies(x_, out);
    for (std::size_t i = 0; i < out.size(); ++i) volume[i] = equations_.masses[i] / materials_[0].density;
  } else {
    elastic_->add_energies(x_, out, volume);
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = volume[i] > 0 ? std::max(0.0, out[i] / volume[i]) : 0;
}

double SoftBody::elastic_energy() {
  double sum = 0;
  for (Term* term : elastic_terms_) sum += term->value(x_);
  return sum;
}

std::size_t SoftBody::inverted() const {
  std::vector<std::size_t> partial;
  return count_inverted(partial);
}

std::size_t SoftBody::count_inverted(std::vector<std::size_t>& partial) const {
  return parallel_reduce(
      rest_.tets.size(), 2048, std::size_t{0}, partial,
      [&](Chunk chunk) {
        const auto from = rest_.tets.begin();
        return static_cast<std::size_t>(std::count_if(
            from + static_cast<std::ptrdiff_t>(chunk.begin), from + static_cast<std::ptrdiff_t>(chunk.end),
            [&](const TetCorners& t) { return is_inverted(x_, t); }));
      },
      std::plus<>());
}

}  // namespace palpate
