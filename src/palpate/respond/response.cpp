#include <palpate/respond/response.h>

#include <algorithm>

#include <palpate/respond/impulse_step.h>
#include <palpate/respond/penalty_step.h>
#include <palpate/respond/touching_step.h>

namespace palpate {

void TouchingReport::add(const TouchingReport& next) {
  touches = std::max(touches, next.touches);
  pushing = std::max(pushing, next.pushing);
  solves += next.solves;
  guarded += next.guarded;
  parts = parts == 0 ? next.parts : parts + next.parts - 1;
  lost += next.lost;
  guard_nanoseconds += next.guard_nanoseconds;
  solve.add(next.solve);
  rigid.add(next.rigid);
}

std::unique_ptr<Response> make_response(const ResponseOptions& options) {
  require(options);
  if (options.name == "constraint") return std::make_unique<TouchingStep>(options);
  if (options.name == "penalty") return std::make_unique<PenaltyStep>(options);
  if (options.name == "impulse") return std::make_unique<ImpulseStep>(options);
  return nullptr;
}

}  // namespace palpate
