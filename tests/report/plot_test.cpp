#include <palpate/report/plot.h>

#include <limits>

#include <gtest/gtest.h>
#include <pugixml.hpp>

namespace palpate {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double none = std::numeric_limits<double>::quiet_NaN();

std::string parsed(const std::string& text) {
  pugi::xml_document document;
  const auto result = document.load_string(text.c_str());
  return result ? "" : std::string(result.description()) + " in " + text;
}
std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Plot, EscapesWhatIsWritten) {
  const std::string text = svg(
      {.title = "a < b & \"c\"\x01", .x = {"<x>"}, .y = {"y'"}, .series = {{"<script>", {{0, 1}, {1, 2}}}}});
  EXPECT_EQ(parsed(text), "");
  EXPECT_EQ(text.find("<script"), std::string::npos);
  EXPECT_NE(text.find("a &lt; b &amp; &quot;c&quot;<"), std::string::npos);
}

TEST(Plot, LeavesGapsWhereNothingCanBeDrawn) {
  Plot plot{.title = "gaps", .x = {"x"}, .y = {"y", true}, .series = {}};
  plot.series.push_back(
      {"one", {{0, 1}, {1, 0}, {2, 10}, {3, none}, {4, 100}, {5, infinite}, {6, -1}, {7, 1}}});
  const std::string text = svg(plot);
  EXPECT_EQ(parsed(text), "");
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_EQ(text.find("inf"), std::string::npos);
  const std::size_t path = text.find("overflow='hidden'");
  ASSERT_NE(path, std::string::npos);
  const std::string line = text.substr(path, text.find("stroke=", path) - path);
  EXPECT_EQ(count(line, "M"), 4u) << line;  // four pieces
}

TEST(Plot, TakesOnePointNoPointAndNoSeries) {
  for (const bool logarithmic : {false, true}) {
    for (const auto& points : std::vector<std::vector<std::pair<double, double>>>{
             {}, {{3, 3}}, {{0, 0}}, {{-1, -1}}, {{none, none}}, {{1e-300, 1e300}}, {{2, 5}, {2, 5}}}) {
      const std::string text = svg(
          {.title = "few", .x = {"x", logarithmic}, .y = {"y", logarithmic}, .series = {{"one", points}}});
      EXPECT_EQ(parsed(text), "");
      EXPECT_EQ(text.find("nan"), std::string::npos) << text;
    }
    EXPECT_EQ(parsed(svg({.title = "", .x = {"", logarithmic}, .y = {"", logarithmic}, .series = {}})), "");
  }
}

TEST(Plot, TellsSeriesApartWithoutColour) {
  Plot plot{.title = "many", .x = {"x"}, .y = {"y"}, .series = {}};
  for (int i = 0; i < 20; ++i) plot.series.push_back({"series " + std::to_string(i), {{0, i}, {1, i + 1}}});
  const std::string text = svg(plot);
  EXPECT_EQ(parsed(text), "");
  EXPECT_GT(count(text, "stroke-dasharray='8 3'"), 0u);
  EXPECT_GT(count(text, "stroke-dasharray='2 3'"), 0u);
  EXPECT_GT(count(text, "<circle"), 0u);
}

TEST(Plot, KeepsToTheAxesThatAreGiven) {
  Plot plot{
      .title = "given", .x = {"x"}, .y = {"y", true, 1e-3, 10.0}, .series = {{"one", {{0, 1}, {1, 1e200}}}}};
  const std::string text = svg(plot, true);
  EXPECT_EQ(parsed(text), "");
  EXPECT_NE(text.find(">10</text>"), std::string::npos);
  EXPECT_EQ(text.find("e200"), std::string::npos);
  EXPECT_NE(text.find("fill='white'"), std::string::npos);
}

TEST(Plot, ShowsLevelsThatItsAxisReaches) {
  Plot plot{
      .title = "levels", .x = {"x"}, .y = {"y", false, 0.0, 10.0}, .series = {{"one", {{0, 1}, {1, 2}}}}};
  plot.levels = {{"in <sight>", 5}, {"above", 11}, {"below", -1}, {"none", none}};
  const std::string text = svg(plot);
  EXPECT_EQ(parsed(text), "");
  EXPECT_NE(text.find(">- - in &lt;sight&gt;</text>"), std::string::npos);
  for (const char* name : {"above", "below", "none</text>", "nan"})
    EXPECT_EQ(text.find(name), std::string::npos) << name;
  EXPECT_NE(text.find("<path d='M74.0 183.0h630.0'"), std::string::npos) << text;  // half way up the axis
}

TEST(PlotTicks, AreRoundNumbersInside) {
  EXPECT_EQ(plot_ticks(0, 10, false), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(plot_ticks(1e-3, 10, true).size(), 5u);
  EXPECT_LE(plot_ticks(1e-200, 1e200, true).size(), 10u);
  EXPECT_FALSE(plot_ticks(2, 7, true).empty());
  EXPECT_TRUE(plot_ticks(1, 1, false).empty());
  EXPECT_TRUE(plot_ticks(-1, 1, true).empty());
  EXPECT_TRUE(plot_ticks(none, 1, false).empty());
  for (const double low : {-1e9, -3.7, 0.0, 1e-7, 123.4})
    for (const double size : {1e-6, 0.3, 7.0, 1e12}) {
      const auto ticks = plot_ticks(low, low + size, false);
      EXPECT_LE(ticks.size(), 12u);
      for (const double tick : ticks) {
        EXPECT_GE(tick, low - 1e-6 * size);
        EXPECT_LE(tick, low + size * (1 + 1e-6));
      }
    }
}

}  // namespace
}  // namespace palpate
