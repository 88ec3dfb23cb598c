// "Too flat to come near itself", against the distances of all its features.
#include <palpate/collide/patch_cone.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <support/cases.h>
#include <support/contact_scenes.h>

#include <palpate/collide/detector.h>
#include <palpate/collide/kernel.h>

namespace palpate {
namespace {

using testing::bent;
using testing::each_case;
using testing::Random;
using testing::sheet;

// How near two features of the triangles come that have no common vertex.
double nearest(const TriangleMesh& mesh, std::span<const std::uint32_t> triangles) {
  double least = std::numeric_limits<double>::infinity();
  const auto has = [](const TriangleCorners& t, std::uint32_t v) {
    return std::find(t.begin(), t.end(), v) != t.end();
  };
  for (const std::uint32_t a : triangles)
    for (const std::uint32_t b : triangles)
      for (std::size_t i = 0; i < 3; ++i) {
        const TriangleCorners &one = mesh.triangles[a], &two = mesh.triangles[b];
        if (!has(two, one[i]))
          least = std::min(
              least,
              vertex_triangle(mesh.positions[one[i]], triangle_at(mesh.positions, two)).squared_distance);
        for (std::size_t j = 0; j < 3; ++j) {
          const std::uint32_t e0 = one[i], e1 = one[(i + 1) % 3], f0 = two[j], f1 = two[(j + 1) % 3];
          if (e0 == f0 || e0 == f1 || e1 == f0 || e1 == f1) continue;
          least = std::min(least, edge_edge({mesh.positions[e0], mesh.positions[e1]},
                                            {mesh.positions[f0], mesh.positions[f1]})
                                      .squared_distance);
        }
      }
  return std::sqrt(least);
}

bool keeps_apart(const TriangleMesh& mesh, std::span<const std::uint32_t> triangles, double reach) {
  Detector detector;
  detector.add(mesh);
  PatchCone cone;
  return cone.keeps_apart(detector.surfaces(), triangles, reach);
}

std::vector<std::uint32_t> all_of(const TriangleMesh& mesh) {
  std::vector<std::uint32_t> all(mesh.triangles.size());
  for (std::uint32_t t = 0; t < all.size(); ++t) all[t] = t;
  return all;
}

// Cuts a sheet that is n squares wide along a column, from the border over some rows, and moves what lies to
// the right of the cut: away, or over the left.
void slit(TriangleMesh& mesh, std::size_t n, std::size_t column, std::size_t rows, double away) {
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  for (std::size_t j = 0; j < rows; ++j)
    mesh.positions.emplace_back(mesh.positions[j * (n + 1) + column] + Vec3(away, 0, 0));
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    if (t / 2 % n >= column)
      for (std::uint32_t& v : mesh.triangles[t])
        for (std::uint32_t j = 0; j < rows; ++j)
          if (v == j * (n + 1) + column) v = first + j;
}

TEST(PatchConeProperty, WhatItKeepsApartIsApart) {
  std::size_t kept = 0, not_kept = 0;
  const std::size_t cases = each_case(3000, [&](Random& random) {
    // Scenes that are hard, or a sheet that is bent a little or much.
    TriangleMesh mesh;
    if (random.chance(0.5)) {
      mesh = testing::random_scene(random).meshes[0];
    } else {
      const double wave = random.uniform(0, 2), noise = random.chance(0.5) ? 0 : random.uniform(0, 0.4);
      const std::size_t n = 2 + random.below(5), m = 1 + random.below(6);
      mesh = sheet(n, m);
      if (random.chance(0.4))
        slit(mesh, n, 1 + random.below(n - 1), random.below(m + 1), random.uniform(-0.1, 0.3));
      mesh = bent(std::move(mesh), [&](const Vec3& p) {
        return Vec3(p + Vec3(0, 0, wave * std::sin(p.x())) + testing::random_point(random, noise));
      });
    }
    // All of it, or what lies in a box.
    std::vector<std::uint32_t> triangles = all_of(mesh);
    if (random.chance(0.7) && !mesh.positions.empty()) {
      const Vec3 centre = mesh.positions[random.below(mesh.positions.size())];
      const double size = random.uniform(0.5, 3);
      std::erase_if(triangles, [&](std::uint32_t t) {
        return ((mesh.positions[mesh.triangles[t][0]] - centre).cwiseAbs().array() > size).any();
      });
    }
    if (triangles.size() > 64) triangles.resize(64);
    const double apart = nearest(mesh, triangles);
    // Well below what is there, right at it, or anything.
    const double reach = random.chance(0.3) && std::isfinite(apart)   ? apart * random.uniform(0.5, 1)
                         : random.chance(0.3) && std::isfinite(apart) ? std::nextafter(apart, 1e300)
                                                                      : random.uniform(0.01, 1.5);
    const bool claimed = keeps_apart(mesh, triangles, reach);
    ASSERT_TRUE(!claimed || apart >= reach) << apart << " apart, and not " << reach;
    (claimed ? kept : not_kept) += !triangles.empty();
  });
  EXPECT_GT(kept, cases / 20);
  EXPECT_GT(not_kept, cases / 4);
}

TEST(PatchCone, AFlatSheetIsKeptApartUpToTheHeightOfItsTriangles) {
  const TriangleMesh mesh = sheet(4, 4);
  EXPECT_TRUE(keeps_apart(mesh, all_of(mesh), 0.7));  // heights over the diagonals: 0.707
  EXPECT_FALSE(keeps_apart(mesh, all_of(mesh), 0.72));
  EXPECT_TRUE(keeps_apart(mesh, {}, 1));
}

TEST(PatchCone, HolesSlitsPartsAndBacksAreNotKeptApart) {
  // A hole: two outlines.
  const TriangleMesh flat = sheet(3, 3);
  std::vector<std::uint32_t> ring = all_of(flat);
  ring.erase(ring.begin() + 8, ring.begin() + 10);
  EXPECT_FALSE(keeps_apart(flat, ring, 0.1));
  // Two parts that touch in one vertex, and two that do not touch.
  EXPECT_FALSE(keeps_apart(flat, std::vector<std::uint32_t>{0, 1, 8, 9}, 0.1));
  EXPECT_FALSE(keeps_apart(flat, std::vector<std::uint32_t>{0, 1, 16, 17}, 0.1));
  // A closed slit, from the border to the middle.
  TriangleMesh slit = sheet(4, 4);
  slit.positions.push_back(slit.positions[2]);
  for (const std::uint32_t t : {4u, 5u, 6u, 7u})
    for (std::uint32_t& v : slit.triangles[t])
      if (v == 2) v = 25;
  EXPECT_EQ(nearest(slit, all_of(slit)), 0);
  EXPECT_FALSE(keeps_apart(slit, all_of(slit), 0.1));
  // A triangle that shows its back.
  TriangleMesh turned = sheet(3, 3);
  std::swap(turned.triangles[4][0], turned.triangles[4][1]);
  EXPECT_FALSE(keeps_apart(turned, all_of(turned), 0.1));
  // Folded over.
  const TriangleMesh folded =
      bent(sheet(4, 2), [](const Vec3& p) { return Vec3(2 - std::abs(p.x() - 2), p.y(), 0.05 * p.x()); });
  EXPECT_LT(nearest(folded, all_of(folded)), 0.2);
  EXPECT_FALSE(keeps_apart(folded, all_of(folded), 0.2));
}

}  // namespace
}  // namespace palpate
