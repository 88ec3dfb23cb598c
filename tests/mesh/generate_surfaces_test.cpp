// Generated surfaces: counts, closedness, orientation, and what is refused.
#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include <palpate/mesh/generate.h>
#include <support/cases.h>

#include "mesh_checks.h"

namespace palpate {
namespace {

using testing::each_case;
using testing::enclosed_volume;
using testing::euler_characteristic;
using testing::expect_closed;
using testing::expect_mentions;
using testing::expect_sound_surface;
using testing::Random;
using testing::refusal;

constexpr double pi = 3.141592653589793;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class Shape>
void expect_closed_shape(const Shape& shape, std::size_t vertices, std::size_t triangles, long euler,
                         double volume, double tolerance) {
  const TriangleMesh mesh = make(shape);
  EXPECT_EQ(mesh.positions.size(), vertices);
  EXPECT_EQ(mesh.triangles.size(), triangles);
  EXPECT_EQ(counts_of(shape), (MeshCounts{vertices, triangles}));
  expect_sound_surface(mesh);
  expect_closed(mesh);
  EXPECT_EQ(euler_characteristic(mesh), euler);
  EXPECT_NEAR(enclosed_volume(mesh) / volume, 1, tolerance);
  EXPECT_EQ(mesh, make(shape));
}

TEST(GenerateSurfaces, Torus) {
  const double volume = 2 * pi * pi * 0.1 * 0.03 * 0.03;
  expect_closed_shape(TorusShape{0.1, 0.03, 80, 40}, 3200, 6400, 0, volume, 0.01);
  expect_closed_shape(TorusShape{0.1, 0.03, 3, 3}, 9, 18, 0, volume, 0.9);
  expect_closed_shape(TorusShape{0.1, 0.0999, 7, 4}, 28, 56, 0, 2 * pi * pi * 0.1 * 0.0999 * 0.0999, 0.6);
}

TEST(GenerateSurfaces, KnotTube) {
  // A tube has the volume of a straight one, whatever its bends (Pappus); lengths from a fine polygon.
  const auto length = [](double p, double q) {
    double sum = 0;
    Vec3 last(0.15, 0, 0);
    for (int i = 1; i <= 100'000; ++i) {
      const double t = 2 * pi * i / 100'000, rho = 0.1 + 0.05 * std::cos(q * t);
      const Vec3 next(rho * std::cos(p * t), rho * std::sin(p * t), 0.05 * std::sin(q * t));
      sum += (next - last).norm();
      last = next;
    }
    return sum;
  };
  const auto volume = [&](const KnotShape& k) {
    return pi * k.tube * k.tube * length(double(k.p), double(k.q));
  };
  const KnotShape standard, coarse{2, 3, 0.1, 0.01, 36, 3}, many{3, 5, 0.1, 0.012, 400, 10},
      ring{1, 1, 0.1, 0.02, 60, 9};
  expect_closed_shape(standard, 1980, 3960, 0, volume(standard), 0.04);
  expect_closed_shape(coarse, 108, 216, 0, 3 * std::sqrt(0.75) / 2 / pi * volume(coarse), 0.2);
  expect_closed_shape(many, 4000, 8000, 0, volume(many), 0.08);
  expect_closed_shape(ring, 540, 1080, 0, volume(ring), 0.09);
}

// Rings that are near in space but not along the knot keep apart, also as polygons.
TEST(GenerateSurfaces, KnotTubesDoNotTouchThemselves) {
  for (const KnotShape& shape :
       {KnotShape{}, KnotShape{2, 3, 0.1, 0.025, 36, 12}, KnotShape{3, 4, 0.1, 0.02, 200, 12},
        KnotShape{2, 5, 0.1, 0.02, 200, 12}, KnotShape{3, 2, 0.1, 0.025, 120, 12}}) {
    const TriangleMesh mesh = make(shape);
    const std::size_t across = shape.across, along = shape.along;
    std::vector<Vec3> centres(along, Vec3::Zero());
    for (std::size_t i = 0; i < mesh.positions.size(); ++i)
      centres[i / across] += mesh.positions[i] / static_cast<double>(across);
    double step = 0;
    for (std::size_t i = 0; i < along; ++i)
      step = std::max(step, (centres[(i + 1) % along] - centres[i]).norm());
    // Two tubes about segments are apart if their segments are farther than two radii; a quarter turn of the
    // tightest bend allowed is pi / 2 radii long, and half a circle away strands may come near again.
    const auto apart = static_cast<std::size_t>(std::ceil(pi * shape.tube / step)) + 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < along; ++i)
      for (std::size_t j = 0; j < along; ++j) {
        const std::size_t gap = (j + along - i) % along;
        if (gap < apart || along - gap < apart) continue;
        for (const double s : {0.0, 0.25, 0.5, 0.75})
          for (const double t : {0.0, 0.25, 0.5, 0.75}) {
            const Vec3 x = (1 - s) * centres[i] + s * centres[(i + 1) % along];
            const Vec3 y = (1 - t) * centres[j] + t * centres[(j + 1) % along];
            least = std::min(least, (x - y).norm());
          }
      }
    EXPECT_GT(least, 2 * shape.tube) << shape.p << " " << shape.q;
    EXPECT_LT(shape.tube, largest_knot_tube(shape.p, shape.q, shape.size));
  }
}

TEST(GenerateSurfaces, KnotsHaveNoThickerTubeThanFits) {
  EXPECT_NEAR(largest_knot_tube(2, 3, 1), 10 * largest_knot_tube(2, 3, 0.1), 1e-12);
  const double largest = largest_knot_tube(2, 3, 0.1);
  EXPECT_GT(largest, 0.025);
  EXPECT_NO_THROW(make(KnotShape{2, 3, 0.1, 0.99 * largest, 300, 12}));
  expect_mentions(refusal([&] {
                    make(KnotShape{2, 3, 0.1, 1.01 * largest, 300, 12});
                  }),
                  {"shape 'knot'", "tube", "touch itself"});
}

TEST(GenerateSurfaces, Spheres) {
  const double volume = 4.0 / 3 * pi * 0.1 * 0.1 * 0.1;
  for (const std::size_t n : {1u, 2u, 3u, 4u, 7u, 16u})
    expect_closed_shape(IcosphereShape{0.1, n}, 10 * n * n + 2, 20 * n * n, 2, volume, 0.6 / double(n * n));
  for (const Vec3& p : make(IcosphereShape{0.1, 9}).positions) EXPECT_NEAR(p.norm(), 0.1, 1e-15);
  expect_closed_shape(SphereShape{0.1, 48, 24}, 48 * 23 + 2, 2 * 48 * 23, 2, volume, 0.02);
  expect_closed_shape(SphereShape{0.1, 3, 2}, 5, 6, 2, volume, 0.8);
}

TEST(GenerateSurfaces, BoxesHaveTheirExactVolume) {
  expect_closed_shape(BoxShape{1, 2, 4, 1, 1, 1}, 8, 12, 2, 8, 1e-15);
  expect_closed_shape(BoxShape{1, 2, 4, 3, 4, 5}, 2 * 47 + 2, 4 * 47, 2, 8, 1e-14);
  expect_closed_shape(BoxShape{1, 2, 4, 1, 1, 6}, 2 * 13 + 2, 4 * 13, 2, 8, 1e-14);
  expect_closed_shape(BoxShape{1, 2, 4, 1, 6, 2}, 2 * 20 + 2, 4 * 20, 2, 8, 1e-14);
}

TEST(GenerateSurfaces, CylinderAndCapsule) {
  const double cylinder = pi * 0.05 * 0.05 * 0.2, capsule = pi * 0.05 * 0.05 * (0.1 + 4.0 / 3 * 0.05);
  expect_closed_shape(CylinderShape{}, 32 * 29 + 2, 2 * 32 * 29, 2, cylinder, 0.01);
  expect_closed_shape(CylinderShape{0.05, 0.2, 3, 1, 1}, 8, 12, 2, cylinder, 0.6);
  expect_closed_shape(CapsuleShape{}, 32 * 25 + 2, 2 * 32 * 25, 2, capsule, 0.02);
  expect_closed_shape(CapsuleShape{0.05, 0.1, 3, 1, 1}, 8, 12, 2, capsule, 0.8);
}

TEST(GenerateSurfaces, Bowl) {
  const auto half_ball = [](double r) { return 2.0 / 3 * pi * r * r * r; };
  expect_closed_shape(BowlShape{}, 2 * 32 * 12 + 2, 4 * 32 * 12, 2, half_ball(0.1) - half_ball(0.09), 0.03);
  expect_closed_shape(BowlShape{0.1, 0.09, 3, 1}, 8, 12, 2, half_ball(0.1) - half_ball(0.01), 0.8);
  expect_mentions(refusal([] { make(BowlShape{0.1, 0.1, 3, 1}); }), {"shape 'bowl'", "nothing is hollow"});
  expect_mentions(refusal([] { make(BowlShape{0.1, 0.01, 2, 1}); }), {"around is 2"});
}

template <class Shape>
void expect_grid(const Shape& shape) {
  const TriangleMesh mesh = make(shape);
  const std::size_t nx = shape.cells_x, ny = shape.cells_y;
  EXPECT_EQ(counts_of(shape), (MeshCounts{(nx + 1) * (ny + 1), 2 * nx * ny}));
  EXPECT_EQ(mesh.positions.size(), (nx + 1) * (ny + 1));
  EXPECT_EQ(mesh.triangles.size(), 2 * nx * ny);
  expect_sound_surface(mesh);
  testing::expect_oriented(mesh);
  EXPECT_EQ(euler_characteristic(mesh), 1);
  std::size_t border = 0;
  const auto edges = testing::directed_edges(mesh);
  for (const auto& [edge, count] : edges) border += !edges.contains({edge.second, edge.first});
  EXPECT_EQ(border, 2 * (nx + ny));
  double area = 0;
  for (const TriangleCorners& t : mesh.triangles) {
    const auto [a, b, c] = triangle_at(mesh.positions, t);
    EXPECT_GT((b - a).cross(c - a).z(), 0);
    area += (b - a).cross(c - a).norm() / 2;
  }
  EXPECT_NEAR(area, shape.size_x * shape.size_y, 1e-12);
}

TEST(GenerateSurfaces, PlaneAndCloth) {
  expect_grid(PlaneShape{});
  expect_grid(PlaneShape{2, 3, 1, 1});
  expect_grid(PlaneShape{2, 3, 5, 7});
  expect_grid(ClothShape{});
  expect_grid(ClothShape{2, 3, 5, 7});
}

TEST(GenerateSurfaces, DiagonalsOfClothAlternate) {
  const TriangleMesh mesh = make(ClothShape{1, 1, 6, 6});
  std::vector<std::set<std::uint32_t>> neighbours(mesh.positions.size());
  for (const TriangleCorners& t : mesh.triangles)
    for (const std::uint32_t a : t)
      for (const std::uint32_t b : t)
        if (a != b) neighbours[a].insert(b);
  for (std::size_t j = 1; j < 6; ++j)
    for (std::size_t i = 1; i < 6; ++i) EXPECT_EQ(neighbours[j * 7 + i].size(), (i + j) % 2 == 0 ? 8u : 4u);
}

TEST(GenerateSurfaces, RefuseBadSizes) {
  for (const double bad : {not_a_number, -0.1, 0.0, 1e-12, 1e12, HUGE_VAL}) {
    expect_mentions(refusal([&] {
                      make(TorusShape{bad, 0.01, 9, 9});
                    }),
                    {"shape 'torus'", "major is", "Give a"});
    expect_mentions(refusal([&] {
                      make(TorusShape{0.1, bad, 9, 9});
                    }),
                    {"shape 'torus'", "minor is", "Give a"});
    expect_mentions(refusal([&] { make(KnotShape{2, 3, bad, 0.01, 99, 9}); }), {"shape 'knot'", "size is"});
    expect_mentions(refusal([&] { make(KnotShape{2, 3, 0.1, bad, 99, 9}); }), {"shape 'knot'", "tube is"});
    expect_mentions(refusal([&] { make(IcosphereShape{bad, 3}); }), {"shape 'icosphere'", "radius is"});
    expect_mentions(refusal([&] { make(SphereShape{bad, 3, 3}); }), {"shape 'sphere'", "radius is"});
    expect_mentions(refusal([&] { make(BoxShape{bad, 1, 1, 1, 1, 1}); }), {"shape 'box'", "size-x is"});
    expect_mentions(refusal([&] { make(BoxShape{1, bad, 1, 1, 1, 1}); }), {"shape 'box'", "size-y is"});
    expect_mentions(refusal([&] { make(BoxShape{1, 1, bad, 1, 1, 1}); }), {"shape 'box'", "size-z is"});
    expect_mentions(refusal([&] { make(PlaneShape{bad, 1, 1, 1}); }), {"shape 'plane'", "size-x is"});
    expect_mentions(refusal([&] { make(PlaneShape{1, bad, 1, 1}); }), {"shape 'plane'", "size-y is"});
    expect_mentions(refusal([&] { make(ClothShape{bad, 1, 1, 1}); }), {"shape 'cloth'", "size-x is"});
    expect_mentions(refusal([&] { make(ClothShape{1, bad, 1, 1}); }), {"shape 'cloth'", "size-y is"});
    expect_mentions(refusal([&] {
                      make(CylinderShape{bad, 1, 3, 1, 1});
                    }),
                    {"shape 'cylinder'", "radius is"});
    expect_mentions(refusal([&] {
                      make(CylinderShape{1, bad, 3, 1, 1});
                    }),
                    {"shape 'cylinder'", "length is"});
    expect_mentions(refusal([&] { make(CapsuleShape{bad, 1, 3, 1, 1}); }), {"shape 'capsule'", "radius is"});
    expect_mentions(refusal([&] { make(CapsuleShape{1, bad, 3, 1, 1}); }), {"shape 'capsule'", "length is"});
    expect_mentions(refusal([&] { with_triangles(TorusShape{bad, 0.01, 9, 9}, 100); }), {"major is"});
  }
  expect_mentions(refusal([] {
                    make(TorusShape{0.1, 0.1, 9, 9});
                  }),
                  {"cross itself", "minor smaller than major"});
  expect_mentions(refusal([] { make(TorusShape{1e9, 1e-9, 9, 9}); }), {"has no area", "too different"});
}

TEST(GenerateSurfaces, RefuseBadSubdivisions) {
  expect_mentions(refusal([] { make(TorusShape{0.1, 0.03, 2, 9}); }), {"around is 2", "from 3 on"});
  expect_mentions(refusal([] { make(TorusShape{0.1, 0.03, 9, 2}); }), {"across is 2", "from 3 on"});
  expect_mentions(refusal([] { make(KnotShape{2, 3, 0.1, 0.02, 35, 9}); }), {"along is 35", "from 36 on"});
  expect_mentions(refusal([] { make(KnotShape{2, 3, 0.1, 0.02, 99, 2}); }), {"across is 2", "from 3 on"});
  expect_mentions(refusal([] {
                    make(KnotShape{2, 4, 0.1, 0.02, 99, 9});
                  }),
                  {"p is 2 and q is 4", "common divisor"});
  expect_mentions(refusal([] { make(KnotShape{0, 1, 0.1, 0.02, 99, 9}); }), {"p is 0", "from 1 to 32"});
  expect_mentions(refusal([] { make(KnotShape{2, 33, 0.1, 0.02, 999, 9}); }), {"q is 33", "from 1 to 32"});
  expect_mentions(refusal([] { make(IcosphereShape{0.1, 0}); }), {"frequency is 0", "from 1 on"});
  expect_mentions(refusal([] { make(SphereShape{0.1, 2, 2}); }), {"around is 2", "from 3 on"});
  expect_mentions(refusal([] { make(SphereShape{0.1, 3, 1}); }), {"bands is 1", "from 2 on"});
  expect_mentions(refusal([] { make(BoxShape{1, 1, 1, 0, 1, 1}); }), {"cells-x is 0"});
  expect_mentions(refusal([] { make(BoxShape{1, 1, 1, 1, 0, 1}); }), {"cells-y is 0"});
  expect_mentions(refusal([] { make(BoxShape{1, 1, 1, 1, 1, 0}); }), {"cells-z is 0"});
  expect_mentions(refusal([] { make(PlaneShape{1, 1, 0, 1}); }), {"cells-x is 0"});
  expect_mentions(refusal([] { make(ClothShape{1, 1, 1, 0}); }), {"cells-y is 0"});
  expect_mentions(refusal([] { make(CylinderShape{1, 1, 2, 1, 1}); }), {"around is 2"});
  expect_mentions(refusal([] { make(CylinderShape{1, 1, 3, 0, 1}); }), {"along is 0"});
  expect_mentions(refusal([] { make(CapsuleShape{1, 1, 3, 1, 0}); }), {"rings is 0"});
}

TEST(GenerateSurfaces, RefuseMoreThanHasAnIndex) {
  constexpr std::size_t many = 1u << 16, most = std::numeric_limits<std::size_t>::max();
  for (const std::size_t n : {many, std::size_t{1} << 32, most}) {
    expect_mentions(refusal([&] {
                      make(TorusShape{0.1, 0.03, n, n});
                    }),
                    {"it would have about", "Subdivide less"});
    expect_mentions(refusal([&] { make(KnotShape{2, 3, 0.1, 0.02, n, n}); }), {"Subdivide less"});
    expect_mentions(refusal([&] { make(IcosphereShape{0.1, n}); }), {"Subdivide less"});
    expect_mentions(refusal([&] { make(SphereShape{0.1, n, n}); }), {"Subdivide less"});
    expect_mentions(refusal([&] { make(BoxShape{1, 1, 1, n, n, n}); }), {"Subdivide less"});
    expect_mentions(refusal([&] { make(PlaneShape{1, 1, n, n}); }), {"Subdivide less"});
    expect_mentions(refusal([&] { make(CylinderShape{1, 1, n, n, n}); }), {"Subdivide less"});
  }
  EXPECT_EQ(counts_of(PlaneShape{1, 1, 46340, 46340}).elements,
            4294791200u);  // nearly as many as there may be
  expect_mentions(refusal([] { with_triangles(TorusShape{}, 0); }), {"0 elements", "at least one"});
  expect_mentions(refusal([] { with_triangles(TorusShape{}, most); }),
                  {"elements are asked for", "at most 4294967294"});
}

// Whatever is chosen can be made, and is sound.
TEST(GenerateSurfacesProperty, WhatIsChosenIsSound) {
  each_case(60, [](Random& random) {
    for (const Generator& one : generators()) {
      if (one.kind != GeneratedKind::surface) continue;
      SCOPED_TRACE(one.name);
      std::vector<double> values = one.standard_values();
      for (std::size_t i = 0; i < values.size(); ++i)
        if (one.parameters[i].unit == "m") values[i] *= random.uniform(0.8, 1.2);
      const auto target = static_cast<std::size_t>(std::abs(random.magnitude(10, 4000)));
      const auto mesh = std::get<TriangleMesh>(one.make(values, target));
      EXPECT_EQ(mesh, std::get<TriangleMesh>(one.make(one.choose(values, target), std::nullopt)));
      expect_sound_surface(mesh);
      const bool open = one.name == "plane" || one.name == "cloth";
      if (open)
        testing::expect_oriented(mesh);
      else
        expect_closed(mesh);
      const long euler = open ? 1 : one.name == "torus" || one.name == "knot" ? 0 : 2;
      EXPECT_EQ(euler_characteristic(mesh), euler);
      EXPECT_GT(enclosed_volume(mesh) + open, 0);
    }
  });
}

}  // namespace
}  // namespace palpate
