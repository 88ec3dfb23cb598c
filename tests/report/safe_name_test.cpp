#include <palpate/report/safe_name.h>

#include <set>

#include <gtest/gtest.h>

#include <support/cases.h>

namespace palpate::testing {
namespace {

TEST(SafeName, KeepsPlainNamesAndEscapesOddOnes) {
  EXPECT_EQ(safe_name("liver_2.left-A"), "liver_2.left-A");
  EXPECT_EQ(safe_name("left/right lung"), "left%2Fright%20lung");
  EXPECT_EQ(safe_name("../x"), "%2E.%2Fx");
  EXPECT_EQ(safe_name("-rf"), "%2Drf");
  EXPECT_EQ(safe_name("größe"), "gr%C3%B6%C3%9Fe");
  EXPECT_EQ(safe_name("50%"), "50%25");
  EXPECT_EQ(safe_name(std::string("a\0b\n", 4)), "a%00b%0A");
  EXPECT_EQ(safe_name(""), "unnamed");
}

TEST(SafeName, LongNamesStayDifferent) {
  const std::string same(500, 'x');
  EXPECT_LE(safe_name(same + "a").size(), 130u);
  EXPECT_NE(safe_name(same + "a"), safe_name(same + "b"));
  EXPECT_EQ(safe_name(std::string(100, 'x')), std::string(100, 'x'));
}

TEST(SafeNameProperty, AnyBytesGiveDifferentSafeNames) {
  std::set<std::string> names, files;
  each_case(2000, [&](Random& random) {
    std::string name(1 + random.below(60), ' ');
    for (char& c : name) c = static_cast<char>(random.bits());
    const std::string file = safe_name(name);
    EXPECT_LE(file.size(), 130u);
    EXPECT_NE(file.front(), '.');
    EXPECT_NE(file.front(), '-');
    for (const char c : file)
      EXPECT_TRUE((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
                  c == '-' || c == '.' || c == '%');
    names.insert(name);
    files.insert(file);
  });
  EXPECT_EQ(names.size(), files.size());
}

}  // namespace
}  // namespace palpate::testing
