// The unknowns of bodies that touch, and the springs between them.
#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Geometry>

#include <palpate/respond/touching_step.h>

namespace palpate {

namespace {

constexpr double rigid_stiffness = 100;  // of contacts of rigid bodies, in masses per square of the step
constexpr double most_stiffness = 1e4;   // of those of soft bodies, in the mass that the area stands for
constexpr double joint_stiffness = 1e5;  // of joints, as of contacts of rigid bodies

Mat3 cross_matrix(const Vec3& v) {
  Mat3 m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

}  // namespace

void TouchingStep::build_unknowns() {
  coupled_.clear(seconds_);
  for (std::size_t slot = 0; slot < participants_.size(); ++slot) {
    Group& group = groups_[slot];
    if (!group.touches || group.done) continue;
    const Participant& p = participants_[slot];
    if (p.kind == Participant::Kind::soft) {
      SoftBody& soft = *p.soft;
      soft.coupled_solver().begin(soft.equations(), soft.unknowns(), soft.options().untangle, Deadline(0));
      group.first = coupled_.add(soft.equations(), soft.coupled_solver(), soft.unknowns());
    }
  }
  movers_.clear();
  for (const BodyId id : touching_bodies_) {
    Mover& one = movers_.emplace_back();
    one.id = id;
    one.free = rigid_->free_motion(id);
    one.first = coupled_.add_pair(one.free.mass, one.free.centre, Vec3::Zero());
  }
  for (std::size_t slot = 0; slot < participants_.size(); ++slot)
    if (groups_[slot].touches && participants_[slot].kind == Participant::Kind::rigid)
      groups_[slot].first = static_cast<std::uint32_t>(mover(participants_[slot].body) - movers_.data());
}

// Movers are in the order of the bodies they are of.
const TouchingStep::Mover* TouchingStep::mover(BodyId id) const {
  const auto at = std::lower_bound(movers_.begin(), movers_.end(), id, [&](const Mover& one, BodyId other) {
    return rigid_->is_before(one.id, other);
  });
  return at != movers_.end() && at->id == id ? &*at : nullptr;
}

// Adds weight * the vertex at the end of the step.
void TouchingStep::couple_vertex(std::uint32_t vertex, double weight, Vec3& constant) {
  const Surfaces& surfaces = detector_->surfaces();
  const std::uint32_t slot = surfaces.surface_of_vertex(vertex);
  const Participant& p = participants_[slot];
  const Group& group = groups_[slot];
  const std::uint32_t own = vertex - surfaces[slot].first_vertex;
  if (p.kind == Participant::Kind::soft && !group.done && group.touches) {
    if (p.embedding != nullptr) {
      for (std::size_t k = 0; k < 4; ++k)
        couplings_.add(group.first + p.embedding->corners()[own][k], weight * p.embedding->weights()[own][k]);
    } else {
      couplings_.add(group.first + p.nodes[own], weight);
    }
  } else if (p.kind == Participant::Kind::rigid) {
    const RigidMass& mass = rigid_->mass(p.body);
    const Mover& one = movers_[group.first];
    const Vec3 in_axes = mass.frame.rotation.conjugate() * (p.local[own] - mass.frame.position);
    constant += weight * (one.free.axes * in_axes);
    couplings_.add(one.first, weight);
    // A turn t along the axes moves the point by t x r = -r x t.
    const Mat3 arm = one.free.axes.toRotationMatrix() * -cross_matrix(in_axes) *
                     one.free.radii.cwiseInverse().asDiagonal();
    couplings_.add(one.first + 1, weight * arm);
  } else {  // still, or it is known where it goes
    constant += weight * vertex_end(slot, own);
  }
}

void TouchingStep::build_couplings() {
  couplings_.clear();
  const auto positions = detector_->surfaces().positions();
  starts_.clear();
  for (const Touch& touch : touches_) {
    couplings_.begin_vector(Vec3::Zero());
    Vec3 constant = Vec3::Zero(), start = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k) {
      if (touch.weights[k] == 0) continue;
      couple_vertex(touch.vertices[k], touch.weights[k], constant);
      start += touch.weights[k] * positions[touch.vertices[k]];
    }
    couplings_.set_constant(constant);
    starts_.push_back(start);
  }
  couple_joints();
  couplings_.finish(coupled_.size());
  vectors_.resize(couplings_.size());
}

// Joints between the movers: how far they would be off, to first order, as two vectors each. They are very
// stiff springs here; what those leave is made to hold exactly afterwards.
void TouchingStep::couple_joints() {
  law_.joints.clear();
  rigid_->held_joints(touching_bodies_, joints_);
  for (const RigidBodies::HeldJoint& joint : joints_) {
    std::array<const Mover*, 2> side = {nullptr, nullptr};
    double mass = HUGE_VAL;
    for (std::size_t k = 0; k < 2; ++k)
      if (joint.bodies[k]) side[k] = mover(joint.bodies[k]);
    for (const Mover* one : side)
      if (one != nullptr) mass = std::min(mass, one->free.mass);
    const double held = joint_stiffness * mass / (seconds_ * seconds_);
    for (std::size_t from = 0; from < joint.count; from += 3) {
      couplings_.begin_vector(Vec3::Zero());
      Vec3 constant = Vec3::Zero();
      std::array<Mat3, 2> move = {Mat3::Zero(), Mat3::Zero()}, turn = move;
      double largest = 0;  // change of a row per metre, turns counted at the radius of gyration
      for (std::size_t r = from; r < std::min(from + 3, joint.count); ++r) {
        const ConstraintRows::Row& row = joint.rows.row[r];
        const auto i = static_cast<Eigen::Index>(r - from);
        constant[i] = row.value;
        for (std::size_t k = 0; k < 2; ++k) {
          if (side[k] == nullptr) continue;
          const RigidBodies::FreeMotion& free = side[k]->free;
          constant[i] -= row.move[k].dot(free.centre);
          move[k].row(i) = row.move[k].transpose();
          turn[k].row(i) = (free.axes.conjugate() * row.turn[k]).cwiseQuotient(free.radii).transpose();
          largest = std::max({largest, move[k].row(i).squaredNorm(), turn[k].row(i).squaredNorm()});
        }
      }
      couplings_.set_constant(constant);
      for (std::size_t k = 0; k < 2; ++k) {
        if (side[k] == nullptr) continue;
        couplings_.add(side[k]->first, move[k]);
        couplings_.add(side[k]->first + 1, turn[k]);
      }
      const double stiff = largest > 0 ? held / largest : 0;
      law_.joints.push_back(joint.compliance > 0 ? std::min(stiff, 1 / joint.compliance) : stiff);
    }
  }
}

// How stiff the layer on a body is, over an area [N/m]; of what does not give way, infinite.
double TouchingStep::layer(const Participant& p, double area, double thickness) const {
  if (p.kind == Participant::Kind::rigid)
    return rigid_stiffness * groups_[p.surface.index].load / (step_ * step_);
  if (p.kind != Participant::Kind::soft) return HUGE_VAL;
  const double elastic = options_.stiffness * p.young * area / thickness;
  return std::min(elastic, most_stiffness * p.mass * area / (p.area * step_ * step_));
}

std::pair<double, double> TouchingStep::friction_of(const Touch& touch) const {
  const ContactMaterial both =
      between(participants_[touch.first_surface].material, participants_[touch.second_surface].material);
  return {both.static_friction, both.friction};
}

double TouchingStep::thickness_of(const Touch& touch) const {
  const double d = detector_->contact_distance(participants_[touch.first_surface].surface,
                                               participants_[touch.second_surface].surface);
  return layers_.thickness(touch.first_surface, touch.second_surface, d);
}

ContactSpring TouchingStep::spring_of(const Touch& touch, const Vec3& start, double harder) const {
  const Participant &a = participants_[touch.first_surface], &b = participants_[touch.second_surface];
  const double d = detector_->contact_distance(a.surface, b.surface);
  const double one = layer(a, touch.area, d), other = layer(b, touch.area, d);
  double k = 0;
  if (a.kind == Participant::Kind::rigid && b.kind == Participant::Kind::rigid)
    k = one + other;
  else
    k = one == HUGE_VAL ? other : other == HUGE_VAL ? one : one * other / (one + other);
  if (options_.compliance > 0) k = 1 / (1 / k + options_.compliance / touch.area);
  k *= harder;
  // What is pressed comes out slowly: the same as a damper along the normal, for things that come nearer.
  const double gap = touch.gap, beta = options_.damping;
  const double thick = thickness_of(touch);
  double target = (thick + beta * std::min(gap, thick)) / (1 + beta);
  if (gap < 0) target = std::min(target, gap + options_.easing_speed * step_);
  ContactSpring spring;
  spring.normal = touch.normal;
  spring.stiffness = (1 + beta) * k;
  spring.target = target;
  spring.tangent_stiffness = k;
  spring.origin = start;
  if (const RememberedContact* const before = memory_.find(touch.key)) {
    const auto [sticking, sliding] = friction_of(touch);
    const Vec3 across = before->across();
    spring.origin -= across - touch.normal.dot(across) * touch.normal;
    spring.slip = (before->slides != 0 ? sliding : sticking) * before->push;
  }
  return spring;
}

void TouchingStep::build_springs() {
  law_.springs.clear();
  for (std::size_t c = 0; c < touches_.size(); ++c)
    law_.springs.push_back(spring_of(touches_[c], starts_[c], harder_[c]));
}

}  // namespace palpate
