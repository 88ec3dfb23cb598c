// Generated solids: counts, positive tetrahedra, matching faces, volumes, and what is refused.
#include <algorithm>
#include <cmath>
#include <limits>

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
using testing::expect_sound_solid;
using testing::outer_faces;
using testing::Random;
using testing::refusal;
using testing::volume_of;

constexpr double pi = 3.141592653589793;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Sound, with a closed boundary around exactly the volume of the tetrahedra.
void expect_solid(const TetMesh& mesh, long euler) {
  expect_sound_solid(mesh);
  const TriangleMesh boundary = outer_faces(mesh);
  expect_closed(boundary);
  EXPECT_EQ(euler_characteristic(boundary), euler);
  EXPECT_NEAR(enclosed_volume(boundary) / volume_of(mesh), 1, 1e-11);
}

template <class Shape>
void expect_solid_shape(const Shape& shape, std::size_t vertices, std::size_t tets, long euler, double volume,
                        double tolerance) {
  const TetMesh mesh = make(shape);
  EXPECT_EQ(mesh.positions.size(), vertices);
  EXPECT_EQ(mesh.tets.size(), tets);
  EXPECT_EQ(counts_of(shape), (MeshCounts{vertices, tets}));
  expect_solid(mesh, euler);
  EXPECT_NEAR(volume_of(mesh) / volume, 1, tolerance);
  EXPECT_EQ(mesh, make(shape));
}

TEST(GenerateSolids, Box) {
  expect_solid_shape(SolidBoxShape{1, 2, 4, 1, 1, 1}, 8, 5, 2, 8, 1e-15);
  expect_solid_shape(SolidBoxShape{1, 2, 4, 3, 4, 5}, 120, 300, 2, 8, 1e-14);
  expect_solid_shape(SolidBoxShape{1, 2, 4, 2, 1, 1}, 12, 10, 2, 8, 1e-14);
}

TEST(GenerateSolids, BeamsOfTheStudies) {
  expect_solid_shape(BeamShape{0.005, 23, 2}, 216, 460, 2, 0.115 * 1e-4, 1e-13);
  expect_solid_shape(BeamShape{0.01 / 3, 31, 3}, 512, 1395, 2, 0.31 / 3 * 1e-4, 1e-13);
  expect_solid_shape(BeamShape{0.0025, 39, 4}, 1000, 3120, 2, 0.0975 * 1e-4, 1e-13);
}

TEST(GenerateSolids, Torus) {
  const double volume = 2 * pi * pi * 0.1 * 0.04 * 0.04;
  expect_solid_shape(SolidTorusShape{}, 48 * 37, 18 * 48 * 9, 0, volume, 0.03);
  expect_solid_shape(SolidTorusShape{0.1, 0.04, 3, 1}, 3 * 7, 54, 0, volume, 0.8);
  expect_solid_shape(SolidTorusShape{0.1, 0.0999, 5, 4}, 5 * 61, 18 * 5 * 16, 0, 62.5 * volume / 10, 0.4);
}

TEST(GenerateSolids, Knot) {
  const double volume = pi * 0.025 * 0.025 * 1.59493;  // of the smooth tube, length from a fine polygon
  expect_solid_shape(SolidKnotShape{}, 120 * 19, 18 * 120 * 4, 0, volume, 0.06);
  expect_solid_shape(SolidKnotShape{2, 3, 0.1, 0.025, 500, 8}, 500 * 217, 18 * 500 * 64, 0, volume, 0.005);
  expect_solid_shape(SolidKnotShape{2, 3, 0.1, 0.025, 36, 1}, 36 * 7, 18 * 36, 0, volume, 0.25);
}

std::size_t ball_vertices(std::size_t n) {
  std::size_t sum = 1;
  for (std::size_t k = 1; k <= n; ++k) sum += 10 * k * k + 2;
  return sum;
}

TEST(GenerateSolids, SphereOfEveryNumberOfLayers) {
  const double volume = 4.0 / 3 * pi * 1e-3;
  for (std::size_t n = 1; n <= 20; ++n)
    expect_solid_shape(SolidSphereShape{0.1, n}, ball_vertices(n), 20 * n * n * n, 2, volume,
                       0.6 / static_cast<double>(n * n));
}

