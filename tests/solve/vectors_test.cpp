// Sums of vectors, against plain loops.
#include <palpate/solve/vectors.h>

#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <support/cases.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

std::vector<Vec3> any(Random& random, std::size_t n) {
  std::vector<Vec3> out(n);
  for (Vec3& p : out)
    for (double& number : p) number = random.uniform(-1, 1);
  return out;
}

TEST(VectorsProperty, DotsAreSums) {
  each_case(300, [](Random& random) {
    const std::size_t n = random.below(40);
    const std::vector<Vec3> a = any(random, n), b = any(random, n);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i].dot(b[i]);
    EXPECT_NEAR(dot(a, b), sum, 1e-14 * (1 + static_cast<double>(n)));
  });
}

// Number by number, and so to the last bit.
TEST(VectorsProperty, AreAddedUpInOrder) {
  each_case(300, [](Random& random) {
    const std::size_t n = random.below(40), count = random.below(6);
    std::vector<std::vector<Vec3>> all(count + 1);
    for (std::vector<Vec3>& one : all) one = any(random, n);
    std::vector<Share> shares;
    for (std::size_t k = 1; k <= count; ++k) shares.push_back({all[k].data(), random.uniform(-2, 2)});
    const double scale = random.uniform(-2, 2);
    std::vector<Vec3> expected(n);
    for (std::size_t i = 0; i < n; ++i) {
      expected[i] = scale * all[0][i];
      for (std::size_t k = 0; k < count; ++k) expected[i] += shares[k].much * all[k + 1][i];
    }
    std::vector<Vec3> elsewhere(n, Vec3::Constant(NAN));
    add_up(scale, all[0], shares, elsewhere);
    EXPECT_EQ(elsewhere, expected);
    std::vector<Vec3>& one = all[random.below(all.size())];  // in place
    add_up(scale, all[0], shares, one);
    EXPECT_EQ(one, expected);
  });
}

}  // namespace
}  // namespace palpate
