// Joints in a step: impulses along the gradients at its start that make them hold at its end, and impulses at
// its end that make velocities agree with them (RATTLE: Andersen 1983).
//
// Both are linear systems over the joints of an island (joint_equations.h). The first is solved a few times,
// as places depend on impulses in a curved way: Newton's method, with the factor kept while it gains two
// digits a round.
#include <algorithm>
#include <cmath>

#include <palpate/rigid/rigid_bodies.h>

namespace palpate {

namespace {

constexpr double tolerance = 1e-12;  // of places, relative to how far from the origin things are, or to 1 m
constexpr double easing_speed = 1;   // at which joints that are off come together [m/s] or [rad/s]
constexpr double good_round = 1e-2;  // what is left after a round that needs no new factor

}  // namespace

// Where the world, or a body, is in the step from `before_`, after this part of it.
ConstraintSide RigidBodies::side_of(std::uint32_t place, const std::vector<Moving>& at, double part) const {
  if (place == none) return {{}, Vec3::Zero()};
  if (bodies_[place].kind != RigidKind::kinematic || part == 1)
    return {pose_of(place, at[place]), at[place].centre};
  Moving moving = before_[place];
  moving.centre += (part * step_) * moving.velocity;
  const double angle = part * step_ * moving.momentum.norm();
  if (angle > 0) moving.turn = Quat(Eigen::AngleAxisd(angle, moving.momentum.normalized())) * moving.turn;
  return {pose_of(place, moving), moving.centre};
}

// To `value_` and `gradients`.
void RigidBodies::evaluate_joints(const Island& island, const std::vector<Moving>& at, double part,
                                  std::vector<JointGradients>& gradients) {
  ConstraintRows rows;
  for (std::size_t j = island.joint_begin; j < island.joint_end; ++j) {
    const Linked& linked = linked_[j];
    linked.joint->at(side_of(linked.side[0], at, part), side_of(linked.side[1], at, part), rows);
    for (std::uint32_t r = 0; r < linked.rows; ++r) {
      const auto& row = rows.row[r];
      value_[j][r] = row.value;
      for (std::size_t k = 0; k < 2; ++k)
        gradients[j][k].row(r) << row.move[k].transpose(), row.turn[k].transpose();
    }
  }
}

// To velocities and momenta of `to`, with turns as there.
void RigidBodies::add_impulses(Island& island, const std::vector<JointGradients>& along,
                               const std::vector<BlockVector>& multipliers, std::vector<Moving>& to) {
  const auto pushes = island.equations.pushes(of(island, along), of(island, multipliers));
  const auto members = members_of(island);
  for (std::size_t i = 0; i < members.size(); ++i) {
    Moving& moving = to[members[i]];
    moving.velocity += bodies_[members[i]].inverse_mass * pushes[i].head<3>();
    moving.momentum += moving.turn.conjugate() * Vec3(pushes[i].tail<3>());
  }
}

// From `before_` to `now_`, so that joints hold there. Returns how much they are off, relative to how far
// from the origin things are, or to 1 m.
double RigidBodies::hold_positions(Island& island, double seconds, double part) {
  double farthest = 1;
  for (std::size_t j = island.joint_begin; j < island.joint_end; ++j) {
    multipliers_[j].setZero();
    for (const std::uint32_t place : linked_[j].side)
      if (place != none) farthest = std::max(farthest, before_[place].centre.cwiseAbs().maxCoeff());
  }
  const auto add = [&](double times) {
    for (std::size_t j = island.joint_begin; j < island.joint_end; ++j) {
      found_[j] *= times;
      multipliers_[j] += found_[j];
    }
    add_impulses(island, gradients_, found_, before_);
    for (const std::uint32_t i : members_of(island)) drift(i, seconds);
  };
  double last = HUGE_VAL;
  for (island.rounds = 1;; ++island.rounds) {
    island.violation = find_violation(island, seconds, part);
    if (!(island.violation > tolerance * farthest) || island.rounds > options_.most_rounds)
      return island.violation / farthest;
    if (!(island.violation < 0.9 * last)) {  // joints that contradict each other, or are stretched out
      if (!(island.violation <= last)) add(-1);
      island.violation = std::min(last, find_violation(island, seconds, part));
      return island.violation / farthest;
    }
    if (island.rounds == 1 || !(island.violation < good_round * last)) factor_positions(island, seconds);
    last = island.violation;
    island.equations.solve(of(island, change_), of(island, found_));
    add(1);
  }
}

// What impulses at the start of a step do to joints at its end.
void RigidBodies::factor_positions(Island& island, double seconds) {
  const auto members = members_of(island);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Quat &before = before_[members[i]].turn, &after = now_[members[i]].turn;
    Quat middle;
    middle.coeffs() = before.coeffs() + (before.dot(after) < 0 ? -1.0 : 1.0) * after.coeffs();
    island.equations.set_body(i, bodies_[members[i]].inverse_mass, bodies_[members[i]].inverse_moments,
                              middle.normalized());
  }
  for (std::size_t j = island.joint_begin; j < island.joint_end; ++j)
    gives_[j] = 2 * compliances_[j] / (seconds * seconds);
  island.equations.factor(of(island, later_gradients_), of(island, gradients_), of(island, gives_));
}

