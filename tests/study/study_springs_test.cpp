#include <palpate/study/study_springs.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace palpate {
namespace {

// The two ways to the exact solution agree where both can be gone: a spring along the axis, seen as any.
TEST(StudySprings, ClosedFormsAreThoseOfTheEquations) {
  for (SpringSystem system : SpringSystem::all()) {
    if (system.number == 4) continue;
    const std::vector<Vec3> closed = system.exact(0.01, 1000);
    system.number = 4;  // by long double
    const std::vector<Vec3> computed = system.exact(0.01, 1000);
    for (std::size_t i = 0; i < closed.size(); ++i) EXPECT_LT((closed[i] - computed[i]).norm(), 1e-9);
  }
}

TEST(StudySprings, OursAreOfSecondOrderAndKeepEnergy) {
  const SpringStudy study = study_springs();
  ASSERT_EQ(study.results.size(), 4u);
  for (const SpringResult& r : study.results) {
    EXPECT_NEAR(r.order, 2, 0.1) << r.system.number;
    EXPECT_NEAR(r.euler_order, 1, 0.25) << r.system.number;
    for (const SpringError& e : r.errors) EXPECT_LT(e.ours, e.euler) << r.system.number << " " << e.step;
    if (r.system.damping == 0) {
      EXPECT_LT(r.errors.back().drift, 1e-5) << r.system.number;
    }
  }
}

TEST(StudySprings, StopsWhenItIsTold) {
  const SpringStudy study = study_springs(true, [](double part) { return part < 0.4; });
  EXPECT_TRUE(study.interrupted);
  EXPECT_EQ(study.results.size(), 1u);
  EXPECT_TRUE(nlohmann::json::parse(springs_json(study))["interrupted"].get<bool>());
  EXPECT_NE(springs_page(study).find("</html>"), std::string::npos);
}

}  // namespace
}  // namespace palpate
