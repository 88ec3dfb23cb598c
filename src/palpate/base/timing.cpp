#include <palpate/base/timing.h>

namespace palpate {

StageTimer::Scope::~Scope() {
  Stage& stage = timer_.stages_[stage_];
  stage.nanoseconds += std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count();
  ++stage.calls;
}

void StageTimer::add(const Stage& measured) {
  Stage& stage = stages_[index_of(measured.name)];
  stage.nanoseconds += measured.nanoseconds;
  stage.calls += measured.calls;
}

void StageTimer::restart() {
  for (Stage& stage : stages_) stage = {stage.name};
}

double StageTimer::milliseconds(std::string_view name) const {
  for (const Stage& stage : stages_)
    if (stage.name == name) return static_cast<double>(stage.nanoseconds) * 1e-6;
  return 0;
}

std::size_t StageTimer::index_of(std::string_view name) {
  // A handful of stages: a linear search beats a map.
  for (std::size_t i = 0; i < stages_.size(); ++i)
    if (stages_[i].name == name) return i;
  stages_.push_back({name});
  return stages_.size() - 1;
}

}  // namespace palpate
