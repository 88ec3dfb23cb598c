#include <palpate/base/function_ref.h>

#include <memory>

#include <gtest/gtest.h>

namespace palpate {
namespace {

int apply(FunctionRef<int(int)> f, int x) { return f(x); }

TEST(FunctionRef, CallsLambdasWithState) {
  int calls = 0;
  const auto twice = [&](int x) {
    ++calls;
    return 2 * x;
  };
  EXPECT_EQ(apply(twice, 4), 8);
  EXPECT_EQ(apply([&](int x) { return x + calls; }, 4), 5);
}

TEST(FunctionRef, ForwardsArgumentsThatOnlyMove) {
  const auto take = [](std::unique_ptr<int> p) { return *p; };
  const FunctionRef<int(std::unique_ptr<int>)> f = take;
  EXPECT_EQ(f(std::make_unique<int>(3)), 3);
}

}  // namespace
}  // namespace palpate
