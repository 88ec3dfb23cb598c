// The unknowns of bodies that touch, and the springs between them.
#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include <palpate/respond/touching_step.h>

namespace palpate {

namespace {

constexpr double rigid_stiffness = 100;  // of contacts of rigid bodies, in masses per square of the step
constexpr double most_stiffness = 1e4;   // of those of soft bodies, in the mass that the area stands for

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
    } else if (p.kind == Participant::Kind::rigid) {
      group.free = rigid_->free_motion(p.body);
      group.first = coupled_.add_pair(group.free.mass, group.free.centre, Vec3::Zero());
    }
  }
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
    const Vec3 in_axes = mass.frame.rotation.conjugate() * (p.local[own] - mass.frame.position);
    constant += weight * (group.free.axes * in_axes);
    couplings_.add(group.first, weight);
    // A turn t along the axes moves the point by t x r = -r x t.
    const Mat3 arm = group.free.axes.toRotationMatrix() * -cross_matrix(in_axes) *
                     group.free.radii.cwiseInverse().asDiagonal();
    couplings_.add(group.first + 1, weight * arm);
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
  couplings_.finish(coupled_.size());
  vectors_.resize(touches_.size());
}

// How stiff the layer on a body is, over an area [N/m]; of what does not give way, infinite.
double TouchingStep::layer(const Participant& p, double area, double thickness) const {
  if (p.kind == Participant::Kind::rigid) return rigid_stiffness * p.mass / (step_ * step_);
  if (p.kind != Participant::Kind::soft) return HUGE_VAL;
  const double elastic = options_.stiffness * p.young * area / thickness;
  return std::min(elastic, most_stiffness * p.mass * area / (p.area * step_ * step_));
}

std::pair<double, double> TouchingStep::friction_of(const Touch& touch) const {
  const ContactMaterial &a = participants_[touch.first_surface].material,
                        &b = participants_[touch.second_surface].material;
  const double sliding = std::sqrt(a.friction * b.friction);
  return {std::max(sliding, std::sqrt(a.static_friction * b.static_friction)), sliding};
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
  double target = (d + beta * std::min(gap, d)) / (1 + beta);
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
