// What touches in a step: every finder alike, against exact arithmetic, and judged by what is there
// afterwards.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include <collide/crossing_steps.h>
#include <collide/exact_crossing.h>
#include <support/allocation_counter.h>
#include <support/cases.h>
#include <support/contact_scenes.h>
#include <support/data.h>

#include <palpate/base/error.h>
#include <palpate/base/parallel.h>
#include <palpate/collide/detector.h>
#include <palpate/collide/edges_through.h>
#include <palpate/mesh/files.h>
#include <palpate/mesh/generate.h>

namespace palpate {
namespace {

using testing::at;
using testing::crossings_of;
using testing::each_case;
using testing::Random;
using testing::random_step;
using testing::same_crossing;
using testing::Step;

// Of each two surfaces, those that come within a part of the step after the first that does not touch from
// the start.
std::vector<Crossing> soon_after_the_first(std::span<const Crossing> all, double window) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> first;
  const auto pair = [](const Crossing& one) { return std::minmax(one.first_surface, one.second_surface); };
  for (const Crossing& one : all) {
    const auto [at, is_new] = first.try_emplace(pair(one), 1);
    if (one.time > 0) at->second = std::min(at->second, one.time);
  }
  std::vector<Crossing> soon;
  for (const Crossing& one : all)
    if (one.time <= first[pair(one)] + window) soon.push_back(one);
  return soon;
}

// Returns what they agree on.
std::vector<Crossing> expect_finders_and_threads_agree(Random& random, const Step& step) {
  CrossingOptions options;
  if (random.chance(0.3)) options.separation = std::abs(random.magnitude(1e-6, 0.3));
  std::vector<Crossing> truth = crossings_of(step, "brute", options);
  for (const FinderEntry& entry : finders()) {
    const int threads = 1 << random.below(3);
    std::vector<Crossing> found;
    Threads(threads).run([&] { found = crossings_of(step, entry.name, options); });
    EXPECT_TRUE(std::equal(found.begin(), found.end(), truth.begin(), truth.end(), same_crossing))
        << entry.name << " " << threads << ": " << found.size() << " and " << truth.size();
    // Between surfaces and inside them, each by itself.
    CrossingOptions part = options;
    part.pairs = random.chance(0.5) ? CrossingPairs::between : CrossingPairs::inside;
    std::vector<Crossing> expected;
    for (const Crossing& one : truth)
      if ((one.first_surface == one.second_surface) == (part.pairs == CrossingPairs::inside))
        expected.push_back(one);
    found = crossings_of(step, entry.name, part);
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end(), same_crossing))
        << entry.name << ": " << found.size() << " and " << expected.size();
    CrossingOptions soon = options;
    soon.window = random.chance(0.3) ? 0 : random.uniform(0, 1);
    expected = soon_after_the_first(truth, soon.window);
    Threads(threads).run([&] { found = crossings_of(step, entry.name, soon); });
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end(), same_crossing))
        << entry.name << " " << threads << ", window " << soon.window << ": " << found.size() << " and "
        << expected.size();
  }
  return truth;
}

TEST(CrossingsProperty, FindersAndThreadsAgree) {
  std::size_t all = 0;
  const std::size_t cases = each_case(120, [&](Random& random) {
    all += expect_finders_and_threads_agree(random, random_step(random)).size();
  });
  if (cases > 0 && !testing::fewer_cases()) {
    EXPECT_GT(all, 100u) << "hardly anything touches: the cases are too easy";
  }
}

// A vertex that lies on a triangle says nothing of when others come.
TEST(Crossings, AWindowBeginsAfterWhatTouchesFromTheStart) {
  TriangleMesh ground;
  ground.positions = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}, {0.6, -1, 0.3}, {0.6, 1, 0.3}, {0.6, 0, 1}};
  ground.triangles = {{0, 1, 2}, {3, 4, 5}};  // a floor, and a wall in the way
  TriangleMesh body = make(BoxShape{.size_x = 0.2, .size_y = 0.2, .size_z = 0.4});
  double lowest = 0;
  for (const Vec3& p : body.positions) lowest = std::min(lowest, p.z());
  for (Vec3& p : body.positions) p += Vec3(0.1, -0.3, -lowest);
  for (const FinderEntry& entry : finders()) {
    DetectorOptions options;
    options.contact_distance = 0.001;
    options.finder = entry.name;
    Detector detector(options);
    detector.add(ground);
    const SurfaceId moves = detector.add(body);
    std::vector<Vec3> end = body.positions;
    for (Vec3& p : end) p.x() += 1;
    detector.set_end_positions(moves, end);
    const CrossingSet all = detector.crossings();
    double first = 1;
    std::size_t at_once = 0;
    for (const Crossing& one : all) {
      if (one.time > 0) first = std::min(first, one.time);
      at_once += one.time > 0 ? 0 : 1;
    }
    ASSERT_GT(at_once, 0u) << entry.name;
    ASSERT_NEAR(first, 0.4, 1e-6) << entry.name;
    const CrossingSet soon = detector.crossings({.window = 0});
    double told = 1;
    for (const Crossing& one : soon)
      if (one.time > 0) told = std::min(told, one.time);
    EXPECT_EQ(told, first) << entry.name;
    EXPECT_EQ(soon.whole_until, first) << entry.name;
  }
}

