// Words that only some know.
#include <palpate/serve/token.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <unistd.h>

namespace palpate {
namespace {

namespace fs = std::filesystem;

class Token : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::path(::testing::TempDir()) / "palpate token XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    ::setenv("XDG_STATE_HOME", folder_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("XDG_STATE_HOME");
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }
  fs::path file() const { return folder_ / "palpate" / "token"; }
  fs::path folder_;
};

TEST_F(Token, AreLongAndNeverTheSame) {
  std::set<std::string> all;
  for (int i = 0; i < 1000; ++i) {
    const std::string token = random_token();
    EXPECT_EQ(token.size(), 32u);
    EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_TRUE(all.insert(token).second);
  }
}

TEST_F(Token, IsKeptForTheNextServerAndForNobodyElse) {
  const std::string first = kept_token();
  EXPECT_EQ(kept_token(), first);
  EXPECT_EQ(fs::status(file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Token, WhatOthersCouldReadOrIsNoneIsNotUsed) {
  const std::string first = kept_token();
  fs::permissions(file(), fs::perms::group_read, fs::perm_options::add);
  const std::string second = kept_token();
  EXPECT_NE(second, first);
  EXPECT_EQ(kept_token(), second) << "and the new one is kept";
  for (const char* text :
       {"", "short", "0123456789abcdef0123456789abcdeg", "0123456789abcdef0123456789abcdef0"}) {
    std::ofstream(file(), std::ios::trunc) << text;
    const std::string other = kept_token();
    EXPECT_EQ(other.size(), 32u);
    EXPECT_NE(other, text);
    EXPECT_EQ(kept_token(), other);
  }
  fs::remove(file());
  std::ofstream(folder_ / "elsewhere") << std::string(32, 'a');
  fs::permissions(folder_ / "elsewhere", fs::perms::owner_read);
  fs::create_symlink(folder_ / "elsewhere", file());
  EXPECT_NE(kept_token(), std::string(32, 'a')) << "a link leads elsewhere";
}

TEST_F(Token, ThereIsOneWithoutAPlaceToKeepIt) {
  ::setenv("XDG_STATE_HOME", "/dev/null/nowhere", 1);
  EXPECT_EQ(kept_token().size(), 32u);
}

TEST_F(Token, AreComparedWhole) {
  EXPECT_TRUE(same_token("abc", "abc"));
  for (const char* other : {"", "ab", "abcd", "abd", "Abc"}) EXPECT_FALSE(same_token("abc", other)) << other;
  EXPECT_TRUE(same_token("", ""));
}

}  // namespace
}  // namespace palpate
