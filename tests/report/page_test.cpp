#include <palpate/report/page.h>

#include <cstring>

#include <gtest/gtest.h>
#include <pugixml.hpp>

#include <palpate/report/picture.h>

namespace palpate {
namespace {

TEST(Page, IsWellFormedWhateverItHolds) {
  Page page("Title <with> & \"marks\"");
  page.heading("A <b> heading");
  page.heading("too deep", 99);
  page.paragraph("1 < 2 && 3 > 2 </p><script>alert('x')</script>");
  page.list({"one & two", "<li>"});
  page.table({"caption <", {"a", "b&"}, {{"<1>", "-2.5"}, {"12 %", "x"}}});
  page.plot({.title = "plot <", .x = {"x"}, .y = {"y", true}, .series = {{"s & t", {{1, 1}, {2, 3}}}}});
  const std::size_t mark = page.mark();
  page.paragraph("later");
  page.fold(mark, "more > less");
  const std::vector<std::uint8_t> grey(16 * 16, 100);
  page.picture(png(grey, 16, 16), 16, 16, "a \"picture\"");

  pugi::xml_document document;
  const std::string html = page.html();
  const auto result = document.load_string(html.c_str());
  ASSERT_TRUE(result) << result.description();
  EXPECT_FALSE(document.select_node("//script"));
  EXPECT_STREQ(document.select_node("//title").node().text().get(), "Title <with> & \"marks\"");
  EXPECT_STREQ(document.select_node("//details/summary").node().text().get(), "more > less");
  EXPECT_STREQ(document.select_node("//details/p").node().text().get(), "later");
  EXPECT_EQ(document.select_nodes("//tbody/tr").size(), 2u);
  EXPECT_EQ(document.select_nodes("//td[@class='number']").size(), 2u);
  EXPECT_EQ(std::strncmp(document.select_node("//img").node().attribute("src").value(),
                         "data:image/png;base64,iVBOR", 27),
            0);
  // Nothing is fetched from elsewhere.
  EXPECT_EQ(html.find("href="), std::string::npos);
  EXPECT_EQ(html.find("url("), std::string::npos);
}

TEST(Page, KeepsPreformattedTextAsItIs) {
  Page page("text");
  const std::string text = "\n  a <b>\n\tc & 'd'\n";
  page.preformatted(text);
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(page.html().c_str()));
  // Browsers drop the first line break, programs that read XML do not.
  EXPECT_EQ(document.select_node("//pre").node().text().get(), "\n" + text);
}

TEST(Base64, GivesTheTextbookValues) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string("\xff\x00\xfe", 3)), "/wD+");
}

TEST(PlainText, AlignsColumns) {
  EXPECT_EQ(plain_text({"", {"name", "ms"}, {{"a", "1.5"}, {"größer", "12"}}}),
            "name     ms\n"
            "a       1.5\n"
            "größer   12\n");
  EXPECT_EQ(plain_text({"", {"nothing"}, {}}), "nothing\n");
}

}  // namespace
}  // namespace palpate