TEST(GenerateSolids, TheBoundaryOfTheSolidSphereIsTheIcosphere) {
  auto solid = outer_faces(make(SolidSphereShape{0.1, 7})).positions,
       surface = make(IcosphereShape{0.1, 7}).positions;
  std::sort(solid.begin(), solid.end(), before);
  std::sort(surface.begin(), surface.end(), before);
  EXPECT_EQ(solid, surface);
}

TEST(GenerateSolids, BlobOfEveryNumberOfLayers) {
  for (std::size_t n = 1; n <= 20; ++n) {
    const TetMesh mesh = make(BlobShape{0.15, 1, 1, n});
    EXPECT_EQ(mesh.positions.size(), ball_vertices(n));
    EXPECT_EQ(mesh.tets.size(), 20 * n * n * n);
    expect_solid(mesh, 2);
  }
  for (const double lobe : {0.0, 0.5, 1.0})
    for (const double notch : {0.0, 0.5, 1.0})
      for (const std::size_t n : {1u, 2u, 3u, 5u, 8u, 13u})
        expect_sound_solid(make(BlobShape{0.15, lobe, notch, n}));
}

TEST(GenerateSolids, TheBlobIsAsWideAsItSays) {
  const TetMesh mesh = make(BlobShape{0.15, 1, 1, 20});
  Vec3 lo = mesh.positions[0], hi = lo;
  for (const Vec3& p : mesh.positions) {
    lo = lo.cwiseMin(p);
    hi = hi.cwiseMax(p);
  }
  EXPECT_NEAR(hi.x() - lo.x(), 0.15, 0.015);
  EXPECT_LT(hi.y() - lo.y(), 0.13);
  EXPECT_LT(hi.z() - lo.z(), 0.1);
}

TEST(GenerateSolids, RefuseBadSizes) {
  for (const double bad : {not_a_number, -0.1, 0.0, 1e-12, 1e12, HUGE_VAL}) {
    expect_mentions(refusal([&] {
                      make(SolidBoxShape{bad, 1, 1, 1, 1, 1});
                    }),
                    {"shape 'solid-box'", "size-x is"});
    expect_mentions(refusal([&] {
                      make(SolidBoxShape{1, bad, 1, 1, 1, 1});
                    }),
                    {"shape 'solid-box'", "size-y is"});
    expect_mentions(refusal([&] {
                      make(SolidBoxShape{1, 1, bad, 1, 1, 1});
                    }),
                    {"shape 'solid-box'", "size-z is"});
    expect_mentions(refusal([&] { make(BeamShape{bad, 1, 1}); }), {"shape 'beam'", "cell is"});
    expect_mentions(refusal([&] {
                      make(SolidTorusShape{bad, 0.01, 3, 1});
                    }),
                    {"shape 'solid-torus'", "major is"});
    expect_mentions(refusal([&] {
                      make(SolidTorusShape{0.1, bad, 3, 1});
                    }),
                    {"shape 'solid-torus'", "minor is"});
    expect_mentions(refusal([&] {
                      make(SolidKnotShape{2, 3, bad, 0.01, 99, 1});
                    }),
                    {"solid-knot", "size is"});
    expect_mentions(refusal([&] { make(SolidKnotShape{2, 3, 0.1, bad, 99, 1}); }), {"solid-knot", "tube is"});
    expect_mentions(refusal([&] { make(SolidSphereShape{bad, 1}); }), {"shape 'solid-sphere'", "radius is"});
    expect_mentions(refusal([&] { make(BlobShape{bad, 1, 1, 1}); }), {"shape 'blob'", "width is"});
  }
  for (const double bad : {not_a_number, -0.1, 1.1}) {
    expect_mentions(refusal([&] { make(BlobShape{0.1, bad, 1, 1}); }), {"lobe is", "from 0 to 1"});
    expect_mentions(refusal([&] { make(BlobShape{0.1, 1, bad, 1}); }), {"notch is", "from 0 to 1"});
  }
  expect_mentions(refusal([] {
                    make(SolidTorusShape{0.1, 0.2, 9, 1});
                  }),
                  {"cross itself", "Make minor smaller"});
  expect_mentions(refusal([] {
                    make(SolidKnotShape{2, 3, 0.1, 0.09, 99, 1});
                  }),
                  {"touch itself", "Make tube smaller"});
}

