// Scenes for contacts: random ones, and those that are known to be hard.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <support/cases.h>

#include <palpate/collide/contact.h>
#include <palpate/mesh/mesh.h>

namespace palpate::testing {

struct ContactScene {
  std::string name;
  std::vector<TriangleMesh> meshes;
  double distance = 0.1;
};

// The same to the last bit.
inline bool same_bits(const Contact& a, const Contact& b) {
  const auto same = [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  };
  return a.key == b.key && same(a.distance, b.distance) && same(a.normal.x(), b.normal.x()) &&
         same(a.normal.y(), b.normal.y()) && same(a.normal.z(), b.normal.z()) && same(a.at[0], b.at[0]) &&
         same(a.at[1], b.at[1]) && a.first_surface == b.first_surface &&
         a.second_surface == b.second_surface && a.in_margin == b.in_margin;
}

inline Vec3 random_point(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

// A grid of n x m squares in the plane z = 0, each of two triangles, with edges of 1.
inline TriangleMesh sheet(std::size_t n, std::size_t m) {
  TriangleMesh mesh;
  for (std::size_t j = 0; j <= m; ++j)
    for (std::size_t i = 0; i <= n; ++i)
      mesh.positions.emplace_back(static_cast<double>(i), static_cast<double>(j), 0);
  const auto at = [&](std::size_t i, std::size_t j) { return static_cast<std::uint32_t>(j * (n + 1) + i); };
  for (std::size_t j = 0; j < m; ++j)
    for (std::size_t i = 0; i < n; ++i) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return mesh;
}

// Moves every vertex by f.
template <class F>
TriangleMesh bent(TriangleMesh mesh, F&& f) {
  for (Vec3& p : mesh.positions) p = f(p);
  return mesh;
}

inline TriangleMesh random_soup(Random& random, std::size_t triangles, double size, double edge) {
  TriangleMesh mesh;
  for (std::uint32_t t = 0; t < triangles; ++t) {
    const Vec3 centre = random_point(random, size);
    for (int k = 0; k < 3; ++k) mesh.positions.push_back(centre + random_point(random, edge));
    mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  return mesh;
}

inline TriangleMesh shuffled(Random& random, TriangleMesh mesh) {
  for (std::size_t i = mesh.triangles.size(); i > 1; --i)
    std::swap(mesh.triangles[i - 1], mesh.triangles[random.below(i)]);
  return mesh;
}

// Whatever is known to be hard, a new variety at every call.
inline ContactScene random_scene(Random& random) {
  const std::size_t n = 2 + random.below(random.chance(0.1) ? 8 : 3);
  const double d = random.uniform(0.05, 1.5);
  switch (random.below(16)) {
    case 0:
      return {"soup", {random_soup(random, 1 + random.below(20), 1, 0.5)}, d};
    case 1:
      return {"two soups",
              {random_soup(random, 1 + random.below(40), 1, 0.5),
               random_soup(random, 1 + random.below(20), 1, 0.5)},
              d / 4};
    case 2: {  // parallel sheets, right at the threshold
      const double gap = random.chance(0.5) ? d : d * random.uniform(0.5, 1.5);
      return {"parallel sheets",
              {sheet(n, n), bent(sheet(n, n), [&](const Vec3& p) { return Vec3(p.x(), p.y(), gap); })},
              d};
    }
    case 3: {  // one surface of two sheets above each other, with like normals
      TriangleMesh mesh = sheet(n, n);
      const TriangleMesh other =
          bent(sheet(n, n), [&](const Vec3& p) { return Vec3(p.x() + 0.3, p.y(), 0.7 * d); });
      const auto first = static_cast<std::uint32_t>(mesh.positions.size());
      mesh.positions.insert(mesh.positions.end(), other.positions.begin(), other.positions.end());
      for (const TriangleCorners& t : other.triangles)
        mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
      return {"stacked sheets in one", {mesh}, d};
    }
    case 4: {  // a valley with walls of 89 degrees
      const double step = std::cos(89 * M_PI / 180);
      return {"valley",
              {bent(sheet(2 * n, n),
                    [&](const Vec3& p) {
                      return Vec3((p.x() - static_cast<double>(n)) * step * 8, p.y(),
                                  std::abs(p.x() - static_cast<double>(n)));
                    })},
              d};
    }
    case 5:  // a rolled sheet
      return {"rolled sheet",
              {bent(sheet(6 * n, n),
                    [&](const Vec3& p) {
                      const double turn = p.x() / 1.5, r = 1 + 0.08 * turn;
                      return Vec3(r * std::cos(turn), r * std::sin(turn), p.y());
                    })},
              d / 2};
    case 6: {  // a closed slit: the vertices of one line are doubled, nothing moves
      TriangleMesh mesh = sheet(2 * n, n);
      const auto count = static_cast<std::uint32_t>(mesh.positions.size());
      for (std::size_t j = 1; j < n; ++j) mesh.positions.push_back(mesh.positions[j * (2 * n + 1) + n]);
      for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        if (t / 2 % (2 * n) >= n)
          for (std::uint32_t& v : mesh.triangles[t])
            for (std::uint32_t j = 1; j < n; ++j)
              if (v == j * (2 * n + 1) + n) v = count + j - 1;
      return {"closed slit", {mesh}, d};
    }
    case 7: {  // needles and caps, and triangles without area
      TriangleMesh mesh = random_soup(random, 30, 1, 0.5);
      for (std::size_t t = 0; t < 30; ++t) {
        Vec3 &a = mesh.positions[3 * t], &b = mesh.positions[3 * t + 1], &c = mesh.positions[3 * t + 2];
        const std::size_t sort = random.below(5);
        if (sort == 0) b = a + 1e-9 * (b - a);
        if (sort == 1) c = 0.5 * (a + b) + 1e-9 * (c - a);
        if (sort == 2) c = 0.5 * (a + b);
        if (sort == 3) c = b = a;
      }
      return {"needles", {mesh, random_soup(random, 10, 1, 0.5)}, d / 4};
    }
    case 8:  // sizes of 1 : 10,000
      return {"sizes", {random_soup(random, 40, 0.01, 0.002), random_soup(random, 5, 10, 20)}, d / 100};
    case 9: {  // duplicate vertices: every triangle has its own
      const TriangleMesh whole = sheet(n, n);
      TriangleMesh mesh;
      for (const TriangleCorners& t : whole.triangles) {
        const auto first = static_cast<std::uint32_t>(mesh.positions.size());
        for (const std::uint32_t v : t) mesh.positions.push_back(whole.positions[v]);
        mesh.triangles.push_back({first, first + 1, first + 2});
      }
      return {"duplicate vertices", {mesh}, d};
    }
    case 10:  // everything in one cell
      return {"one cell", {random_soup(random, 25, 0.1, 0.05)}, d};
    case 11: {  // far away
      const Vec3 away(1e6, -1e6, 1e6);
      return {"far",
              {bent(random_soup(random, 20, 1, 0.5), [&](const Vec3& p) { return Vec3(p + away); }),
               bent(random_soup(random, 20, 1, 0.5), [&](const Vec3& p) { return Vec3(p + away); })},
              d / 4};
    }
    case 12:  // tiny
      return {"tiny",
              {bent(random_soup(random, 20, 1, 0.5), [](const Vec3& p) { return Vec3(p * 1e-6); }),
               bent(random_soup(random, 20, 1, 0.5), [](const Vec3& p) { return Vec3(p * 1e-6); })},
              d * 1e-6 / 4};
    case 13: {  // crumpled, numbered at random
      return {"crumpled",
              {shuffled(random, bent(sheet(3 * n, 2 * n),
                                     [&](const Vec3& p) {
                                       return Vec3(p.x() * 0.3 + random.uniform(-0.2, 0.2),
                                                   p.y() * 0.3 + random.uniform(-0.2, 0.2),
                                                   random.uniform(-0.5, 0.5));
                                     }))},
              d};
    }
    case 14: {  // triangles that share vertices anyhow, some twice, some with a repeated corner
      TriangleMesh mesh;
      const std::size_t vertices = 3 + random.below(30);
      for (std::size_t i = 0; i < vertices; ++i) mesh.positions.push_back(random_point(random, 1));
      const auto pick = [&] { return static_cast<std::uint32_t>(random.below(vertices)); };
      for (std::size_t i = random.below(40); i > 0; --i) mesh.triangles.push_back({pick(), pick(), pick()});
      return {"anyhow", {mesh}, d / 3};
    }
    default: {  // many small bodies
      ContactScene scene{"bodies", {}, d / 4};
      for (std::size_t i = 2 + random.below(8); i > 0; --i) {
        const Vec3 centre = random_point(random, 2);
        scene.meshes.push_back(bent(random_soup(random, 1 + random.below(10), 0.3, 0.3),
                                    [&](const Vec3& p) { return Vec3(p + centre); }));
      }
      return scene;
    }
  }
}

}  // namespace palpate::testing
