// Who may ask, and for what.
#include <palpate/serve/request_checks.h>

#include <gtest/gtest.h>

namespace palpate {
namespace {

TEST(RequestChecks, PathsAndTokensAreTakenApart) {
  EXPECT_EQ(parse_target("/stream?token=abc").path, "/stream");
  EXPECT_EQ(parse_target("/stream?token=abc").token, "abc");
  EXPECT_EQ(parse_target("/?a=1&token=x&b=2").token, "x");
  EXPECT_EQ(parse_target("/?a=1&token=x&b=2").path, "/");
  for (const char* without : {"/", "/?", "/?token=", "/?tokens=x", "/?&&", "", "?"})
    EXPECT_EQ(parse_target(without).token, "") << without;
  EXPECT_EQ(parse_target("/%2e%2e/x?token=%41").path, "/%2e%2e/x") << "nothing is decoded";
  EXPECT_EQ(parse_target("/%2e%2e/x?token=%41").token, "%41");
}

TEST(RequestChecks, NamesOfOthersAreNotThisMachine) {
  for (const char* own : {"localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.1:8080", "192.168.1.7:80",
                          "[::1]", "[::1]:8080", "lab-pc:8080", "Lab-PC"})
    EXPECT_TRUE(is_own_host(own, "lab-pc")) << own;
  for (const char* other :
       {"", "example.org", "example.org:8080", "127.0.0.1.example.org", "localhost.example.org",
        "localhost:", "localhost:80a", "127.0.0.1:123456", "[::1", "[::1]x", "[::1]:", "[example.org]",
        ":8080", "127.0.0.1:8080:1", "lab-pc.example.org", "127.0.0.1@example.org"})
    EXPECT_FALSE(is_own_host(other, "lab-pc")) << other;
  EXPECT_FALSE(is_own_host("", "")) << "nobody is not this machine";
}

TEST(RequestChecks, OnlyOurOwnPageIsAnOrigin) {
  EXPECT_TRUE(is_own_origin("http://127.0.0.1:8080", "127.0.0.1:8080"));
  EXPECT_TRUE(is_own_origin("https://Localhost:8080", "localhost:8080"));
  for (const char* other :
       {"", "null", "http://127.0.0.1:8081", "http://localhost:8080", "http://example.org",
        "http://127.0.0.1:8080.example.org", "file://", "127.0.0.1:8080"})
    EXPECT_FALSE(is_own_origin(other, "127.0.0.1:8080")) << other;
}

}  // namespace
}  // namespace palpate
