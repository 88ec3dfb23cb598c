#include <palpate/study/claim.h>

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace palpate {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::partly:
      return "partly";
    case Verdict::does_not_hold:
      return "does not hold";
    case Verdict::not_judged:
      return "cannot be judged";
  }
  return "";
}

Verdict verdict_of(std::size_t cases, std::size_t cases_that_hold) {
  if (cases == 0) return Verdict::not_judged;
  if (cases_that_hold == cases) return Verdict::holds;
  return cases_that_hold == 0 ? Verdict::does_not_hold : Verdict::partly;
}

void Claim::judge(const std::function<bool(double)>& is_so) {
  held = static_cast<std::size_t>(std::count_if(measured.begin(), measured.end(), is_so));
  verdict = verdict_of(measured.size(), held);
}

std::string Claim::measured_text() const {
  if (measured.empty()) return remark.empty() ? "-" : remark;
  std::string text;
  for (const double value : measured)
    text += fmt::format("{}{:.3g}{}", text.empty() ? "" : ", ", value, unit);
  return remark.empty() ? text : text + "; " + remark;
}

Table claims_table(std::span<const Claim> claims) {
  Table table{"\"Holds\" means in all cases measured.",
              {"published claim", "published figures", "verdict here", "measured here", "rule"},
              {}};
  for (const Claim& one : claims)
    table.rows.push_back(
        {one.claim, one.published, std::string(name_of(one.verdict)), one.measured_text(), one.rule});
  return table;
}

std::string claims_json(std::span<const Claim> claims) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Claim& one : claims)
    all.push_back({{"claim", one.claim},
                   {"published", one.published},
                   {"rule", one.rule},
                   {"measured", one.measured},
                   {"unit", one.unit},
                   {"cases_that_hold", one.held},
                   {"verdict", name_of(one.verdict)},
                   {"remark", one.remark}});
  return all.dump();
}

}  // namespace palpate