// Everything comes at once: which is looked at first makes no difference.
TEST(Crossings, WindowsTakeAllThatComeTogether) {
  const TriangleMesh floor = make(PlaneShape{.size_x = 1, .size_y = 1, .cells_x = 12, .cells_y = 12});
  TriangleMesh lid = floor;
  for (Vec3& p : lid.positions) p += Vec3(0.011, 0.007, 0.3);
  std::vector<Vec3> end = lid.positions;
  for (Vec3& p : end) p.z() -= 0.7;
  std::vector<Crossing> truth;
  for (const FinderEntry& entry : finders())
    for (const int threads : {1, 2, 4}) {
      DetectorOptions options;
      options.contact_distance = 0.001;
      options.finder = entry.name;
      Detector detector(options);
      detector.add(floor);
      const SurfaceId moves = detector.add(lid);
      detector.set_end_positions(moves, end);
      std::vector<Crossing> found;
      Threads(threads).run([&] {
        const CrossingSet all = detector.crossings({});
        if (truth.empty()) truth = soon_after_the_first(all.crossings, 0);
        const CrossingSet soon = detector.crossings({.window = 0});
        found.assign(soon.begin(), soon.end());
      });
      ASSERT_GT(truth.size(), 0u);
      EXPECT_TRUE(std::equal(found.begin(), found.end(), truth.begin(), truth.end(), same_crossing))
          << entry.name << " " << threads << ": " << found.size() << " and " << truth.size();
    }
}

// What was not asked for is not said to be safe.
TEST(Crossings, SafeFractionsEndWhereWhatIsKnownEnds) {
  TriangleMesh floor = make(PlaneShape{.size_x = 1, .size_y = 1, .cells_x = 4, .cells_y = 4});
  TriangleMesh slope = floor;
  for (Vec3& p : slope.positions) p.z() += 0.3 + 0.2 * p.x();
  std::vector<Vec3> end = slope.positions;
  for (Vec3& p : end) p.z() -= 0.7;
  DetectorOptions options;
  options.contact_distance = 0.001;
  Detector detector(options);
  detector.add(floor);
  const SurfaceId moves = detector.add(slope);
  detector.set_end_positions(moves, end);
  std::vector<double> whole(slope.positions.size()), part(whole.size());
  detector.safe_fractions(moves, detector.crossings(), whole);
  for (const CrossingOptions& asked :
       {CrossingOptions{.window = 0}, CrossingOptions{.window = 0.1}, CrossingOptions{.until = 0.2},
        CrossingOptions{.until = 0.4}, CrossingOptions{.until = 0.4, .window = 0.01}}) {
    const CrossingSet set = detector.crossings(asked);
    detector.safe_fractions(moves, set, part);
    for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_LE(part[i], whole[i]) << i;
    EXPECT_LE(set.safe_fraction, asked.until);
    EXPECT_LE(detector.safe_fraction(moves, set), asked.until);
    for (const Crossing& one : set) EXPECT_LE(one.time, asked.until);
  }
}

TEST(CrossingsProperty, FindersAndThreadsAgreeOnWhatTurns) {
  std::size_t turning = 0, times = 0;  // times that are neither 0 nor 1
  const std::size_t cases = each_case(60, [&](Random& random) {
    const Step step = testing::random_turning_step(random);
    for (const Crossing& one : expect_finders_and_threads_agree(random, step)) {
      if (!step.turns[one.first_surface] && !step.turns[one.second_surface]) continue;
      ++turning;
      times += one.time > 0 && one.time < 1 ? 1 : 0;
    }
  });
  if (cases > 0 && !testing::fewer_cases()) {
    EXPECT_GT(turning, 100u) << "hardly anything touches: the cases are too easy";
    EXPECT_GT(times, 100u);
  }
}

