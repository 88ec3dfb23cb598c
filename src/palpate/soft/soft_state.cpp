// The state of a soft body: to bytes and back, and its hash.
//
// What a body is made of is not part of it; what solvers carry over from step to step is. That is a factor of
// the metric which may lag behind: of what it was made for, the nodes that were held tell all.
#include <algorithm>
#include <cmath>

#include <palpate/soft/soft_body.h>

namespace palpate {

namespace {

void get(ByteReader& from, std::vector<Vec3>& into) {
  const std::span<double> numbers(into.empty() ? nullptr : into[0].data(), 3 * into.size());
  from.get(numbers);
  if (!std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); }))
    from.fail("a number in it is not finite");
}

}  // namespace

void SoftBody::hash(StateHash& hash) const {
  for (const auto* list : {&x_, &v_, &force_, &push_, &goal_}) hash.add(numbers_of(*list));
  hash.add(std::span<const std::uint8_t>(fixed_));
  hash.add(untangler_.left());
  hash.add(numbers_of({&options_.gravity, 1}));
}

void SoftBody::save(ByteWriter& to) const {
  to.put(std::uint64_t{x_.size()});
  to.put(std::uint64_t{rest_.tets.size()});
  to.put(changes_);
  for (const auto* list : {&x_, &v_, &force_, &push_, &goal_}) to.put(numbers_of(*list));
  to.put(std::span<const std::uint8_t>(fixed_));
  to.put(untangler_.left());
  to.put(numbers_of({&options_.gravity, 1}));
  to.put(static_cast<std::uint8_t>(prepared_));
  to.put(static_cast<std::uint8_t>(changed_));
  to.put(prepared_step_);
  if (prepared_) solver_->save(changed_, to);
}

void SoftBody::load(ByteReader& from) {
  if (from.get<std::uint64_t>() != x_.size() || from.get<std::uint64_t>() != rest_.tets.size())
    from.fail("a soft body in it has other nodes or elements");
  if (from.get<std::uint64_t>() != changes_)
    from.fail("the elements of a soft body were changed since, or before");
  for (auto* list : {&x_, &v_, &force_, &push_, &goal_}) get(from, *list);
  pushed_ = true;
  from.get(std::span(fixed_));
  untangler_.set_left(from.get<double>());
  from.get(std::span<double>(options_.gravity.data(), 3));
  const bool prepared = from.get<std::uint8_t>() != 0, changed = from.get<std::uint8_t>() != 0;
  const auto step = from.get<double>();
  if (!std::isfinite(step) || (prepared && !(step > 0))) from.fail("it is damaged");
  bool same = prepared_ && !changed_ && step == prepared_step_;
  for (std::size_t i = 0; i < fixed_.size(); ++i) {
    const std::uint8_t held = fixed_[i] != 0 || !(equations_.masses[i] > 0) ? 1 : 0;
    same = same && held == equations_.held[i];
    equations_.held[i] = held;
  }
  equations_.step = prepared_step_ = step;
  if (prepared) {
    if (!same) begin_damping(x_, step);  // metrics depend on its length
    solver_->load(equations_, same, from);
  }
  if (!same) untangler_.reset();
  prepared_ = prepared;
  changed_ = changed;
}

}  // namespace palpate
