// The part of a step that is safe: with a separation, and for what nothing touches.
#include <algorithm>
#include <cmath>

#include <collide/crossing_steps.h>
#include <support/cases.h>

#include <palpate/base/parallel.h>
#include <palpate/collide/detector.h>
#include <palpate/collide/kernel.h>
#include <palpate/mesh/generate.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;
using testing::Step;

// Of all vertices and triangles, and all edges.
double distance_between(const TriangleMesh& a, const TriangleMesh& b) {
  double least = HUGE_VAL;
  const auto vertices_of = [&](const TriangleMesh& one, const TriangleMesh& other) {
    for (const Vec3& p : one.positions)
      for (const TriangleCorners& t : other.triangles)
        least = std::min(least, vertex_triangle(p, triangle_at(other.positions, t)).squared_distance);
  };
  vertices_of(a, b);
  vertices_of(b, a);
  for (const TriangleCorners& t : a.triangles)
    for (const TriangleCorners& u : b.triangles)
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t l = 0; l < 3; ++l)
          least = std::min(least, edge_edge({a.positions[t[k]], a.positions[t[(k + 1) % 3]]},
                                            {b.positions[u[l]], b.positions[u[(l + 1) % 3]]})
                                      .squared_distance);
  return std::sqrt(least);
}

// A sheet, and a ball that falls on it and is squeezed; both are shaken.
Step falling_ball(Random& random) {
  Step step;
  step.start.push_back(testing::bent(testing::sheet(3, 3), [&](const Vec3& p) {
    return Vec3(0.6 * (p - Vec3(1.5, 1.5, 0)) + testing::random_point(random, 0.1));
  }));
  step.start.push_back(make(SphereShape{.radius = 0.4, .around = 7, .bands = 4}));
  const Vec3 by(random.uniform(-1, 1), random.uniform(-1, 1), -random.uniform(0.2, 3));
  for (Vec3& p : step.start[1].positions) p.z() += 1;
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<Vec3> end = step.start[i].positions;
    for (Vec3& p : end) {
      if (i == 1) p += Vec3(0, 0, -0.5 * (p.z() - 1)) + by;
      p += testing::random_point(random, 0.1);
    }
    step.end.push_back(std::move(end));
  }
  return step;
}

// All the time up to the safe fraction they keep their distance, and then lose it.
TEST(SafeFractionProperty, SurfacesThatBendKeepTheirDistance) {
  std::size_t in_between = 0, all_the_way = 0;
  const std::size_t cases = each_case(40, [&](Random& random) {
    const Step step = falling_ball(random);
    CrossingOptions options;
    options.pairs = CrossingPairs::between;
    options.separation = random.uniform(0.005, 0.25);
    const auto all = finders();
    const std::string_view finder = all[random.below(all.size())].name;
    const std::vector<Crossing> found = testing::crossings_of(step, finder, options);
    const auto distance_at = [&](double t) {
      return distance_between(testing::at(step.start[0], step.end[0], t),
                              testing::at(step.start[1], step.end[1], t));
    };
    ASSERT_GT(distance_at(0), options.separation) << "nothing is near at the start";
    const auto first = std::min_element(found.begin(), found.end(),
                                        [](const Crossing& a, const Crossing& b) { return a.time < b.time; });
    const double safe = first == found.end() ? 1 : first->time;
    for (const double part : {0.25, 0.5, 0.9, 0.99, 1.0})
      EXPECT_GE(distance_at(part * safe), options.separation - 1e-14) << finder << " " << part;
    if (first == found.end()) {
      ++all_the_way;
      return;
    }
    EXPECT_GT(safe, 0);
    EXPECT_LT(safe, 1);
    EXPECT_TRUE(first->sure);
    // Within the tolerance they come nearer; they move by less than ten metres in the step.
    EXPECT_LE(distance_at(safe), options.separation + 10 * options.tolerance) << finder;
    ++in_between;
  });
  if (cases == 0 || testing::fewer_cases()) return;
  EXPECT_GT(in_between, cases / 4);
  EXPECT_GT(all_the_way, 0u);
}

// A needle goes through a sheet: what is not hit has all of the step, to the last bit.
TEST(SafeFraction, WhatNothingTouchesHasAllOfTheStep) {
  Step step;
  step.start.push_back(testing::sheet(4, 4));
  step.start[0].positions.emplace_back(1.5, 1.5, 0.01);  // of no triangle, beside what is hit
  const auto loose = static_cast<std::uint32_t>(step.start[0].positions.size() - 1);
  // The tip comes down at (0.7, 0.3), in triangle 0 of vertices 0, 1 and 6.
  step.start.push_back({{Vec3(0.7, 0.3, 0.5), Vec3(0.6, 0.3, 1.5), Vec3(0.8, 0.3, 1.5)}, {{0, 1, 2}}});
  step.start.push_back(make(SphereShape{.radius = 0.5, .around = 8, .bands = 4}));
  for (Vec3& p : step.start[2].positions) p.x() += 50;
  for (const TriangleMesh& mesh : step.start) step.end.push_back(mesh.positions);
  for (Vec3& p : step.end[1]) p.z() -= 1;
  for (Vec3& p : step.end[2]) p += Vec3(0.25, 0, -0.5);
  for (const FinderEntry& entry : finders())
    for (const int threads : {1, 2})
      Threads(threads).run([&] {
        Detector detector({.finder = std::string(entry.name)});
        const std::vector<SurfaceId> ids = testing::add(detector, step);
        const CrossingSet found = detector.crossings();
        ASSERT_EQ(found.size(), 1u) << entry.name;
        EXPECT_NEAR(found.safe_fraction, 0.5, 1e-9);
        EXPECT_LE(found.safe_fraction, 0.5);
        EXPECT_EQ(detector.safe_fraction(ids[0], found), found.safe_fraction);
        EXPECT_EQ(detector.safe_fraction(ids[1], found), found.safe_fraction);
        EXPECT_EQ(detector.safe_fraction(ids[2], found), 1) << "far away";
        for (std::size_t i = 0; i < 3; ++i) {
          std::vector<double> vertices(step.start[i].positions.size());
          detector.safe_fractions(ids[i], found, vertices);
          for (std::uint32_t v = 0; v < vertices.size(); ++v) {
            const bool hit = i == 1 ? v == 0 : i == 0 && (v == 0 || v == 1 || v == 6);
            EXPECT_EQ(vertices[v], hit ? found.safe_fraction : 1) << entry.name << " " << i << " " << v;
          }
        }
        std::vector<double> vertices(step.start[0].positions.size());
        detector.safe_fractions(ids[0], found, vertices);
        EXPECT_EQ(vertices[loose], 1);
      });
}

}  // namespace
}  // namespace palpate
