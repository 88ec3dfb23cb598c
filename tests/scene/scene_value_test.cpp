// TOML in and out: values, their places, and texts that come back.
#include <limits>

#include <gtest/gtest.h>

#include <palpate/scene/scene_value.h>

#include "scene_checks.h"

namespace palpate::detail {
namespace {

SceneValue parse(std::string_view text) {
  return parse_toml(text, std::make_shared<const SceneSource>(SceneSource{"f"}));
}

TEST(SceneValue, KeepsOrderAndPlaces) {
  const SceneValue root = parse("z = 1\na = 2\n[m]\n  x = [1,\n 'two']\n");
  const SceneValue::Table& entries = *root.table();
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].key, "z");
  EXPECT_EQ(entries[1].key, "a");
  EXPECT_EQ(entries[2].key, "m");
  const SceneValue& list = *entries[2].value.find("x");
  EXPECT_EQ(entries[2].value.table()->front().spot.place().text(), "f:4:3");
  EXPECT_EQ((*list.list())[1].spot.place().text(), "f:5:2");
  EXPECT_EQ(root.find("nothing"), nullptr);
  EXPECT_EQ(list.find("x"), nullptr);
  EXPECT_EQ(SceneSpot{}.place().text(), "");
}

TEST(SceneValue, ComesBackFromItsText) {
  const std::string texts[] = {
      "a = 1\nb = 1.0\nc = 1e300\nd = -0.0\ne = 5e-324\nf = 0.1\ng = -9223372036854775808\n",
      "a = inf\nb = -inf\nc = true\nd = false\n",
      "a = \"\\u0000\\u001F\\u007F \\\" \\\\ \\n\\t\\r é ∞\"\nb = '''\nx\n'''\n",
      "'a b' = 1\n\"\\u0001\" = 2\n'' = 3\n'ä' = { 'ö x' = 4 }\n",
      "a = []\nb = [[], [{}]]\nc = {}\nd = [1, 'x', { y = 2 }]\n",
      "[a]\ny = 2\n[a.b.c]\nx = 1\n[[t]]\n[[t]]\nx = 1\n[[t.u]]\ny = 1\n[t.v]\nz = 2\n[e]\n",
      "a = 2020-01-01\nb = 12:00:00\nc = 2020-01-01T12:00:00.5Z\nd = 2020-01-01T12:00:00+01:30\n",
  };
  for (const std::string& text : texts) {
    const std::string once = toml_text(parse(text));
    EXPECT_EQ(toml_text(parse(once)), once);
    EXPECT_EQ(value_text(parse(once)), value_text(parse(text)));
  }
}

TEST(SceneValue, NumbersKeepTheirKindAndBits) {
  for (const double number : {1.0, 0.1, 1e22, 1e-7, 123456789.125, std::numeric_limits<double>::max(),
                              std::numeric_limits<double>::denorm_min()}) {
    SceneValue value;
    value.data = number;
    const SceneValue again = parse("x = " + value_text(value));
    ASSERT_TRUE(std::holds_alternative<double>(again.find("x")->data)) << value_text(value);
    EXPECT_EQ(std::get<double>(again.find("x")->data), number);
  }
}

TEST(SceneValue, IsShownShort) {
  SceneValue value;
  value.data = std::string(200, 'x');
  EXPECT_EQ(shown(value), "\"" + std::string(59, 'x') + "...");
  std::string wide(58, 'x');
  for (int i = 0; i < 10; ++i) wide += "é";
  value.data = wide;
  EXPECT_EQ(shown(value), "\"" + std::string(58, 'x') + "...") << "characters are not cut in two";
}

}  // namespace
}  // namespace palpate::detail
