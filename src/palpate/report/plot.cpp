#include <palpate/report/plot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace palpate {

namespace {

constexpr double left = 74, right = 16, top = 34, bottom = 48, legend_row = 20;
// Of middling lightness: they stand out on white and on black.
constexpr std::array<const char*, 11> colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#b8860b", "#3fa7d6", "#8c6bb1", "#7f7f7f",
                                                 "#a6611a", "#e7298a", "#66a61e"};
constexpr std::array<const char*, 5> dashes = {"", "8 3", "2 3", "10 3 2 3", "5 5"};
constexpr std::size_t marker_kinds = 7;

// The numbers of an axis, and where they are along it, 0 to 1.
struct Scale {
  double low = 0, high = 1;
  bool logarithmic = false;

  bool shows(double value) const { return std::isfinite(value) && (!logarithmic || value > 0); }
  double at(double value) const {
    return logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  }
};

Scale scale_of(const PlotAxis& axis, const Plot& plot, bool is_x) {
  Scale scale{.logarithmic = axis.logarithmic};
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const PlotSeries& series : plot.series)
    for (const auto& [x, y] : series.points) {
      const double value = is_x ? x : y;
      if (!scale.shows(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  if (!(low <= high)) low = high = 1;  // nothing to show
  const auto given = [&](const std::optional<double>& value, double& to) {
    if (value && scale.shows(*value)) to = *value;
  };
  given(axis.low, low);
  given(axis.high, high);
  if (!(low < high)) {  // one value: some room around it
    low = scale.logarithmic ? low / 2 : low - std::max(1e-300, 0.5 * std::abs(low));
    high = scale.logarithmic ? 4 * low : low + std::max(2e-300, std::abs(low));
    if (!(low < high)) high = low + 1;
  }
  scale.low = low;
  scale.high = high;
  return scale;
}

std::string number_text(double value) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e-3 && size < 1e5) return fmt::format("{:.6g}", value);
  const int power = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  const double first = value / std::pow(10.0, power);
  return std::abs(first - 1) < 1e-6 ? fmt::format("1e{}", power) : fmt::format("{:.3g}e{}", first, power);
}

// A mark of about eight pixels around (x, y).
std::string marker(std::size_t kind, double x, double y, const char* colour) {
  const auto path = [&](const char* shape, bool filled) {
    return fmt::format("<path d='M{:.1f} {:.1f}{}' fill='{}' stroke='{}' stroke-width='1.4'/>", x, y, shape,
                       filled ? colour : "none", colour);
  };
  switch (kind % marker_kinds) {
    case 0:
      return fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='3.6' fill='{}'/>", x, y, colour);
    case 1:
      return path("m-3.3-3.3h6.6v6.6h-6.6z", true);
    case 2:
      return path("m0-4.2l4 7h-8z", true);
    case 3:
      return path("m0-4.6l4.6 4.6l-4.6 4.6l-4.6-4.6z", false);
    case 4:
      return path("m-3.6-3.6l7.2 7.2m0-7.2l-7.2 7.2", false);
    case 5:
      return fmt::format(
          "<circle cx='{:.1f}' cy='{:.1f}' r='3.6' fill='none' stroke='{}' stroke-width='1.4'/>", x, y,
          colour);
    default:
      return path("m-4.4 0h8.8m-4.4-4.4v8.8", false);
  }
}

struct Look {
  const char* colour;
  const char* dash;
  std::size_t marker;
};
Look look_of(std::size_t series) {
  return {colours[series % colours.size()], dashes[series % dashes.size()], series % marker_kinds};
}
std::string stroke(const Look& look) {
  return fmt::format("fill='none' stroke='{}' stroke-width='1.8'{}", look.colour,
                     *look.dash == 0 ? std::string() : fmt::format(" stroke-dasharray='{}'", look.dash));
}