TEST(GenerateSolids, RefuseBadSubdivisions) {
  expect_mentions(refusal([] { make(SolidBoxShape{1, 1, 1, 0, 1, 1}); }), {"cells-x is 0", "from 1 on"});
  expect_mentions(refusal([] { make(SolidBoxShape{1, 1, 1, 1, 0, 1}); }), {"cells-y is 0"});
  expect_mentions(refusal([] { make(SolidBoxShape{1, 1, 1, 1, 1, 0}); }), {"cells-z is 0"});
  expect_mentions(refusal([] { make(BeamShape{1, 0, 1}); }), {"along is 0"});
  expect_mentions(refusal([] { make(BeamShape{1, 1, 0}); }), {"across is 0"});
  expect_mentions(refusal([] { make(SolidTorusShape{0.1, 0.03, 2, 1}); }), {"around is 2", "from 3 on"});
  expect_mentions(refusal([] { make(SolidTorusShape{0.1, 0.03, 3, 0}); }), {"rings is 0"});
  expect_mentions(refusal([] {
                    make(SolidKnotShape{2, 3, 0.1, 0.02, 35, 1});
                  }),
                  {"along is 35", "from 36 on"});
  expect_mentions(refusal([] { make(SolidKnotShape{2, 3, 0.1, 0.02, 99, 0}); }), {"rings is 0"});
  expect_mentions(refusal([] { make(SolidKnotShape{3, 3, 0.1, 0.02, 99, 1}); }), {"common divisor"});
  expect_mentions(refusal([] { make(SolidSphereShape{0.1, 0}); }), {"layers is 0"});
  expect_mentions(refusal([] { make(BlobShape{0.1, 1, 1, 0}); }), {"layers is 0"});
  constexpr std::size_t many = 1u << 16, most = std::numeric_limits<std::size_t>::max();
  for (const std::size_t n : {many, most}) {
    expect_mentions(refusal([&] { make(SolidBoxShape{1, 1, 1, n, n, n}); }), {"Subdivide less"});
    expect_mentions(refusal([&] { make(BeamShape{1, n, n}); }), {"Subdivide less"});
    expect_mentions(refusal([&] { make(SolidTorusShape{0.1, 0.03, n, n}); }), {"Subdivide less"});
    expect_mentions(refusal([&] { make(SolidKnotShape{2, 3, 0.1, 0.02, n, n}); }), {"Subdivide less"});
    expect_mentions(refusal([&] { make(SolidSphereShape{0.1, n}); }), {"Subdivide less"});
    expect_mentions(refusal([&] { make(BlobShape{0.1, 1, 1, n}); }), {"Subdivide less"});
  }
}

// Whatever is chosen can be made, and is sound.
TEST(GenerateSolidsProperty, WhatIsChosenIsSound) {
  each_case(25, [](Random& random) {
    for (const Generator& one : generators()) {
      if (one.kind != GeneratedKind::solid) continue;
      SCOPED_TRACE(one.name);
      std::vector<double> values = one.standard_values();
      for (std::size_t i = 0; i < values.size(); ++i)
        if (one.parameters[i].unit == "m") values[i] *= random.uniform(0.8, 1.2);
      const auto target = static_cast<std::size_t>(std::abs(random.magnitude(10, 8000)));
      const auto mesh = std::get<TetMesh>(one.make(values, target));
      EXPECT_EQ(mesh, std::get<TetMesh>(one.make(one.choose(values, target), std::nullopt)));
      expect_solid(mesh, one.name == "solid-torus" || one.name == "solid-knot" ? 0 : 2);
    }
  });
}

}  // namespace
}  // namespace palpate
