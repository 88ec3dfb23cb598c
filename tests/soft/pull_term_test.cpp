// Springs from points to places.
#include <palpate/soft/pull_term.h>

#include <gtest/gtest.h>
#include <solve/term_checks.h>

namespace palpate::testing {
namespace {

TEST(PullTermProperty, IsATerm) {
  each_case(200, [](Random& random) {
    const std::size_t n = 2 + random.below(8);
    std::vector<Vec3> x = random_directions(random, n);
    PullTerm term;
    for (std::size_t k = random.below(4); k > 0; --k) {
      PullTerm::Pull pull{{}, random_directions(random, 1)[0], random.uniform(0, 100)};
      for (std::uint32_t node = 0; node < n; ++node)
        if (random.chance(0.5)) pull.point.push_back({node, random.uniform(-1, 1)});
      term.pulls.push_back(pull);
    }
    check_term(term, x, 1, 100, random);
    if (!term.pulls.empty() && !term.pulls[0].point.empty() && term.pulls[0].stiffness > 0)
      check_stiffness_at_rest(term, x, 1, random);  // everywhere: it is linear
  });
}

TEST(PullTerm, PullsAtTheWholePoint) {
  PullTerm term;
  term.pulls.push_back({{{0, 0.25}, {1, 0.75}}, Vec3(0, 0, 2), 8});
  const std::vector<Vec3> x = {Vec3(4, 0, 0), Vec3(0, 0, 0)};
  std::vector<Vec3> gradient(2, Vec3::Zero());
  EXPECT_EQ(term.add_gradient(x, gradient), 0.5 * 8 * 5);
  EXPECT_EQ(gradient[0] + gradient[1], 8 * Vec3(1, 0, -2));
}

}  // namespace
}  // namespace palpate::testing
