// Which surfaces come near each other at all: sweep and prune over their boxes.
//
// The surfaces stay sorted by the low ends of their boxes along one axis, from call to call: things move
// little in a step, so insertion sort finds them nearly in order. Sweeping along the axis, each is compared
// with those whose boxes have not ended yet. The axis is the one along which the centres spread most.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <palpate/collide/surfaces.h>

namespace palpate {

class Sweep {
 public:
  struct Pair {
    std::uint32_t first, second;  // slots, first < second
  };
  // Pairs of living surfaces whose boxes are not farther apart than `reach`, in no particular order. Two that
  // are both fixed never come near. While a step is looked at, of all that they go through.
  void find(const Surfaces& surfaces, double reach, std::vector<Pair>& pairs);

 private:
  struct Entry {
    Box box;
    std::uint32_t slot;
    bool fixed;
  };
  std::vector<Entry> order_;  // ascending by the box's low end along axis_
  std::vector<std::uint32_t> open_, place_;
  int axis_ = 0;
};

}  // namespace palpate
