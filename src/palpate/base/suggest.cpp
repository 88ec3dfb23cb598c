#include <palpate/base/suggest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/ranges.h>

namespace palpate {

namespace {

// Edit distance with swaps of neighbours (Damerau), row by row.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view given, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  std::size_t fewest = std::max<std::size_t>(given.size(), 3) / 3 + 1;
  for (const std::string& candidate : candidates)
    if (const std::size_t n = edits(given, candidate); n < fewest) {
      fewest = n;
      best = candidate;
    }
  return best;
}

std::string did_you_mean(std::string_view given, std::span<const std::string> candidates) {
  const std::optional<std::string> nearest = nearest_name(given, candidates);
  if (nearest) return fmt::format("Did you mean '{}'?", *nearest);
  return fmt::format("There are: {}.", fmt::join(candidates.begin(), candidates.end(), ", "));
}

}  // namespace palpate