// A detector that has seen other steps keeps what it can of them: it finds what a new one does.
TEST(CrossingsProperty, WhatIsKeptOfOtherStepsChangesNothing) {
  std::size_t all = 0, begun_where_one_ended = 0;
  const std::size_t cases = each_case(25, [&](Random& random) {
    Step step = random_step(random);
    std::vector<std::uint8_t> rigid(step.start.size());
    std::vector<Pose> pose(step.start.size()), end_pose(step.start.size());
    const auto random_pose = [&](double far) {
      const Vec3 axis = testing::random_point(random, 1) + Vec3(0, 0, 0.01);
      return Pose{Quat(Eigen::AngleAxisd(random.uniform(-1, 1), axis.normalized())),
                  testing::random_point(random, far)};
    };
    DetectorOptions options;
    options.finder = "tree";
    options.contact_distance = std::abs(random.magnitude(1e-3, 0.1));
    options.finder_options.lasting = random.chance(0.5);
    Detector kept(options);
    std::vector<SurfaceId> ids;
    for (std::size_t i = 0; i < step.start.size(); ++i) {
      rigid[i] = random.chance(0.3) ? 1 : 0;
      ids.push_back(kept.add(step.start[i], {.motion = rigid[i] != 0 ? Motion::rigid : Motion::deformable}));
    }
    const double far = std::abs(random.magnitude(1e-2, 2));
    for (int k = 0; k < 12; ++k) {
      // The next step, from where this one ended or from elsewhere; or this one again, with another end.
      const bool go_on = k > 0 && random.chance(0.5), jump = random.chance(0.1);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        if (go_on && random.chance(0.9)) {
          ++begun_where_one_ended;
          pose[i] = end_pose[i];
          if (rigid[i] != 0)
            kept.set_pose(ids[i], pose[i]);
          else
            kept.set_positions(ids[i], step.start[i].positions = step.end[i]);
        }
        if (jump) {
          for (Vec3& p : step.start[i].positions) p += testing::random_point(random, 0.1);
          if (rigid[i] == 0) kept.set_positions(ids[i], step.start[i].positions);
        }
        if (random.chance(0.2)) continue;  // it ends where it did, or stays
        end_pose[i] = random_pose(far);
        const Vec3 by = testing::random_point(random, far);
        step.end[i] = step.start[i].positions;
        for (Vec3& p : step.end[i]) p += by + testing::random_point(random, 0.2 * far);
        if (rigid[i] != 0)
          kept.set_end_pose(ids[i], end_pose[i]);
        else
          kept.set_end_positions(ids[i], step.end[i]);
      }
      if (random.chance(0.3)) kept.detect();
      CrossingOptions what;
      what.pairs = static_cast<CrossingPairs>(random.below(3));
      const std::vector<std::uint8_t> without(ids.size(), random.chance(0.5) ? 1 : 0);
      what.without_neighbours = without;
      Detector fresh(options);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const Surface& surface = kept.surfaces().at(ids[i]);
        TriangleMesh mesh = step.start[i];
        mesh.positions = surface.rest;
        const SurfaceId id = fresh.add(mesh, {.motion = surface.motion});
        if (rigid[i] != 0) {
          fresh.set_pose(id, surface.pose);
          if (!surface.end.empty()) fresh.set_end_pose(id, surface.end_pose);
        } else {
          const auto now = kept.surfaces().positions().subspan(surface.first_vertex, surface.vertices);
          fresh.set_positions(id, now);
          if (!surface.end.empty()) fresh.set_end_positions(id, surface.end);
        }
      }
      const CrossingSet found = kept.crossings(what), expected = fresh.crossings(what);
      all += expected.size();
      ASSERT_EQ(found.size(), expected.size()) << k;
      EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), same_crossing)) << k;
    }
  });
  if (cases == 0 || testing::fewer_cases()) return;
  EXPECT_GT(all, 100u);
  EXPECT_GT(begun_where_one_ended, 100u);
}

// An edge is named by the lowest of its sides, with the lower vertex first here.
std::map<std::array<std::uint32_t, 2>, std::uint32_t> lowest_sides(const TriangleMesh& mesh) {
  std::map<std::array<std::uint32_t, 2>, std::uint32_t> sides;
  for (std::uint32_t side = 0; side < 3 * mesh.triangles.size(); ++side) {
    const TriangleCorners& t = mesh.triangles[side / 3];
    const auto [begin, end] = std::minmax(t[side % 3], t[(side + 1) % 3]);
    sides.insert({{begin, end}, side});
  }
  return sides;
}

// A vertex, edge or triangle of a scene: its number in the detector, and where its corners begin and end.
struct SceneFeature {
  std::uint32_t number, slot;
  std::vector<std::uint32_t> vertices;  // of its surface
};
struct SceneFeatures {
  std::vector<SceneFeature> vertices, edges, triangles;
};
SceneFeatures features_of(const Step& step) {
  Detector detector;
  add(detector, step);
  SceneFeatures all;
  for (std::uint32_t slot = 0; slot < step.start.size(); ++slot) {
    const TriangleMesh& mesh = step.start[slot];
    const Surface& surface = detector.surfaces()[slot];
    for (std::uint32_t v = 0; v < mesh.positions.size(); ++v)
      all.vertices.push_back({surface.first_vertex + v, slot, {v}});
    for (const auto& [ends, side] : lowest_sides(mesh))
      all.edges.push_back({3 * surface.first_triangle + side, slot, {ends[0], ends[1]}});
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
      all.triangles.push_back(
          {surface.first_triangle + t, slot, {mesh.triangles[t].begin(), mesh.triangles[t].end()}});
  }
  return all;
}

using ExactCrossings = std::map<std::uint64_t, testing::ExactCrossing>;  // by key

// Those of a pair, unless the two share a vertex.
void add_exact(const Step& step, ContactKind kind, const SceneFeature& a, const SceneFeature& b,
               ExactCrossings& out) {
  FourPoints start, end;
  std::size_t count = 0;
  for (const SceneFeature* one : {&a, &b})
    for (const std::uint32_t v : one->vertices) {
      if (one == &b && a.slot == b.slot &&
          std::find(a.vertices.begin(), a.vertices.end(), v) != a.vertices.end())
        return;
      start[count] = step.start[one->slot].positions[v];
      end[count++] = step.end[one->slot][v];
    }
  const testing::ExactCrossing truth = testing::exact_crossing(kind, start, end);
  if (truth.hit) out[contact_key(kind, a.number, b.number)] = truth;
}

