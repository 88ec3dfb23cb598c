#include "support/allocation_counter.h"

#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Core>

namespace palpate::testing {
namespace {

TEST(AllocationCounter, SeesEveryKindOfAllocation) {
  if (!counts_allocations()) GTEST_SKIP() << "the sanitizers bring their own malloc, which is not counted";
  EXPECT_EQ(allocations_in([] {}), 0u);
  std::unique_ptr<int> number;  // kept outside: the compiler may leave out an allocation that nobody sees
  EXPECT_EQ(allocations_in([&] { number = std::make_unique<int>(1); }), 1u);
  std::vector<int> kept;
  EXPECT_EQ(allocations_in([&] { kept.resize(1000); }), 1u);
  EXPECT_EQ(allocations_in([&] { kept.assign(1000, 2); }), 0u);
  Eigen::VectorXd vector;
  EXPECT_GE(allocations_in([&] { vector.resize(100); }), 1u);  // Eigen calls malloc, not new
  struct alignas(64) Line {
    char bytes[64];
  };
  std::unique_ptr<Line> line;
  EXPECT_EQ(allocations_in([&] { line = std::make_unique<Line>(); }), 1u);
}

}  // namespace
}  // namespace palpate::testing
