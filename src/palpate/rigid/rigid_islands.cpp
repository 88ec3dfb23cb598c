// Islands: dynamic bodies that joints connect, and those joints. Each is solved by itself, so that what
// happens to one depends on no other, in no bit; and several at once. What is found here stays until bodies
// or joints come or go.
//
// The free motion of an island that turns fast is cut into parts, each with its joints held: in one part
// joints would push along gradients that have turned away by the end. Forces push at the ends of the whole
// step (r-RESPA: Tuckerman, Berne & Martyna 1992). Into how many parts depends on how things move, only.
#include <algorithm>
#include <cmath>

#include <palpate/rigid/rigid_bodies.h>

namespace palpate {

namespace {

constexpr double most_angle = 0.25;    // that a body turns by without its motion being cut [rad]
constexpr double part_angle = 0.0625;  // of a part, where it is: energy is then kept to 0.1 %
constexpr int most_parts = 64;
constexpr double held_to = 1e-9;  // joints that are off by less need no more parts

}  // namespace

// Those of joints that can push something, island by island.
void RigidBodies::list_joints() {
  if (!joints_changed_) return;
  joints_changed_ = false;
  find_islands();
  linked_.clear();
  joined_.assign(bodies_.size(), 0);
  for (const auto& joint : joints_) {
    if (!joint) continue;
    Linked linked{joint.get(),
                  {place_of(joint->bodies()[0]), place_of(joint->bodies()[1])},
                  none,
                  static_cast<std::uint32_t>(joint->rows())};
    for (const std::uint32_t place : linked.side)
      if (place != none && bodies_[place].kind == RigidKind::dynamic) {
        joined_[place] = 1;
        linked.island = island_[place];
      }
    if (linked.island != none) linked_.push_back(linked);
  }
  std::stable_sort(linked_.begin(), linked_.end(),
                   [](const Linked& a, const Linked& b) { return a.island < b.island; });
  members_.clear();
  for (std::uint32_t i = 0; i < bodies_.size(); ++i)
    if (joined_[i] != 0) members_.push_back(i);
  std::stable_sort(members_.begin(), members_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return island_[a] < island_[b]; });
  for (auto* list : {&value_, &first_value_, &change_, &multipliers_, &found_})
    list->assign(linked_.size(), BlockVector::Zero());
  gradients_.assign(linked_.size(), {Block::Zero(), Block::Zero()});
  later_gradients_ = gradients_;
  compliances_.assign(linked_.size(), 0);
  gives_ = compliances_;
  build_islands();
}

void RigidBodies::build_islands() {
  islands_.clear();
  std::vector<std::uint32_t> number(bodies_.size(), no_block);  // of a body in its island
  std::vector<BlockLink> links;
  std::size_t joint = 0, member = 0;
  while (joint < linked_.size()) {
    Island& island = islands_.emplace_back();
    const std::uint32_t name = linked_[joint].island;
    island.joint_begin = joint;
    island.member_begin = member;
    for (; member < members_.size() && island_[members_[member]] == name; ++member)
      number[members_[member]] = static_cast<std::uint32_t>(member - island.member_begin);
    links.clear();
    for (; joint < linked_.size() && linked_[joint].island == name; ++joint) {
      const auto& side = linked_[joint].side;
      links.push_back(
          {side[0] == none ? no_block : number[side[0]], side[1] == none ? no_block : number[side[1]]});
    }
    island.joint_end = joint;
    island.member_end = member;
    island.equations.prepare(island.member_end - island.member_begin, links);
  }
}

std::span<const std::uint32_t> RigidBodies::members_of(const Island& island) const {
  return std::span(members_).subspan(island.member_begin, island.member_end - island.member_begin);
}

bool RigidBodies::is_awake(const Island& island) const {
  const auto members = members_of(island);
  return std::any_of(members.begin(), members.end(), [&](std::uint32_t i) { return !bodies_[i].asleep; });
}

int RigidBodies::parts_of(const Island& island, double seconds) const {
  double rate = 0;
  for (const std::uint32_t i : members_of(island))
    rate = std::max(rate, bodies_[i].inverse_moments.cwiseProduct(before_[i].momentum).norm());
  for (std::size_t j = island.joint_begin; j < island.joint_end; ++j)
    for (const std::uint32_t i : linked_[j].side)
      if (i != none && bodies_[i].kind == RigidKind::kinematic)
        rate = std::max(rate, before_[i].momentum.norm());
  if (!(rate * seconds > most_angle)) return 1;
  return static_cast<int>(std::ceil(std::min<double>(rate * seconds / part_angle, most_parts)));
}

// From `before_` to `now_`, with joints that hold there. Where joints pull so hard that what is between them
// would swing too fast for the step, they cannot be held, and it is cut, too.
void RigidBodies::move_island(Island& island, double seconds) {
  for (const std::uint32_t i : members_of(island)) half_[i] = before_[i];
  for (std::size_t j = island.joint_begin; j < island.joint_end; ++j)
    compliances_[j] = linked_[j].joint->compliance();
  double last = HUGE_VAL;
  for (int parts = parts_of(island, seconds);; parts = std::min(4 * parts, most_parts)) {
    const double off = move_in_parts(island, seconds, parts);
    // Joints that contradict each other gain nothing.
    if (!(off > held_to) || parts == most_parts || !(off < 0.1 * last)) return;
    last = off;
    for (const std::uint32_t i : members_of(island)) before_[i] = half_[i];
  }
}

// Returns how much joints were off, at most, relative to how far from the origin things are, or to 1 m.
double RigidBodies::move_in_parts(Island& island, double seconds, int parts) {
  double most_off = 0;
  for (int part = 0; part < parts; ++part) {
    const double from = static_cast<double>(part) / parts, to = static_cast<double>(part + 1) / parts;
    if (part == 0) {
      evaluate_joints(island, before_, from, gradients_);
    } else {
      push_by_compliance(island);
      hold_velocities(island);
      for (const std::uint32_t i : members_of(island)) before_[i] = now_[i];
      for (std::size_t j = island.joint_begin; j < island.joint_end; ++j) gradients_[j] = later_gradients_[j];
    }
    for (std::size_t j = island.joint_begin; j < island.joint_end; ++j) first_value_[j] = value_[j];
    for (const std::uint32_t i : members_of(island)) drift(i, seconds / parts);
    most_off = std::max(most_off, hold_positions(island, seconds / parts, to));
  }
  return most_off;
}

}  // namespace palpate
