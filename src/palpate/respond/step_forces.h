// What contacts pushed with in a step that may have parts: those of each part, to those of all, by their
// keys.
// (Colliders of users may give a number to one body in one part and to another in the next.)
#pragma once

#include <algorithm>
#include <span>
#include <tuple>
#include <vector>

#include <palpate/respond/response.h>

namespace palpate {

class StepForces {
 public:
  void begin_step() { all_.clear(); }
  void begin_part() { part_.clear(); }
  std::vector<ContactForce>& part() { return part_; }  // what each did, on average over the whole step
  void end_part() {
    std::sort(part_.begin(), part_.end(), before);
    summed_.clear();
    auto next = all_.begin();
    for (const ContactForce& one : part_) {
      while (next != all_.end() && !before(one, *next)) add(*next++);
      add(one);
    }
    while (next != all_.end()) add(*next++);
    all_.swap(summed_);
  }
  std::span<const ContactForce> all() const { return all_; }  // ascending, each key and its bodies once
  std::size_t pushing() const {
    return static_cast<std::size_t>(
        std::count_if(all_.begin(), all_.end(), [](const ContactForce& one) { return one.push > 0; }));
  }

 private:
  static auto order(const ContactForce& f) {
    return std::tuple(f.key, f.first.index, f.first.generation, f.second.index, f.second.generation);
  }
  static bool before(const ContactForce& a, const ContactForce& b) { return order(a) < order(b); }
  void add(const ContactForce& one) {
    if (summed_.empty() || before(summed_.back(), one)) {
      summed_.push_back(one);
      return;
    }
    ContactForce& sum = summed_.back();
    sum.force += one.force;
    sum.push += one.push;
    sum.point = one.point;  // where it was last
  }

  std::vector<ContactForce> all_, part_, summed_;
};

}  // namespace palpate
