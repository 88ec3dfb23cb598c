#include <palpate/base/suggest.h>

#include <vector>

#include <gtest/gtest.h>

namespace palpate {
namespace {

const std::vector<std::string> keys = {"density", "damping", "young_modulus", "d"};

TEST(Suggest, FindsSlips) {
  EXPECT_EQ(nearest_name("densty", keys), "density");
  EXPECT_EQ(nearest_name("denisty", keys), "density");
  EXPECT_EQ(nearest_name("dampening", keys), "damping");
  EXPECT_EQ(nearest_name("youngs_modulus", keys), "young_modulus");
}

TEST(Suggest, KeepsSilentWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("gravity", keys), std::nullopt);
  EXPECT_EQ(nearest_name("xy", keys), std::nullopt);
  EXPECT_EQ(nearest_name("density", {}), std::nullopt);
}

}  // namespace
}  // namespace palpate
