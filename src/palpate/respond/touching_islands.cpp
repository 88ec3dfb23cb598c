// What hangs together.
#include <algorithm>

#include <palpate/respond/touching_step.h>

namespace palpate {

void TouchingStep::mark_touching() {
  for (TouchingView::Slot& slot : view_.slots) slot.touches = false;
  for (const Touch& touch : touches_)
    for (const std::uint32_t slot : {touch.first_surface, touch.second_surface}) {
      const Participant& p = view_.participants[slot];
      view_.slots[slot].touches =
          p.kind == Participant::Kind::rigid ||
          (p.kind == Participant::Kind::soft && p.soft->couples() && !view_.slots[slot].done);
    }
}

std::uint32_t TouchingStep::root_of(std::uint32_t at) {
  while (roots_[at] != at) at = roots_[at] = roots_[roots_[at]];
  return at;
}

void TouchingStep::join(std::uint32_t a, std::uint32_t b) {
  a = root_of(a);
  b = root_of(b);
  roots_[std::max(a, b)] = std::min(a, b);
}

// Slots, and after them the rigid bodies that touch or are joined to such.
void TouchingStep::find_roots() {
  const auto slots = static_cast<std::uint32_t>(view_.slots.size());
  roots_.resize(slots + touching_bodies_.size());
  for (std::uint32_t i = 0; i < roots_.size(); ++i) roots_[i] = i;
  const auto place = [&](BodyId id) {
    const auto at = std::lower_bound(touching_bodies_.begin(), touching_bodies_.end(), id,
                                     [&](BodyId a, BodyId b) { return view_.rigid->is_before(a, b); });
    return slots + static_cast<std::uint32_t>(at - touching_bodies_.begin());
  };
  for (std::uint32_t slot = 0; slot < slots; ++slot)
    if (view_.slots[slot].touches && view_.participants[slot].kind == Participant::Kind::rigid)
      join(slot, place(view_.participants[slot].body));
  for (const Touch& touch : touches_)
    if (view_.slots[touch.first_surface].touches && view_.slots[touch.second_surface].touches)
      join(touch.first_surface, touch.second_surface);
  if (view_.rigid->joints() == 0) return;
  view_.rigid->held_joints(touching_bodies_, joints_);
  for (const RigidBodies::HeldJoint& joint : joints_)
    if (joint.bodies[0] && joint.bodies[1] && view_.rigid->kind(joint.bodies[0]) == RigidKind::dynamic &&
        view_.rigid->kind(joint.bodies[1]) == RigidKind::dynamic)
      join(place(joint.bodies[0]), place(joint.bodies[1]));
}

std::unique_ptr<Island> TouchingStep::spare_island() {
  if (spare_.empty()) return std::make_unique<Island>();
  std::unique_ptr<Island> island = std::move(spare_.back());
  spare_.pop_back();
  island->clear();
  return island;
}

// Islands in which nothing is fresh are those of the last round. What a light body carries may be heavy:
// contacts are as stiff as the heaviest body needs that they may have to hold.
void TouchingStep::find_islands() {
  auto& slots = view_.slots;
  for (std::uint32_t slot = 0; slot < slots.size(); ++slot) {
    slots[slot].root = root_of(slot);
    slots[slot].load = 0;
  }
  for (std::uint32_t slot = 0; slot < slots.size(); ++slot) {
    TouchingView::Slot& root = slots[slots[slot].root];
    root.fresh = root.fresh || slots[slot].fresh;
    root.far = root.far || slots[slot].far;
    if (view_.participants[slot].kind == Participant::Kind::rigid)
      root.load = std::max(root.load, view_.participants[slot].mass);
  }
  next_islands_.clear();
  auto before = islands_.begin();
  for (std::uint32_t slot = 0; slot < slots.size(); ++slot) {
    slots[slot].fresh = slots[slots[slot].root].fresh;
    slots[slot].far = slots[slots[slot].root].far;
    slots[slot].load = slots[slots[slot].root].load;
    if (slots[slot].root != slot || !slots[slot].touches) continue;
    while (before != islands_.end() && before->root < slot) ++before;
    const bool there = before != islands_.end() && before->root == slot && before->island;
    if (there && !slots[slot].fresh)
      next_islands_.push_back({slot, std::move(before->island), false});
    else
      next_islands_.push_back({slot, nullptr, true});
  }
  for (Place& place : islands_)
    if (place.island) spare_.push_back(std::move(place.island));
  islands_.swap(next_islands_);
  for (Place& place : islands_)
    if (place.fresh) place.island = spare_island();
  const auto island_at = [&](std::uint32_t root) -> Island* {
    const auto at = std::lower_bound(islands_.begin(), islands_.end(), root,
                                     [](const Place& a, std::uint32_t r) { return a.root < r; });
    return at->fresh ? at->island.get() : nullptr;
  };
  for (std::uint32_t slot = 0; slot < slots.size(); ++slot)
    if (slots[slot].touches)
      if (Island* const island = island_at(slots[slot].root)) island->add_body(slot);
  for (std::size_t k = 0; k < touching_bodies_.size(); ++k)
    if (Island* const island = island_at(root_of(static_cast<std::uint32_t>(slots.size() + k))))
      island->add_mover(touching_bodies_[k]);
  for (std::size_t c = 0; c < touches_.size(); ++c) {
    const bool by_first = slots[touches_[c].first_surface].touches;
    const std::uint32_t slot = by_first ? touches_[c].first_surface : touches_[c].second_surface;
    if (!slots[slot].touches) continue;
    if (Island* const island = island_at(slots[slot].root)) island->add_touch(touches_[c], harder_[c]);
  }
}

}  // namespace palpate
