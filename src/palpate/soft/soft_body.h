// A soft body: tetrahedra (or a shell, or a string), their materials, and what happens to them in a step.
//
//   SoftBody body(mesh, material);
//   body.fix(nodes);
//   for (...) body.step(1.0 / 60);
//
// Implicit Euler: stable for any step, and it takes energy out of fast motions, more with longer steps. A
// body that was flattened, turned inside out or torn apart comes back: where elements are inverted, a few
// sweeps of vertex descent go first, which tidy up what is far from any shape.
//
// Bodies can be changed between steps, as cutting does: elements removed, split, nodes added. That costs what
// is changed, and some passes over arrays; what takes longer goes on in the background while the body steps.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <palpate/base/bytes.h>
#include <palpate/base/hash.h>
#include <palpate/mesh/mesh.h>
#include <palpate/soft/damping_term.h>
#include <palpate/soft/tet_constraints.h>
#include <palpate/soft/tet_term.h>
#include <palpate/soft/thin.h>
#include <palpate/soft/untangle.h>
#include <palpate/solve/quasi_newton.h>
#include <palpate/solve/solver.h>

namespace palpate {

struct SoftBodyOptions {
  std::string solver = "quasi_newton";
  Acceleration acceleration = {};
  int substeps = 1;
  SolveOptions solve = {};       // of each substep
  Vec3 gravity = {0, 0, -9.81};  // [m/s^2]
  bool untangle = true;          // bring back what has lost its shape: see untangle.h
};

// Elements are removed first, then added. They keep their numbers: what is removed leaves a hole (corners
// no_index), which later elements fill, lowest first.
struct SoftChange {
  struct Node {
    Vec3 rest, position, velocity;
  };
  struct Element {
    TetCorners corners;
    std::uint32_t like;  // an element that is there before the change: they share the material
  };
  std::vector<std::uint32_t> removed = {};
  std::vector<Node> nodes = {};  // new ones, numbered on from the last
  std::vector<Element> added = {};
};

class SoftBody {
 public:
  // `materials`: one for all elements, or one for each. Throws Error for whatever is not right.
  SoftBody(TetMesh rest, std::span<const Material> materials, const SoftBodyOptions& options = {});
  SoftBody(TetMesh rest, const Material& material, const SoftBodyOptions& options = {})
      : SoftBody(std::move(rest), std::span(&material, 1), options) {}
  // A sheet of this thickness; points one after the other, of this radius [m]. See thin.h.
  static SoftBody shell(const TriangleMesh& rest, double thickness, const Material& material,
                        const SoftBodyOptions& options = {});
  static SoftBody string(std::span<const Vec3> points, double radius, const Material& material,
                         const SoftBodyOptions& options = {}, bool closed = false);

  std::span<const Material> materials() const { return materials_; }  // one for all elements, or one for each
  const TetMesh& rest() const { return rest_; }  // of shells and strings, the positions alone
  std::span<const double> masses() const { return equations_.masses; }  // [kg]
  std::span<const Vec3> positions() const { return x_; }
  std::span<const Vec3> velocities() const { return v_; }
  void set_positions(std::span<const Vec3> positions);
  void set_velocities(std::span<const Vec3> velocities);

  // Nodes that stay where they are, or go where move() says; until release().
  void fix(std::span<const std::uint32_t> nodes);
  void release(std::span<const std::uint32_t> nodes);
  bool is_fixed(std::uint32_t node) const { return node < fixed_.size() && fixed_[node] != 0; }
  // Where a fixed node is at the end of the next step; it gets there in a straight line.
  void move(std::uint32_t node, const Vec3& to);
  // Pulls at a node in every step from now on, besides gravity; zero to end it [N].
  void set_force(std::uint32_t node, const Vec3& force);
  // Pulls at a node in the next step alone, besides that: pushes of one node add up [N].
  void push(std::uint32_t node, const Vec3& force);

  // A term of your own pulls along with the elements, from the next step on until it is removed: on nodes, or
  // on points that follow them (solve/embedded_term.h). It must live as long. Solvers that project take none.
  void add_term(Term& term);
  void remove_term(Term& term);
  bool takes_terms() const;

  // Only of bodies of tetrahedra. Returns the numbers of the elements that were added. A node that no element
  // has any more stays where it is. Throws Error for whatever is not right, and changes nothing then.
  std::vector<std::uint32_t> change(const SoftChange& change);

