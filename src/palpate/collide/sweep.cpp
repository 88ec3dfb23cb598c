#include <palpate/collide/sweep.h>

#include <algorithm>

namespace palpate {

namespace {

int widest_axis(const Surfaces& surfaces) {
  Box centres;
  for (const Surface& surface : surfaces.slots())
    if (!surface.box.empty()) centres.add(surface.box.center());
  Eigen::Index axis = 0;
  centres.size().maxCoeff(&axis);
  return static_cast<int>(axis);
}

}  // namespace

void Sweep::find(const Surfaces& surfaces, double reach, std::vector<Pair>& pairs) {
  pairs.clear();
  // Those that were there keep their order; the others come last.
  place_.assign(surfaces.slots().size(), 0);
  for (const Entry& entry : order_)
    if (entry.slot < place_.size()) place_[entry.slot] = 1;
  for (std::uint32_t slot = 0; slot < place_.size(); ++slot)
    if (place_[slot] == 0) order_.push_back({{}, slot, false});
  std::erase_if(order_, [&](const Entry& entry) {
    return entry.slot >= surfaces.slots().size() || !surfaces.alive(entry.slot) ||
           surfaces[entry.slot].box.empty();
  });
  for (Entry& entry : order_) {
    const Surface& surface = surfaces[entry.slot];
    // Half the reach and a little: the sum of two roundings must not lose a pair.
    entry.box = grown(surfaces.box(entry.slot), reach * 0.500001);
    entry.fixed = surface.motion == Motion::fixed;
  }
  const int axis = widest_axis(surfaces);
  const auto lower = [axis](const Entry& a, const Entry& b) { return a.box.lo[axis] < b.box.lo[axis]; };
  if (axis != axis_) std::sort(order_.begin(), order_.end(), lower);
  axis_ = axis;
  for (std::size_t i = 1; i < order_.size(); ++i)
    for (std::size_t k = i; k > 0 && lower(order_[k], order_[k - 1]); --k)
      std::swap(order_[k], order_[k - 1]);

  open_.clear();
  for (std::uint32_t i = 0; i < order_.size(); ++i) {
    const Entry& here = order_[i];
    std::size_t kept = 0;
    for (const std::uint32_t k : open_) {
      const Entry& other = order_[k];
      if (other.box.hi[axis] < here.box.lo[axis]) continue;
      open_[kept++] = k;
      if (other.box.overlaps(here.box) && !(other.fixed && here.fixed))
        pairs.push_back({std::min(here.slot, other.slot), std::max(here.slot, other.slot)});
    }
    open_.resize(kept);
    open_.push_back(i);
  }
}

}  // namespace palpate
