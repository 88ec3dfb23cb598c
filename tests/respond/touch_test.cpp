// Which contacts push, and from which side.
#include <palpate/respond/touch.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <palpate/collide/detector.h>
#include <palpate/mesh/generate.h>

namespace palpate {
namespace {

TriangleMesh moved(TriangleMesh mesh, const Vec3& by) {
  for (Vec3& p : mesh.positions) p += by;
  return mesh;
}

struct Pair {
  Detector detector;
  TouchFinder finder;
  Pair(const TriangleMesh& a, const TriangleMesh& b, double d) : detector({.contact_distance = d}) {
    detector.add(a, {.self_contacts = false});
    detector.add(b, {.self_contacts = false});
  }
  std::span<const Touch> touches(bool overlap = false) {
    const std::vector<OverlappingPair> pairs = {{0, 1}};
    return finder.find(
        detector.surfaces(), detector.detect().contacts,
        overlap ? std::span<const OverlappingPair>(pairs) : std::span<const OverlappingPair>());
  }
};

// Where a floor has many vertices, none of them pushes the rim of what is above: that would be a wall for
// what slides. One that is below the inside of a triangle does.
TEST(Touch, FloorsAreNoWalls) {
  const TriangleMesh floor = make(PlaneShape{.size_x = 0.4, .size_y = 0.4, .cells_x = 40, .cells_y = 40});
  const TriangleMesh box = make(BoxShape{.cells_x = 2, .cells_y = 2, .cells_z = 2});
  std::size_t inside = 0, left = 0;
  for (const double x : {0.0, 0.001, 0.0023, 0.0042, 0.0061, 0.0098}) {
    Pair pair(floor, moved(box, Vec3(x, 0.3 * x, 0.0512)), 0.005);
    const auto touches = pair.touches();
    ASSERT_GT(touches.size(), 50u) << x;
    for (const Touch& t : touches) {
      EXPECT_GT(std::abs(t.normal.z()), 0.995) << x;
      inside += t.first_surface == 0 ? 1 : 0;
    }
    for (const Contact& c : pair.detector.detect().contacts)
      left += c.kind() == ContactKind::vertex_triangle && std::abs(c.normal.z()) < 0.9 ? 1 : 0;
  }
  EXPECT_GT(inside, 100u);
  EXPECT_GT(left, 20u) << "or nothing was left out";
}

// A small box on a large one: where they face each other, and nowhere else.
TEST(Touch, BoxesOnEachOther) {
  Pair pair(make(BoxShape{.size_x = 1, .size_y = 1, .size_z = 0.5, .cells_x = 4, .cells_y = 4, .cells_z = 2}),
            moved(make(BoxShape{
                      .size_x = 0.4, .size_y = 0.4, .size_z = 0.4, .cells_x = 3, .cells_y = 3, .cells_z = 3}),
                  Vec3(0.013, 0.027, 0.455)),
            0.02);
  const auto touches = pair.touches();
  ASSERT_GE(touches.size(), 16u) << "at least the vertices of the small one's lower side";
  double area = 0;
  for (const Touch& t : touches) {
    const double up = t.first_surface == 0 ? 1 : -1;
    EXPECT_LT((t.normal - Vec3(0, 0, up)).norm(), 1e-6);
    EXPECT_NEAR(t.gap, 0.005, 1e-12);
    area += t.area;
    Vec3 vector = Vec3::Zero();
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      vector += t.weights[k] * pair.detector.surfaces().positions()[t.vertices[k]];
      sum += t.weights[k];
    }
    EXPECT_NEAR(sum, 0, 1e-12);
    EXPECT_LT((vector - t.gap * t.normal).norm(), 1e-9);
  }
  EXPECT_GT(area, 0.5 * 0.16);
  EXPECT_LT(area, 3 * 0.16);
}

// Plates thinner than the contact distance are not seen through.
TEST(Touch, NothingIsSeenThroughABody) {
  const BoxShape plate{.size_x = 1, .size_y = 1, .size_z = 0.004, .cells_x = 5, .cells_y = 5, .cells_z = 1};
  Pair pair(make(plate), moved(make(plate), Vec3(0.05, 0.03, 0.009)), 0.02);
  const auto touches = pair.touches();
  ASSERT_GT(touches.size(), 10u);
  for (const Touch& t : touches) {
    EXPECT_NEAR(t.gap, 0.005, 1e-9) << "only the sides that face each other";
    EXPECT_GT((t.first_surface == 0 ? 1 : -1) * t.normal.z(), 0.99);
  }
}

// Two balls that overlap: pushed apart, if it is known that they do.
TEST(Touch, WhatOverlapsIsPushedApart) {
  const TriangleMesh ball = make(IcosphereShape{.radius = 0.1, .frequency = 12});
  Pair pair(ball, moved(ball, Vec3(0, 0, 0.196)), 0.01);
  std::size_t inside = 0;
  for (const Touch& t : pair.touches(true)) {
    const double up = t.first_surface == 0 ? 1 : -1;
    if (t.gap < 0) ++inside;
    if (std::abs(t.gap) < 0.004) {
      EXPECT_GT(up * t.normal.z(), 0.5) << t.gap;
    }
  }
  EXPECT_GT(inside, 4u);
  for (const Touch& t : pair.touches(false)) EXPECT_GE(t.gap, 0);
}

// Edges of two roofs that cross.
TEST(Touch, EdgesThatCross) {
  TriangleMesh roof{{Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(0, -1, -1), Vec3(0, 1, -1)}, {{0, 2, 1}, {0, 1, 3}}};
  TriangleMesh other{{Vec3(0, -1, 0.01), Vec3(0, 1, 0.01), Vec3(-1, 0, 1.01), Vec3(1, 0, 1.01)},
                     {{0, 2, 1}, {0, 1, 3}}};
  Pair pair(roof, other, 0.05);
  const auto touches = pair.touches();
  ASSERT_EQ(touches.size(), 1u);
  EXPECT_EQ(touches[0].kind(), ContactKind::edge_edge);
  EXPECT_NEAR(touches[0].gap, 0.01, 1e-12);
  EXPECT_NEAR(std::abs(touches[0].normal.z()), 1, 1e-9);
}

// Taken for what it is, whatever is around it, a contact is as the finder sees it, or larger where that
// fades.
TEST(Touch, AContactByItself) {
  const TriangleMesh ball = make(IcosphereShape{.radius = 0.1, .frequency = 8});
  Pair pair(ball, moved(ball, Vec3(0.011, 0.007, 0.201)), 0.02);
  const std::vector<Contact> contacts(pair.detector.detect().contacts.begin(),
                                      pair.detector.detect().contacts.end());
  const auto touches = pair.touches();
  ASSERT_GT(touches.size(), 10u);
  std::size_t edges = 0;
  for (const Touch& touch : touches) {
    const auto contact = std::lower_bound(contacts.begin(), contacts.end(), touch.key,
                                          [](const Contact& c, std::uint64_t key) { return c.key < key; });
    ASSERT_EQ(contact->key, touch.key);
    const Touch whole = pair.finder.touch_of(pair.detector.surfaces(), *contact);
    EXPECT_EQ(whole.key, touch.key);
    EXPECT_EQ(whole.vertices, touch.vertices);
    EXPECT_EQ(whole.weights, touch.weights);
    EXPECT_EQ(whole.normal, touch.normal);
    EXPECT_EQ(whole.gap, touch.gap);
    EXPECT_GE(whole.area, (1 - 1e-12) * touch.area);
    if (touch.kind() == ContactKind::vertex_triangle) {
      EXPECT_EQ(whole.area, touch.area);
    }
    edges += touch.kind() == ContactKind::edge_edge ? 1 : 0;
  }
  EXPECT_GT(edges, 0u);
}

// What comes and goes at once shakes what lies on it: edges that lean over, or slide off each other's ends,
// fade.
TEST(Touch, EdgesFade) {
  const TriangleMesh roof{{Vec3(-1, 0, 0), Vec3(1, 0, 0), Vec3(0, -1, -1), Vec3(0, 1, -1)},
                          {{0, 2, 1}, {0, 1, 3}}};
  const TriangleMesh other{{Vec3(0, -1, 0.01), Vec3(0, 1, 0.01), Vec3(-1, 0, 1.01), Vec3(1, 0, 1.01)},
                           {{0, 2, 1}, {0, 1, 3}}};
  const auto area_of = [&](const TriangleMesh& upper) {
    Pair pair(roof, upper, 0.05);
    double area = 0;
    for (const Touch& touch : pair.touches()) area += touch.kind() == ContactKind::edge_edge ? touch.area : 0;
    return area;
  };
  const auto leaning = [&](double angle) {  // about its edge, until a face lies beside the other roof
    TriangleMesh mesh = other;
    for (Vec3& p : mesh.positions) {
      const double x = p.x(), z = p.z() - 0.01;
      p = Vec3(std::cos(angle) * x + std::sin(angle) * z, p.y(),
               0.01 - std::sin(angle) * x + std::cos(angle) * z);
    }
    return mesh;
  };
  const auto aside = [&](double by) { return moved(other, Vec3(by, 0, 0)); };
  const double whole = area_of(other);
  EXPECT_GT(whole, 0);
  const auto expect_fading = [&](auto&& shape, double from, double to) {
    constexpr int steps = 400;
    double last = area_of(shape(from));
    EXPECT_NEAR(last, whole, 1e-12);
    for (int i = 1; i <= steps; ++i) {
      const double area = area_of(shape(from + (to - from) * i / steps));
      EXPECT_LT(std::abs(area - last), 0.1 * whole) << i;
      last = area;
    }
    EXPECT_EQ(last, 0);
  };
  expect_fading(leaning, 0.5, 1.0);
  expect_fading(aside, 0.5, 1.04);
}

}  // namespace
}  // namespace palpate