  // Goes on by so much time [s].
  SolveReport step(double seconds);

  // A step in parts, for those who solve several bodies together (solve/coupled.h), without substeps. It
  // begins with the nodes where they are, those that are fixed where they will be; `rest_of_step`: what is
  // left of a step that was cut short, for which no new factor is made. False: the body has lost its shape
  // and what brings it back has done the whole step. It may be begun again until it is ended.
  bool begin_step(double seconds, bool rest_of_step = false);
  bool couples() const { return coupled_ != nullptr; }  // its solver is one for that
  Equations& equations() { return equations_; }
  QuasiNewton& coupled_solver() { return *coupled_; }
  std::span<Vec3> unknowns() { return x_; }
  std::span<const Vec3> positions_before() const { return old_; }
  SolveReport solve_alone();
  // Of the step that was begun: whether all tetrahedra have a volume above zero all the way from where their
  // nodes were, in straight lines, to where they are. False for what has none.
  bool stayed_upright();
  // Takes what the unknowns are; of a step that is cut short, the part of it that is done, and so much of
  // what velocities were changed by: otherwise the rest of the step would push by all that pushes once more.
  // `keeps`: all but what weight and forces did to it in what is left of the step, if that is done at all
  // (`goes_on`).
  void end_step(double part = 1, bool keeps = false, bool goes_on = true);

  // The state, to bytes and back: of a body that is made in the same way, and whose elements were changed as
  // often.
  void save(ByteWriter& to) const;
  void load(ByteReader& from);
  void hash(StateHash& hash) const;

  // What the elements pull at each node with: of a fixed node at rest, the force that holds it, turned round
  // [N].
  void elastic_forces(std::span<Vec3> out);
  double elastic_energy();  // [J]
  // Around each node [J/m^3].
  void energy_densities(std::span<double> out) const;
  std::size_t inverted() const;  // elements
  const SoftBodyOptions& options() const { return options_; }
  void set_solve(const SolveOptions& solve) { options_.solve = solve; }
  void set_gravity(const Vec3& gravity);  // [m/s^2]
  // How often positions were set from outside.
  std::uint64_t placings() const { return placings_; }
  std::uint64_t changes() const { return changes_; }  // of elements, so far

 private:
  SoftBody(const ThinParts& parts, const Material& material, const SoftBodyOptions& options);
  void begin(std::span<const double> masses);
  void prepare(double substep);
  bool begin_substep(double substep, double left);
  void forget_pushes();
  void begin_where_it_goes(double substep);
  void begin_damping(std::span<const Vec3> x, double substep);
  void require_node(std::uint32_t node) const;
  void require_change(const SoftChange& change) const;
  std::vector<std::uint32_t> edit_elements(const SoftChange& change, std::vector<std::uint32_t>& changed);
  void hold();
  std::size_t count_inverted(std::vector<std::size_t>& partial) const;

  TetMesh rest_;
  std::vector<Material> materials_;  // one for all elements, or one for each
  SoftBodyOptions options_;
  std::unique_ptr<TetTerm> elastic_;
  std::unique_ptr<DampingTerm> damping_;
  std::vector<std::unique_ptr<TetConstraints>> tet_constraints_;
  std::unique_ptr<ThinTerms> thin_, thin_damping_;
  std::vector<std::unique_ptr<Constraints>> thin_constraints_;
  double viscosity_ = 0;  // of what is thin [s]
  std::vector<Term*> elastic_terms_;
  Equations equations_;
  std::unique_ptr<Solver> solver_;
  QuasiNewton* coupled_ = nullptr;  // the same, if it is one
  Untangler untangler_;
  bool prepared_ = false, changed_ = false;
  double prepared_step_ = 0;                  // that the solver knows [s]
  bool stepping_ = false;                     // a step was begun and not ended
  std::uint64_t changes_ = 0, placings_ = 0;  // of elements; of positions
  std::vector<std::uint8_t> fixed_;
  std::vector<Vec3> x_, v_, force_, old_, guess_, gradient_;
  std::vector<Vec3> push_;  // of the next step alone
  bool pushed_ = false;
  std::vector<std::size_t> partial_;  // scratch of sums
  std::vector<Vec3> goal_;            // of fixed nodes, at the end of the step
};

}  // namespace palpate
