// The unknowns of an island, and the springs between them.
#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Geometry>

#include <palpate/respond/island.h>

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

void Island::build_unknowns() {
  coupled_.clear(view_->seconds);
  for (const std::uint32_t slot : bodies_) {
    const Participant& p = view_->participants[slot];
    if (p.kind != Participant::Kind::soft) continue;
    SoftBody& soft = *p.soft;
    soft.coupled_solver().begin(soft.equations(), soft.unknowns(), soft.options().untangle, Deadline(0));
    view_->slots[slot].place = coupled_.add(soft.equations(), soft.coupled_solver(), soft.unknowns());
  }
  for (Mover& one : movers_) {
    one.free = view_->rigid->free_motion(one.id);
    one.first = coupled_.add_pair(one.free.mass, one.free.centre, Vec3::Zero());
  }
  for (const std::uint32_t slot : bodies_)
    if (view_->participants[slot].kind == Participant::Kind::rigid)
      view_->slots[slot].place =
          static_cast<std::uint32_t>(find_mover(view_->participants[slot].body) - movers_.data());
}

// Movers are in the order of the bodies they are of.
const Island::Mover* Island::find_mover(BodyId id) const {
  const auto at = std::lower_bound(movers_.begin(), movers_.end(), id, [&](const Mover& one, BodyId other) {
    return view_->rigid->is_before(one.id, other);
  });
  return at != movers_.end() && at->id == id ? &*at : nullptr;
}

// Adds weight * the vertex at the end of the step.
void Island::couple_vertex(std::uint32_t vertex, double weight, Vec3& constant) {
  const Surfaces& surfaces = view_->detector->surfaces();
  const std::uint32_t slot = surfaces.surface_of_vertex(vertex);
  const Participant& p = view_->participants[slot];
  const TouchingView::Slot& group = view_->slots[slot];
  const std::uint32_t own = vertex - surfaces[slot].first_vertex;
  if (p.kind == Participant::Kind::soft && !group.done && group.touches) {
    if (p.embedding != nullptr) {
      for (std::size_t k = 0; k < 4; ++k)
        couplings_.add(group.place + p.embedding->corners()[own][k], weight * p.embedding->weights()[own][k]);
    } else {
      couplings_.add(group.place + p.nodes[own], weight);
    }
  } else if (p.kind == Participant::Kind::rigid) {
    const RigidMass& mass = view_->rigid->mass(p.body);
    const Mover& one = movers_[group.place];
    const Vec3 in_axes = mass.frame.rotation.conjugate() * (p.local[own] - mass.frame.position);
    constant += weight * (one.free.axes * in_axes);
    couplings_.add(one.first, weight);
    // A turn t along the axes moves the point by t x r = -r x t.
    const Mat3 arm = one.free.axes.toRotationMatrix() * -cross_matrix(in_axes) *
                     one.free.radii.cwiseInverse().asDiagonal();
    couplings_.add(one.first + 1, weight * arm);
  } else {  // still, or it is known where it goes
    constant += weight * view_->vertex_end(slot, own);
  }
}

void Island::build_couplings() {
  couplings_.clear();
  const auto positions = view_->detector->surfaces().positions();
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
void Island::couple_joints() {
  law_.joints.clear();
  ids_.clear();
  for (const Mover& one : movers_) ids_.push_back(one.id);
  view_->rigid->held_joints(ids_, joints_);
  for (const RigidBodies::HeldJoint& joint : joints_) {
    std::array<const Mover*, 2> side = {nullptr, nullptr};
    double mass = HUGE_VAL;
    for (std::size_t k = 0; k < 2; ++k)
      if (joint.bodies[k]) side[k] = find_mover(joint.bodies[k]);
    for (const Mover* one : side)
      if (one != nullptr) mass = std::min(mass, one->free.mass);
    const double held = joint_stiffness * mass / (view_->seconds * view_->seconds);
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
double Island::layer(std::uint32_t slot, double area, double thickness) const {
  const Participant& p = view_->participants[slot];
  if (p.kind == Participant::Kind::rigid)
    return rigid_stiffness * view_->slots[slot].load / (view_->step * view_->step);
  if (p.kind != Participant::Kind::soft) return HUGE_VAL;
  const double elastic = view_->options.stiffness * p.young * area / thickness;
  return std::min(elastic, most_stiffness * p.mass * area / (p.area * view_->step * view_->step));
}

ContactSpring Island::spring_of(const Touch& touch, const Vec3& start, double harder) const {
  const Participant &a = view_->participants[touch.first_surface],
                    &b = view_->participants[touch.second_surface];
  const double d = view_->detector->contact_distance(a.surface, b.surface);
  const double one = layer(touch.first_surface, touch.area, d),
               other = layer(touch.second_surface, touch.area, d);
  double k = 0;
  if (a.kind == Participant::Kind::rigid && b.kind == Participant::Kind::rigid)
    k = one + other;
  else
    k = one == HUGE_VAL ? other : other == HUGE_VAL ? one : one * other / (one + other);
  if (view_->options.compliance > 0) k = 1 / (1 / k + view_->options.compliance / touch.area);
  k *= harder;
  // What is pressed comes out slowly: the same as a damper along the normal, for things that come nearer.
  const double gap = touch.gap, beta = view_->options.damping;
  const double thick = view_->thickness_of(touch);
  double target = (thick + beta * std::min(gap, thick)) / (1 + beta);
  if (gap < 0) target = std::min(target, gap + view_->options.easing_speed * view_->step);
  ContactSpring spring;
  spring.normal = touch.normal;
  spring.stiffness = (1 + beta) * k;
  spring.target = target;
  // What was asked to give way does so evenly.
  if (!(view_->options.compliance > 0)) {
    const double hard = flat * thick;
    spring.hard_stiffness = (1 + beta) * (harder_flat - 1) * k;
    spring.hard = std::min(target, (hard + beta * std::min(gap, hard)) / (1 + beta));
  }
  spring.tangent_stiffness = k;
  spring.origin = start;
  if (const RememberedContact* const before = view_->memory.find(touch.key)) {
    const auto [sticking, sliding] = view_->friction_of(touch);
    const Vec3 across = before->across();
    spring.origin -= across - touch.normal.dot(across) * touch.normal;
    spring.slip = (before->slides() ? sliding : sticking) * before->push;
  }
  return spring;
}

}  // namespace palpate
