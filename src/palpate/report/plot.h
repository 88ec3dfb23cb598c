// Line plots as SVG, for pages and for documents.
//
// Every series has a colour, a dash pattern and a marker of its own, so that they can be told apart without
// colour. Lines of the plot itself take the colour of the text around it: the same plot is good on light and
// on dark pages. What cannot be drawn (not a number, infinite, zero or below on a logarithmic axis) leaves a
// gap; what is outside the axes is cut off at their border.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace palpate {

struct PlotAxis {
  std::string title;  // with its unit
  bool logarithmic = false;
  std::optional<double> low = {}, high = {};  // where it begins and ends; else what the points need
};

struct PlotSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;
  bool line = true;  // false: markers only, one for each point
};

// A line across the plot at a value of y, with its name above: a limit, a budget. Shown where the axis
// reaches it.
struct PlotLevel {
  std::string name;
  double value;
};

struct Plot {
  std::string title;
  PlotAxis x, y;
  std::vector<PlotSeries> series;
  double width = 720, height = 380;  // without the legend [pixels]
  std::vector<PlotLevel> levels = {};
};

// `alone`: a file by itself, with a white ground and black lines.
std::string svg(const Plot& plot, bool alone = false);

// Text for XML and HTML; what XML does not allow at all is left out.
std::string escaped(std::string_view text);

// Values for the ticks of an axis from low to high: 1, 2 or 5 times powers of ten, or the powers alone.
std::vector<double> plot_ticks(double low, double high, bool logarithmic);

}  // namespace palpate
