#include <palpate/mesh/formats/skipped.h>

#include <fmt/format.h>

namespace palpate::detail {

void Skipped::add(std::string_view what, std::size_t count) {
  std::string name(what);
  if (counts_.size() >= 64 && !counts_.contains(name)) name = "other things";
  counts_[name] += count;
}

void Skipped::append_to(std::vector<std::string>& warnings) const {
  constexpr std::size_t most = 12;
  std::size_t shown = 0;
  for (const auto& [what, count] : counts_) {
    if (shown++ == most) {
      warnings.push_back(fmt::format("skipped {} more kinds of content", counts_.size() - most));
      return;
    }
    warnings.push_back(fmt::format("skipped {} {}", count, what));
  }
}

}  // namespace palpate::detail
