// The plot: times on a logarithmic axis, because methods differ by orders of magnitude.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <palpate/report/plot.h>

#include "output.h"

namespace palpate::bench {

namespace {

constexpr double left = 290, width = 430, bar = 15, gap = 12;

// Blue for ours, greys for the others: readable without colour, too.
const char* colour_of(Role role) {
  switch (role) {
    case Role::ours:
      return "#1f6feb";
    case Role::reference:
      return "#57606a";
    case Role::peer:
      return "#8c959f";
    case Role::floor:
      return "#d0d7de";
  }
  return "";
}

std::string time_text(double ms) {
  if (ms >= 1000) return fmt::format("{:.3g} s", ms / 1e3);
  if (ms >= 1) return fmt::format("{:.3g} ms", ms);
  return fmt::format("{:.3g} µs", ms * 1e3);
}

struct Scale {
  double low, high;  // powers of ten
  double x(double ms) const { return left + width * (std::log10(ms) - low) / (high - low); }
};

Scale scale_of(const Report& report) {
  double low = 300, high = -300;
  for (const Row& row : report.rows) {
    low = std::min(low, std::floor(std::log10(row.median_ms)));
    high = std::max(high, std::ceil(std::log10(row.median_ms)));
  }
  return {low, std::max(high, low + 1)};
}

}  // namespace

std::string plot(const Benchmark& benchmark, const Machine& machine, const Report& report) {
  const Scale scale = scale_of(report);
  double y = 46;
  std::string body, previous;
  for (const Row& row : report.rows) {
    if (row.case_name != previous) {
      y += gap;
      body += fmt::format("<text x='10' y='{:.0f}' class='case'>{}</text>\n", y + 12, escaped(row.case_name));
      y += bar + 4;
      previous = row.case_name;
    }
    const double x = scale.x(row.median_ms);
    body += fmt::format("<text x='{:.0f}' y='{:.0f}' text-anchor='end'>{}{}</text>\n", left - 8, y + 12,
                        escaped(row.method), row.threads > 1 ? fmt::format(", {} threads", row.threads) : "");
    body += fmt::format("<rect x='{:.0f}' y='{:.1f}' width='{:.1f}' height='{:.0f}' fill='{}'/>\n", left,
                        y + 1, std::max(1.0, x - left), bar - 2, colour_of(row.role));
    body += fmt::format("<text x='{:.1f}' y='{:.0f}'>{}</text>\n", std::max(left, x) + 6, y + 12,
                        time_text(row.median_ms));
    y += bar;
  }
  std::string lines;
  for (int power = static_cast<int>(scale.low); power <= static_cast<int>(scale.high); ++power) {
    const double x = scale.x(std::pow(10.0, power));
    lines += fmt::format("<line x1='{0:.1f}' x2='{0:.1f}' y1='50' y2='{1:.0f}' stroke='#eaeef2'/>\n", x, y);
    lines += fmt::format("<text x='{:.1f}' y='{:.0f}' text-anchor='middle' fill='#57606a'>{}</text>\n", x,
                         y + 16, time_text(std::pow(10.0, power)));
  }
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='820' height='{0:.0f}' viewBox='0 0 820 {0:.0f}' "
      "font-family='sans-serif' font-size='12'>\n"
      "<style>.case {{ font-weight: bold }}</style>\n<rect width='100%' height='100%' fill='white'/>\n"
      "<text x='10' y='22' font-size='15' font-weight='bold'>palpate bench {1}: median time, shorter is "
      "better "
      "(logarithmic)</text>\n"
      "<text x='10' y='40' fill='#57606a'>{2}, built for {3}, kernels {4}. Blue: ours. Dark grey: reference. "
      "Grey: "
      "peers. Light grey: floor.</text>\n{5}{6}</svg>\n",
      y + 30, escaped(benchmark.name), escaped(machine.cpu), escaped(machine.built_for),
      escaped(machine.kernels), lines, body);
}

}  // namespace palpate::bench
