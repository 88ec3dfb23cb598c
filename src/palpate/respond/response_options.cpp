#include <palpate/respond/response_options.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <palpate/base/error.h>
#include <palpate/base/suggest.h>

namespace palpate {

namespace {

constexpr std::array<std::string_view, 4> names = {"none", "constraint", "penalty", "impulse"};

}  // namespace

std::span<const std::string_view> response_names() { return names; }

void require(const ResponseOptions& options) {
  if (std::find(names.begin(), names.end(), options.name) == names.end())
    throw Error(Place::named("response", options.name), "there is none of this name",
                did_you_mean(options.name, std::vector<std::string>(names.begin(), names.end())));
  const auto refuse = [](std::string_view what, double value, std::string_view range) {
    throw Error(Place::named("response", what), fmt::format("it is {}", value),
                fmt::format("It must be {}.", range));
  };
  if (!(options.stiffness > 0) || !std::isfinite(options.stiffness))
    refuse("stiffness", options.stiffness, "above 0");
  for (const auto& [what, value] : {std::pair{"compliance", options.compliance},
                                    {"damping", options.damping},
                                    {"easing_speed", options.easing_speed}})
    if (!(value >= 0) || !std::isfinite(value)) refuse(what, value, "0 or above");
  for (const auto& [what, value] : {std::pair{"passes", options.passes},
                                    {"iterations", options.iterations},
                                    {"most_parts", options.most_parts}})
    if (value < 1) refuse(what, value, "1 or above");
  if (options.rounds < 0) refuse("rounds", options.rounds, "0 or above");
}

}  // namespace palpate