// Every pair of features without a common vertex, by exact arithmetic.
ExactCrossings exact_crossings_of(const Step& step) {
  const SceneFeatures all = features_of(step);
  ExactCrossings result;
  for (const SceneFeature& vertex : all.vertices)
    for (const SceneFeature& triangle : all.triangles)
      add_exact(step, ContactKind::vertex_triangle, vertex, triangle, result);
  for (const SceneFeature& first : all.edges)
    for (const SceneFeature& second : all.edges)
      if (first.number < second.number) add_exact(step, ContactKind::edge_edge, first, second, result);
  return result;
}

TEST(CrossingsProperty, NothingIsMissedInAScene) {
  std::size_t sure = 0;
  const std::size_t cases = each_case(12, [&](Random& random) {
    Step step;
    step.start.push_back(testing::random_soup(random, 5, 1, 1));
    step.start.push_back(testing::bent(testing::sheet(2, 2), [&](const Vec3& p) {
      return Vec3(p - Vec3(1, 1, 0) + testing::random_point(random, 0.5));
    }));
    for (const TriangleMesh& mesh : step.start) {
      step.end.push_back(mesh.positions);
      for (Vec3& p : step.end.back()) p += testing::random_point(random, 0.5);
    }
    const ExactCrossings truth = exact_crossings_of(step);
    std::vector<std::uint64_t> keys, expected;
    for (const auto& [key, exact] : truth) expected.push_back(key);
    double safe = 1;
    testing::Rational first = 1;
    bool first_is_sure = false;
    for (const Crossing& one : crossings_of(step, "tree", {})) {
      keys.push_back(one.key);
      const auto exact = truth.find(one.key);
      if (exact == truth.end()) continue;  // the keys differ, see below
      EXPECT_LE(testing::Rational(one.time), exact->second.high);
      if (one.sure) {
        ++sure;
        EXPECT_GE(testing::Rational(one.time) + testing::Rational(1e-9 * (1 + 1e-6)), exact->second.low);
      }
      if (one.time < safe) first_is_sure = one.sure;
      safe = std::min(safe, one.time);
    }
    EXPECT_EQ(keys, expected);
    for (const auto& [key, exact] : truth) first = std::min(first, exact.high);
    EXPECT_LE(testing::Rational(safe), first);
    if (first_is_sure) {
      EXPECT_GE(testing::Rational(safe) + testing::Rational(2e-9), first);
    }
  });
  if (cases > 0 && !testing::fewer_cases()) {
    EXPECT_GT(sure, 4 * cases) << "too easy";
  }
}

// What does not cross at the start does not cross after the part of the step that is safe; with all of the
// step that would be another matter.
TEST(CrossingsProperty, TheSafeFractionIsSafe) {
  std::size_t crossed = 0;
  const std::size_t cases = each_case(60, [&](Random& random) {
    const Step step = random_step(random);
    for (const TriangleMesh& mesh : step.start)
      if (!edges_through_triangles(mesh).empty()) return;
    for (std::size_t i = 0; i < step.start.size(); ++i)
      for (std::size_t j = 0; j < step.start.size(); ++j)
        if (i != j && !edges_through_triangles(step.start[i], step.start[j]).empty()) return;
    double safe = 1;
    for (const Crossing& one : crossings_of(step, "auto", {})) safe = std::min(safe, one.time);
    for (const double part : {0.5, 0.99, 1 - 1e-9}) {
      std::vector<TriangleMesh> then;
      for (std::size_t i = 0; i < step.start.size(); ++i)
        then.push_back(at(step.start[i], step.end[i], part * safe));
      for (std::size_t i = 0; i < then.size(); ++i) {
        EXPECT_TRUE(edges_through_triangles(then[i]).empty());
        for (std::size_t j = 0; j < then.size(); ++j)
          if (i != j) {
            EXPECT_TRUE(edges_through_triangles(then[i], then[j]).empty());
          }
      }
    }
    crossed += safe < 1 ? 1 : 0;
  });
  if (cases > 0 && !testing::fewer_cases()) {
    EXPECT_GT(crossed, cases / 20) << "too easy";
  }
}

