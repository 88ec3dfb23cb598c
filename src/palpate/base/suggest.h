// "Did you mean ...?" for names that people type.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace palpate {

// The candidate that is nearest to what was given by insertions, deletions, replacements and swaps of
// neighbours; none if even that would take more than a third of the letters.
std::optional<std::string> nearest_name(std::string_view given, std::span<const std::string> candidates);

// What to do about a name that is not there: "Did you mean 'x'?", or all names.
std::string did_you_mean(std::string_view given, std::span<const std::string> candidates);

}  // namespace palpate