// What joints want to be changed, as things are, by velocities: to `change_`. Returns the most of it [m].
double RigidBodies::find_violation(Island& island, double seconds, double part) {
  evaluate_joints(island, now_, part, later_gradients_);
  double most_off = 0;
  for (std::size_t j = island.joint_begin; j < island.joint_end; ++j)
    for (std::uint32_t r = 0; r < linked_[j].rows; ++r) {
      // What is far off comes nearer, a bit each step.
      const double first = first_value_[j][r], off = std::abs(first), most = easing_speed * seconds;
      const double wanted = off > most && compliances_[j] == 0 ? first * (1 - most / off) : 0;
      const double change = wanted - value_[j][r] - 2 * compliances_[j] / seconds * multipliers_[j][r];
      change_[j][r] = change / seconds;
      if (!(std::abs(change) <= most_off)) most_off = std::abs(change);  // what is not a number stays
    }
  return std::isnan(most_off) ? HUGE_VAL : most_off;
}

// A joint that gives way pushes with value / compliance: half of it was there when places were found, with
// the value at the end of the step, which is what makes it stable; this is the other half.
void RigidBodies::push_by_compliance(Island& island) {
  bool any = false;
  for (std::size_t j = island.joint_begin; j < island.joint_end; ++j) {
    found_[j] = compliances_[j] > 0 ? multipliers_[j] : BlockVector(BlockVector::Zero());
    any = any || compliances_[j] > 0;
  }
  if (any) add_impulses(island, later_gradients_, found_, now_);
}

void RigidBodies::hold_velocities(Island& island) {
  const auto members = members_of(island);
  for (std::size_t i = 0; i < members.size(); ++i)
    island.equations.set_body(i, bodies_[members[i]].inverse_mass, bodies_[members[i]].inverse_moments,
                              now_[members[i]].turn);
  for (std::size_t j = island.joint_begin; j < island.joint_end; ++j) {
    gives_[j] = compliances_[j] > 0 ? -1 : 0;  // what gives way has no say
    change_[j].setZero();
    for (std::size_t k = 0; k < 2; ++k) {
      const std::uint32_t place = linked_[j].side[k];
      if (place == none) continue;
      BlockVector speed;
      speed << now_[place].velocity, angular_velocity_of(place);
      change_[j] -= later_gradients_[j][k].lazyProduct(speed);
    }
  }
  island.equations.factor(of(island, later_gradients_), of(island, later_gradients_), of(island, gives_));
  island.equations.solve_well(of(island, later_gradients_), of(island, gives_), of(island, change_),
                              of(island, found_));
  add_impulses(island, later_gradients_, found_, now_);
}

}  // namespace palpate