// A needle that turns by a right angle passes a vertex that its ends, on straight lines, would never reach.
TEST(Crossings, RigidSurfacesTurnAsTheyMove) {
  const double length = 1;
  const TriangleMesh needle{{Vec3(0, -0.01, 0), Vec3(0, 0.01, 0), Vec3(length, 0, 0)}, {{0, 1, 2}}};
  const Quat quarter(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3(0, 0, 1)));
  for (const double radius : {0.9, 0.99, 0.5})
    for (const double angle : {0.1, 0.7, 1.4}) {
      // An upright thin triangle at this place.
      const Vec3 place(radius * std::cos(angle), radius * std::sin(angle), 0);
      const TriangleMesh post{{place + Vec3(0, 0, -1), place + Vec3(0, 0, 1), 3 * place}, {{0, 1, 2}}};
      Detector detector;
      const SurfaceId turning = detector.add(needle, {.name = "needle", .motion = Motion::rigid}),
                      fixed = detector.add(post, {.name = "post", .motion = Motion::fixed});
      detector.set_end_pose(turning, {quarter, Vec3::Zero()});
      const CrossingSet found = detector.crossings();
      ASSERT_GT(found.size(), 0u) << radius << " " << angle;
      // The front edge of the needle is ahead by a little.
      const double ahead = std::atan2(0.01 * (1 - radius), radius),
                   time = (angle - ahead) / (std::numbers::pi / 2);
      EXPECT_LE(found.safe_fraction, time + 1e-12);
      EXPECT_GT(found.safe_fraction, time - 1e-3) << radius << " " << angle;
      EXPECT_EQ(detector.safe_fraction(fixed, found), found.safe_fraction);
      std::array<double, 3> vertices{};
      detector.safe_fractions(turning, found, vertices);
      EXPECT_EQ(*std::min_element(vertices.begin(), vertices.end()), found.safe_fraction);
      // And back: it is behind the post, and turns away.
      detector.set_pose(turning, {quarter, Vec3::Zero()});
      EXPECT_EQ(detector.crossings().size(), 0u) << "without an end, nothing moves";
    }
}

// At times in between, as they are then: nothing is nearer than the separation before the safe fraction.
TEST(CrossingsProperty, RigidSurfacesKeepTheirDistance) {
  each_case(30, [](Random& random) {
    const TriangleMesh ball = make(SphereShape{.radius = 0.5, .around = 12, .bands = 6});
    Detector detector;
    std::array<SurfaceId, 2> ids;
    std::array<Pose, 2> from, to;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto any = [&](double size) {
        Vec3 axis = testing::random_point(random, 1);
        if (!(axis.norm() > 0.1)) axis = Vec3(1, 0, 0);
        return Pose{Quat(Eigen::AngleAxisd(random.uniform(-3, 3), axis.normalized())),
                    testing::random_point(random, size)};
      };
      from[i] = any(0.3);
      to[i] = any(0.3);
      from[i].position.x() += i == 0 ? -1 : 1;
      to[i].position.x() += i == 0 ? 0.5 : -0.5;
      TriangleMesh flat = ball;
      for (Vec3& p : flat.positions) p.z() *= 0.2;
      ids[i] = detector.add(flat, {.name = std::to_string(i), .motion = Motion::rigid});
      detector.set_pose(ids[i], from[i]);
      detector.set_end_pose(ids[i], to[i]);
    }
    const double separation = random.chance(0.5) ? 0 : 0.01;
    const double safe = detector.crossings({.separation = separation}).safe_fraction;
    for (int k = 0; k <= 20; ++k) {
      const double t = safe * (1 - 1e-9) * k / 20;
      for (std::size_t i = 0; i < 2; ++i) {
        const Quat turn = from[i].rotation.slerp(t, to[i].rotation);
        detector.set_pose(ids[i], {turn.normalized(), (1 - t) * from[i].position + t * to[i].position});
      }
      detector.set_contact_distance(std::max(separation * (1 - 1e-6), 1e-9));
      EXPECT_EQ(detector.detect().size(), 0u) << k;
    }
  });
}

TEST(Crossings, OnlyWhatSharesAVertexIsLeftOut) {
  // A fan of two triangles that folds until its wings pass through each other's plane.
  const TriangleMesh fan{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(-1, 0, 0)},
                         {{0, 1, 2}, {0, 2, 3}}};
  const std::vector<Vec3> folded = {Vec3(0, 0, 0), Vec3(-0.5, 0.2, 0.1), Vec3(0, 1, 0), Vec3(0.5, 0.2, 0.1)};
  Detector detector;
  const SurfaceId id = detector.add(fan);
  detector.set_end_positions(id, folded);
  EXPECT_GT(detector.crossings().size(), 0u);
  detector.set_self_contacts(id, false);
  EXPECT_EQ(detector.crossings().size(), 0u);
}

TEST(Crossings, WarmCallsAllocateNothing) {
  Random random(11);
  const TriangleMesh ball = make(SphereShape{.radius = 1, .around = 24, .bands = 12});
  Detector detector;
  const SurfaceId one = detector.add(ball), two = detector.add(ball);
  std::vector<Vec3> start = ball.positions, end = ball.positions;
  for (Vec3& p : start) p.x() += 2.5;
  for (Vec3& p : end) p.x() += 1.5;
  const auto step = [&] {
    detector.set_positions(two, start);
    detector.set_end_positions(two, end);
    detector.set_end_positions(one, ball.positions);
    EXPECT_GT(detector.crossings().size(), 0u);
  };
  Threads(1).run([&] {
    step();
    step();
    if (!testing::counts_allocations()) GTEST_SKIP() << "the sanitizers have their own allocator";
    EXPECT_EQ(testing::allocations_in(step), 0u);
  });
}

