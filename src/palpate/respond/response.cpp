#include <palpate/respond/response.h>

#include <palpate/respond/impulse_step.h>
#include <palpate/respond/penalty_step.h>
#include <palpate/respond/touching_step.h>

namespace palpate {

std::unique_ptr<Response> make_response(const ResponseOptions& options) {
  require(options);
  if (options.name == "constraint") return std::make_unique<TouchingStep>(options);
  if (options.name == "penalty") return std::make_unique<PenaltyStep>(options);
  if (options.name == "impulse") return std::make_unique<ImpulseStep>(options);
  return nullptr;
}

}  // namespace palpate
