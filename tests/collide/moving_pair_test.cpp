// Pairs of features of surfaces that turn: how long a search may take, and where its numbers end.
#include <palpate/collide/moving_pair.h>

#include <cmath>

#include <Eigen/Geometry>

#include <support/cases.h>
#include <support/contact_scenes.h>

#include <palpate/collide/detector.h>

namespace palpate {
namespace {

using testing::each_case;
using testing::Random;

constexpr int most_stretches = 1000 * (64 + 200);  // 1,000 parts of as many as one query may take

Pose turned(double angle, const Vec3& axis, const Vec3& position = Vec3::Zero()) {
  return {Quat(Eigen::AngleAxisd(angle, axis.normalized())), position};
}

SurfaceId add_triangle(Surfaces& all, const Triangle& t, const Pose& from, const Pose& to) {
  Surface surface;
  surface.motion = Motion::rigid;
  const std::vector<TriangleCorners> corners = {{0, 1, 2}};
  const SurfaceId id = all.add(std::move(surface), t, corners);
  all.set_pose(id, from);
  all.set_end_pose(id, to);
  return id;
}

// Looks at every pair of features of two triangles. Returns the most stretches that one took.
int expect_to_end(const Surfaces& all, const CrossingOptions& options = {}) {
  int most = 0;
  const std::uint32_t vertex = all[0].first_vertex, triangle = all[1].first_triangle;
  for (std::uint32_t k = 0; k < 3; ++k) {
    most = std::max(
        most, find_crossing(all, ContactKind::vertex_triangle, {vertex + k, triangle}, options).stretches);
    for (std::uint32_t l = 0; l < 3; ++l)
      most = std::max(most, find_crossing(all, ContactKind::edge_edge,
                                          {3 * all[0].first_triangle + k, 3 * triangle + l}, options)
                                .stretches);
  }
  EXPECT_LE(most, most_stretches);
  return most;
}

TEST(MovingPairProperty, TurningPairsEnd) {
  int most = 0;
  const std::size_t cases = each_case(100, [&](Random& random) {
    const auto axis = [&] { return Vec3(testing::random_point(random, 1) + Vec3(0, 0, 0.01)); };
    const auto any = [&] {
      return Triangle{testing::random_point(random, 1), testing::random_point(random, 1),
                      testing::random_point(random, 1)};
    };
    Surfaces all;
    // Together about one place, or each as it likes.
    const bool together = random.chance(0.5);
    const double gap = std::abs(random.magnitude(1e-9, 1e-1)), angle = random.uniform(-3, 3);
    const Vec3 about = axis();
    Triangle first = any(), second = first;
    for (Vec3& p : second) p *= 1 + gap;
    const Pose end = turned(angle, about);
    add_triangle(all, first, {}, end);
    if (together)
      add_triangle(all, second, {}, end);
    else
      add_triangle(all, any(), turned(random.uniform(-3, 3), axis()),
                   turned(random.uniform(-3, 3), axis(), testing::random_point(random, 0.5)));
    all.begin_step();
    CrossingOptions options;
    if (random.chance(0.3)) options.separation = random.uniform(0.1, 1.1) * gap;
    most = std::max(most, expect_to_end(all, options));
  });
  if (cases == 0 || testing::fewer_cases()) return;
  EXPECT_GT(most, 1000) << "too easy";
}

// Two that turn as one, side by side, on levers of some length: only ever shorter parts tell them apart, and
// there are no more than the limit.
TEST(MovingPair, WhatTurnsSideBySideEnds) {
  for (const double lever : {1.0, 1e2, 1e4, 1e6})
    for (const double gap : {1e-5, 3e-6, 1.2e-6, 1e-9}) {
      Surfaces all;
      const Vec3 far(lever, 0, 0);
      const Triangle inner = {far, far + Vec3(-0.5, 0.1, 0), far + Vec3(-0.5, -0.1, 0)},
                     outer = {far + Vec3(gap, -0.2, -0.2), far + Vec3(gap, 0.2, -0.2),
                              far + Vec3(gap, 0, 0.4)};
      for (const Triangle& t : {inner, outer}) add_triangle(all, t, {}, turned(3, Vec3(0, 0, 1)));
      all.begin_step();
      const int most = expect_to_end(all);
      EXPECT_GT(most, 100) << lever << " " << gap;
    }
}

// How far from a straight line it goes is no length any more: nobody can tell, so it counts.
TEST(MovingPair, LeversAsLongAsNumbersGoMissNothing) {
  const double lever = 9e74;
  for (const FinderEntry& entry : finders()) {
    Detector detector({.finder = std::string(entry.name)});
    const TriangleMesh arm{{Vec3(lever, 0, 0), Vec3(0.9 * lever, 0, 0), Vec3(lever, 0.1 * lever, 0)},
                           {{0, 1, 2}}};
    // Upright, across the way of the arm's end, at a right angle.
    const TriangleMesh wall{{Vec3(0, 0.8 * lever, -0.2 * lever), Vec3(0, 0.99 * lever, -0.2 * lever),
                             Vec3(0, 0.9 * lever, 0.3 * lever)},
                            {{0, 1, 2}}};
    const SurfaceId id = detector.add(arm, {.motion = Motion::rigid});
    detector.add(wall, {.motion = Motion::fixed});
    detector.set_end_pose(id, turned(3, Vec3(0, 0, 1)));
    std::size_t found = 0;
    EXPECT_NO_THROW(found = detector.crossings().size()) << entry.name;
    EXPECT_GE(found, 1u) << entry.name;
  }
}

}  // namespace
}  // namespace palpate