TEST(Crossings, MistakesAreNamed) {
  const TriangleMesh ball = make(SphereShape{.radius = 1, .around = 8, .bands = 4});
  Detector detector;
  const SurfaceId soft = detector.add(ball), rigid = detector.add(ball, {.motion = Motion::rigid}),
                  fixed = detector.add(ball, {.motion = Motion::fixed});
  std::vector<Vec3> end = ball.positions;
  EXPECT_THROW(detector.set_end_pose(soft, {}), Error);
  EXPECT_THROW(detector.set_end_positions(rigid, end), Error);
  EXPECT_THROW(detector.set_end_positions(fixed, end), Error);
  EXPECT_THROW(detector.set_end_pose(rigid, {Quat(2, 0, 0, 0), Vec3::Zero()}), Error);
  end.pop_back();
  EXPECT_THROW(detector.set_end_positions(soft, end), Error);
  end.emplace_back(0, std::nan(""), 0);
  EXPECT_THROW(detector.set_end_positions(soft, end), Error);
  EXPECT_THROW(detector.crossings({.separation = -1}), Error);
  EXPECT_THROW(detector.crossings({.window = 1.5}), Error);
  EXPECT_THROW(detector.crossings({.until = std::nan("")}), Error);
  std::vector<double> few(3);
  EXPECT_THROW(detector.safe_fractions(soft, detector.crossings(), few), Error);
}

// --- where numbers end ----------------------------------------------------------------------------

TriangleMesh soup(std::vector<Vec3> points) {
  TriangleMesh mesh;
  mesh.positions = std::move(points);
  for (std::uint32_t i = 0; i + 2 < mesh.positions.size(); i += 3)
    mesh.triangles.push_back({i, i + 1, i + 2});
  return mesh;
}

// Builds the same with every finder; the numbers of what each found must agree. Returns that number.
template <class Build>
std::size_t found_by_all(Build&& build, const CrossingOptions& options = {}) {
  std::optional<std::size_t> first;
  for (const FinderEntry& entry : finders()) {
    DetectorOptions detector_options;
    detector_options.finder = entry.name;
    Detector detector(detector_options);
    build(detector);
    const std::size_t found = detector.crossings(options).size();
    if (!first) first = found;
    EXPECT_EQ(found, *first) << entry.name << " is not like " << finders()[0].name;
  }
  return *first;
}

// Products of such small numbers vanish in floats: nothing may be proven with them.
TEST(Crossings, FeaturesThatAreTinyInTheSceneAreFound) {
  for (const double s : {1e-6, 1e-8, 1e-10, 1e-12, 1e-15, 1e-20, 1e-30}) {
    const auto build = [&](Detector& detector) {
      detector.add(soup({{0, 0, 0},
                         {s, 0, 0},
                         {0, s, 0},
                         {5e4 * s, 2e4 * s, 0},
                         {1, 0, 0.5},
                         {1, 0, -0.5},
                         {-1, -1, -1},
                         {-1, -1, -0.9},
                         {-1, -0.9, -1},
                         {1, 1, 1},
                         {1, 1, 0.9},
                         {1, 0.9, 1}}));
    };
    const std::size_t near = found_by_all(build, {.separation = 1e-3});
    if (5e4 * s < 5e-4) {
      EXPECT_GE(near, 10u) << s;
    }
  }
}