// The line of a series with markers now and then; points nearer than a pixel to the last one are left out.
std::string draw(const PlotSeries& series, std::size_t index, const Scale& x, const Scale& y, double width,
                 double height) {
  const Look look = look_of(index);
  const double far = 1e5;  // what is clipped anyway needs no more
  std::string path, marks;
  bool gap = true;
  double last_x = 0, last_y = 0, next_mark = 0.02 * width + 11 * static_cast<double>(index % 9);
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const auto& [value_x, value_y] = series.points[i];
    if (!x.shows(value_x) || !y.shows(value_y)) {
      gap = true;
      continue;
    }
    const double at_x = std::clamp(width * x.at(value_x), -far, far),
                 at_y = std::clamp(height * (1 - y.at(value_y)), -far, far);
    const bool is_last = i + 1 == series.points.size();
    if (series.line && !gap && !is_last && std::hypot(at_x - last_x, at_y - last_y) < 1.5) continue;
    if (series.line) path += fmt::format("{}{:.1f} {:.1f}", gap ? "M" : "L", at_x, at_y);
    const bool alone = series.points.size() == 1;
    if (at_x >= next_mark || !series.line || alone) {
      marks += marker(look.marker, at_x, at_y, look.colour);
      next_mark = at_x + 0.17 * width;
    }
    gap = false;
    last_x = at_x;
    last_y = at_y;
  }
  return (path.empty() ? "" : fmt::format("<path d='{}' {}/>", path, stroke(look))) + marks + "\n";
}

std::string axes(const Plot& plot, const Scale& x, const Scale& y, double width, double height) {
  std::string text;
  for (const double tick : plot_ticks(x.low, x.high, x.logarithmic)) {
    const double at = left + width * x.at(tick);
    text += fmt::format("<path d='M{0:.1f} {1:.1f}v{2:.1f}' stroke='currentColor' stroke-opacity='.15'/>", at,
                        top, height);
    text += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>\n", at, top + height + 17,
                        number_text(tick));
  }
  for (const double tick : plot_ticks(y.low, y.high, y.logarithmic)) {
    const double at = top + height * (1 - y.at(tick));
    text += fmt::format("<path d='M{0:.1f} {1:.1f}h{2:.1f}' stroke='currentColor' stroke-opacity='.15'/>",
                        left, at, width);
    text += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='end'>{}</text>\n", left - 7, at + 4,
                        number_text(tick));
  }
  text += fmt::format(
      "<rect x='{}' y='{}' width='{:.1f}' height='{:.1f}' fill='none' stroke='currentColor' "
      "stroke-opacity='.6'/>\n",
      left, top, width, height);
  text += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>\n", left + width / 2,
                      top + height + 38, escaped(plot.x.title));
  text += fmt::format("<text transform='translate(15 {:.1f}) rotate(-90)' text-anchor='middle'>{}</text>\n",
                      top + height / 2, escaped(plot.y.title));
  return text;
}

// In the colour of the text, so that they are no series. Their names stand above the axes, where no series
// runs through them.
std::string draw_levels(const Plot& plot, const Scale& y, double width, double height) {
  std::string text, names;
  for (const PlotLevel& level : plot.levels) {
    if (!y.shows(level.value) || level.value < y.low || level.value > y.high) continue;
    text += fmt::format(
        "<path d='M{:.1f} {:.1f}h{:.1f}' stroke='currentColor' stroke-opacity='.8' stroke-dasharray='6 "
        "4'/>\n",
        left, top + height * (1 - y.at(level.value)), width);
    names += (names.empty() ? "- - " : ", ") + escaped(level.name);
  }
  if (names.empty()) return "";
  return text + fmt::format("<text x='{:.1f}' y='20' text-anchor='end' fill='currentColor'>{}</text>\n",
                            left + width, names);
}

