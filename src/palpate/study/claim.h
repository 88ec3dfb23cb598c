// Published claims, and whether what is measured here shows them.
//
// No verdict is written down anywhere: each follows from numbers by a rule that is shown with it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <palpate/report/page.h>

namespace palpate {

enum class Verdict : std::uint8_t { holds, partly, does_not_hold, not_judged };
std::string_view name_of(Verdict verdict);
// Holds if it does in all cases, partly if in some.
Verdict verdict_of(std::size_t cases, std::size_t cases_that_hold);

struct Claim {
  std::string claim, published;  // what was said, and the figures that were given for it
  std::string rule;              // by which it is judged
  std::vector<double> measured;  // of each case
  std::string unit = {};         // " x", " ms"
  std::size_t held = 0;          // cases
  Verdict verdict = Verdict::not_judged;
  std::string remark = {};

  // Judges by what each case shows.
  void judge(const std::function<bool(double)>& is_so);
  std::string measured_text() const;
};

// All with their rules.
Table claims_table(std::span<const Claim> claims);
// A JSON array.
std::string claims_json(std::span<const Claim> claims);

}  // namespace palpate