// What is apart by less than rounding, or by a little more, is the same to all finders.
TEST(Crossings, FindersAgreeWithinRounding) {
  for (const double h : {1e-14, 1e-26, 1e-28, 1e-30, 1e-310})
    found_by_all([&](Detector& detector) {
      detector.add(soup({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
      detector.add(soup({{0.25, 0.25, h}, {1, 0, 0.5}, {1, 1, 0.5}, {5, 5, -1}, {5, 5, 1}, {5, 6, 1}}));
    });
  for (const double far : {0.0, 4e6})
    for (const double h : {1e-15, 1e-14, 1e-9, 3e-9, 3e-8}) {
      const Vec3 origin = Vec3::Constant(far);
      found_by_all([&](Detector& detector) {
        TriangleMesh floor = soup({{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}});
        for (Vec3& p : floor.positions) p = 1e-2 * p + origin;
        detector.add(floor);
        TriangleMesh tool =
            soup({{0, 0, 0}, {0.1, 0, 0.5}, {0.1, 0.1, 0.5}, {1, 1, -1}, {1, 1, 1}, {1, 1.1, 1}});
        for (Vec3& p : tool.positions) p *= 1e-2;
        const SurfaceId id = detector.add(tool, {.motion = Motion::rigid});
        detector.set_pose(id, {Quat::Identity(), origin + Vec3(0, 0, h)});
        detector.set_end_pose(id, {Quat(Eigen::AngleAxisd(1e-8, Vec3(0, 0, 1))), origin + Vec3(0, 0, h)});
      });
    }
}

TEST(Crossings, ScenesMayBeSmallerThanAnyDistance) {
  for (const double size : {0.0, 1e-34, 1e-200}) {
    const auto build = [&](Detector& detector) {
      std::vector<Vec3> points(12, Vec3(1, 1, 1));
      for (std::size_t i = 0; i < points.size(); ++i)
        points[i] = Vec3::Constant(size * static_cast<double>(i));
      detector.add(soup(points));
    };
    EXPECT_GT(found_by_all(build, {.separation = 1e-3}), 0u);
    for (const FinderEntry& entry : finders()) {
      Detector detector({.contact_distance = 1e-3, .finder = std::string(entry.name)});
      build(detector);
      EXPECT_GT(detector.detect().size(), 0u) << entry.name << " " << size;
    }
  }
}

TEST(Crossings, WhatIsChangedOrRefusedForgetsOrKeepsItsEnd) {
  Detector detector;
  const SurfaceId rigid = detector.add(soup({{10, 0, 0}, {10, 1, 0}, {10, 0, 1}}), {.motion = Motion::rigid});
  const SurfaceId flying = detector.add(soup({{9, 0.25, 0.25}, {8, 0.25, 0.25}, {8, 0.25, 0.5}}));
  const std::vector<Vec3> end = {{11, 0.25, 0.25}, {12, 0.25, 0.25}, {12, 0.25, 0.5}};
  detector.set_pose(rigid, {});
  detector.set_end_positions(flying, end);
  const std::size_t hits = detector.crossings().size();
  EXPECT_GT(hits, 0u);
  EXPECT_THROW(detector.set_end_pose(rigid, {Quat(2, 0, 0, 0), Vec3::Zero()}), Error);
  EXPECT_EQ(detector.crossings().size(), hits) << "what was refused changes nothing";
  detector.set_end_pose(rigid, {Quat(Eigen::AngleAxisd(2.0, Vec3(0, 0, 1))), Vec3::Zero()});
  const std::vector<Vec3> more = {{10, 1, 1}};
  detector.add_vertices(rigid, more);
  EXPECT_EQ(detector.crossings().size(), hits) << "after a change it stays where it is";
}

// A lever of a million metres: positions are rounded by its length, not by that of what moves.
TEST(CrossingsProperty, LongLeversMissNothing) {
  each_case(300, [](Random& random) {
    const double lever = 1e6, angle = std::abs(random.magnitude(1e-6, 1e-3)), deep = lever * 3e-17;
    const Vec3 near = testing::random_point(random, 1);
    const Vec3 rest(lever + near.x(), 1e-3 * near.y(), near.z());
    const Vec3 pivot = Vec3(-lever, 0, 0) + testing::random_point(random, 1);
    Detector detector;
    const SurfaceId id =
        detector.add(soup({rest, rest - Vec3(1, 0.5, 0), rest - Vec3(1, 0, 0.5)}), {.motion = Motion::rigid});
    detector.set_pose(id, {Quat(Eigen::AngleAxisd(-angle / 2, Vec3(0, 0, 1))), pivot});
    detector.set_end_pose(id, {Quat(Eigen::AngleAxisd(angle / 2, Vec3(0, 0, 1))), pivot});
    // Where the vertex is farthest out, in long double: straight out from the pivot, if it comes by there.
    const long double radius =
        std::hypot(static_cast<long double>(rest.x()), static_cast<long double>(rest.y()));
    if (std::abs(std::atan2(rest.y(), rest.x())) > 0.4 * angle) return;
    const long double apex = static_cast<long double>(pivot.x()) + radius;
    const double wall = static_cast<double>(apex - static_cast<long double>(deep));
    if (!(static_cast<long double>(wall) < apex)) return;
    const double size = 2 + 2 * lever * angle;
    const Vec3 middle(wall, pivot.y(), pivot.z() + rest.z());
    detector.add(
        soup({middle + Vec3(0, -size, -size), middle + Vec3(0, size, -size), middle + Vec3(0, 0, size)}));
    EXPECT_GT(detector.crossings().size(), 0u);
  });
}

// Whether an edge meets a triangle changes only when one of its ends meets the triangle, or it meets a side.
// There is one surface: its numbers are those of the detector.
bool is_explained(const EdgeThroughTriangle& changed, const TriangleMesh& mesh,
                  const std::map<std::array<std::uint32_t, 2>, std::uint32_t>& sides,
                  const std::vector<std::uint64_t>& met) {
  const auto has = [&](std::uint64_t key) { return std::binary_search(met.begin(), met.end(), key); };
  for (const std::uint32_t v : {changed.begin, changed.end})
    if (has(contact_key(ContactKind::vertex_triangle, v, changed.triangle))) return true;
  const std::uint32_t edge = sides.at({changed.begin, changed.end});
  const TriangleCorners& t = mesh.triangles[changed.triangle];
  for (std::size_t k = 0; k < 3; ++k) {
    const auto [begin, end] = std::minmax(t[k], t[(k + 1) % 3]);
    const auto [low, high] = std::minmax(edge, sides.at({begin, end}));
    if (has(contact_key(ContactKind::edge_edge, low, high))) return true;
  }
  return false;
}

// Real surfaces cross themselves before and after: whatever has changed at some time was found, and not later
// than that. Returns how much has.
std::size_t expect_changes_are_found(const Step& step, double safe, const std::vector<Crossing>& found) {
  const TriangleMesh& mesh = step.start[0];
  const auto sides = lowest_sides(mesh);
  const auto before = edges_through_triangles(mesh);
  std::size_t changes = 0;
  for (const double part : {safe * (1 - 1e-9), 0.5, 1.0}) {
    std::vector<std::uint64_t> met;
    for (const Crossing& one : found)
      if (one.time <= part) met.push_back(one.key);
    const auto then = edges_through_triangles(at(mesh, step.end[0], part));
    std::vector<EdgeThroughTriangle> changed;
    std::set_symmetric_difference(before.begin(), before.end(), then.begin(), then.end(),
                                  std::back_inserter(changed));
    changes += changed.size();
    if (part < safe) {
      EXPECT_TRUE(changed.empty());
    }
    for (const EdgeThroughTriangle& one : changed)
      EXPECT_TRUE(is_explained(one, mesh, sides, met))
          << "edge " << one.begin << " " << one.end << ", triangle " << one.triangle << " at " << part;
  }
  return changes;
}

TEST(CrossingsProperty, RealFramesAgreeAndAreSafe) {
  const auto folder = testing::data_folder();
  if (!folder) GTEST_SKIP() << testing::no_data;
  std::vector<std::array<std::string, 2>> frames = {{"armadillo-rollers-326", "armadillo-rollers-327"},
                                                    {"cloth-funnel-227", "cloth-funnel-228"}};
  if (testing::long_run()) frames.push_back({"cloth-ball-92", "cloth-ball-93"});
  std::size_t changes = 0;
  for (const auto& [first, second] : frames) {
    SCOPED_TRACE(first);
    const auto read = [&](const std::string& name) {
      return read_triangle_mesh((*folder / "surfaces" / (name + ".ply")).string());
    };
    const Step step{{read(first)}, {read(second).positions}};
    std::vector<Crossing> tree, other;
    Threads(1).run([&] { tree = crossings_of(step, "tree", {}); });
    EXPECT_GT(tree.size(), 100u);
    for (const FinderEntry& entry : finders()) {
      // Every pair of 24,000 triangles takes half a minute; of 92,000, eight.
      if (entry.name == "brute" && (!testing::long_run() || first.starts_with("cloth-ball"))) continue;
      if (entry.name.starts_with("classic") && !testing::long_run()) continue;
      Threads(2).run([&] { other = crossings_of(step, entry.name, {}); });
      ASSERT_EQ(tree.size(), other.size()) << entry.name;
      EXPECT_TRUE(std::equal(tree.begin(), tree.end(), other.begin(), same_crossing)) << entry.name;
    }
    double safe = 1;
    for (const Crossing& one : tree) safe = std::min(safe, one.time);
    ::testing::Test::RecordProperty("safe_fraction_of_" + first, fmt::format("{}", safe));
    EXPECT_GT(safe, 0) << "edges are through triangles there, but no features touch at the start";
    EXPECT_LT(safe, 0.1) << "they are known to touch early";
    changes += expect_changes_are_found(step, safe, tree);
  }
  EXPECT_GT(changes, 0u) << "nothing ever crosses: the frames say nothing";
}

// Without neighbours, the rest is the same: with masks (after a search for contacts, with surfaces that
// last), and without.
TEST(CrossingsProperty, NeighboursCanBeLeftOut) {
  std::size_t left_out = 0, found = 0;
  const std::size_t cases = each_case(20, [&](Random& random) {
    TriangleMesh mesh = make(TorusShape{.major = 0.1, .minor = 0.04, .around = 24, .across = 12});
    const double bend = random.uniform(0, 0.06), shake = random.chance(0.3) ? 0 : random.uniform(0, 0.03);
    const Vec3 turn(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    std::vector<Vec3> end;
    for (const Vec3& p : mesh.positions) {
      const Vec3 squashed(p.x() * (1 - 8 * bend), p.y(), p.z() + bend * std::sin(40 * p.x()));
      end.push_back(squashed + turn.cross(squashed) * 0.2 +
                    shake * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)));
    }
    std::vector<std::uint64_t> expected;
    for (const bool masks : {false, true}) {
      DetectorOptions options;
      options.contact_distance = 0.02;
      options.finder_options.lasting = masks;
      Detector detector(options);
      const SurfaceId id = detector.add(mesh);
      detector.detect();  // makes what neighbours are told by
      if (expected.empty()) {
        detector.set_end_positions(id, end);
        for (const Crossing& one : detector.crossings()) {
          ++found;
          if (are_neighbours(detector.surfaces(), one.kind(), one.first(), one.second()))
            ++left_out;
          else
            expected.push_back(one.key);
        }
        expected.push_back(0);
      }
      const std::vector<std::uint8_t> without(1, 1);
      detector.set_end_positions(id, end);
      std::vector<std::uint64_t> got;
      for (const Crossing& one : detector.crossings({.without_neighbours = without})) got.push_back(one.key);
      got.push_back(0);
      EXPECT_EQ(got, expected) << masks;
    }
  });
  if (cases == 0 || testing::fewer_cases()) return;
  EXPECT_GT(left_out, 0u);
  EXPECT_GT(found, left_out);
}

}  // namespace
}  // namespace palpate