std::size_t length_of(std::string_view text) {  // characters, not bytes
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

struct Legend {
  std::size_t columns = 1, rows = 0;
  double column_width = 0;
};
Legend legend_of(const Plot& plot) {
  std::size_t longest = 1;
  for (const PlotSeries& series : plot.series) longest = std::max(longest, length_of(series.name));
  const double room = plot.width - left, wanted = 52 + 6.6 * static_cast<double>(longest);
  Legend legend;
  legend.columns = std::max<std::size_t>(1, static_cast<std::size_t>(room / wanted));
  legend.columns = std::min(legend.columns, std::max<std::size_t>(1, plot.series.size()));
  legend.rows = (plot.series.size() + legend.columns - 1) / legend.columns;
  legend.column_width = room / static_cast<double>(legend.columns);
  return legend;
}

std::string draw(const Legend& legend, const Plot& plot) {
  std::string text;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Look look = look_of(i);
    const std::size_t column = i / legend.rows;
    const double x = left + legend.column_width * static_cast<double>(column),
                 y = plot.height + 10 + legend_row * static_cast<double>(i % legend.rows);
    if (plot.series[i].line) text += fmt::format("<path d='M{:.1f} {:.1f}h34' {}/>", x, y, stroke(look));
    text += marker(look.marker, x + 17, y, look.colour);
    text +=
        fmt::format("<text x='{:.1f}' y='{:.1f}'>{}</text>\n", x + 41, y + 4, escaped(plot.series[i].name));
  }
  return text;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (c == '\'')
      result += "&#39;";
    else if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
      result += c;
  }
  return result;
}

std::vector<double> plot_ticks(double low, double high, bool logarithmic) {
  std::vector<double> ticks;
  if (!(low < high) || !std::isfinite(high - low) || (logarithmic && !(low > 0))) return ticks;
  if (logarithmic && high / low >= 100) {
    const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9)),
              last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
    const int step = std::max(1, (last - first + 7) / 8);
    for (int power = first; power <= last; ++power)
      if (power % step == 0) ticks.push_back(std::pow(10.0, power));
    return ticks;
  }
  double step = std::pow(10.0, std::floor(std::log10((high - low) / 5)));
  for (const double times : {5.0, 2.0})
    if ((high - low) / (times * step) >= 4) {
      step *= times;
      break;
    }
  if (!(step > 0)) return ticks;
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + 1e-9 * step && ticks.size() < 50; ++i)
    ticks.push_back(i == 0 ? 0 : i * step);
  if (logarithmic) std::erase_if(ticks, [](double tick) { return !(tick > 0); });
  return ticks;
}

std::string svg(const Plot& plot, bool alone) {
  const Scale x = scale_of(plot.x, plot, true), y = scale_of(plot.y, plot, false);
  const double width = plot.width - left - right, height = plot.height - top - bottom;
  const Legend legend = legend_of(plot);
  const double whole = plot.height + legend_row * static_cast<double>(legend.rows) + 6;
  std::string lines;
  for (std::size_t i = 0; i < plot.series.size(); ++i) lines += draw(plot.series[i], i, x, y, width, height);
  // Inside an element svg of its own the lines are cut off at the border of the axes.
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:.0f} {1:.0f}' width='{0:.0f}' "
      "height='{1:.0f}' "
      "font-family='sans-serif' font-size='12' role='img'>\n<title>{2}</title>\n{3}"
      "<g fill='currentColor' stroke='none'>\n<text x='{4}' y='20' font-size='14' "
      "font-weight='bold'>{2}</text>\n{5}</g>\n"
      "<svg x='{4}' y='{6}' width='{7:.1f}' height='{8:.1f}' overflow='hidden'>\n{9}</svg>\n"
      "{11}<g fill='currentColor'>{10}</g>\n</svg>\n",
      plot.width, whole, escaped(plot.title),
      alone ? "<rect width='100%' height='100%' fill='white'/>\n" : "", left, axes(plot, x, y, width, height),
      top, width, height, lines, draw(legend, plot), draw_levels(plot, y, width, height));
}

}  // namespace palpate
